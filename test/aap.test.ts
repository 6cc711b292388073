/** An app and an agent, over AAP: the server and the client of `src/aap`, with a real ledger between them. */
import { mkdtemp, rm } from "node:fs/promises";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { AapClient, AapError, pendingCalls } from "../src/aap/client/index.js";
import type { NewSession, ToolSpec, TurnEvent, TurnRequest } from "../src/aap/client/index.js";
import { createAapServer, serveAap } from "../src/aap/index.js";
import type { AapServer, AapServerOptions } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import type { AgentOptions } from "../src/agent/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { LanguageModelV3, ScriptStep } from "../src/model/index.js";
import { defineTool, LocalWorkspace, ToolFailure } from "../src/tools/index.js";

const BASE = "http://localhost";

let folder: string;
let workspace: LocalWorkspace;
let ledger: MemoryLedger;
/** What the server's tools did. */
let done: string[];
/** Lets the tool that waits go on. */
let goOn: () => void;
/** What the tool that stamps would replace. */
let stampedFile: string;
let waited: Promise<void>;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolgate-aap-"));
  workspace = await LocalWorkspace.open(folder);
  ledger = new MemoryLedger();
  done = [];
  stampedFile = "as it was";
  waited = new Promise((resolve) => {
    goOn = resolve;
  });
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const lookUp = defineTool({
  name: "look_up",
  title: "Look up",
  description: "Looks a word up.",
  kind: "search",
  input: z.object({ word: z.string() }),
  run: ({ word }) => {
    done.push(`look_up ${word}`);
    if (word === "nothing") throw new ToolFailure("look_up: nothing was found.");
    return Promise.resolve({ output: `${word}: a word` });
  },
});
const send = defineTool({
  name: "send",
  description: "Sends a letter.",
  kind: "other",
  input: z.object({ to: z.string() }),
  run: ({ to }) => {
    done.push(`send ${to}`);
    return Promise.resolve({ output: { sentTo: to } });
  },
});
const wait = defineTool({
  name: "wait",
  description: "Waits.",
  kind: "think",
  input: z.object({}),
  run: async (_input, { signal }) => {
    done.push("wait");
    const stopped = new Promise<never>((_resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
    await Promise.race([waited, stopped]);
    return { output: "waited" };
  },
});
const stamp = defineTool({
  name: "stamp",
  description: "Stamps the file.",
  kind: "edit",
  input: z.object({}),
  intent: () => {
    if (stampedFile === "unreadable") throw new TypeError("a bug in the tool");
    return Promise.resolve({ baseHashes: { "/file": stampedFile } });
  },
  run: () => {
    done.push("stamp");
    return Promise.resolve({ output: "stamped" });
  },
});
const show: ToolSpec = { name: "show", description: "Shows a picture.", parameters: { type: "object" } };
const locate: ToolSpec = {
  name: "locate",
  description: "Says where we are.",
  parameters: { type: "object" },
};

const FOUR_CALLS: readonly ScriptStep[] = [
  {
    think: "Four at once.",
    say: "One moment.",
    calls: [
      { tool: "show", input: { picture: 1 } },
      { tool: "look_up", input: { word: "gate" } },
      { tool: "send", input: { to: "Ada" } },
      { tool: "locate", input: {} },
    ],
  },
  { say: "All done." },
];
const SEND: readonly ScriptStep[] = [
  { calls: [{ tool: "send", input: { to: "Ada" } }] },
  { say: "Sent." },
  { say: "More." },
];

function serverWith(
  steps: readonly ScriptStep[],
  options: Partial<AapServerOptions> & Partial<Pick<AgentOptions, "rules" | "model" | "maxSteps">> = {},
): AapServer {
  const { rules = [], model = scriptedModel({ steps: [...steps] }), maxSteps = 20, ...rest } = options;
  const agent = createAgent({ name: "clerk", model, tools: [lookUp, send, wait, stamp], rules, maxSteps });
  return createAapServer({ agents: [agent], ledger, workspace, ...rest });
}

const clientOf = (server: AapServer, apiKey?: string): AapClient =>
  new AapClient({
    baseUrl: `${BASE}/`,
    fetch: (request) => server.fetch(request),
    ...(apiKey !== undefined && { apiKey }),
  });

const ALL: NewSession = {
  agent: {
    name: "clerk",
    tools: [{ name: "look_up", trust: true }, { name: "send" }, { name: "wait", trust: true }],
  },
  tools: [show, locate],
};

async function sessionOn(server: AapServer, session: NewSession = ALL): Promise<string> {
  return (await clientOf(server).createSession(session)).sessionId;
}

const say = (content: string, stream: "delta" | "message" | "none" = "none"): TurnRequest => ({
  stream,
  messages: [{ role: "user", content }],
});
const grant = (toolCallId: string) => ({ role: "tool_permission", toolCallId, granted: true }) as const;
const deny = (toolCallId: string, reason?: string) =>
  ({ role: "tool_permission", toolCallId, granted: false, ...(reason !== undefined && { reason }) }) as const;
const result = (toolCallId: string, content = "shown") => ({ role: "tool", toolCallId, content }) as const;

/** The events of a turn, one line each. */
async function linesOf(
  server: AapServer,
  sessionId: string,
  request: TurnRequest,
): Promise<readonly string[]> {
  const lines: string[] = [];
  await clientOf(server).turn(sessionId, request, { onEvent: (event) => lines.push(line(event)) });
  return lines;
}

const line = ({ event, data }: TurnEvent): string => `${event} ${JSON.stringify(data)}`;

async function refusal(answer: Promise<unknown>): Promise<string> {
  const error: unknown = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AapError) return `${error.status} ${error.message}`;
  throw new Error("The server did not refuse.", { cause: error });
}

describe("four calls at once: two of the app's, one trusted, one to be asked about", () => {
  const REST = [grant("call_3"), result("call_1"), result("call_4", "here")];
  const ASKED = [
    'tool_call {"toolCallId":"call_1","name":"show","input":{"picture":1}}',
    'tool_call {"toolCallId":"call_2","name":"look_up","input":{"word":"gate"}}',
    'tool_call {"toolCallId":"call_3","name":"send","input":{"to":"Ada"}}',
    'tool_call {"toolCallId":"call_4","name":"locate","input":{}}',
    'tool_result {"toolCallId":"call_2","content":"gate: a word"}',
    'turn_stop {"stopReason":"tool_use"}',
  ];
  const SENT = 'tool_result {"toolCallId":"call_3","content":"{\\"sentTo\\":\\"Ada\\"}"}';
  const ANSWER = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Four at once." },
      { type: "text", text: "One moment." },
      { type: "tool_use", toolCallId: "call_1", name: "show", input: { picture: 1 } },
      { type: "tool_use", toolCallId: "call_2", name: "look_up", input: { word: "gate" } },
      { type: "tool_use", toolCallId: "call_3", name: "send", input: { to: "Ada" } },
      { type: "tool_use", toolCallId: "call_4", name: "locate", input: {} },
    ],
  };
  const LOOKED_UP = { role: "tool", toolCallId: "call_2", content: "gate: a word" };
  const SENT_MESSAGE = { role: "tool", toolCallId: "call_3", content: '{"sentTo":"Ada"}' };
  const END = { role: "assistant", content: [{ type: "text", text: "All done." }] };

  test("in deltas", async () => {
    const server = serverWith(FOUR_CALLS);
    const sessionId = await sessionOn(server);
    expect(await linesOf(server, sessionId, say("Go", "delta"))).toEqual([
      "turn_start {}",
      'thinking_delta {"delta":"Four "}',
      'thinking_delta {"delta":"at "}',
      'thinking_delta {"delta":"once."}',
      'text_delta {"delta":"One "}',
      'text_delta {"delta":"moment."}',
      ...ASKED,
    ]);
    expect(await linesOf(server, sessionId, { stream: "delta", messages: REST })).toEqual([
      "turn_start {}",
      SENT,
      'text_delta {"delta":"All "}',
      'text_delta {"delta":"done."}',
      'turn_stop {"stopReason":"end_turn"}',
    ]);
  });

  test("in messages", async () => {
    const server = serverWith(FOUR_CALLS);
    const sessionId = await sessionOn(server);
    expect(await linesOf(server, sessionId, say("Go", "message"))).toEqual([
      "turn_start {}",
      'thinking {"thinking":"Four at once."}',
      'text {"text":"One moment."}',
      ...ASKED,
    ]);
    expect(await linesOf(server, sessionId, { stream: "message", messages: REST })).toEqual([
      "turn_start {}",
      SENT,
      'text {"text":"All done."}',
      'turn_stop {"stopReason":"end_turn"}',
    ]);
  });

  test("as a whole", async () => {
    const server = serverWith(FOUR_CALLS);
    const sessionId = await sessionOn(server);
    const client = clientOf(server);
    expect(await client.turn(sessionId, say("Go"))).toEqual({
      stopReason: "tool_use",
      messages: [ANSWER, LOOKED_UP],
    });
    expect(await client.turn(sessionId, { messages: REST })).toEqual({
      stopReason: "end_turn",
      messages: [SENT_MESSAGE, END],
    });
  });

  test("the history is the same in every mode, and has no permissions in it", async () => {
    for (const stream of ["delta", "message", "none"] as const) {
      const server = serverWith(FOUR_CALLS);
      const sessionId = await sessionOn(server);
      const client = clientOf(server);
      await client.turn(sessionId, say("Go", stream));
      expect(await client.history(sessionId)).toEqual([{ role: "user", content: "Go" }, ANSWER, LOOKED_UP]);
      await client.turn(sessionId, { stream, messages: REST });
      const whole = [
        { role: "user", content: "Go" },
        ANSWER,
        { role: "tool", toolCallId: "call_1", content: "shown" },
        LOOKED_UP,
        SENT_MESSAGE,
        { role: "tool", toolCallId: "call_4", content: "here" },
        END,
      ];
      expect(await client.history(sessionId)).toEqual(whole);
      expect(await client.history(sessionId, "compacted")).toEqual(whole);
    }
  });

  test("another server, which knows only the ledger, goes on from the history", async () => {
    const sessionId = await sessionOn(serverWith(FOUR_CALLS));
    await clientOf(serverWith(FOUR_CALLS)).turn(sessionId, say("Go"));

    const client = clientOf(serverWith(FOUR_CALLS));
    const { tools = [] } = await client.session(sessionId);
    const { client: own, server: theirs } = pendingCalls(
      await client.history(sessionId),
      tools.map(({ name }) => name),
    );
    const messages = [
      ...own.map((call) => result(call.toolCallId)),
      ...theirs.map((call) => grant(call.toolCallId)),
    ];
    expect(messages.map(({ toolCallId }) => toolCallId)).toEqual(["call_1", "call_4", "call_3"]);
    expect(await client.turn(sessionId, { messages })).toMatchObject({ stopReason: "end_turn" });
    expect(done).toEqual(["look_up gate", "send Ada"]);
    expect(pendingCalls(await client.history(sessionId), ["show", "locate"])).toEqual({
      client: [],
      server: [],
    });
  });

  test("what is wrong with an answer is said before anything counts", async () => {
    const server = serverWith(FOUR_CALLS);
    const sessionId = await sessionOn(server);
    const client = clientOf(server);
    await client.turn(sessionId, say("Go"));
    const before = await ledger.read(sessionId);
    const send4 = (...messages: TurnRequest["messages"]) =>
      refusal(client.turn(sessionId, { stream: "delta", messages }));

    expect(await send4(...REST, result("call_9"))).toBe(
      "400 This session has no call call_9. Nothing was done.",
    );
    expect(await send4(...REST, grant("call_9"))).toContain("400 This session has no call call_9");
    expect(await send4(...REST, deny("call_9"))).toContain("400 This session has no call call_9");
    expect(await send4(...REST, result("call_3"))).toContain("400 Call call_3 is run by the server");
    expect(await send4(...REST, result("call_2"))).toContain("400 Call call_2 is run by the server");
    expect(await send4(...REST, grant("call_1"))).toContain("400 Call call_1 is run by the app");
    expect(await send4(...REST, deny("call_3"))).toContain("400 Call call_3 is both granted and denied");
    expect(await send4(...REST, result("call_1", "other"))).toContain(
      "400 Call call_1 has two different results",
    );
    expect(await send4(result("call_1"))).toBe(
      "400 All open calls are answered in one request; these are missing: call_3, call_4. Nothing was done.",
    );
    expect(await send4(grant("call_3"), result("call_1"))).toContain("400 All open calls");
    expect(await ledger.read(sessionId)).toEqual(before);
    expect(done).toEqual(["look_up gate"]);
  });
});

describe("permissions", () => {
  test("a denied call is told to the app and to the model, with the reason", async () => {
    for (const [reason, told] of [
      ["not her", "Tool call denied: not her"],
      [undefined, "Tool call denied"],
    ] as const) {
      const server = serverWith(SEND);
      const sessionId = await sessionOn(server);
      await clientOf(server).turn(sessionId, say("Go"));
      const messages = [deny("call_1", reason)];
      expect(await linesOf(server, sessionId, { stream: "message", messages })).toEqual([
        "turn_start {}",
        `tool_result {"toolCallId":"call_1","content":"${told}","isError":true}`,
        'text {"text":"Sent."}',
        'turn_stop {"stopReason":"end_turn"}',
      ]);
      expect(await clientOf(server).history(sessionId)).toContainEqual({
        role: "tool",
        toolCallId: "call_1",
        content: told,
      });
    }
    expect(done).toEqual([]);
  });

  test("a tool runs once, however often its grant is sent, and the answer is the same", async () => {
    const server = serverWith(SEND);
    const sessionId = await sessionOn(server);
    await clientOf(server).turn(sessionId, say("Go"));
    const request: TurnRequest = { stream: "delta", messages: [grant("call_1"), grant("call_1")] };
    const first = await linesOf(server, sessionId, request);
    const recorded = await ledger.read(sessionId);
    expect(await linesOf(server, sessionId, request)).toEqual(first);
    expect(await linesOf(serverWith(SEND), sessionId, request)).toEqual(first);
    expect(await linesOf(server, sessionId, { stream: "delta", messages: [deny("call_1")] })).toEqual(first);
    expect(first.at(-1)).toBe('turn_stop {"stopReason":"end_turn"}');
    expect(done).toEqual(["send Ada"]);
    expect(await ledger.read(sessionId)).toEqual(recorded);
  });

  test("a result that is sent again changes nothing", async () => {
    const server = serverWith([{ calls: [{ tool: "show", input: {} }] }, { say: "I see." }]);
    const sessionId = await sessionOn(server);
    const client = clientOf(server);
    await client.turn(sessionId, say("Go"));
    const first = await client.turn(sessionId, { messages: [result("call_1")] });
    const history = await client.history(sessionId);
    expect(await client.turn(sessionId, { messages: [result("call_1", "something else")] })).toEqual(first);
    expect(await client.history(sessionId)).toEqual(history);
  });

  test("an answer that was given elsewhere counts, and the app's comes too late", async () => {
    const server = serverWith(SEND);
    const sessionId = await sessionOn(server);
    const client = clientOf(server);
    await client.turn(sessionId, say("Go"));
    const [question] = await ledger.openQuestions({ sessionId });
    const { questionId, intentHash } = question!;
    await ledger.answer(questionId, {
      outcome: { type: "refused" },
      intentHash,
      by: "person",
      reason: "no",
      at: 1,
    });
    const { messages } = await client.turn(sessionId, { messages: [grant("call_1")] });
    expect(messages[0]).toEqual({ role: "tool", toolCallId: "call_1", content: "Tool call denied: no" });
    expect(done).toEqual([]);
  });

  test("a grant for a call that ran by itself is told what came of it, and what is still open", async () => {
    const server = serverWith(FOUR_CALLS);
    const sessionId = await sessionOn(server);
    await clientOf(server).turn(sessionId, say("Go"));
    expect(await linesOf(server, sessionId, { stream: "message", messages: [grant("call_2")] })).toEqual([
      "turn_start {}",
      'tool_result {"toolCallId":"call_2","content":"gate: a word"}',
      'tool_call {"toolCallId":"call_1","name":"show","input":{"picture":1}}',
      'tool_call {"toolCallId":"call_3","name":"send","input":{"to":"Ada"}}',
      'tool_call {"toolCallId":"call_4","name":"locate","input":{}}',
      'turn_stop {"stopReason":"tool_use"}',
    ]);
    expect(done).toEqual(["look_up gate"]);
  });

  test("a call that would now do something else than was granted is asked about again", async () => {
    const server = serverWith([{ calls: [{ tool: "stamp", input: {} }] }, { say: "Stamped." }]);
    const sessionId = await sessionOn(server, { agent: { name: "clerk", tools: [{ name: "stamp" }] } });
    await clientOf(server).turn(sessionId, say("Go"));
    stampedFile = "changed meanwhile";
    const request: TurnRequest = { stream: "message", messages: [grant("call_1")] };
    expect(await linesOf(server, sessionId, request)).toEqual([
      "turn_start {}",
      'tool_call {"toolCallId":"call_1","name":"stamp","input":{}}',
      'turn_stop {"stopReason":"tool_use"}',
    ]);
    expect(done).toEqual([]);
    const last = await linesOf(server, sessionId, request);
    expect(last.at(-1)).toBe('turn_stop {"stopReason":"end_turn"}');
    expect(await linesOf(server, sessionId, request)).toEqual(last);
    expect(done).toEqual(["stamp"]);
  });

  test("trust is the app's to give, but only for tools that the owner lets it trust", async () => {
    const trusting: NewSession = { agent: { name: "clerk", tools: [{ name: "send", trust: true }] } };
    const strict = serverWith(SEND);
    expect(await clientOf(strict).turn(await sessionOn(strict, trusting), say("Go"))).toMatchObject({
      stopReason: "tool_use",
    });
    const open = serverWith(SEND, { trustable: ({ name }) => name === "send" });
    expect(await clientOf(open).turn(await sessionOn(open, trusting), say("Go"))).toMatchObject({
      stopReason: "end_turn",
    });
    expect(done).toEqual(["send Ada"]);
  });

  test("a rule that denies or asks is above trust, and one that allows is not enough without it", async () => {
    const steps: ScriptStep[] = [{ calls: [{ tool: "look_up", input: { word: "gate" } }] }, { say: "So." }];
    const trusting: NewSession = { agent: { name: "clerk", tools: [{ name: "look_up", trust: true }] } };
    const denying = serverWith(steps, { rules: [{ deny: "search", reason: "offline" }] });
    const { messages } = await clientOf(denying).turn(await sessionOn(denying, trusting), say("Go"));
    expect(messages[1]).toEqual({ role: "tool", toolCallId: "call_1", content: "Tool call denied: offline" });
    const asking = serverWith(steps, { rules: [{ ask: "look_up" }] });
    expect(await clientOf(asking).turn(await sessionOn(asking, trusting), say("Go"))).toMatchObject({
      stopReason: "tool_use",
    });
    const allowing = serverWith(steps, { rules: [{ allow: "*" }] });
    const distrusting: NewSession = { agent: { name: "clerk", tools: [{ name: "look_up" }] } };
    expect(await clientOf(allowing).turn(await sessionOn(allowing, distrusting), say("Go"))).toMatchObject({
      stopReason: "tool_use",
    });
    expect(done).toEqual([]);
  });
});

describe("turns", () => {
  test("a failing, an unknown and a disabled tool are answered at once, and the turn goes on", async () => {
    const server = serverWith([
      {
        calls: [
          { tool: "look_up", input: { word: "nothing" } },
          { tool: "look_up", input: { word: 1 } },
          { tool: "fly", input: {} },
          { tool: "send", input: { to: "Ada" } },
        ],
      },
      { say: "Hm." },
    ]);
    const sessionId = await sessionOn(server, {
      agent: { name: "clerk", tools: [{ name: "look_up", trust: true }] },
    });
    const lines = await linesOf(server, sessionId, say("Go", "message"));
    expect(lines.map((text) => text.split(" ")[0])).toEqual([
      "turn_start",
      ...Array<string>(4).fill("tool_call"),
      ...Array<string>(4).fill("tool_result"),
      "text",
      "turn_stop",
    ]);
    expect(lines.filter((text) => text.includes('"isError":true'))).toHaveLength(4);
    expect(lines.join("\n")).toContain("look_up: nothing was found.");
    expect(lines.join("\n")).toContain('There is no tool named \\"send\\"');
  });

  test("a user who goes on closes what was open, and the app hears of it", async () => {
    const server = serverWith(FOUR_CALLS);
    const sessionId = await sessionOn(server);
    await clientOf(server).turn(sessionId, say("Go"));
    const cancelled = "Tool call cancelled: the user went on without it.";
    expect(await linesOf(server, sessionId, say("Never mind", "message"))).toEqual([
      "turn_start {}",
      ...["call_1", "call_3", "call_4"].map(
        (id) => `tool_result {"toolCallId":"${id}","content":"${cancelled}","isError":true}`,
      ),
      'text {"text":"All done."}',
      'turn_stop {"stopReason":"end_turn"}',
    ]);
    const history = await clientOf(server).history(sessionId);
    expect(history.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "tool",
      "tool",
      "user",
      "assistant",
    ]);
    // A grant that comes after that is told what became of the call, and runs nothing.
    expect(await linesOf(server, sessionId, { stream: "message", messages: [grant("call_3")] })).toEqual([
      "turn_start {}",
      ...["call_1", "call_3", "call_4"].map(
        (id) => `tool_result {"toolCallId":"${id}","content":"${cancelled}","isError":true}`,
      ),
      'turn_stop {"stopReason":"end_turn"}',
    ]);
    expect(done).toEqual(["look_up gate"]);
  });

  test("results and a grant that come with a user message count before it", async () => {
    const server = serverWith(FOUR_CALLS);
    const sessionId = await sessionOn(server);
    const client = clientOf(server);
    await client.turn(sessionId, say("Go"));
    await client.turn(sessionId, {
      messages: [{ role: "user", content: "And?" }, result("call_1"), grant("call_3")],
    });
    expect((await client.history(sessionId)).slice(2)).toEqual([
      { role: "tool", toolCallId: "call_1", content: "shown" },
      { role: "tool", toolCallId: "call_2", content: "gate: a word" },
      { role: "tool", toolCallId: "call_3", content: '{"sentTo":"Ada"}' },
      { role: "tool", toolCallId: "call_4", content: "Tool call cancelled: the user went on without it." },
      { role: "user", content: "And?" },
      { role: "assistant", content: [{ type: "text", text: "All done." }] },
    ]);
    expect(done).toEqual(["look_up gate", "send Ada"]);
  });

  test("one turn at a time: a second one is told to come back", async () => {
    const server = serverWith([{ calls: [{ tool: "wait", input: {} }] }, { say: "Now." }]);
    const sessionId = await sessionOn(server);
    const first = clientOf(server).turn(sessionId, say("Go"));
    await until(() => done.includes("wait"));
    const response = await post(server, `/sessions/${sessionId}/turns`, say("Hello?"));
    expect([response.status, response.headers.get("retry-after")]).toEqual([409, "1"]);
    expect(await response.json()).toEqual({
      error: `A turn of session ${sessionId} is under way. Nothing was done; try again later.`,
    });
    goOn();
    expect(await first).toMatchObject({ stopReason: "end_turn" });
    expect(await clientOf(server).history(sessionId)).toHaveLength(4);
  });

  test("when the client hangs up the turn goes on and is recorded", async () => {
    const server = serverWith([{ say: "Wait.", calls: [{ tool: "wait", input: {} }] }, { say: "Now." }]);
    const sessionId = await sessionOn(server);
    const response = await post(server, `/sessions/${sessionId}/turns`, say("Go", "delta"));
    const reader = response.body!.getReader();
    await reader.read();
    await until(() => done.includes("wait"));
    await reader.cancel();
    goOn();
    const client = clientOf(server);
    await until(async () => (await client.history(sessionId)).length === 4);
    expect((await client.history(sessionId)).at(-1)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Now." }],
    });
  });

  test("a model that breaks in the middle ends the turn with one error, and no call stays open", async () => {
    for (const stream of ["delta", "message", "none"] as const) {
      const server = serverWith([], { model: breakingModel() });
      const sessionId = await sessionOn(server);
      const events: TurnEvent[] = [];
      const turn = await clientOf(server).turn(sessionId, say("Go", stream), {
        onEvent: (event) => events.push(event),
      });
      const cutOff = { role: "assistant", content: [{ type: "text", text: "I will" }] };
      expect(turn).toEqual({ stopReason: "error", error: "The line is down.", messages: [cutOff] });
      expect(events.filter(({ event }) => event === "turn_stop")).toHaveLength(stream === "none" ? 0 : 1);
      expect(await clientOf(server).history(sessionId)).toEqual([{ role: "user", content: "Go" }, cutOff]);
      expect(await clientOf(server).history(sessionId, "compacted")).toEqual([
        { role: "user", content: "Go" },
      ]);
    }
  });

  test("a bug in a tool fails its call with words for the model, and the turn goes on", async () => {
    const server = serverWith([{ calls: [{ tool: "stamp", input: {} }] }, { say: "Well." }]);
    const client = clientOf(server);
    const sessionId = await sessionOn(server, { agent: { name: "clerk", tools: [{ name: "stamp" }] } });
    await client.turn(sessionId, say("Go"));
    stampedFile = "unreadable";
    const turn = await client.turn(sessionId, { messages: [grant("call_1")] });
    expect(turn).toMatchObject({
      stopReason: "end_turn",
      messages: [
        { role: "tool", toolCallId: "call_1", content: "stamp broke: a bug in the tool" },
        { role: "assistant" },
      ],
    });
    expect(pendingCalls(await client.history(sessionId), []).server).toEqual([]);
  });

  test("a model that never stops is stopped", async () => {
    const step: ScriptStep = { calls: [{ tool: "look_up", input: { word: "gate" } }] };
    const server = serverWith([step, step, step], { maxSteps: 2 });
    const turn = await clientOf(server).turn(await sessionOn(server), say("Go"));
    expect(turn).toMatchObject({ stopReason: "error", error: expect.stringContaining("more steps") });
    expect(done).toHaveLength(2);
  });

  test("what a turn changes of the session stays changed", async () => {
    const steps: ScriptStep[] = [{ calls: [{ tool: "look_up", input: { word: "gate" } }] }, { say: "So." }];
    const server = serverWith(steps);
    const client = clientOf(server);
    const sessionId = await sessionOn(server, {
      agent: { name: "clerk", tools: [{ name: "look_up" }] },
      tools: [show],
    });
    await client.turn(sessionId, say("Go"));
    // How an app says "always allow": trust from now on, and a grant for this one.
    const agent = { tools: [{ name: "look_up", trust: true }] };
    await client.turn(sessionId, { agent, tools: [locate], messages: [grant("call_1")] });
    expect(await clientOf(serverWith(steps)).session(sessionId)).toEqual({
      sessionId,
      agent: { name: "clerk", tools: [{ name: "look_up", trust: true }] },
      tools: [locate],
    });
    expect(
      await refusal(client.turn(sessionId, { ...say("Go"), tools: [{ ...show, name: "look_up" }] })),
    ).toContain('400 Two tools are named "look_up"');
    expect(
      await refusal(client.turn(sessionId, { ...say("Go"), agent: { tools: [{ name: "fly" }] } })),
    ).toContain('400 Agent clerk has no tool "fly"');
    expect((await client.session(sessionId)).tools).toEqual([locate]);
  });

  test("a call whose tool was switched off meanwhile does not run, granted or not", async () => {
    const server = serverWith(SEND);
    const sessionId = await sessionOn(server);
    await clientOf(server).turn(sessionId, say("Go"));
    await clientOf(server).turn(sessionId, { agent: { tools: [] }, messages: [grant("call_1")] });
    expect(done).toEqual([]);
  });

  test("a turn that a dead process left behind is gone on with when the grant is sent again", async () => {
    const server = serverWith([{ calls: [{ tool: "send", input: { to: "Ada" } }] }, { say: "Sent." }]);
    const sessionId = await sessionOn(server);
    await clientOf(server).turn(sessionId, say("Go"));
    const lease = await ledger.claim(sessionId, "a process that dies", { milliseconds: 1000 });
    const [question] = await ledger.openQuestions({ sessionId });
    const { questionId, intentHash } = question!;
    const turnId = (await ledger.read(sessionId)).flatMap(({ event }) =>
      event.type === "turn-started" ? [event.turnId] : [],
    )[0]!;
    await ledger.answer(questionId, {
      outcome: { type: "selected", optionId: "allow_once" },
      intentHash,
      by: "person",
      at: 1,
    });
    await ledger.append(
      lease,
      [
        { type: "turn-resumed", at: 1, turnId },
        { type: "call-cleared", toolCallId: "call_1", at: 1, decision: { by: "person", intentHash, at: 1 } },
        { type: "run-started", toolCallId: "call_1", at: 1 },
      ],
      { durable: true },
    );
    await ledger.release(lease);
    const { stopReason, messages } = await clientOf(server).turn(sessionId, { messages: [grant("call_1")] });
    expect(stopReason).toBe("end_turn");
    expect(messages[0]).toMatchObject({
      content: expect.stringContaining("not known whether this tool call took effect"),
    });
    expect(done).toEqual([]);
  });
});

describe("sessions", () => {
  test("the server says what it has", async () => {
    const { version, agents } = await clientOf(serverWith([])).meta();
    expect(version).toBe(3);
    expect(agents[0]).toMatchObject({
      name: "clerk",
      capabilities: {
        history: { compacted: {}, full: {} },
        stream: { delta: {}, message: {}, none: {} },
        application: { tools: {} },
      },
    });
    expect(agents[0]?.tools?.[0]).toMatchObject({
      name: "look_up",
      title: "Look up",
      description: "Looks a word up.",
      parameters: { type: "object", properties: { word: { type: "string" } } },
    });
  });

  test("a session that starts with messages goes on from them", async () => {
    const server = serverWith([{ say: "(before)" }, { say: "As I said." }]);
    const client = clientOf(server);
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: [{ type: "text", text: "Good day." }] },
    ] as const;
    const { sessionId } = await client.createSession({ agent: { name: "clerk" }, messages });
    expect(await client.history(sessionId)).toEqual(messages);
    // The scripted model counts its answers in what it is told: the seed is one.
    expect(await client.turn(sessionId, say("Again?"))).toMatchObject({
      messages: [{ role: "assistant", content: [{ type: "text", text: "As I said." }] }],
    });
    expect((await client.history(sessionId)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
  });

  test.each<[string, unknown, string]>([
    [
      "an unknown agent",
      { agent: { name: "nobody" } },
      '404 There is no agent "nobody", only clerk. No session was made.',
    ],
    ["no agent", {}, "400 The request is not valid"],
    [
      "an unknown tool",
      { agent: { name: "clerk", tools: [{ name: "fly" }] } },
      '400 Agent clerk has no tool "fly"',
    ],
    [
      "a tool twice",
      { agent: { name: "clerk", tools: [{ name: "send" }, { name: "send" }] } },
      '400 Two tools are named "send"',
    ],
    [
      "a clash of tools",
      { agent: { name: "clerk", tools: [{ name: "send" }] }, tools: [{ ...show, name: "send" }] },
      '400 Two tools are named "send"',
    ],
    [
      "an app's tool twice",
      { agent: { name: "clerk" }, tools: [show, show] },
      '400 Two tools are named "show"',
    ],
    [
      "an unknown option",
      { agent: { name: "clerk", options: { mood: "good" } } },
      '400 Agent clerk has no options, so no "mood"',
    ],
    [
      "a system message",
      { agent: { name: "clerk" }, messages: [{ role: "system", content: "x" }] },
      '400 The request is not valid: ✖ a session starts with messages of the roles "user" and "assistant" only',
    ],
    [
      "an answer to nothing",
      { agent: { name: "clerk" }, messages: [{ role: "assistant", content: "x" }] },
      "400 The first of the messages must be of the role",
    ],
  ])("no session is made with %s", async (_name, body, says) => {
    const server = serverWith([]);
    const response = await post(server, "/sessions", body);
    const { error } = (await response.json()) as { error: string };
    expect(`${response.status} ${error}`).toContain(says);
    expect(await ledger.sessions()).toEqual([]);
  });

  test.each<[string, unknown]>([
    ["no messages", {}],
    ["an empty list", { messages: [] }],
    ["an assistant's message", { messages: [{ role: "assistant", content: "x" }] }],
    ["an empty user message", { messages: [{ role: "user", content: [] }] }],
    [
      "two user messages",
      {
        messages: [
          { role: "user", content: "x" },
          { role: "user", content: "y" },
        ],
      },
    ],
    ["an image", { messages: [{ role: "user", content: [{ type: "image", url: "data:," }] }] }],
    ["an unknown mode", { stream: "morse", messages: [{ role: "user", content: "x" }] }],
    ["another agent", { agent: { name: "other" }, messages: [{ role: "user", content: "x" }] }],
    ["a permission without its word", { messages: [{ role: "tool_permission", toolCallId: "call_1" }] }],
    ["a grant for no call", { messages: [grant("call_1")] }],
  ])("no turn is taken with %s", async (_name, body) => {
    const server = serverWith(SEND);
    const sessionId = await sessionOn(server);
    const before = await ledger.read(sessionId);
    const response = await post(server, `/sessions/${sessionId}/turns`, body);
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ error: expect.stringContaining("Nothing was done.") });
    expect(await ledger.read(sessionId)).toEqual(before);
  });

  test("fields that we do not know are passed over", async () => {
    const server = serverWith(SEND);
    const made = await post(server, "/sessions", {
      ...ALL,
      colour: "red",
      agent: { ...ALL.agent, colour: "red" },
    });
    expect(made.status).toBe(201);
    const { sessionId } = (await made.json()) as { sessionId: string };
    expect((await post(server, `/sessions/${sessionId}/turns`, { ...say("Go"), colour: "red" })).status).toBe(
      200,
    );
  });

  test("what is not there is not found, and what is no JSON is not read", async () => {
    const server = serverWith([]);
    const client = clientOf(server);
    expect(await refusal(client.session("s"))).toBe("404 There is no session s. Nothing was done.");
    expect(await refusal(client.history("s"))).toContain("404");
    expect(await refusal(client.deleteSession("s"))).toContain("404");
    expect(await refusal(client.turn("s", say("Go", "delta")))).toContain("404");
    expect((await server.fetch(new Request(`${BASE}/elsewhere`))).status).toBe(404);
    const sessionId = await sessionOn(server);
    expect((await server.fetch(new Request(`${BASE}/sessions/${sessionId}/history`))).status).toBe(400);
    const json = { "content-type": "application/json" };
    expect(
      (await server.fetch(new Request(`${BASE}/sessions`, { method: "POST", headers: json, body: "{" })))
        .status,
    ).toBe(400);
    const asText = new Request(`${BASE}/sessions`, { method: "POST", body: JSON.stringify(ALL) });
    expect((await server.fetch(asText)).status).toBe(415);
    const long = JSON.stringify({ ...ALL, padding: "x".repeat(9 * 1024 * 1024) });
    const tooLong = new Request(`${BASE}/sessions`, { method: "POST", headers: json, body: long });
    expect((await server.fetch(tooLong)).status).toBe(413);
  });

  test("a session of another door is none of the app's", async () => {
    const lease = await ledger.claim("other", "an editor", { milliseconds: 1000 });
    await ledger.append(lease, [{ type: "info-changed", at: 1, info: { agent: "clerk" } }], {
      durable: true,
    });
    await ledger.release(lease);
    const client = clientOf(serverWith(SEND));
    expect(await client.sessions()).toEqual({ sessions: [] });
    expect(await refusal(client.turn("other", say("Go")))).toContain("404");
    expect(await refusal(client.deleteSession("other"))).toContain("404");
  });

  test("sessions are listed in pages, the newest first, each once", async () => {
    let clock = 0;
    ledger = new MemoryLedger({ now: () => (clock += 1) });
    const server = serverWith([]);
    const client = clientOf(server);
    const made: string[] = [];
    for (let count = 0; count < 40; count++)
      made.unshift(await sessionOn(server, { agent: { name: "clerk" } }));
    const first = await client.sessions();
    expect(first.sessions).toHaveLength(20);
    const second = await client.sessions({ after: first.next! });
    expect(second.next).toBeUndefined();
    expect([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)).toEqual(made);
    expect(await refusal(client.sessions({ after: "nonsense" }))).toContain("400");
  });

  test("a session that is deleted is gone, and its turn with it", async () => {
    const server = serverWith([{ calls: [{ tool: "wait", input: {} }] }, { say: "Now." }]);
    const client = clientOf(server);
    const sessionId = await sessionOn(server);
    const turn = client.turn(sessionId, say("Go", "delta"));
    await until(() => done.includes("wait"));
    await client.deleteSession(sessionId);
    expect(await turn).toMatchObject({
      stopReason: "end_turn",
      messages: [{}, { content: expect.stringContaining("cancelled") }],
    });
    expect(await refusal(client.session(sessionId))).toContain("404");
  });

  test("a session that another process writes to is not deleted", async () => {
    const server = serverWith([]);
    const sessionId = await sessionOn(server);
    const lease = await ledger.claim(sessionId, "another process", { milliseconds: 60_000 });
    expect(await refusal(clientOf(server).deleteSession(sessionId))).toContain("409");
    await ledger.release(lease);
    await clientOf(server).deleteSession(sessionId);
  });
});

describe("the door", () => {
  test("without the key only the meta is told", async () => {
    const server = serverWith([], { apiKey: "secret" });
    expect((await clientOf(server).meta()).version).toBe(3);
    expect(await refusal(clientOf(server).sessions())).toBe(
      "401 The key is missing or wrong. Nothing was done.",
    );
    expect(await refusal(clientOf(server, "secre").sessions())).toContain("401");
    expect(await refusal(clientOf(server, "wrong").createSession(ALL))).toContain("401");
    expect(await clientOf(server, "secret").sessions()).toEqual({ sessions: [] });
  });

  test("pages of other origins are let in only when they are named", async () => {
    const closed = await serverWith([], { apiKey: "secret" }).fetch(preflight());
    expect(closed.headers.get("access-control-allow-origin")).toBeNull();
    const open = await serverWith([], { apiKey: "secret", origins: ["https://app.example"] }).fetch(
      preflight(),
    );
    expect([open.status, open.headers.get("access-control-allow-origin")]).toEqual([
      204,
      "https://app.example",
    ]);
  });

  test("over real HTTP a turn streams, and the connection ends after its stop", async () => {
    const server = serverWith(FOUR_CALLS, { apiKey: "secret" });
    const serving = await serveAap({ server, port: 0 });
    try {
      const client = new AapClient({ baseUrl: serving.url, apiKey: "secret" });
      const { sessionId } = await client.createSession(ALL);
      const events: string[] = [];
      const turn = await client.turn(sessionId, say("Go", "delta"), {
        onEvent: ({ event }) => events.push(event),
      });
      expect(turn.stopReason).toBe("tool_use");
      expect([events[0], events.at(-1)]).toEqual(["turn_start", "turn_stop"]);
    } finally {
      await serving.close();
    }
  });

  test("over real HTTP, too, a client that stops listening does not stop the turn", async () => {
    const server = serverWith([{ say: "Wait.", calls: [{ tool: "wait", input: {} }] }, { say: "Now." }]);
    const serving = await serveAap({ server, port: 0 });
    try {
      const client = new AapClient({ baseUrl: serving.url });
      const { sessionId } = await client.createSession(ALL);
      const listening = new AbortController();
      const turn = client.turn(sessionId, say("Go", "delta"), { signal: listening.signal });
      await until(() => done.includes("wait"));
      listening.abort();
      await expect(turn).rejects.toMatchObject({ name: "AbortError" });
      goOn();
      await until(async () => (await client.history(sessionId)).length === 4);
      expect(await client.turn(sessionId, say("And now?"))).toMatchObject({ stopReason: "end_turn" });
    } finally {
      await serving.close();
    }
  });

  test("closing the server cancels what runs, records it, and leaves nothing waiting", async () => {
    const server = serverWith([{ calls: [{ tool: "wait", input: {} }] }, { say: "Now." }]);
    const serving = await serveAap({ server, port: 0 });
    const client = new AapClient({ baseUrl: serving.url });
    const { sessionId } = await client.createSession(ALL);
    const turn = client.turn(sessionId, say("Go", "delta")).catch((error: unknown) => error);
    await until(() => done.includes("wait"));
    await serving.close();
    await turn;
    const recorded = (await ledger.read(sessionId)).at(-1);
    expect(recorded?.event).toMatchObject({ type: "turn-stopped", stopReason: "cancelled" });
  });

  test("a server for its own machine does not answer to another name", async () => {
    const serving = await serveAap({ server: serverWith([]), port: 0 });
    try {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        get(`${serving.url}/meta`, { headers: { host: "evil.example" } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on("error", reject);
      });
      expect(status).toBe(403);
    } finally {
      await serving.close();
    }
  });

  test("a stream that is cut is an error to the client, and not a short turn", async () => {
    const body = 'event: turn_start\ndata: {}\n\nevent: text_delta\ndata: {"delta":"a"}\n\n';
    const client = new AapClient({ baseUrl: BASE, fetch: () => Promise.resolve(new Response(body)) });
    await expect(client.turn("s", say("Go", "delta"))).rejects.toMatchObject({ code: "STREAM_CUT" });
  });
});

const preflight = (): Request =>
  new Request(`${BASE}/sessions`, {
    method: "OPTIONS",
    headers: { origin: "https://app.example", "access-control-request-method": "POST" },
  });

async function post(server: AapServer, path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return server.fetch(new Request(BASE + path, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Says two words, begins a call, and breaks. */
function breakingModel(): LanguageModelV3 {
  const model = scriptedModel({ steps: [{ say: "never" }] });
  return {
    ...model,
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: "text-delta", id: "text", delta: "I will" });
            controller.enqueue({ type: "tool-input-start", id: "1", toolName: "send" });
            controller.enqueue({ type: "error", error: new Error("The line is down.") });
            controller.close();
          },
        }),
      }),
  };
}
