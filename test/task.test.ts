/** The `task` tool: sub-agents whose calls are nested, decided on by the same rules, asked about, parked and taken over. */
import type { LanguageModelV3StreamPart } from "@ai-sdk/provider";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AgentSession, createAgent, waitForTurn, taskTool } from "../src/agent/index.js";
import type { Agent, AgentOptions } from "../src/agent/index.js";
import { SessionBook } from "../src/call/index.js";
import type { Ledger, ToolCall } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { parseScript, scriptedModel } from "../src/model/index.js";
import type { LanguageModelV3, ScriptStep } from "../src/model/index.js";
import type { Ask } from "../src/run/index.js";
import { builtInTools, defineTool } from "../src/tools/index.js";
import type { Tool, Workspace } from "../src/tools/index.js";
import { counting, never, text, workspace } from "./agent-kit.js";

type CallOptions = Parameters<LanguageModelV3["doStream"]>[0];

const yes: Ask = () =>
  Promise.resolve({ outcome: { type: "selected", optionId: "allow_once" }, by: "person", who: "ann" });

/** A call of the task tool, and what its sub-agent plays. */
const task = (prompt: string, ...subAgent: readonly ScriptStep[]) => ({
  tool: "task",
  input: { description: prompt, prompt },
  subAgent,
});

const call = (tool: string, input: object = {}) => ({ tool, input });

/** An agent that may start sub-agents unasked; it keeps what its model was asked with. */
function agentWith(
  steps: readonly ScriptStep[],
  { tools = [], rules = [], ...options }: Partial<AgentOptions> = {},
): { readonly agent: Agent; readonly asked: CallOptions[] } {
  const asked: CallOptions[] = [];
  const inner = options.model ?? scriptedModel(parseScript({ steps }));
  const model: LanguageModelV3 = {
    ...inner,
    doStream: (how) => {
      asked.push(how);
      return inner.doStream(how);
    },
  };
  const agent = createAgent({
    name: "tester",
    ...options,
    model,
    tools: [...builtInTools, taskTool(), ...tools],
    rules: [{ allow: "task" }, ...rules],
  });
  return { agent, asked };
}

async function open(
  agent: Agent,
  ledger: Ledger = new MemoryLedger(),
  place: Promise<Workspace> = workspace(),
): Promise<AgentSession> {
  return AgentSession.open({ agent, ledger, workspace: await place, sessionId: "s" });
}

const callsOf = ({ book }: AgentSession): ToolCall[] => [...book.calls()];
const statuses = (session: AgentSession) =>
  callsOf(session).map(
    ({ name, state, parentToolCallId }) =>
      `${parentToolCallId === undefined ? "" : "  "}${name} ${state.status}`,
  );
const taskOf = (session: AgentSession): ToolCall =>
  callsOf(session).find(({ name }) => name === "task") ?? expect.fail("no task was called");
const promptText = (options: CallOptions | undefined) => JSON.stringify(options?.prompt);
/** The text that distinguishes a sub-agent's prompt from the agent's. */
const ROLE = "You are a sub-agent:";
const END = { status: "stopped", stopReason: "end_turn" } as const;

async function answerAll(ledger: Ledger): Promise<number> {
  const questions = await ledger.openQuestions();
  for (const { questionId, intentHash } of questions)
    await ledger.answer(questionId, {
      outcome: { type: "selected", optionId: "allow_once" },
      intentHash,
      by: "person",
      who: "someone elsewhere",
      at: Date.now(),
    });
  return questions.length;
}

/** The log of a session read again makes the very same session. */
async function expectReplayed(session: AgentSession, ledger: Ledger): Promise<void> {
  const events = (await ledger.read(session.sessionId)).map(({ event }) => event);
  expect(new SessionBook(session.sessionId, events).snapshot()).toEqual(session.book.snapshot());
}

describe("a sub-agent", () => {
  test("works with calls of its own, nested in the task; only its last answer reaches the agent", async () => {
    const ledger = new MemoryLedger();
    const { agent, asked } = agentWith(
      [
        {
          say: "I have it looked up.",
          calls: [
            task(
              "Read a.txt.",
              { think: "Hm.", say: "I look into it.", calls: [call("read_file", { path: "a.txt" })] },
              { say: "It says hello." },
            ),
          ],
        },
        { say: "Done." },
      ],
      { rules: [{ allow: "read" }], instructions: "Be kind." },
    );
    const session = await open(agent, ledger, workspace({ "a.txt": "hello" }));
    expect(await session.prompt(text("go"), never())).toEqual(END);
    expect(statuses(session)).toEqual(["task done", "  read_file done"]);
    const [parent, nested] = callsOf(session);
    expect(parent).toMatchObject({
      title: "Task: Read a.txt.",
      kind: "think",
      rawOutput: "It says hello.",
      content: [{ type: "content", content: { type: "text", text: "It says hello." } }],
      childSteps: [
        { text: "I look into it.", thought: "Hm.", toolCallIds: [nested?.toolCallId] },
        { text: "It says hello.", toolCallIds: [] },
      ],
    });
    expect(nested).toMatchObject({ parentToolCallId: parent?.toolCallId, rawOutput: "hello" });
    const said = session.book
      .snapshot()
      .timeline.flatMap((entry) => (entry.type === "message" ? entry.message.blocks : []));
    expect(said).toMatchObject([{ text: "go" }, { text: "I have it looked up." }, { text: "Done." }]);

    const [, first, second, last] = asked;
    expect(promptText(first)).toContain("Be kind.");
    expect(first?.prompt.slice(1)).toEqual([
      { role: "user", content: [{ type: "text", text: "Read a.txt." }] },
    ]);
    expect(first?.tools?.map(({ name }) => name)).toEqual(builtInTools.map(({ name }) => name));
    expect(second?.prompt.slice(2)).toMatchObject([
      { role: "assistant", content: [{ type: "reasoning" }, { type: "text" }, { toolName: "read_file" }] },
      { role: "tool", content: [{ output: { type: "text", value: "hello" } }] },
    ]);
    expect(promptText(last)).toContain("It says hello.");
    expect(promptText(last)).not.toContain("I look into it.");
    await expectReplayed(session, ledger);
  });

  test("is under the same rules: a denied call is refused, and the sub-agent gets the refusal", async () => {
    const risky = counting("risky");
    const { agent, asked } = agentWith(
      [
        { calls: [task("Try.", { calls: [call("risky")], otherwise: [{ say: "I may not." }] })] },
        { say: "Ok." },
      ],
      { tools: [risky.tool], rules: [{ deny: "risky", reason: "never" }] },
    );
    const session = await open(agent);
    expect(await session.prompt(text("go"), never())).toEqual(END);
    expect(statuses(session)).toEqual(["task done", "  risky refused"]);
    expect(taskOf(session).rawOutput).toBe("I may not.");
    expect(promptText(asked[2])).toContain("never");
    expect(risky.runs).toBe(0);
  });

  test("has no sub-agents of its own", async () => {
    const { agent } = agentWith([
      {
        calls: [
          task("Outer.", { calls: [call("task", { description: "x", prompt: "Inner." })] }, { say: "No." }),
        ],
      },
      { say: "Ok." },
    ]);
    const session = await open(agent);
    expect(await session.prompt(text("go"), never())).toEqual(END);
    expect(statuses(session)).toEqual(["task done", "  task failed"]);
    const [, inner] = callsOf(session);
    expect(inner?.state).toMatchObject({ error: expect.stringContaining('There is no tool named "task"') });
    expect(inner?.state).toMatchObject({ error: expect.not.stringMatching(/The tools are: .*\btask\b/) });
  });

  test("is asked about like any call, and one that is refused does nothing", async () => {
    const steps = [
      { calls: [task("Go.", { say: "Went." })], otherwise: [{ say: "Then not." }] },
      { say: "Ok." },
    ];
    const { agent, asked } = agentWith(steps, { rules: [{ deny: "task", reason: "no helpers" }] });
    const session = await open(agent);
    expect(await session.prompt(text("go"), never())).toEqual(END);
    expect(statuses(session)).toEqual(["task refused"]);
    expect(asked).toHaveLength(2);
    expect(taskOf(session).childSteps).toBeUndefined();
  });

  test("is stopped after its last step, and its last text is returned", async () => {
    const ping = counting("ping", "read");
    const round = { say: "Once more.", calls: [call("ping")] };
    const steps = [{ calls: [task("Ping.", round, round, round)] }, { say: "Ok." }];
    const inner = scriptedModel(parseScript({ steps }));
    const agent = createAgent({
      name: "tester",
      model: inner,
      tools: [ping.tool, taskTool({ maxSteps: 2 })],
      rules: [{ allow: "task" }, { allow: "ping" }],
    });
    const session = await open(agent);
    expect(await session.prompt(text("go"), never())).toEqual(END);
    expect(ping.runs).toBe(2);
    expect(taskOf(session)).toMatchObject({
      state: { status: "failed", error: expect.stringContaining("took 2 steps") },
      rawOutput: "Its last message: Once more.",
    });
  });

  test.each([
    ["error", "failed: the wire broke"],
    ["length", "longer than its model may write"],
    ["content-filter", "refused"],
  ] as const)(
    "fails a task in words, and goes on with the turn, when its model ends with %s",
    async (reason, words) => {
      const inner = scriptedModel(
        parseScript({ steps: [{ calls: [task("Go.", { say: "?" })] }, { say: "Ok." }] }),
      );
      const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } } as never;
      const model: LanguageModelV3 = {
        ...inner,
        doStream: (options) => {
          if (!JSON.stringify(options.prompt).includes(ROLE)) return inner.doStream(options);
          const stream = new ReadableStream({
            start(controller) {
              // A started call does not stay open.
              controller.enqueue({ type: "tool-input-start", id: "x", toolName: "read_file" });
              if (reason === "error")
                controller.enqueue({ type: "error", error: new Error("the wire broke") });
              else controller.enqueue({ type: "finish", finishReason: { unified: reason, raw: "" }, usage });
              controller.close();
            },
          });
          return Promise.resolve({ stream });
        },
      };
      const session = await open(agentWith([], { model }).agent);
      expect(await session.prompt(text("go"), never())).toEqual(END);
      expect(statuses(session)).toEqual(["task failed", "  read_file cancelled"]);
      expect(taskOf(session).state).toMatchObject({ error: expect.stringContaining(words) });
    },
  );

  test("gets shorter old results when its window fills, and fails when its last result does not fit", async () => {
    const long = (length: number): Tool =>
      defineTool({
        name: "long",
        description: "Says much.",
        kind: "read",
        input: z.looseObject({}),
        run: () => Promise.resolve("x".repeat(length)),
      });
    const rounds = [1, 2, 3].map((round) => ({ calls: [call("long", { round })] }));
    const steps = [{ calls: [task("Read much.", ...rounds, { say: "Read." })] }, { say: "Ok." }];
    const run = async (length: number) => {
      const options = { tools: [long(length)], rules: [{ allow: "long" }], contextWindow: 8_000 };
      const { agent, asked } = agentWith(steps, { ...options, maxResultCharacters: 30_000 });
      const session = await open(agent);
      expect(await session.prompt(text("go"), never())).toEqual(END);
      return { asked, session };
    };
    const fits = await run(7_500);
    expect(taskOf(fits.session).rawOutput).toBe("Read.");
    const results = fits.asked[4]?.prompt.flatMap(({ role, content }) => (role === "tool" ? [content] : []));
    expect(results?.map((result) => JSON.stringify(result).length > 7_500)).toEqual([false, false, true]);
    const full = await run(25_000);
    expect(taskOf(full.session).state).toMatchObject({ error: expect.stringContaining("window is full") });
  });
});

describe("a sub-agent that asks", () => {
  const steps = [
    { calls: [task("Do it.", { calls: [call("risky")] }, { say: "Did it." })] },
    { say: "Done." },
  ];

  test("parks the turn while its task waits for it, and goes on when someone elsewhere has answered", async () => {
    const ledger = new MemoryLedger();
    const risky = counting("risky");
    const { agent } = agentWith(steps, { tools: [risky.tool] });
    const place = workspace();
    const session = await open(agent, ledger, place);
    expect(await session.prompt(text("go"), never())).toEqual({ status: "parked" });
    expect(statuses(session)).toEqual(["task waiting", "  risky waiting"]);
    const { toolCallId, state } = taskOf(session);
    expect(state).toEqual({
      status: "waiting",
      waitingFor: { type: "child", childSessionId: `s/${toolCallId}` },
    });
    // Nothing has changed, so nothing goes on.
    expect(await session.advance(never())).toEqual({ status: "parked" });
    await session.close();

    const later = await open(agent, ledger, place);
    expect(await answerAll(ledger)).toBe(1);
    expect(await later.advance(never())).toEqual(END);
    expect(statuses(later)).toEqual(["task done", "  risky done"]);
    expect(risky.runs).toBe(1);
    await expectReplayed(later, ledger);
  });

  test("is answered at the door that holds the turn", async () => {
    const risky = counting("risky");
    const { agent } = agentWith(steps, { tools: [risky.tool] });
    const session = await open(agent);
    const titles: string[] = [];
    const ask: Ask = (question, signal) => {
      titles.push(question.title);
      return yes(question, signal);
    };
    expect(await waitForTurn(session, ask, never(), () => session.prompt(text("go"), never()))).toEqual(END);
    expect(titles).toHaveLength(1);
    expect(statuses(session)).toEqual(["task done", "  risky done"]);
  });

  test("is ended by a user who goes on without it", async () => {
    const ledger = new MemoryLedger();
    const risky = counting("risky");
    const { agent } = agentWith(steps, { tools: [risky.tool] });
    const session = await open(agent, ledger);
    expect(await session.prompt(text("go"), never())).toEqual({ status: "parked" });
    expect(await session.prompt(text("leave it"), never())).toEqual(END);
    expect(statuses(session)).toEqual(["task cancelled", "  risky cancelled"]);
    expect(await ledger.openQuestions()).toEqual([]);
    expect(risky.runs).toBe(0);
  });

  test("gets a refusal with its reason", async () => {
    const risky = counting("risky");
    const { agent, asked } = agentWith(
      [
        { calls: [task("Do it.", { calls: [call("risky")], otherwise: [{ say: "I could not." }] })] },
        { say: "Done." },
      ],
      { tools: [risky.tool] },
    );
    const session = await open(agent);
    const no: Ask = () =>
      Promise.resolve({
        outcome: { type: "selected", optionId: "reject_once" },
        by: "person",
        reason: "not today",
      });
    await waitForTurn(session, no, never(), () => session.prompt(text("go"), never()));
    expect(taskOf(session).rawOutput).toBe("I could not.");
    expect(promptText(asked[2])).toContain("not today");
  });

  test("does not keep another from working to its end", async () => {
    const ledger = new MemoryLedger();
    const [risky, safe] = [counting("risky"), counting("safe")];
    const { agent } = agentWith(
      [
        {
          calls: [
            task("Ask.", { calls: [call("risky")] }, { say: "Asked." }),
            task("Work.", { calls: [call("safe")] }, { calls: [call("safe", { n: 2 })] }, { say: "Worked." }),
          ],
        },
        { say: "Done." },
      ],
      { tools: [risky.tool, safe.tool], rules: [{ allow: "safe" }] },
    );
    const session = await open(agent, ledger);
    expect(await session.prompt(text("go"), never())).toEqual({ status: "parked" });
    expect(statuses(session).filter((status) => status.startsWith("task"))).toEqual([
      "task waiting",
      "task done",
    ]);
    expect(safe.runs).toBe(2);
    await answerAll(ledger);
    expect(await session.advance(never())).toEqual(END);
    expect(callsOf(session).map(({ state }) => state.status)).toEqual(Array(5).fill("done"));
  });
});

test("two sub-agents of one answer work at the same time", async () => {
  let arrived = 0;
  let bothAreHere = () => {};
  const both = new Promise<void>((resolve) => (bothAreHere = resolve));
  const meet = defineTool({
    name: "meet",
    description: "Waits for the other.",
    kind: "read",
    input: z.looseObject({}),
    run: async () => {
      arrived += 1;
      if (arrived === 2) bothAreHere();
      await both;
      return "met";
    },
  });
  const { agent } = agentWith(
    [
      {
        calls: [
          task("One.", { calls: [call("meet", { n: 1 })] }, { say: "One met." }),
          task("Two.", { calls: [call("meet", { n: 2 })] }, { say: "Two met." }),
        ],
      },
      { say: "Done." },
    ],
    { tools: [meet], rules: [{ allow: "meet" }] },
  );
  const session = await open(agent);
  expect(await session.prompt(text("go"), never())).toEqual(END);
  const [one, two, ...nested] = callsOf(session);
  expect([one?.rawOutput, two?.rawOutput]).toEqual(["One met.", "Two met."]);
  expect(new Set(nested.map(({ parentToolCallId }) => parentToolCallId))).toEqual(
    new Set([one?.toolCallId, two?.toolCallId]),
  );
  expect(nested).toHaveLength(2);
});

describe("cancelled tasks", () => {
  /** A tool that runs until it is stopped, and a promise of its start. */
  function endless() {
    let start = () => {};
    const started = new Promise<void>((resolve) => (start = resolve));
    const tool = defineTool({
      name: "endless",
      description: "Runs until it is stopped.",
      kind: "read",
      input: z.looseObject({}),
      run: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason as Error));
          start();
        }),
    });
    return { tool, started };
  }

  /** Plays the script, but a sub-agent's answer begins a call and then never ends. */
  function hanging(steps: readonly ScriptStep[]): LanguageModelV3 {
    const inner = scriptedModel(parseScript({ steps }));
    return {
      ...inner,
      doStream: (options) => {
        if (!promptText(options).includes(ROLE)) return inner.doStream(options);
        const stream = new ReadableStream({
          start: (controller) =>
            controller.enqueue({ type: "tool-input-start", id: "x", toolName: "read_file" }),
        });
        return Promise.resolve({ stream });
      },
    };
  }

  const nestedCall = (session: AgentSession): Promise<void> =>
    new Promise((resolve) => {
      session.onRecorded((events) => {
        const nested = events.some((event) => "parentToolCallId" in event);
        if (nested) resolve();
      });
    });

  test("stops a sub-agent's running call and ends everything when its turn is cancelled", async () => {
    const { tool, started } = endless();
    const { agent } = agentWith([{ calls: [task("Run.", { calls: [call("endless")] })] }], {
      tools: [tool],
      rules: [{ allow: "endless" }],
    });
    const session = await open(agent);
    const abort = new AbortController();
    const turn = session.prompt(text("go"), abort.signal);
    await started;
    abort.abort();
    expect(await turn).toEqual({ status: "stopped", stopReason: "cancelled" });
    expect(statuses(session)).toEqual(["task cancelled", "  endless cancelled"]);
  });

  test("breaks off a sub-agent's answer when its turn is cancelled", async () => {
    const model = hanging([{ calls: [task("Speak.", { say: "?" })] }]);
    const { agent, asked } = agentWith([], { model });
    const session = await open(agent);
    const abort = new AbortController();
    const nestedStarted = nestedCall(session);
    const turn = session.prompt(text("go"), abort.signal);
    await nestedStarted;
    abort.abort();
    expect(await turn).toEqual({ status: "stopped", stopReason: "cancelled" });
    expect(asked[1]?.abortSignal?.aborted).toBe(true);
    expect(statuses(session)).toEqual(["task cancelled", "  read_file cancelled"]);
  });

  test("ends a cancelled task while its answer streams, and goes on with the turn", async () => {
    const model = hanging([{ calls: [task("Speak.", { say: "?" })] }, { say: "Without it, then." }]);
    const { agent, asked } = agentWith([], { model });
    const session = await open(agent);
    const nestedStarted = nestedCall(session);
    const turn = session.prompt(text("go"), never());
    await nestedStarted;
    expect(await session.gate.cancelCall(taskOf(session).toolCallId, "not needed.")).toBe(true);
    expect(asked[1]?.abortSignal?.aborted).toBe(true);
    expect(await turn).toEqual(END);
    expect(statuses(session)).toEqual(["task cancelled", "  read_file cancelled"]);
    expect(asked).toHaveLength(3);
    expect(promptText(asked[2])).toContain("not needed.");
  });

  test("ends a cancelled task with its running and asking calls, and asks no sub-agent again", async () => {
    const ledger = new MemoryLedger();
    const { tool, started } = endless();
    const risky = counting("risky");
    const { agent, asked } = agentWith(
      [{ calls: [task("Run.", { calls: [call("endless"), call("risky")] })] }, { say: "Without it, then." }],
      { tools: [tool, risky.tool], rules: [{ allow: "endless" }] },
    );
    const session = await open(agent, ledger);
    const turn = session.prompt(text("go"), never());
    await started;
    expect(await session.gate.cancelCall(taskOf(session).toolCallId, "not needed.")).toBe(true);
    expect(await turn).toEqual(END);
    expect(statuses(session)).toEqual(["task cancelled", "  endless cancelled", "  risky cancelled"]);
    expect(await ledger.openQuestions()).toEqual([]);
    expect(asked).toHaveLength(3);
  });

  test("makes none of the calls that are being checked when their task is cancelled", async () => {
    const inner = scriptedModel(
      parseScript({ steps: [{ calls: [task("Run.", { calls: [call("checked")] })] }, { say: "Well." }] }),
    );
    // This model does not stream its calls.
    const model: LanguageModelV3 = {
      ...inner,
      doStream: async (how) => {
        const { stream } = await inner.doStream(how);
        const whole = new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
          transform: (part, controller) => {
            if (!part.type.startsWith("tool-input")) controller.enqueue(part);
          },
        });
        return { stream: stream.pipeThrough(whole) };
      },
    };
    let [isLookedAt, goOn] = [() => {}, () => {}];
    const lookedAt = new Promise<void>((resolve) => (isLookedAt = resolve));
    const released = new Promise<void>((resolve) => (goOn = resolve));
    let runs = 0;
    const checked = defineTool({
      name: "checked",
      description: "Takes its time to be checked.",
      kind: "read",
      input: z.looseObject({}),
      intent: async () => {
        isLookedAt();
        await released;
        return {};
      },
      run: () => Promise.resolve(`ran ${(runs += 1)}`),
    });
    const { agent } = agentWith([], { model, tools: [checked], rules: [{ allow: "checked" }] });
    const session = await open(agent);
    const turn = session.prompt(text("go"), never());
    await lookedAt;
    const cancelled = session.gate.cancelCall(taskOf(session).toolCallId, "not needed.");
    await expect.poll(() => taskOf(session).state.status).toBe("cancelled");
    goOn();
    await cancelled;
    expect(await turn).toEqual(END);
    expect(statuses(session)).toEqual(["task cancelled"]);
    expect(runs).toBe(0);
  });

  test("goes on with a turn when a nested call is cancelled at the moment at which the turn is parked", async () => {
    const risky = counting("risky");
    const { agent } = agentWith(
      [
        { calls: [task("Run.", { calls: [call("risky")], otherwise: [{ say: "It was stopped." }] })] },
        { say: "Done." },
      ],
      { tools: [risky.tool] },
    );
    const session = await open(agent);
    const unanswered: Ask = () => new Promise(() => {});
    const end = await waitForTurn(session, unanswered, never(), async () => {
      const parked = await session.prompt(text("go"), never());
      const nested = session.book.openCalls().find(({ name }) => name === "risky");
      await session.gate.cancelCall(nested?.toolCallId ?? "", "enough.");
      return parked;
    });
    expect(end).toEqual(END);
    expect(taskOf(session).rawOutput).toBe("It was stopped.");
  });

  test("breaks off a sub-agent's answer when its session is closed, and does not ask for it again", async () => {
    const model = hanging([{ calls: [task("Speak.", { say: "?" })] }]);
    const { agent, asked } = agentWith([], { model });
    const session = await open(agent);
    const nestedStarted = nestedCall(session);
    const turn = session.prompt(text("go"), never()).catch(() => undefined);
    await nestedStarted;
    await session.gate.close();
    expect(statuses(session)).toEqual(["task cancelled", "  read_file cancelled"]);
    await turn;
    expect(asked.filter((how) => promptText(how).includes(ROLE))).toHaveLength(1);
  });

  test("reports a cancelled nested call to its sub-agent, and lets it continue", async () => {
    const { tool, started } = endless();
    const { agent } = agentWith(
      [
        { calls: [task("Run.", { calls: [call("endless")], otherwise: [{ say: "It was stopped." }] })] },
        { say: "Done." },
      ],
      { tools: [tool], rules: [{ allow: "endless" }] },
    );
    const session = await open(agent);
    const turn = session.prompt(text("go"), never());
    await started;
    const nested = callsOf(session).find(({ name }) => name === "endless");
    await session.gate.cancelCall(nested?.toolCallId ?? "", "enough.");
    expect(await turn).toEqual(END);
    expect(taskOf(session).rawOutput).toBe("It was stopped.");
  });
});
