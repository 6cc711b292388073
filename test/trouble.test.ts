/** Failures around a call: faulty tools and models, races, late and odd answers. Nothing runs unasked, nothing hangs. */
import { mkdir, readFile, symlink, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AgentSession, waitForTurn, LoopSession } from "../src/agent/index.js";
import type { AgentOptions } from "../src/agent/index.js";
import type { Answer, Question } from "../src/call/index.js";
import { SessionBook } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { Ask, Gate } from "../src/run/index.js";
import { defineTool } from "../src/tools/index.js";
import type { Tool, ToolContext } from "../src/tools/index.js";
import { counting, never, scripted, text, workspace } from "./agent-kit.js";

const statuses = ({ book }: AgentSession) =>
  [...book.calls()].map(({ name, state }) => `${name} ${state.status}`);

const answer = (question: Question, optionId = "allow_once"): Answer => ({
  outcome: { type: "selected", optionId },
  intentHash: question.intentHash,
  by: "person",
  at: 1,
});

const yes: Ask = () =>
  Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person" });

async function open(
  options: Partial<AgentOptions> & { steps?: Parameters<typeof scripted>[0] },
  ledger = new MemoryLedger(),
) {
  const { steps = [{ calls: [{ tool: "t", input: {} }] }, { say: "On." }], ...rest } = options;
  const session = await AgentSession.open({
    agent: scripted(steps, rest),
    ledger,
    workspace: await workspace(),
  });
  return { session, ledger };
}

const faulty = (run: (context: ToolContext) => unknown): Tool =>
  defineTool({
    name: "t",
    description: "Faulty.",
    kind: "other",
    input: z.looseObject({}),
    run: async (_input, context) => ({ output: await run(context) }),
  });

function printsLate(context: ToolContext): void {
  const terminal = context.terminal();
  terminal.exit({ exitCode: 0 });
  context.report({ content: [] });
  terminal.print("late");
}

describe("a faulty tool", () => {
  test.each<[string, (context: ToolContext) => unknown, string]>([
    ["prints after its terminal has ended", printsLate, "t done"],
    ["reports another input", (context) => context.report({ rawInput: { other: 1 } }), "t done"],
    [
      "shows a value that JSON cannot write",
      (context) =>
        context.report({ content: [{ type: "content", content: { type: "text", text: 1n as never } }] }),
      "t done",
    ],
    [
      "throws a value that is no Error",
      () => {
        throw Object.create(null);
      },
      "t failed",
    ],
  ])("ends the call of a tool that %s, and goes on with the turn", async (_, run, status) => {
    const { session, ledger } = await open({ tools: [faulty(run)], rules: [{ allow: "*" }] });
    expect(await session.prompt(text("go"), never())).toEqual({ status: "stopped", stopReason: "end_turn" });
    expect(statuses(session)).toEqual([status]);
    const log = await ledger.read(session.sessionId);
    expect(
      () =>
        new SessionBook(
          session.sessionId,
          log.map(({ event }) => event),
        ),
    ).not.toThrow();
  });

  test("changes only its own copy of the input", async () => {
    const greedy = defineTool({
      name: "t",
      description: "Sorts in place.",
      kind: "other",
      input: z.looseObject({ list: z.any() }),
      run: ({ list }) => Promise.resolve({ output: list.sort() }),
    });
    const { session } = await open({
      tools: [greedy],
      rules: [{ allow: "*" }],
      steps: [{ calls: [{ tool: "t", input: { list: [3, 1] } }] }, { say: "x" }],
    });
    await session.prompt(text("go"), never());
    expect([...session.book.calls()][0]).toMatchObject({ rawInput: { list: [3, 1] }, rawOutput: [1, 3] });
  });

  test("does not run with an input that is too large to be shown", async () => {
    const counter = counting("t");
    const { session } = await open({
      tools: [counter.tool],
      rules: [{ allow: "*" }],
      steps: [{ calls: [{ tool: "t", input: { text: "x".repeat(2_000_000) } }] }, { say: "x" }],
    });
    await session.prompt(text("go"), never());
    expect(statuses(session)).toEqual(["t failed"]);
    expect(counter.runs).toBe(0);
  });
});

describe("faulty models", () => {
  const streaming = (...parts: readonly LanguageModelV3StreamPart[]): Partial<AgentOptions> => {
    const model = scripted([{ say: "" }]).model;
    let asked = 0;
    return {
      model: {
        ...model,
        doStream: (options) => {
          asked += 1;
          if (asked > 1) return model.doStream({ ...options, prompt: [] });
          return Promise.resolve({
            stream: new ReadableStream({
              start: (c) => {
                for (const part of parts) c.enqueue(part);
                c.close();
              },
            }),
          });
        },
      },
    };
  };
  const call: LanguageModelV3StreamPart = { type: "tool-call", toolCallId: "p1", toolName: "t", input: "{}" };
  const finish = (unified: "stop" | "other" | "error"): LanguageModelV3StreamPart => ({
    type: "finish",
    finishReason: { unified, raw: undefined },
    usage: {
      inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    },
  });

  test.each<[string, readonly LanguageModelV3StreamPart[], string]>([
    [
      "reports an error after a call",
      [call, { type: "error", error: new Error("overloaded") }, finish("other")],
      "overloaded",
    ],
    [
      "reports an error before it finishes",
      [{ type: "error", error: new Error("overloaded") }, finish("error")],
      "overloaded",
    ],
    ["is cut off", [call], "The model's response was cut off."],
  ])("runs no call of a model that %s", async (_, parts, error) => {
    const counter = counting("t");
    const { session } = await open({
      tools: [counter.tool],
      rules: [{ allow: "*" }],
      ...streaming(...parts),
    });
    expect(await session.prompt(text("go"), never())).toEqual({
      status: "stopped",
      stopReason: "error",
      error,
    });
    expect(counter.runs).toBe(0);
  });

  test("does not run a call again that the model's provider ran itself", async () => {
    const counter = counting("t");
    const { session } = await open({
      tools: [counter.tool],
      rules: [{ allow: "*" }],
      ...streaming({ ...call, providerExecuted: true }, finish("stop")),
    });
    await session.prompt(text("go"), never());
    expect(counter.runs).toBe(0);
  });

  test("leaves no call open when a model starts one and never finishes it", async () => {
    const { session } = await open({
      tools: [counting("t").tool],
      ...streaming({ type: "tool-input-start", id: "p1", toolName: "t" }, finish("stop")),
    });
    expect(await session.prompt(text("go"), never())).toMatchObject({ status: "stopped" });
    expect(statuses(session)).toEqual(["t failed"]);
  });

  test("abandons a model that ignores a cancel", async () => {
    const stop = new AbortController();
    const { model } = scripted([{ say: "" }]);
    const deaf = {
      ...model,
      doStream: () => Promise.resolve({ stream: new ReadableStream<LanguageModelV3StreamPart>() }),
    };
    const { session } = await open({ model: deaf });
    setTimeout(() => stop.abort(), 20);
    expect(await session.prompt(text("go"), stop.signal)).toEqual({
      status: "stopped",
      stopReason: "cancelled",
    });
  });
});

describe("unusual answers", () => {
  test.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["an empty object", {}],
    ["no outcome", { outcome: null, by: "person" }],
    ["an unknown outcome", { outcome: { type: "granted" }, by: "person" }],
    [
      "a reason that JSON cannot write",
      { outcome: { type: "selected", optionId: "allow_once" }, by: "person", reason: 1n },
    ],
  ])("takes %s in place of an answer for a refusal, once", async (_, odd) => {
    const counter = counting("t");
    const { session } = await open({ tools: [counter.tool] });
    let asked = 0;
    const ask = (() => {
      asked += 1;
      return Promise.resolve(odd);
    }) as Ask;
    await waitForTurn(session, ask, never(), () => session.prompt(text("go"), never()));
    expect(statuses(session)).toEqual(["t refused"]);
    expect([counter.runs, asked]).toEqual([0, 1]);
  });

  test("ends the wait for a handler that still asks when the answer comes from elsewhere", async () => {
    const counter = counting("t");
    const { session, ledger } = await open({ tools: [counter.tool] });
    const deaf: Ask = async (question) => {
      await ledger.answer(question.questionId, answer(question));
      return new Promise(() => undefined);
    };
    await waitForTurn(session, deaf, never(), () => session.prompt(text("go"), never()));
    expect(counter.runs).toBe(1);
  });

  test("counts an answer that arrives just when a turn is parked", async () => {
    const ledger = new MemoryLedger();
    const counter = counting("t");
    const racing = new Proxy(ledger, {
      get(target, name) {
        if (name !== "append") return Reflect.get(target, name)?.bind?.(target);
        return async (...args: Parameters<MemoryLedger["append"]>) => {
          if (args[1].some(({ type }) => type === "turn-parked")) {
            for (const question of await target.openQuestions())
              await target.answer(question.questionId, answer(question));
          }
          return target.append(...args);
        };
      },
    });
    const { session } = await open({ tools: [counter.tool] }, racing);
    const silent: Ask = () => new Promise(() => undefined);
    expect(
      await waitForTurn(session, silent, never(), () => session.prompt(text("go"), never())),
    ).toMatchObject({
      stopReason: "end_turn",
    });
    expect(counter.runs).toBe(1);
  });

  test("runs nothing when an answer races a cancel, and cancels the turn", async () => {
    const ledger = new MemoryLedger();
    const counter = counting("t");
    let hasRaced = false;
    const racing = new Proxy(ledger, {
      get(target, name) {
        if (name !== "append") return Reflect.get(target, name)?.bind?.(target);
        return async (...args: Parameters<MemoryLedger["append"]>) => {
          if (!hasRaced && args[1].some(({ type }) => type === "question-withdrawn")) {
            hasRaced = true;
            for (const question of await target.openQuestions())
              await target.answer(question.questionId, answer(question));
          }
          return target.append(...args);
        };
      },
    });
    const { session } = await open({ tools: [counter.tool] }, racing);
    const stop = new AbortController();
    await session.prompt(text("go"), stop.signal);
    stop.abort();
    expect(await session.advance(stop.signal)).toEqual({ status: "stopped", stopReason: "cancelled" });
    expect(statuses(session)).toEqual(["t cancelled"]);
    expect(counter.runs).toBe(0);
  });
});

describe("a call that asks again", () => {
  test("shows the file again: the yes is for its present content", async () => {
    const ledger = new MemoryLedger();
    const ws = await workspace({ "a.txt": "one two" });
    const agent = scripted([
      { calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "one", newText: "1" } }] },
      { say: "x" },
    ]);
    const session = await AgentSession.open({ agent, ledger, workspace: ws });
    await session.prompt(text("go"), never());
    const [first] = await ledger.openQuestions();
    await writeFile(join(ws.root, "a.txt"), "one two three");
    await ledger.answer(first!.questionId, answer(first!));
    await session.advance(never());
    expect([...session.book.calls()][0]?.content).toMatchObject([
      { oldText: "one two three", newText: "1 two three" },
    ]);
  });

  test("is judged again: a rule's denial beats a person's yes", async () => {
    const ledger = new MemoryLedger();
    const ws = await workspace();
    await mkdir(join(ws.root, "ok"));
    await mkdir(join(ws.root, "forbidden"));
    for (const name of ["ok", "forbidden"]) await writeFile(join(ws.root, name, "f"), "one");
    await symlink("ok", join(ws.root, "link"));
    const agent = scripted([
      { calls: [{ tool: "edit_file", input: { path: "link/f", oldText: "one", newText: "two" } }] },
      { say: "x" },
    ]);
    const session = await AgentSession.open({
      agent,
      ledger,
      workspace: ws,
      judge: ({ paths }) =>
        paths.some(({ path }) => path.includes("forbidden"))
          ? { effect: "deny", rule: "deny forbidden", saw: [] }
          : { effect: "ask", saw: [] },
    });
    await session.prompt(text("go"), never());
    const [question] = await ledger.openQuestions();
    await unlink(join(ws.root, "link"));
    await symlink("forbidden", join(ws.root, "link"));
    await ledger.answer(question!.questionId, answer(question!));
    await session.advance(never());
    expect(statuses(session)).toEqual(["edit_file refused"]);
    expect(await readFile(join(ws.root, "forbidden", "f"), "utf8")).toBe("one");
  });
});

test("does not start an allowed call after the cancel", async () => {
  const stop = new AbortController();
  const counter = counting("t");
  let looks = 0;
  const tool: Tool = {
    ...counter.tool,
    intent: () => {
      looks += 1;
      if (looks === 2) stop.abort();
      return Promise.resolve({});
    },
  };
  const { session } = await open({ tools: [tool], rules: [{ allow: "*" }] });
  expect(await session.prompt(text("go"), stop.signal)).toEqual({
    status: "stopped",
    stopReason: "cancelled",
  });
  expect(statuses(session)).toEqual(["t cancelled"]);
  expect(counter.runs).toBe(0);
});

test("refuses a second turn at the same time, and the session can still be read", async () => {
  const { session, ledger } = await open({ tools: [counting("t").tool], rules: [{ allow: "*" }] });
  const first = session.prompt(text("one"), never());
  await expect(session.prompt(text("two"), never())).rejects.toMatchObject({ code: "TURN_RUNNING" });
  expect(await first).toMatchObject({ stopReason: "end_turn" });
  const log = await ledger.read(session.sessionId);
  expect(
    new SessionBook(
      "x",
      log.map(({ event }) => event),
    ).turn?.state.status,
  ).toBe("stopped");
});

test("stores no illegal event", async () => {
  const { session, ledger } = await open({ steps: [{ say: "Hi." }] });
  await session.prompt(text("go"), never());
  const before = (await ledger.read(session.sessionId)).length;
  await expect(
    session.gate.submit([], () => [{ type: "turn-parked", at: 1, turnId: "nope" }]),
  ).rejects.toMatchObject({ code: "ILLEGAL_EVENT" });
  expect((await ledger.read(session.sessionId)).length).toBe(before);
});

test("releases the lease of a session that cannot be opened", async () => {
  const ledger = new MemoryLedger();
  const agent = scripted([{ say: "Hi." }]);
  const twice = { ...agent, tools: [counting("t").tool, counting("t").tool] };
  await expect(
    AgentSession.open({ agent: twice, ledger, workspace: await workspace(), sessionId: "s" }),
  ).rejects.toMatchObject({ code: "DUPLICATE_TOOL" });
  await expect(ledger.claim("s", "someone else", { milliseconds: 1000 })).resolves.toMatchObject({
    sessionId: "s",
  });
});

test("yes still runs it", async () => {
  const counter = counting("t");
  const { session } = await open({ tools: [counter.tool] });
  await waitForTurn(session, yes, never(), () => session.prompt(text("go"), never()));
  expect(counter.runs).toBe(1);
});

test("ends a loop's wait for a call whose answer could not be recorded", async () => {
  class FullLedger extends MemoryLedger {
    override answer(): Promise<never> {
      return Promise.reject(new Error("the disk is full"));
    }
  }
  const act = counting("act");
  const loop = {
    name: "loop",
    tools: [act.tool],
    prompt: async (_turn: unknown, _input: unknown, gate: Gate) => {
      await gate.call({ name: "act", input: {} });
    },
  };
  const session = await LoopSession.open({
    loop,
    ledger: new FullLedger(),
    workspace: await workspace(),
    sessionId: "full",
  });
  const end = await waitForTurn(session, yes, never(), () => session.prompt(text("go"), never()));
  expect(end).toEqual({ status: "stopped", stopReason: "end_turn" });
  expect([...session.book.calls()].map(({ state }) => state)).toEqual([
    { status: "cancelled", reason: "its answer could not be recorded.", assumed: false },
  ]);
  expect(act.runs).toBe(0);
  await session.close();
});
