/** The gate in full: every way that a call can go, on a real ledger and a real folder. */
import { execFile } from "node:child_process";
import { readFile, realpath, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { z } from "zod";
import type { Answer, Question, ShownQuestion, ToolCall } from "../src/call/index.js";
import { modelRemarks } from "../src/call/call-remarks.js";
import { endSentence } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { allowAll, denyAll, openGate } from "../src/run/index.js";
import type { Ask, Gate, OpenGateOptions, RememberedGrant } from "../src/run/index.js";
import type { Rule } from "../src/policy/index.js";
import { builtInTools, defineTool } from "../src/tools/index.js";
import type { Tool, ToolContext } from "../src/tools/index.js";
import { counting, folder, never } from "./agent-kit.js";

type Given = Partial<OpenGateOptions> & { files?: Record<string, string>; stored?: unknown };

async function gateIn(given: Given = {}) {
  const { files, stored: _, ...options } = given;
  const root = await folder(files);
  const ledger = options.ledger ?? new MemoryLedger();
  const gate = await openGate({ workspace: root, tools: builtInTools, ...options, ledger });
  onTestFinished(() => gate.close());
  return { gate, ledger, root };
}

const yes: Ask = () =>
  Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" });

const says =
  (optionId: string, more: Partial<Answer> = {}): Ask =>
  () =>
    Promise.resolve({ outcome: { type: "selected", optionId }, by: "person", who: "ann", ...more });

const tool = (
  name: string,
  run: (context: ToolContext, input: unknown) => unknown,
  more: Partial<Tool> = {},
) => ({
  ...defineTool({
    name,
    description: name,
    kind: "other",
    input: z.looseObject({}),
    run: async (input, context) => ({ output: await run(context, input) }),
  }),
  ...more,
});

const statusOf = ({ state }: ToolCall): string => state.status;
const sentence = (call: ToolCall): string => endSentence(call) ?? "";

describe("an answer that keeps some hunks of an edit", () => {
  const before = Array.from({ length: 40 }, (_, line) => `line ${line + 1}\n`).join("");
  const change = (text: string, lines: readonly number[]): string =>
    lines.reduce((changed, line) => changed.replace(`line ${line}\n`, `changed ${line}\n`), text);
  const edits = [2, 20, 38].map((line) => ({ oldText: `line ${line}\n`, newText: `changed ${line}\n` }));
  const inputs = {
    write_file: { path: "a.txt", content: change(before, [2, 20, 38]) },
    edit_file: { path: "a.txt", edits },
  };

  test.each(["write_file", "edit_file"] as const)(
    "makes just these with %s, and names the others",
    async (name) => {
      const asked: ShownQuestion[] = [];
      const ask: Ask = (question, signal) => {
        asked.push(question);
        return says("allow_once", { keptHunks: [3, 1] })(question, signal);
      };
      const { gate, root } = await gateIn({ files: { "a.txt": before }, ask });
      const call = await gate.call({ name, input: inputs[name] });
      expect(asked).toMatchObject([{ hunks: 3 }]);
      expect(statusOf(call)).toBe("done");
      expect(await readFile(join(root, "a.txt"), "utf8")).toBe(change(before, [2, 38]));
      // The shown diff is of what was written.
      expect(call.content).toMatchObject([{ oldText: before, newText: change(before, [2, 38]) }]);
      expect(call.decision).toMatchObject({
        originalInput: inputs[name],
        rejectedHunks: [{ number: 2, line: 20 }],
      });
      expect(modelRemarks(call)).toEqual([
        expect.stringContaining("Not applied: hunk 2 of its diff, at line 20 of the file before it."),
      ]);
    },
  );

  test("writes nothing for a hunk that is not there, and after the file has changed", async () => {
    const write = { name: "write_file", input: inputs.write_file };
    const { gate, root } = await gateIn({
      files: { "a.txt": before },
      ask: says("allow_once", { keptHunks: [4] }),
    });
    expect(sentence(await gate.call(write))).toContain("no such hunks");
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe(before);
    const other = await gateIn({
      files: { "a.txt": before },
      ask: async (question, signal) => {
        await writeFile(join(other.root, "a.txt"), `${before}more\n`);
        return says("allow_once", { keptHunks: [1] })(question, signal);
      },
    });
    expect(sentence(await other.gate.call(write))).toContain("has changed since its diff was shown");
    expect(await readFile(join(other.root, "a.txt"), "utf8")).toBe(`${before}more\n`);
  });

  test("offers no choice of hunks for one hunk, and runs nothing of a tool that has none", async () => {
    const counter = counting("t");
    const { gate } = await gateIn({
      tools: [...builtInTools, counter.tool],
      ask: async (question, signal) => {
        expect(question.hunks).toBeUndefined();
        return says("allow_once", { keptHunks: [1] })(question, signal);
      },
    });
    const made = { name: "write_file", input: { path: "new.txt", content: before } };
    expect(statusOf(await gate.call(made))).toBe("refused");
    expect(statusOf(await gate.call({ name: "t", input: {} }))).toBe("refused");
    expect(counter.runs).toBe(0);
  });
});

describe("Gate answers", () => {
  test("runs a call after a yes of a custom handler, and passes the reason of a no to the model", async () => {
    const counter = counting("t");
    const asked: Question[] = [];
    const { gate } = await gateIn({
      tools: [counter.tool],
      ask: (question, signal) => {
        asked.push(question);
        return asked.length === 1
          ? yes(question, signal)
          : says("reject_once", { reason: "not today" })(question, signal);
      },
    });
    expect(statusOf(await gate.call({ name: "t", input: { n: 1 } }))).toBe("done");
    const refused = await gate.call({ name: "t", input: { n: 2 } });
    expect(sentence(refused)).toBe("Tool call denied by ann: not today. Nothing was run.");
    expect(counter.runs).toBe(1);
    expect(asked[0]).toMatchObject({ about: ['input: {"n":1}', "tool: t"], title: "T" });
  });

  test("gives the handler the tool's name, its kind and the whole input", async () => {
    const calls: unknown[] = [];
    const { gate } = await gateIn({
      ask: (question, signal) => {
        const { name, kind, rawInput } = question.call;
        calls.push({ name, kind, rawInput });
        return denyAll(question, signal);
      },
    });
    const input = { path: "a.txt", content: "x".repeat(20_000) };
    await gate.call({ name: "write_file", input });
    expect(calls).toEqual([{ name: "write_file", kind: "edit", rawInput: input }]);
  });

  test.each<[string, Ask | undefined]>([
    ["there is no handler", undefined],
    ["the handler throws", () => Promise.reject(new Error("gone"))],
    ["the handler answers nothing", () => Promise.resolve(undefined as never)],
    ["the handler picks what was not offered", says("allow_everything")],
    ["the handler always denies", denyAll],
  ])("refuses the call when %s", async (_, ask) => {
    const counter = counting("t");
    const { gate } = await gateIn({ tools: [counter.tool], ...(ask && { ask }) });
    expect(statusOf(await gate.call({ name: "t", input: {} }))).toBe("refused");
    expect(counter.runs).toBe(0);
  });

  test("runs with allowAll the calls that ask, and none that a rule denies", async () => {
    const counter = counting("t");
    const { gate } = await gateIn({
      tools: [counter.tool, counting("u").tool],
      rules: [{ deny: "u" }],
      ask: allowAll,
    });
    expect(statusOf(await gate.call({ name: "t", input: {} }))).toBe("done");
    expect(statusOf(await gate.call({ name: "u", input: {} }))).toBe("refused");
  });

  test("ignores a second or late answer", async () => {
    const counter = counting("t");
    const { gate, ledger } = await gateIn({ tools: [counter.tool] });
    const { waiting } = await gate.submit([{ name: "t", input: {} }]);
    expect(waiting).toHaveLength(1);
    const [question] = await ledger.openQuestions();
    if (!question) throw new Error("nothing was asked");
    const answer = (optionId: string): Answer => ({
      outcome: { type: "selected", optionId },
      intentHash: question.intentHash,
      by: "person",
      at: Date.now(),
    });
    expect(await ledger.answer(question.questionId, answer("reject_once"))).toMatchObject({ counted: true });
    expect(await ledger.answer(question.questionId, answer("allow_once"))).toMatchObject({ counted: false });
    await gate.proceed(never());
    expect(counter.runs).toBe(0);
    await gate.proceed(never());
    expect(await ledger.answer(question.questionId, answer("allow_once"))).toMatchObject({ counted: false });
    expect(counter.runs).toBe(0);
  });

  test("runs a call once when it is answered a thousand times at once", async () => {
    const counter = counting("t");
    const { gate, ledger } = await gateIn({ tools: [counter.tool] });
    await gate.submit([{ name: "t", input: {} }]);
    const [question] = await ledger.openQuestions();
    if (!question) throw new Error("nothing was asked");
    const { questionId, intentHash } = question;
    const outcome = { type: "selected", optionId: "allow_once" } as const;
    const receipts = await Promise.all(
      Array.from({ length: 1000 }, async () => {
        const receipt = await ledger.answer(questionId, {
          outcome,
          intentHash,
          by: "person",
          at: Date.now(),
        });
        await gate.proceed(never());
        return receipt;
      }),
    );
    expect(receipts.filter(({ counted }) => counted)).toHaveLength(1);
    expect(counter.runs).toBe(1);
  });

  test("records the note of an answer", async () => {
    const { gate } = await gateIn({
      tools: [counting("t").tool],
      ask: says("allow_once", { reason: "mind the gap" }),
    });
    expect((await gate.call({ name: "t", input: {} })).decision).toMatchObject({
      by: "person",
      reason: "mind the gap",
    });
  });

  test("refuses a call with a sentence that says so when its question expires", async () => {
    const counter = counting("t");
    const { gate, ledger } = await gateIn({
      tools: [counter.tool],
      questionLifetime: 60,
      ask: () => new Promise(() => undefined),
    });
    const call = await gate.call({ name: "t", input: {} });
    expect(sentence(call)).toBe(
      "Tool call denied by rule questions expire: the question expired: nobody answered in time. Nothing was run.",
    );
    expect(await ledger.openQuestions()).toEqual([]);
    expect(counter.runs).toBe(0);
  });
});

test("keeps an idle program alive until its question has expired, and no longer", async () => {
  const program = `
    import { MemoryLedger, openGate } from "toolgate";
    const ask = () => new Promise(() => {});
    const gate = await openGate({ ledger: new MemoryLedger(), workspace: ".", questionLifetime: 200, ask });
    const { f } = gate.wrapTools({ f: () => 1 });
    await f({}).catch((error) => console.log(error.message));
    await gate.close();`;
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
    timeout: 20_000,
  });
  expect(stdout).toContain("the question expired");
});

describe("inputs that the answer changes", () => {
  const edits = (input: unknown): Ask => says("allow_once", { input });

  test("replaces the model's input by the answer's, and records both", async () => {
    const { gate, root } = await gateIn({ ask: edits({ path: "b.txt", newText: "hello" }) });
    const call = await gate.call({ name: "edit_file", input: { path: "a.txt", newText: "hello" } });
    expect(statusOf(call)).toBe("done");
    expect(call).toMatchObject({
      rawInput: { path: "b.txt", newText: "hello" },
      decision: { by: "person", originalInput: { path: "a.txt", newText: "hello" } },
      content: [{ type: "diff", path: join(root, "b.txt") }],
    });
    expect(call.title).toContain("b.txt");
    expect(await readFile(join(root, "b.txt"), "utf8")).toBe("hello");
    await expect(readFile(join(root, "a.txt"))).rejects.toThrow("ENOENT");
  });

  test("marks a changed input also when the call is asked about again", async () => {
    const asked: Question[] = [];
    let looks = 0;
    const moving = tool("moving", () => "moved", {
      // Its intent is another one each time, until it has been asked about twice.
      intent: () => {
        const path = `/place/${asked.length < 2 ? (looks += 1) : 0}`;
        return Promise.resolve({ paths: [{ path, access: "write" }] });
      },
    });
    const { gate } = await gateIn({
      tools: [moving],
      ask: (question, signal) => {
        asked.push(question);
        return says("allow_once", asked.length === 1 ? { input: { to: "b" } } : {})(question, signal);
      },
    });
    const call = await gate.call({ name: "moving", input: { to: "a" } });
    const [first, ...again] = asked.map(({ originalInput }) => originalInput);
    expect([first, again.at(-1)]).toEqual([undefined, { to: "a" }]);
    expect(call).toMatchObject({
      state: { status: "done" },
      rawInput: { to: "b" },
      decision: { by: "person", originalInput: { to: "a" } },
    });
  });

  test("refuses a changed input that a rule denies", async () => {
    const rules: Rule[] = [{ deny: "edit", path: "/**/secret.txt" }];
    const { gate } = await gateIn({ rules, ask: edits({ path: "secret.txt", newText: "x" }) });
    const call = await gate.call({ name: "edit_file", input: { path: "a.txt", newText: "x" } });
    expect(sentence(call)).toContain("denied by rule deny edit /**/secret.txt");
  });

  test.each([
    ["does not fit the tool", { path: 7 }],
    ["is too large", { path: "a.txt", newText: "x".repeat(2_000_000) }],
    ["cannot be resolved", { path: "a\0b", newText: "x" }],
  ])("refuses a changed input that %s", async (_, input) => {
    const { gate } = await gateIn({ ask: edits(input) });
    const call = await gate.call({ name: "edit_file", input: { path: "a.txt", newText: "x" } });
    expect(sentence(call)).toMatch(
      /^Tool call denied by rule changed input: the changed input cannot be used/,
    );
  });
});

describe("lasting answers", () => {
  function remembering(rules: Rule[] = []) {
    const stored: RememberedGrant[] = [];
    return {
      stored,
      policy: () => ({ rules: [...rules, ...stored.flatMap((grant) => grant.rules)] }),
      remember: (grant: RememberedGrant) => Promise.resolve(void stored.push(grant)),
    };
  }

  test("offers always with the exact rule that it stores, which then takes effect", async () => {
    const { stored, ...memory } = remembering();
    const asked: Question[] = [];
    const { gate } = await gateIn({
      ...memory,
      ask: (question, signal) => {
        asked.push(question);
        return says("allow_always")(question, signal);
      },
    });
    const first = await gate.call({ name: "terminal", input: { command: "npm test" } });
    expect(first.decision).toMatchObject({ by: "person" });
    const grant = asked[0]?.options.find(({ kind }) => kind === "allow_always")?.grant;
    expect(grant).toEqual({
      sentence:
        "Always allow builds, tests, linters, formatters and local git work here, with harmless flags and workspace paths (runs project code) in this project",
      rules: [{ allow: "execute", command: "*", width: "family" }],
      scope: "project",
      width: "family",
    });
    expect(stored).toEqual([{ ...grant, grantId: asked[0]?.questionId }]);
    const second = await gate.call({ name: "terminal", input: { command: "npm test" } });
    expect(second.decision).toMatchObject({
      by: "rule",
      rule: expect.stringContaining('allow execute "*" for builds, tests, linters, formatters'),
    });
    expect(asked).toHaveLength(1);
  });

  test("releases the waiting calls that the rule of an always covers, and no others", async () => {
    const counter = counting("t");
    const other = counting("u");
    const { ledger, gate } = await gateIn({ tools: [counter.tool, other.tool], ...remembering() });
    const { waiting } = await gate.submit([
      { name: "t", input: { n: 1 } },
      { name: "u", input: {} },
      { name: "t", input: { n: 2 } },
      { name: "t", input: { n: 3 } },
    ]);
    expect(waiting).toHaveLength(4);
    const [question] = await ledger.openQuestions();
    if (!question) throw new Error("nothing was asked");
    await ledger.answer(question.questionId, {
      outcome: { type: "selected", optionId: "allow_always" },
      intentHash: question.intentHash,
      by: "person",
      at: Date.now(),
    });
    await gate.proceed(never());
    expect([counter.runs, other.runs]).toEqual([3, 0]);
    const decisions = [...gate.book.calls()].map(({ decision }) => decision?.by ?? "open");
    expect(decisions).toEqual(["person", "open", "rule", "rule"]);
    expect(await ledger.openQuestions()).toHaveLength(1);
  });

  test("refuses the waiting calls that the rule of a lasting no covers", async () => {
    const counter = counting("t");
    const { stored, ...memory } = remembering();
    const { ledger, gate } = await gateIn({ tools: [counter.tool], ...memory, ask: says("reject_always") });
    const calls = await Promise.all([1, 2, 3].map((n) => gate.call({ name: "t", input: { n } })));
    expect(calls.map(statusOf)).toEqual(["refused", "refused", "refused"]);
    expect(stored[0]?.rules).toEqual([{ deny: "t" }]);
    expect(counter.runs).toBe(0);
    expect(await ledger.openQuestions()).toEqual([]);
  });

  test("offers no always where nothing can be stored, or where a rule would still ask", async () => {
    const kinds = async (options: Partial<OpenGateOptions>, command: string) => {
      const { gate, ledger } = await gateIn(options);
      await gate.submit([{ name: "terminal", input: { command } }]);
      const [question] = await ledger.openQuestions();
      return question?.options.map(({ kind }) => kind);
    };
    expect(await kinds({}, "npm test")).toEqual(["allow_once", "reject_once"]);
    expect(await kinds(remembering(), "npm test")).toContain("allow_always");
    expect(await kinds(remembering(), "npm test $(x)")).not.toContain("allow_always");
    expect(await kinds(remembering([{ ask: "execute" }]), "npm test")).not.toContain("allow_always");
  });

  test("counts an always that cannot be stored for this call only, and says so", async () => {
    const counter = counting("t");
    const { gate } = await gateIn({
      tools: [counter.tool],
      ask: says("allow_always"),
      remember: () => Promise.reject(new Error("the disk is full")),
    });
    const call = await gate.call({ name: "t", input: {} });
    expect(counter.runs).toBe(1);
    expect(call.decision?.notStored).toContain("the disk is full");
  });
});

test("refuses a rule with a mistake, and allows nothing by one that comes in later", async () => {
  const misspelt = { allow: "execute", comand: "ls" } as unknown as Rule;
  await expect(gateIn({ rules: [misspelt] })).rejects.toThrow('nobody knows the field "comand"');
  await expect(gateIn({ rules: [{ deney: "edit" } as unknown as Rule] })).rejects.toThrow(
    "nobody knows the field",
  );
  await expect(gateIn({ rules: [{} as Rule] })).rejects.toThrow("must have just one of allow, ask and deny");
  const { gate } = await gateIn({ policy: () => ({ rules: [misspelt] }) });
  const call = await gate.call({ name: "terminal", input: { command: "touch made" } });
  expect(statusOf(call)).toBe("refused");
});

describe("several questions at once", () => {
  test("opens several questions at once, and runs an answered call while the others wait", async () => {
    const counter = counting("t");
    const answers = new Map<string, (answer: Awaited<ReturnType<Ask>>) => void>();
    const { gate } = await gateIn({
      tools: [counter.tool],
      ask: ({ toolCallId }) => new Promise((resolve) => void answers.set(toolCallId, resolve)),
    });
    const calls = [1, 2, 3].map((n) => gate.call({ name: "t", input: { n } }));
    await vi.waitFor(() => expect(answers.size).toBe(3), 120_000);
    const [first, second, third] = [...answers.values()];
    third?.({ outcome: { type: "selected", optionId: "allow_once" }, by: "person" });
    expect(statusOf(await (calls[2] as Promise<ToolCall>))).toBe("done");
    expect(counter.runs).toBe(1);
    first?.({ outcome: { type: "selected", optionId: "allow_once" }, by: "person" });
    second?.({ outcome: { type: "refused" }, by: "person" });
    expect((await Promise.all(calls)).map(statusOf)).toEqual(["done", "refused", "done"]);
  });
});

describe("cancelled calls", () => {
  test("withdraws the question of one cancelled call and leaves the others", async () => {
    const { gate, ledger } = await gateIn({ tools: [counting("t").tool] });
    const { waiting } = await gate.submit([
      { name: "t", input: { n: 1 } },
      { name: "t", input: { n: 2 } },
    ]);
    expect(await gate.cancelCall(waiting[0] ?? "", "no longer needed.")).toBe(true);
    expect(await ledger.openQuestions()).toHaveLength(1);
    expect([...gate.book.calls()].map(statusOf)).toEqual(["cancelled", "waiting"]);
    expect(await gate.cancelCall(waiting[0] ?? "", "again.")).toBe(false);
  });

  test("ends one cancelled running call and its processes", async () => {
    const { gate, root } = await gateIn({ rules: [{ allow: "*", anyFlags: true }], ask: yes });
    const running = gate.call({ name: "terminal", input: { command: "echo $$ > pid; exec sleep 60" } });
    const other = gate.call({ name: "terminal", input: { command: "sleep 0.3; echo fine" } });
    const pid = await vi.waitFor(
      async () => Number(await readFile(join(root, "pid"), "utf8")) || Promise.reject(),
      120_000,
    );
    const call = [...gate.book.calls()].find(({ rawInput }) => JSON.stringify(rawInput).includes("pid"));
    expect(await gate.cancelCall(call?.toolCallId ?? "", "enough.")).toBe(true);
    expect(statusOf(await running)).toBe("cancelled");
    expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    expect((await other).rawOutput).toMatchObject({ exitCode: 0, output: "fine\n" });
  });

  test("does not run a call that is cancelled just after it was allowed", async () => {
    const counter = counting("t");
    const { gate } = await gateIn({ tools: [counter.tool], rules: [{ allow: "*" }] });
    const { cleared } = await gate.submit([{ name: "t", input: {} }]);
    await gate.cancelCall(cleared[0] ?? "", "no.");
    await gate.proceed(never());
    expect(counter.runs).toBe(0);
    expect([...gate.book.calls()].map(statusOf)).toEqual(["cancelled"]);
  });

  test("stops waiting for a tool that ignores its cancel, and ends the call as unknown", async () => {
    const stop = new AbortController();
    const deaf = tool("deaf", () => new Promise(() => undefined));
    const { gate } = await gateIn({ tools: [deaf], rules: [{ allow: "*" }], stopGraceMs: 50 });
    const call = gate.call({ name: "deaf", input: {} }, stop.signal);
    await vi.waitFor(() => expect([...gate.book.calls()].map(statusOf)).toEqual(["running"]), 120_000);
    stop.abort();
    expect(sentence(await call)).toBe(
      "Nobody knows whether this tool call took effect: it was cancelled, and deaf did not stop within 0.05 s; it may still be running. The call will not be run again by itself.",
    );
  });
});

describe("a time limit", () => {
  test("stops a tool, which fails with a message", async () => {
    const slow = tool(
      "slow",
      async ({ signal }) => {
        await setTimeout(10_000, undefined, { signal });
      },
      { timeLimit: 50 },
    );
    const { gate } = await gateIn({ tools: [slow], rules: [{ allow: "*" }] });
    const call = await gate.call({ name: "slow", input: {} });
    expect(sentence(call)).toBe(
      "slow took longer than 0.05 s and was stopped. Its effects until then remain. Give it less to do at once.",
    );
    expect(statusOf(call)).toBe("failed");
  });

  test("defaults to the gate's where a tool has none", async () => {
    const slow = tool("slow", async ({ signal }) => setTimeout(10_000, undefined, { signal }));
    const { gate } = await gateIn({ tools: [slow], rules: [{ allow: "*" }], timeLimit: 30 });
    expect(sentence(await gate.call({ name: "slow", input: {} }))).toContain("longer than 0.03 s");
  });

  test("does not hide a cancel that comes while the gate waits for the tool", async () => {
    const stop = new AbortController();
    const untilTimeIsUp = ({ signal }: ToolContext) => {
      signal.addEventListener("abort", () => stop.abort());
      return new Promise(() => undefined);
    };
    const deaf = tool("deaf", untilTimeIsUp, { timeLimit: 20 });
    const { gate } = await gateIn({ tools: [deaf], rules: [{ allow: "*" }], stopGraceMs: 50 });
    const types: string[] = [];
    gate.onRecorded((events) => void types.push(...events.map(({ type }) => type)));
    const call = gate.call({ name: "deaf", input: {} }, stop.signal);
    expect(sentence(await call)).toContain("its time was up, and deaf did not stop");
    expect(types.slice(-3)).toEqual(["run-started", "cancel-requested", "call-unknown"]);
  });
});

describe("a tool's end", () => {
  test("ends its signal too: a cancel during the recording aborts nothing that the tool left running", async () => {
    const stop = new AbortController();
    const signals: AbortSignal[] = [];
    const quick = tool("quick", ({ signal }) => {
      signals.push(signal);
      return "done";
    });
    class CancelledAtTheEnd extends MemoryLedger {
      override append(...[lease, events, options]: Parameters<MemoryLedger["append"]>) {
        if (events.some(({ type }) => type === "call-done")) stop.abort();
        return super.append(lease, events, options);
      }
    }
    const ledger = new CancelledAtTheEnd();
    const { gate } = await gateIn({ tools: [quick], rules: [{ allow: "*" }], ledger });
    expect(statusOf(await gate.call({ name: "quick", input: {} }, stop.signal))).toBe("done");
    expect([stop.signal.aborted, signals.map(({ aborted }) => aborted)]).toEqual([true, [false]]);
  });

  test("reaches the waiting caller also when its error cannot be recorded", async () => {
    const odd = tool("odd", () => {
      throw Object.defineProperty(new Error(), "message", {
        get: () => {
          throw new Error("there are no words for it");
        },
      });
    });
    const { gate } = await gateIn({ tools: [odd], rules: [{ allow: "*" }] });
    await expect(gate.call({ name: "odd", input: {} })).rejects.toThrow("there are no words for it");
  });
});

describe("the loop guard", () => {
  test("asks when the same call repeats, also where a rule allows it", async () => {
    const counter = counting("t");
    const asked: Question[] = [];
    const { gate } = await gateIn({
      tools: [counter.tool],
      rules: [{ allow: "*" }],
      loopLimit: 3,
      ask: (question, signal) => {
        asked.push(question);
        return yes(question, signal);
      },
    });
    for (let times = 0; times < 7; times += 1) await gate.call({ name: "t", input: { n: 1 } });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.reason).toBe(
      "the same call with the same input was made 4 times: it may be going round in circles",
    );
    await gate.call({ name: "t", input: { n: 2 } });
    expect(asked).toHaveLength(1);
    expect(counter.runs).toBe(8);
  });

  test("asks about a step of many calls that repeats", async () => {
    const counter = counting("t");
    const { gate } = await gateIn({ tools: [counter.tool], rules: [{ allow: "*" }] });
    const step = Array.from({ length: 60 }, (_, n) => ({ name: "t", input: { n } }));
    const waiting: number[] = [];
    for (let round = 0; round < 7; round += 1) {
      waiting.push((await gate.submit(step)).waiting.length);
      await gate.proceed(new AbortController().signal);
    }
    expect(waiting.slice(0, 5)).toEqual([0, 0, 0, 0, 0]);
    expect(waiting[6]).toBe(60);
  });
});

describe("output of a running tool", () => {
  test("puts on the call in order a running tool's progress, output, diffs, places and meta", async () => {
    const shows = tool("shows", (call) => {
      call.progress(1, 2, "half");
      call.output("one\n");
      call.output("two\n");
      call.diff({ type: "diff", operation: "add", path: "/a", newText: "x" });
      call.locate("/a", 3);
      call.locate("/b");
      call.meta({ mine: 1 });
      return "over";
    });
    const { gate } = await gateIn({ tools: [shows], rules: [{ allow: "*" }] });
    const call = await gate.call({ name: "shows", input: {} });
    expect(call).toMatchObject({
      progress: { done: 1, total: 2, message: "half" },
      locations: [{ path: "/a", line: 3 }, { path: "/b" }],
      _meta: { mine: 1 },
      rawOutput: "over",
    });
    expect(call.content).toMatchObject([
      { type: "terminal", output: { head: "one\ntwo\n" } },
      { type: "diff", path: "/a" },
    ]);
  });

  test("puts the returned text or blocks after a tool's earlier output", async () => {
    const plain = defineTool({
      name: "plain",
      description: "",
      input: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] },
      run: async ({ n }, call) => {
        call.diff({ type: "diff", operation: "add", path: "/a", newText: "x" });
        return n === 1 ? "a text" : [{ type: "image", data: "AA==", mimeType: "image/png" }];
      },
    });
    const { gate } = await gateIn({ tools: [plain], rules: [{ allow: "*" }] });
    const one = await gate.call({ name: "plain", input: { n: 1 } });
    expect([one.rawOutput, one.content.map(({ type }) => type)]).toEqual(["a text", ["diff", "content"]]);
    const two = await gate.call({ name: "plain", input: { n: 2 } });
    expect(two.content[1]).toMatchObject({ content: { type: "image" } });
    expect(sentence(await gate.call({ name: "plain", input: { n: "x" } }))).toBe(
      "plain: the input is not valid. data/n must be integer. Nothing was run.",
    );
  });

  test("fails a call with the tool's output when the tool returns isError", async () => {
    const bad = defineTool({
      name: "bad",
      description: "",
      input: z.object({}),
      run: async () => ({ output: "no such thing", isError: true }),
    });
    const { gate } = await gateIn({ tools: [bad], rules: [{ allow: "*" }] });
    const call = await gate.call({ name: "bad", input: {} });
    expect([statusOf(call), sentence(call), call.rawOutput]).toEqual([
      "failed",
      "no such thing",
      "no such thing",
    ]);
  });

  test("sends a tool's question to the person, or cancels it when nobody is there", async () => {
    const asks = tool("asks", async (call) => call.ask({ message: "Which?", schema: { type: "object" } }));
    const { gate } = await gateIn({
      tools: [asks],
      rules: [{ allow: "*" }],
      elicit: ({ message }) => Promise.resolve({ action: "accept", content: { message } }),
    });
    expect((await gate.call({ name: "asks", input: {} })).rawOutput).toEqual({
      action: "accept",
      content: { message: "Which?" },
    });
    const alone = await gateIn({ tools: [asks], rules: [{ allow: "*" }] });
    expect((await alone.gate.call({ name: "asks", input: {} })).rawOutput).toEqual({ action: "cancel" });
    const broken = await gateIn({
      tools: [asks],
      rules: [{ allow: "*" }],
      elicit: () => Promise.reject(new Error("gone")),
    });
    expect((await broken.gate.call({ name: "asks", input: {} })).rawOutput).toEqual({ action: "cancel" });
  });
});

describe("files that change during a call", () => {
  const raced = (name: string, race: (root: string) => Promise<void>): Tool => {
    const real = builtInTools.find((one) => one.name === name);
    if (!real) throw new Error(`there is no ${name}`);
    return {
      ...real,
      run: async (input, call) => {
        await race(call.workspace.root);
        return real.run(input, call);
      },
    };
  };

  test("does not overwrite a file that someone else changed, also at the last moment", async () => {
    const late = raced("write_file", (root) => writeFile(join(root, "a.txt"), "theirs\n"));
    const files = { "a.txt": "old\n" };
    const { gate, root } = await gateIn({ files, tools: [late], rules: [{ allow: "edit" }] });
    const replaced = await gate.call({ name: "write_file", input: { path: "a.txt", content: "mine\n" } });
    expect(sentence(replaced)).toContain(
      "was changed by someone else in the meantime. The file was not written.",
    );
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("theirs\n");
  });

  test("counts a change back to an earlier call's content as a change", async () => {
    let isRaced = false;
    const late = raced("write_file", async (root) => {
      if (isRaced) await writeFile(join(root, "a.txt"), "ours\n");
    });
    const files = { "a.txt": "old\n" };
    const { gate, root } = await gateIn({ files, tools: [late], rules: [{ allow: "edit" }] });
    await gate.call({ name: "write_file", input: { path: "a.txt", content: "ours\n" } });
    await writeFile(join(root, "a.txt"), "theirs\n");
    isRaced = true;
    const replaced = await gate.call({ name: "write_file", input: { path: "a.txt", content: "more\n" } });
    expect(sentence(replaced)).toContain(
      "was changed by someone else in the meantime. The file was not written.",
    );
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("ours\n");
  });

  test("keeps both edits when two calls of a session edit one file", async () => {
    const { gate, root } = await gateIn({ files: { "a.txt": "one two\n" }, rules: [{ allow: "edit" }] });
    await gate.submit([
      { name: "edit_file", input: { path: "a.txt", oldText: "one", newText: "1" } },
      { name: "edit_file", input: { path: "a.txt", oldText: "two", newText: "2" } },
    ]);
    await gate.proceed(never());
    expect([...gate.book.calls()].map(statusOf)).toEqual(["done", "done"]);
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("1 2\n");
  });
});

describe("an undo", () => {
  const edit = (gate: Gate, input: object) => gate.call({ name: "edit_file", input });

  test("restores a changed file with its mode, and removes a new one", async () => {
    const { gate, root } = await gateIn({ files: { "a.txt": "one\n" }, rules: [{ allow: "edit" }] });
    const changed = await edit(gate, { path: "a.txt", oldText: "one", newText: "two" });
    const made = await edit(gate, { path: "deep/new.txt", newText: "new" });
    expect(await gate.undo(changed.toolCallId)).toEqual({ paths: [join(root, "a.txt")] });
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("one\n");
    await gate.undo(made.toolCallId);
    await expect(readFile(join(root, "deep/new.txt"))).rejects.toThrow("ENOENT");
    expect(gate.book.call(made.toolCallId)?.times.undone).toBeGreaterThan(0);
  });

  test("is refused when the file has changed since, and touches nothing", async () => {
    const { gate, root } = await gateIn({ files: { "a.txt": "one\n" }, rules: [{ allow: "edit" }] });
    const { toolCallId } = await edit(gate, { path: "a.txt", oldText: "one", newText: "two" });
    await writeFile(join(root, "a.txt"), "mine\n");
    await expect(gate.undo(toolCallId)).rejects.toThrow(
      `Call ${toolCallId} cannot be undone: ${join(root, "a.txt")} has changed since. No file was touched.`,
    );
    expect(await readFile(join(root, "a.txt"), "utf8")).toBe("mine\n");
  });

  test("is refused a second time, for a call that changed nothing, and for an unknown call", async () => {
    const { gate } = await gateIn({ files: { "a.txt": "one\n" }, rules: [{ allow: "*" }] });
    const { toolCallId } = await edit(gate, { path: "a.txt", oldText: "one", newText: "two" });
    await gate.undo(toolCallId);
    await expect(gate.undo(toolCallId)).rejects.toThrow("it was undone already");
    const read = await gate.call({ name: "read_file", input: { path: "a.txt" } });
    await expect(gate.undo(read.toolCallId)).rejects.toThrow("no earlier content of its files is stored");
    await expect(gate.undo("none")).rejects.toThrow("this session has no such call");
  });
});

describe("wrapped tools of others", () => {
  test("does not allow a wrapped tool by a rule on a kind that was only guessed from its name", async () => {
    const { gate } = await gateIn({ tools: [], rules: [{ allow: "read" }, { allow: "search" }] });
    const tools = gate.wrapTools({ get_rid_of: () => "gone", query_db: () => "dropped" });
    await expect(tools.get_rid_of()).rejects.toThrow("there is nobody to ask");
    await expect(tools.query_db()).rejects.toThrow("there is nobody to ask");
    expect([...gate.book.calls()].map(statusOf)).toEqual(["refused", "refused"]);
  });

  test("denies or asks about a wrapped tool by a rule on a guessed kind", async () => {
    const { gate } = await gateIn({ tools: [], rules: [{ allow: "*" }, { deny: "delete" }] });
    const { delete_it } = gate.wrapTools({ delete_it: () => "gone" });
    await expect(delete_it()).rejects.toThrow("denied by rule deny delete");
  });

  test("returns a wrapped tool's own result when allowed, and throws the reason when refused", async () => {
    const { gate } = await gateIn({ tools: [], rules: [{ allow: "add" }, { deny: "drop_table" }] });
    const tools = gate.wrapTools({
      add: ({ a, b }: { a: number; b: number }) => a + b,
      drop_table: () => "dropped",
    });
    expect(await tools.add({ a: 1, b: 2 })).toBe(3);
    await expect(tools.drop_table()).rejects.toThrow(
      "Tool call denied by rule deny drop_table. Nothing was run.",
    );
    expect([...gate.book.calls()].map(({ name, state }) => `${name} ${state.status}`)).toEqual([
      "add done",
      "drop_table refused",
    ]);
  });

  test("passes on a wrapped tool's own errors unchanged", async () => {
    const { gate } = await gateIn({ tools: [], rules: [{ allow: "*" }] });
    const error = new RangeError("too far");
    const { far } = gate.wrapTools({ far: () => Promise.reject(error) });
    await expect(far()).rejects.toBe(error);
    expect([...gate.book.calls()].map(statusOf)).toEqual(["failed"]);
  });

  test("leaves a value without a function unwrapped, and refuses a known name", async () => {
    const { gate } = await gateIn({ tools: [counting("t").tool] });
    const client = { description: "runs in the browser" };
    expect(gate.wrapTools({ client }).client).toBe(client);
    expect(() => gate.wrapTools({ t: () => 1 })).toThrow('Two tools are named "t".');
  });

  test("wraps an agent's own callTool, with all of its arguments", async () => {
    class Other {
      #calls = 0;
      async callTool(name: string, input: { n: number }, options?: { tag: string }) {
        this.#calls += 1;
        return `${name} ${input.n} ${options?.tag} ${this.#calls}`;
      }
      async work() {
        return Promise.all([
          this.callTool("read_it", { n: 1 }, { tag: "a" }),
          this.callTool("read_it", { n: 2 }, { tag: "b" }),
        ]);
      }
    }
    const { gate } = await gateIn({ tools: [], rules: [{ allow: "read_it" }] });
    const agent = gate.wrapCallTool(new Other());
    const results = await agent.work();
    expect(results.map((text) => text.slice(0, 11))).toEqual(["read_it 1 a", "read_it 2 b"]);
    await expect(agent.callTool("delete_it", { n: 3 })).rejects.toThrow("there is nobody to ask");
    expect([...gate.book.calls()].map(({ kind, state }) => `${kind} ${state.status}`)).toEqual([
      "read done",
      "read done",
      "delete refused",
    ]);
  });
});

test("a copy that a tool makes of its context has the signal and the workspace", async () => {
  const copying = tool("copying", (context) => {
    const { signal, workspace } = { ...context };
    return { isAborted: signal.aborted, root: workspace.root, isSame: workspace === context.workspace };
  });
  const { gate, root } = await gateIn({ tools: [copying], ask: allowAll });
  const call = await gate.call({ name: "copying", input: {} });
  expect(call.rawOutput).toEqual({ isAborted: false, root: await realpath(root), isSame: true });
});
