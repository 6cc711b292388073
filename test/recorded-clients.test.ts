/**
 * Recordings of other clients (test/fixtures/traffic/clients), played to the built `toolgate acp`. The client's own lines
 * are the input; the agent's are of today, and are read the way the client reads them.
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { acpWorld } from "./acp-process.js";
import type { AcpProcess, Line, Update } from "./acp-process.js";
import { until } from "./until.js";

const recordings = fileURLToPath(new URL("fixtures/traffic/clients/", import.meta.url));

type Message = {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
};
type Recorded = { readonly answers?: string; readonly message: Message };

const STEPS: readonly ScriptStep[] = [
  {
    say: "I look.",
    calls: [
      { tool: "todo_write", input: { todos: [{ content: "Run it", status: "in_progress" }] } },
      { tool: "read_file", input: { path: "notes.txt" } },
    ],
  },
  { calls: [{ tool: "edit_file", input: { path: "notes.txt", oldText: "bread", newText: "butter" } }] },
  { calls: [{ tool: "terminal", input: { command: "echo hello > hello.txt; cat hello.txt" } }] },
  { say: "Done." },
];

type Played = {
  readonly agent: AcpProcess;
  readonly notes: string;
  /** The response to the prompt. */
  readonly turn: Line;
  /** The agent's requests, by their methods. */
  readonly asked: readonly string[];
  readonly tools: readonly Update[];
};

async function play(name: string, steps = STEPS): Promise<Played> {
  const lines = (await readFile(`${recordings}${name}.ndjson`, "utf8")).trim().split("\n");
  const recorded = lines.map((line): Recorded => {
    const { answers, line: text } = JSON.parse(line) as { answers?: string; line: string };
    return { ...(answers !== undefined && { answers }), message: JSON.parse(text) as Message };
  });
  const world = await acpWorld(steps);
  const notes = join(world.project, "notes.txt");
  await writeFile(notes, "milk\nbread\n");
  const agent = world.start();
  const turn = await new Replay(agent, recorded, notes).run();
  const updates = agent.updates();
  return {
    agent,
    turn,
    notes: await readFile(notes, "utf8"),
    asked: agent.lines.flatMap(({ id, method }) =>
      id !== undefined && method !== undefined ? [method] : [],
    ),
    tools: updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith("tool_call")),
  };
}

/** Sends the client's lines in their order, and answers the agent's requests as the client answered such requests. */
class Replay {
  readonly #agent: AcpProcess;
  readonly #recorded: readonly Recorded[];
  readonly #notes: string;
  readonly #answered = new Set<unknown>();
  readonly #given = new Map<string, number>();
  /** The index of the next notification: what the client answered after it is answered after it. */
  #unsent: number;
  #afterCancel: Recorded[] = [];
  #sessionId = "";
  #turn: Line = {};
  #isOver = false;

  constructor(agent: AcpProcess, recorded: readonly Recorded[], notes: string) {
    this.#agent = agent;
    this.#recorded = recorded;
    this.#notes = notes;
    this.#unsent = this.#nextNotification(0);
  }

  #nextNotification(from: number): number {
    const index = this.#recorded.findIndex(
      ({ answers, message }, at) => at >= from && answers === undefined && message.id === undefined,
    );
    return index === -1 ? Infinity : index;
  }

  async run(): Promise<Line> {
    const answering = this.#answerAll();
    for (const [index, { answers, message }] of this.#recorded.entries()) {
      if (answers !== undefined || message.method === undefined) continue;
      if (message.id === undefined) {
        // A cancel: while the agent waits for what the client answered last, or for the first question.
        const before = this.#recorded.slice(0, index).findLast((one) => one.answers)?.answers;
        await this.#agent.asked(before ?? "session/request_permission", 1);
        this.#agent.send({ method: message.method, params: this.#params(message) });
        this.#unsent = this.#nextNotification(index + 1);
        this.#afterCancel = this.#recorded.slice(index).filter((one) => one.answers !== undefined);
      } else await this.#request(message);
    }
    await until(() => this.#turn.result !== undefined || this.#turn.error !== undefined);
    this.#isOver = true;
    await answering;
    return this.#turn;
  }

  async #request(message: Message): Promise<void> {
    const response = this.#agent.request(message.method ?? "", this.#params(message));
    if (message.method === "session/prompt" && this.#turn.result === undefined) {
      const hasMore = this.#recorded.some(
        ({ message: one }) =>
          one.method !== undefined && one.id !== undefined && (one.id ?? 0) > (message.id ?? 0),
      );
      const done = response.then((line) => (this.#turn = line));
      if (hasMore) await done;
      return;
    }
    const { result } = await response;
    if (message.method === "session/new") this.#sessionId = String(result?.["sessionId"]);
  }

  #params({ params = {} }: Message): object {
    const { sessionId, cwd } = params;
    return {
      ...params,
      ...(typeof sessionId === "string" && sessionId !== "nope" && { sessionId: this.#sessionId }),
      ...(cwd !== undefined && { cwd: this.#agent.cwd }),
    };
  }

  async #answerAll(): Promise<void> {
    for (;;) {
      await until(() => this.#isOver || this.#open() !== undefined);
      const request = this.#open();
      if (!request) return;
      this.#answered.add(request.id);
      const { method = "", params } = request;
      const result = this.#answerTo(method);
      if (result === undefined) continue;
      if (method === "fs/write_text_file") await writeFile(this.#notes, params?.content ?? "");
      this.#agent.send({ id: request.id, result });
    }
  }

  /** The agent's next request that the client is to answer. After a cancel the client's own order holds. */
  #open(): Line | undefined {
    const [next] = this.#afterCancel;
    return this.#agent.lines.find(
      ({ id, method }) =>
        id !== undefined &&
        method !== undefined &&
        !this.#answered.has(id) &&
        (next === undefined || next.answers === method) &&
        this.#recorded.findIndex((one) => one.answers === method) < this.#unsent,
    );
  }

  /** The next answer that the client gave to such a request, and the last one again. */
  #answerTo(method: string): unknown {
    const next = this.#afterCancel.shift();
    if (next) return next.message.result;
    const answers = this.#recorded.filter((one) => one.answers === method);
    const count = this.#given.get(method) ?? 0;
    this.#given.set(method, count + 1);
    return answers.at(Math.min(count, answers.length - 1))?.message.result;
  }
}

const last = (tools: readonly Update[], id: string): Update | undefined =>
  tools.findLast(({ toolCallId }) => toolCallId === id);
/** The first update of each call. */
const started = (tools: readonly Update[]) =>
  [...new Map(tools.toReversed().map((one) => [one["toolCallId"], one])).values()].toReversed();
const ended = (tools: readonly Update[]) =>
  tools.filter(({ status }) => status === "completed" || status === "failed");

describe("every client that allows", () => {
  test.each(["emacs-agent-shell", "go-sdk-example", "acpx", "python-sdk-allow"])("%s", async (name) => {
    const { turn, notes, asked, tools } = await play(name);
    expect(turn.result).toEqual({ stopReason: "end_turn" });
    expect(notes).toBe("milk\nbutter\n");
    // One for the read, two for the edit.
    expect(asked.filter((method) => method === "fs/read_text_file").length).toBeLessThanOrEqual(3);
    expect(asked.filter((method) => method === "session/request_permission")).toHaveLength(2);

    // CodeCompanion takes a start without a status for one in progress; the Go example prints "title (status)".
    for (const one of started(tools)) {
      expect(one["status"]).toBe("pending");
      expect(one["title"]).toMatch(/\S/);
    }
    // Toad drops an update whose rawOutput is not an object.
    for (const { rawOutput } of tools)
      expect(rawOutput === undefined || (typeof rawOutput === "object" && rawOutput !== null)).toBe(true);
    // agent-shell shows the content of the update at hand, and nothing of the ones before.
    for (const one of ended(tools)) {
      const hasContent = tools.some((other) => other["toolCallId"] === one["toolCallId"] && other["content"]);
      expect(one["content"] !== undefined, JSON.stringify(one)).toBe(hasContent);
    }
    // The Go example and agent-shell show the title that comes with the input.
    const withInput = new Map(
      tools
        .toReversed()
        .flatMap((one) => (one["rawInput"] ? [[one["toolCallId"], one["title"]] as const] : [])),
    );
    expect([...withInput.values()].toReversed()).toEqual([
      expect.stringContaining("plan"),
      expect.stringContaining("notes.txt"),
      expect.stringContaining("notes.txt"),
      expect.stringContaining("echo hello"),
    ]);
    expect(started(tools)[0]).toMatchObject({ kind: "think" });
  });
});

test("Emacs, which has no terminals, gets the output of a command with its end", async () => {
  const { tools } = await play("emacs-agent-shell");
  expect(JSON.stringify(last(tools, "call_4")?.["content"])).toContain("hello");
});

describe("recorded clients of the Python SDK", () => {
  test("lets the Python SDK load, resume, list, change the mode, and close what it opened", async () => {
    const { agent } = await play("python-sdk-allow");
    const errors = agent.lines.flatMap(({ error }) => error ?? []);
    // The session that does not exist, and no other.
    expect(errors.map(({ code }) => code)).toEqual([-32002]);
  });

  test("shows a client without files and terminals everything, and requests only its permission", async () => {
    const { turn, asked, tools } = await play("python-sdk-bare-allow");
    expect(turn.result).toEqual({ stopReason: "end_turn" });
    expect(new Set(asked)).toEqual(new Set(["session/request_permission"]));
    expect(JSON.stringify(last(tools, "call_4")?.["content"])).toContain("hello");
  });

  test("stops the turn when a client without terminals cancels while a command runs", async () => {
    const { turn, asked } = await play("python-sdk-bare-cancel-in-run", [
      { calls: [{ tool: "terminal", input: { command: "touch ../outside.txt; sleep 60" } }] },
      { say: "Done." },
    ]);
    expect(turn.result).toEqual({ stopReason: "cancelled" });
    expect(new Set(asked)).toEqual(new Set(["session/request_permission"]));
  });

  test.each(["python-sdk-reject", "python-sdk-cancelled-outcome", "python-sdk-unoffered"])(
    "edits nothing for %s",
    async (name) => {
      const { notes, turn, tools } = await play(name, STEPS.slice(0, 2).concat({ say: "Done." }));
      expect(turn.result).toEqual({ stopReason: "end_turn" });
      expect(notes).toBe("milk\nbread\n");
      expect(last(tools, "call_3")).toMatchObject({ status: "failed" });
    },
  );

  test("edits nothing when the client cancels at the question, and says so", async () => {
    const { notes, turn } = await play("python-sdk-cancel-at-question");
    expect(turn.result).toEqual({ stopReason: "cancelled" });
    expect(notes).toBe("milk\nbread\n");
  });

  test("kills and releases the client's terminal when it cancels while a command runs", async () => {
    const command = "for i in 1 2 3; do echo tick $i; sleep 60; done";
    const { turn, asked } = await play("python-sdk-cancel-in-run", [
      { calls: [{ tool: "terminal", input: { command } }] },
      { say: "Done." },
    ]);
    expect(turn.result).toEqual({ stopReason: "cancelled" });
    expect(asked).toEqual(expect.arrayContaining(["terminal/kill", "terminal/release"]));
  });
});
