/**
 * Our decisions where the protocol leaves them open, for each case that apps can bring about; and the attack cases of
 * the area `aap`, by their ids. Without a network, where it makes no difference: the flows over HTTP are tested elsewhere.
 */
import { once } from "node:events";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { text as allText } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AgentSession } from "../src/agent/index.js";
import type { Lease } from "../src/call/index.js";
import { MemoryLedger, redactingLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { LanguageModelV3, ScriptStep } from "../src/model/index.js";
import {
  ALL,
  deny,
  FOUR_CALLS,
  grant,
  lines,
  locate,
  MODES,
  names,
  readEvents,
  refusal,
  refused,
  result,
  say,
  SEND,
  show,
  TOKEN,
  World,
} from "./aap-kit.js";
import { until } from "./until.js";
import type { App, WorldOptions } from "./aap-kit.js";

const NAMES = process.env["TOOLGATE_LONG"] ? 10_000 : 2_000;
const GRANTS = process.env["TOOLGATE_LONG"] ? 1_000 : 200;

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

/** An app, and a session of it that has come to the end of its first turn. */
async function after(options: WorldOptions, session: object = ALL, content = "Go") {
  const app = world.app(options);
  const sessionId = await app.createSession(session);
  await app.turn(sessionId, say(content));
  return { app, sessionId };
}

async function connected(url: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), "127.0.0.1");
  await once(socket, "connect");
  return socket;
}

const linesOf = async (app: App, sessionId: string, body: object): Promise<readonly string[]> =>
  lines(await app.stream(sessionId, body));

describe("submissions", () => {
  test("reports what is wrong with a submission before any of it counts", async () => {
    const { app, sessionId } = await after({ steps: FOUR_CALLS });
    const REST = [grant("call_3"), result("call_1"), result("call_4", "here")];
    const before = await world.ledger.read(sessionId);
    const submit = (...messages: object[]) => refusal(app.stream(sessionId, { stream: "delta", messages }));
    const none = "BAD_REQUEST: This session has no call call_9. Nothing was done.";

    expect(await submit(...REST, result("call_9"))).toBe(`400 ${none}`);
    expect(await submit(...REST, grant("call_9"))).toBe(`400 ${none}`);
    expect(await submit(...REST, deny("call_9"))).toBe(`400 ${none}`);
    expect(await submit(...REST, result("call_3"))).toContain(
      "400 BAD_REQUEST: Call call_3 is run by the server",
    );
    expect(await submit(...REST, result("call_2"))).toContain(
      "400 BAD_REQUEST: Call call_2 is run by the server",
    );
    expect(await submit(...REST, grant("call_1"))).toContain(
      "400 BAD_REQUEST: Call call_1 is run by the app",
    );
    expect(await submit(...REST, deny("call_3"))).toContain(
      "400 BAD_REQUEST: Call call_3 is both granted and denied",
    );
    expect(await submit(...REST, result("call_1", "other"))).toContain("has two different results");
    const partial = await refused(app.turn(sessionId, { messages: [result("call_1")] }));
    expect([partial.status, partial.error]).toEqual([
      409,
      {
        code: "PARTIAL",
        message:
          "All open calls are answered in one request; these are missing: call_3, call_4. Nothing was done.",
        missing: ["call_3", "call_4"],
      },
    ]);
    expect(await submit(grant("call_3"), result("call_1"))).toContain("409 PARTIAL");
    expect(await world.ledger.read(sessionId)).toEqual(before);
    expect(world.done).toEqual(["look_up gate"]);
  });

  test("a grant runs the tool once; a denial goes to the model", async () => {
    const granted = await after({ steps: SEND });
    expect(await granted.app.turn(granted.sessionId, { messages: [grant("call_1")] })).toMatchObject({
      stopReason: "end_turn",
    });
    expect(world.done).toEqual(["send Ada"]);
    const denied = await after({ steps: SEND });
    await denied.app.turn(denied.sessionId, { messages: [deny("call_1", "no")] });
    expect(await denied.app.history(denied.sessionId)).toContainEqual({
      role: "tool",
      toolCallId: "call_1",
      content: "Tool call denied: no",
    });
    expect(world.done).toEqual(["send Ada"]);
  });

  test("a grant that is sent again gets the recorded result, and runs nothing", async () => {
    const { app, sessionId } = await after({ steps: SEND });
    const request = { messages: [grant("call_1"), grant("call_1")] };
    await app.turn(sessionId, request);
    const recorded = await world.ledger.read(sessionId);
    const other = world.app({ steps: SEND });
    for (const again of [
      () => app.turn(sessionId, request),
      () => app.stream(sessionId, { ...request, stream: "delta" }),
      () => other.turn(sessionId, request),
      () => app.turn(sessionId, { messages: [deny("call_1", "no")] }),
    ]) {
      const { status, error } = await refused(again());
      expect(status).toBe(409);
      expect(error).toMatchObject({
        code: "ALREADY_ANSWERED",
        recorded: [{ toolCallId: "call_1", status: "done", granted: true, content: '{"sentTo":"Ada"}' }],
      });
    }
    expect(world.done).toEqual(["send Ada"]);
    expect(await world.ledger.read(sessionId)).toEqual(recorded);
  });

  test("counts one of many grants at the same time, each sent through a socket of its own", async () => {
    const { app, serving } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    const sockets = await Promise.all(Array.from({ length: GRANTS }, () => connected(serving.url)));
    const body = JSON.stringify({ messages: [grant("call_1")] });
    const asked = [
      `POST /sessions/${sessionId}/turns HTTP/1.1`,
      `host: ${new URL(serving.url).host}`,
      `authorization: Bearer ${TOKEN}`,
      "content-type: application/json",
      `content-length: ${body.length}`,
      "connection: close",
    ];
    const answers = await Promise.all(
      sockets.map((socket) => {
        const answer = allText(socket);
        socket.write([...asked, "", body].join("\r\n"));
        return answer;
      }),
    );
    const count = (status: string) =>
      answers.filter((answer) => answer.startsWith(`HTTP/1.1 ${status} `)).length;
    expect([count("200"), count("409")]).toEqual([1, GRANTS - 1]);
    expect(world.done).toEqual(["send Ada"]);
    const history = await app.history(sessionId);
    expect(history.filter(({ role }) => role === "tool")).toEqual([
      { role: "tool", toolCallId: "call_1", content: '{"sentTo":"Ada"}' },
    ]);
  });

  test("a result that is sent again changes nothing", async () => {
    const { app, sessionId } = await after({
      steps: [{ calls: [{ tool: "show", input: {} }] }, { say: "I see." }],
    });
    await app.turn(sessionId, { messages: [result("call_1")] });
    const history = await app.history(sessionId);
    const { status, error } = await refused(
      app.turn(sessionId, { messages: [result("call_1", "something else")] }),
    );
    expect([status, error["recorded"]]).toEqual([
      409,
      [{ toolCallId: "call_1", status: "done", content: "shown" }],
    ]);
    expect(await app.history(sessionId)).toEqual(history);
  });

  test("a result comes back as it was sent, pictures included, and the model sees both", async () => {
    let lastPrompt: unknown;
    const scripted = scriptedModel({ steps: [{ calls: [{ tool: "show", input: {} }] }, { say: "I see." }] });
    const model: LanguageModelV3 = {
      ...scripted,
      doStream: (options) => {
        lastPrompt = options.prompt.at(-1)?.content;
        return scripted.doStream(options);
      },
    };
    const { app, sessionId } = await after({ model });
    const content = [
      { type: "text", text: "Look:" },
      { type: "image", url: "data:image/png;base64,AAAA" },
    ];
    await app.turn(sessionId, { messages: [result("call_1", content)] });
    expect((await app.history(sessionId))[2]).toEqual({ role: "tool", toolCallId: "call_1", content });
    expect(lastPrompt).toMatchObject([
      {
        output: {
          type: "content",
          value: [
            { type: "text", text: "Look:\n[image]" },
            { type: "file-data", data: "AAAA" },
          ],
        },
      },
    ]);
  });

  test("an answer that was given elsewhere counts, and the app's comes too late", async () => {
    const { app, sessionId } = await after({ steps: SEND });
    const [question] = await world.ledger.openQuestions({ sessionId });
    const { questionId = "", intentHash = "" } = question ?? {};
    const outcome = { type: "refused" } as const;
    await world.ledger.answer(questionId, { outcome, intentHash, by: "person", reason: "no", at: 1 });
    const { messages } = await app.turn(sessionId, { messages: [grant("call_1")] });
    expect(messages[0]).toEqual({ role: "tool", toolCallId: "call_1", content: "Tool call denied: no" });
    expect(world.done).toEqual([]);
  });

  test("a call that would now do something else than was granted is asked about again", async () => {
    const { app, sessionId } = await after(
      { steps: [{ calls: [{ tool: "stamp", input: {} }] }, { say: "Stamped." }] },
      { agent: { name: "clerk", tools: [{ name: "stamp" }] } },
    );
    world.stampedFile = "changed meanwhile";
    const request = { stream: "message", messages: [grant("call_1")] };
    expect(await linesOf(app, sessionId, request)).toEqual([
      "turn_start {}",
      'tool_call {"toolCallId":"call_1","name":"stamp","input":{}}',
      'turn_stop {"stopReason":"tool_use"}',
    ]);
    expect(world.done).toEqual([]);
    expect((await linesOf(app, sessionId, request)).at(-1)).toBe('turn_stop {"stopReason":"end_turn"}');
    expect(world.done).toEqual(["stamp"]);
  });

  test.each([["true"], [1], [null], [undefined]])("a granted of %j is no grant", async (granted) => {
    const { app, sessionId } = await after({ steps: SEND });
    const messages = [{ role: "tool_permission", toolCallId: "call_1", granted }];
    expect(await refusal(app.turn(sessionId, { messages }))).toContain("400 BAD_REQUEST");
    expect(world.done).toEqual([]);
  });

  test("a question that has expired cannot be granted any more, and the turn goes on without it", async () => {
    let clock = 1_000;
    const now = () => clock;
    world.ledger = new MemoryLedger({ now });
    const agent = { ...world.agent({ steps: SEND }), limits: { questionLifetime: 60_000 } };
    const app = world.app({ agents: [agent], now });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    clock += 60_001;
    const { messages, stopReason } = await app.turn(sessionId, { messages: [grant("call_1")] });
    expect([messages[0]?.content, stopReason]).toEqual([
      "Tool call denied: the question expired: nobody answered in time",
      "end_turn",
    ]);
    expect(world.done).toEqual([]);
  });
});

describe("trust", () => {
  test("is the app's to give, but only for tools that the owner lets it trust", async () => {
    const trusting = { agent: { name: "clerk", tools: [{ name: "send", trust: true }] } };
    const strict = world.app({ steps: SEND });
    expect(await strict.turn(await strict.createSession(trusting), say("Go"))).toMatchObject({
      stopReason: "tool_use",
    });
    const untrusting = await strict.createSession({ agent: { name: "clerk", tools: [{ name: "send" }] } });
    expect(await strict.turn(untrusting, { ...say("Go"), ...trusting })).toMatchObject({
      stopReason: "tool_use",
    });
    expect(world.done).toEqual([]);
    const open = world.app({ steps: SEND, trustable: ({ name }) => name === "send" });
    expect(await open.turn(await open.createSession(trusting), say("Go"))).toMatchObject({
      stopReason: "end_turn",
    });
    expect(world.done).toEqual(["send Ada"]);
  });

  test("a rule that denies or asks is above it, and one that allows is not enough without it", async () => {
    const steps: ScriptStep[] = [{ calls: [{ tool: "look_up", input: { word: "gate" } }] }, { say: "So." }];
    const trusting = { agent: { name: "clerk", tools: [{ name: "look_up", trust: true }] } };
    const denying = world.app({ steps, rules: [{ deny: "search", reason: "offline" }] });
    const { messages } = await denying.turn(await denying.createSession(trusting), say("Go"));
    expect(messages[1]).toEqual({ role: "tool", toolCallId: "call_1", content: "Tool call denied: offline" });
    const asking = world.app({ steps, rules: [{ ask: "look_up" }] });
    expect(await asking.turn(await asking.createSession(trusting), say("Go"))).toMatchObject({
      stopReason: "tool_use",
    });
    const allowing = world.app({ steps, rules: [{ allow: "*" }] });
    const distrusting = { agent: { name: "clerk", tools: [{ name: "look_up" }] } };
    expect(await allowing.turn(await allowing.createSession(distrusting), say("Go"))).toMatchObject({
      stopReason: "tool_use",
    });
    expect(world.done).toEqual([]);
  });

  test("turned on with a grant is how an app says always; alone it answers no open call", async () => {
    const steps: ScriptStep[] = [
      { calls: [{ tool: "look_up", input: { word: "gate" } }] },
      { calls: [{ tool: "look_up", input: { word: "door" } }] },
      { say: "So." },
    ];
    const { app, sessionId } = await after(
      { steps },
      { agent: { name: "clerk", tools: [{ name: "look_up" }] } },
    );
    const agent = { tools: [{ name: "look_up", trust: true }] };
    const { stopReason } = await app.turn(sessionId, { agent, messages: [grant("call_1")] });
    expect([stopReason, world.done]).toEqual(["end_turn", ["look_up gate", "look_up door"]]);
  });
});

describe("turns", () => {
  test("a failing, an unknown and a disabled tool are answered at once, and the turn goes on", async () => {
    const app = world.app({
      steps: [
        {
          calls: [
            { tool: "look_up", input: { word: "nothing" } },
            { tool: "look_up", input: { word: 1 } },
            { tool: "fly", input: {} },
            { tool: "send", input: { to: "Ada" } },
          ],
        },
        { say: "Hm." },
      ],
    });
    const sessionId = await app.createSession({
      agent: { name: "clerk", tools: [{ name: "look_up", trust: true }] },
    });
    const events = await app.stream(sessionId, say("Go", "message"));
    expect(names(events)).toEqual([
      "turn_start",
      ...Array<string>(4).fill("tool_call"),
      ...Array<string>(4).fill("tool_result"),
      "text",
      "turn_stop",
    ]);
    expect(events.filter(({ data }) => data["isError"] === true)).toHaveLength(4);
    const text = lines(events).join("\n");
    expect(text).toContain("look_up: nothing was found.");
    expect(text).toContain('There is no tool named \\"send\\"');
    expect(world.done).toEqual(["look_up nothing"]);
  });

  test("a user who goes on closes the open calls, and the app gets their ends", async () => {
    const { app, sessionId } = await after({ steps: FOUR_CALLS });
    const cancelled = "Tool call cancelled: the user went on without it.";
    expect(await linesOf(app, sessionId, say("Never mind", "message"))).toEqual([
      "turn_start {}",
      ...["call_1", "call_3", "call_4"].map(
        (id) => `tool_result {"toolCallId":"${id}","content":"${cancelled}","isError":true}`,
      ),
      'text {"text":"All done."}',
      'turn_stop {"stopReason":"end_turn"}',
    ]);
    const history = await app.history(sessionId);
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
    // A later grant gets the end of the call, and runs nothing.
    const { error } = await refused(app.turn(sessionId, { messages: [grant("call_3")] }));
    expect(error["recorded"]).toEqual([{ toolCallId: "call_3", status: "cancelled", content: cancelled }]);
    expect(world.done).toEqual(["look_up gate"]);
  });

  test.each(MODES)("a user who goes on is answered alike in every mode (%s)", async (mode) => {
    const { app, sessionId } = await after({ steps: FOUR_CALLS });
    const before = await app.history(sessionId);
    const { stopReason, messages } = await app.inMode(sessionId, mode, say("Never mind"));
    expect(stopReason).toBe("end_turn");
    const closed = ["call_1", "call_3", "call_4"].map((id) =>
      result(id, "Tool call cancelled: the user went on without it."),
    );
    expect(messages).toEqual([
      ...closed,
      { role: "assistant", content: [{ type: "text", text: "All done." }] },
    ]);
    const [call2, first, call3, call4, ...rest] = (await app.history(sessionId)).slice(2);
    expect([first, call3, call4]).toEqual(closed);
    expect(call2).toEqual(before.at(-1));
    expect(rest).toEqual([{ role: "user", content: "Never mind" }, messages.at(-1)]);
  });

  test("results and a grant that come with a user message count before it", async () => {
    const { app, sessionId } = await after({ steps: FOUR_CALLS });
    await app.turn(sessionId, {
      messages: [{ role: "user", content: "And?" }, result("call_1"), grant("call_3")],
    });
    expect((await app.history(sessionId)).slice(2)).toEqual([
      { role: "tool", toolCallId: "call_2", content: "gate: a word" },
      { role: "tool", toolCallId: "call_1", content: "shown" },
      { role: "tool", toolCallId: "call_3", content: '{"sentTo":"Ada"}' },
      { role: "tool", toolCallId: "call_4", content: "Tool call cancelled: the user went on without it." },
      { role: "user", content: "And?" },
      { role: "assistant", content: [{ type: "text", text: "All done." }] },
    ]);
    expect(world.done).toEqual(["look_up gate", "send Ada"]);
  });

  test("answers BUSY to a second turn at the same time", async () => {
    const app = world.app({ steps: [{ calls: [{ tool: "wait", input: {} }] }, { say: "Now." }] });
    const sessionId = await app.createSession(ALL);
    const first = app.turn(sessionId, say("Go"));
    await until(() => world.done.includes("wait"));
    const { status, error, headers } = await refused(app.turn(sessionId, say("Hello?")));
    expect([status, headers.get("retry-after"), error]).toEqual([
      409,
      "1",
      {
        code: "BUSY",
        message: `A turn of session ${sessionId} is under way. Nothing was done; try again later.`,
      },
    ]);
    world.goOn();
    expect(await first).toMatchObject({ stopReason: "end_turn" });
    expect(await app.history(sessionId)).toHaveLength(4);
  });

  test("finishes and records the turn when the client hangs up", async () => {
    const app = world.app({
      steps: [{ say: "Wait.", calls: [{ tool: "wait", input: {} }] }, { say: "Now." }],
    });
    const sessionId = await app.createSession(ALL);
    const response = await app.open(sessionId, say("Go", "delta"));
    await readEvents(response, ({ event }) => event === "tool_call");
    await until(() => world.done.includes("wait"));
    world.goOn();
    await until(async () => (await app.history(sessionId)).length === 4);
    expect((await app.history(sessionId)).at(-1)).toEqual({
      role: "assistant",
      content: [{ type: "text", text: "Now." }],
    });
    expect(world.done).toEqual(["wait"]);
  });

  test.each(MODES)("a model that breaks in the middle ends the turn with one error (%s)", async (mode) => {
    const app = world.app({ model: breakingModel() });
    const sessionId = await app.createSession(ALL);
    const cutOff = { role: "assistant", content: [{ type: "text", text: "I will" }] };
    expect(await app.inMode(sessionId, mode, say("Go"))).toEqual({
      stopReason: "error",
      error: "The line is down.",
      messages: [cutOff],
    });
    expect(await app.history(sessionId)).toEqual([{ role: "user", content: "Go" }, cutOff]);
    expect(await app.history(sessionId, "compacted")).toEqual([{ role: "user", content: "Go" }]);
  });

  test("a provider that is down gives one error without internal details", async () => {
    const app = world.app({
      model: { ...breakingModel(), doStream: () => Promise.reject(new Error("ECONNREFUSED")) },
    });
    const sessionId = await app.createSession(ALL);
    expect(names(await app.stream(sessionId, say("Go", "delta")))).toEqual(["turn_start", "turn_stop"]);
  });

  test.each([
    ["length", "max_tokens"],
    ["content-filter", "refusal"],
  ] as const)(
    "an answer that ends with %s stops the turn with %s, and its calls are closed",
    async (why, stopReason) => {
      const app = world.app({ model: stoppingModel(why) });
      const sessionId = await app.createSession(ALL);
      const turn = await app.turn(sessionId, say("Go"));
      expect(turn.stopReason).toBe(stopReason);
      expect(openCallsIn(await app.history(sessionId))).toEqual([]);
      expect(world.done).toEqual([]);
    },
  );

  test("a bug in a tool fails its call with words for the model, and the turn goes on", async () => {
    const { app, sessionId } = await after(
      { steps: [{ calls: [{ tool: "stamp", input: {} }] }, { say: "Well." }] },
      { agent: { name: "clerk", tools: [{ name: "stamp" }] } },
    );
    world.stampedFile = "unreadable";
    expect(await app.turn(sessionId, { messages: [grant("call_1")] })).toMatchObject({
      stopReason: "end_turn",
      messages: [
        { role: "tool", toolCallId: "call_1", content: "stamp broke: a bug in the tool" },
        { role: "assistant" },
      ],
    });
  });

  test.each(MODES)("a model that never stops is stopped, and no call stays open (%s)", async (mode) => {
    const step: ScriptStep = { calls: [{ tool: "look_up", input: { word: "gate" } }] };
    const app = world.app({ steps: [step, step, step], maxSteps: 2 });
    const sessionId = await app.createSession(ALL);
    expect(await app.inMode(sessionId, mode, say("Go"))).toMatchObject({
      stopReason: "error",
      error: expect.stringContaining("more steps"),
    });
    expect(openCallsIn(await app.history(sessionId))).toEqual([]);
    expect(world.done).toHaveLength(2);
  });

  test("a ledger that breaks in the middle: one stop, an error, and the owner gets the error", async () => {
    const errors: unknown[] = [];
    const exact = world.ledger;
    let isBroken = false;
    world.ledger = Object.assign(Object.create(exact) as typeof exact, {
      append: (...given: Parameters<typeof exact.append>) =>
        isBroken ? Promise.reject(new Error("disk full: /home/x")) : exact.append(...given),
    });
    bindAll(world.ledger, exact);
    const app = world.app({
      steps: [{ calls: [{ tool: "wait", input: {} }] }, { say: "Now." }],
      onError: (error) => errors.push(error),
    });
    const sessionId = await app.createSession(ALL);
    const turn = app.stream(sessionId, say("Go", "delta"));
    await until(() => world.done.includes("wait"));
    isBroken = true;
    world.goOn();
    const events = await turn;
    expect(names(events).filter((name) => name === "turn_stop")).toHaveLength(1);
    expect(events.at(-1)?.data).toEqual({
      stopReason: "error",
      error: "The server failed in the middle of the turn. Everything that was recorded before is kept.",
    });
    expect(errors.length).toBeGreaterThan(0);
  });

  test("ends a stream with one turn_stop when the ledger fails at the start of the turn", async () => {
    const exact = world.ledger;
    let isBroken = false;
    world.ledger = Object.assign(Object.create(exact) as typeof exact, {
      append: (...given: Parameters<typeof exact.append>) =>
        isBroken ? Promise.reject(new Error("disk full: /home/x")) : exact.append(...given),
    });
    bindAll(world.ledger, exact);
    const app = world.app({ steps: [{ say: "One." }, { say: "Two." }], onError: () => undefined });
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("First"));
    isBroken = true;
    const events = await app.stream(sessionId, say("Go", "delta"));
    expect(names(events)).toEqual(["turn_start", "turn_stop"]);
    expect(events.at(-1)?.data).toMatchObject({ stopReason: "error" });
  });

  test("keeps a changed setting of the session", async () => {
    const steps: ScriptStep[] = [{ calls: [{ tool: "look_up", input: { word: "gate" } }] }, { say: "So." }];
    const { app, sessionId } = await after(
      { steps },
      { agent: { name: "clerk", tools: [{ name: "look_up" }] }, tools: [show] },
    );
    const agent = { tools: [{ name: "look_up", trust: true }] };
    await app.turn(sessionId, { agent, tools: [locate], messages: [grant("call_1")] });
    expect(await world.app({ steps }).ask("GET", `/sessions/${sessionId}`)).toEqual({
      sessionId,
      agent: { name: "clerk", tools: [{ name: "look_up", trust: true }] },
      tools: [locate],
    });
    expect(
      await refusal(app.turn(sessionId, { ...say("Go"), tools: [{ ...show, name: "look_up" }] })),
    ).toContain('400 BAD_REQUEST: Two tools are named "look_up"');
    expect(
      await refusal(app.turn(sessionId, { ...say("Go"), agent: { tools: [{ name: "fly" }] } })),
    ).toContain('400 BAD_REQUEST: Agent clerk has no tool "fly"');
    expect(await app.ask("GET", `/sessions/${sessionId}`)).toMatchObject({ tools: [locate] });
  });

  test("a call whose tool was switched off meanwhile does not run, granted or not", async () => {
    const { app, sessionId } = await after({ steps: SEND });
    await app.turn(sessionId, { agent: { tools: [] }, messages: [grant("call_1")] });
    expect(world.done).toEqual([]);
  });

  test("finishes a turn that a dead process left behind when the grant is sent again", async () => {
    const { app, sessionId } = await after({ steps: SEND });
    const lease = await claimed(sessionId, "a process that dies");
    const [question] = await world.ledger.openQuestions({ sessionId });
    const { questionId = "", intentHash = "" } = question ?? {};
    const log = await world.ledger.read(sessionId);
    const [turnId = ""] = log.flatMap(({ event }) => (event.type === "turn-started" ? [event.turnId] : []));
    const outcome = { type: "selected", optionId: "allow_once" } as const;
    await world.ledger.answer(questionId, { outcome, intentHash, by: "person", at: 1 });
    await world.ledger.append(
      lease,
      [
        { type: "turn-resumed", at: 1, turnId },
        { type: "call-cleared", toolCallId: "call_1", at: 1, decision: { by: "person", intentHash, at: 1 } },
        { type: "run-started", toolCallId: "call_1", at: 1 },
      ],
      { durable: true },
    );
    await world.ledger.release(lease);
    const { stopReason, messages } = await app.turn(sessionId, { messages: [grant("call_1")] });
    expect(stopReason).toBe("end_turn");
    expect(messages[0]).toMatchObject({
      content: expect.stringContaining("Nobody knows whether this tool call took effect"),
    });
    expect(world.done).toEqual([]);
  });

  test("answers BUSY to a turn that another server on the same ledger is resuming", async () => {
    const { app, sessionId } = await after({ steps: SEND });
    const session = await AgentSession.open({
      agent: world.agent({ steps: SEND }),
      ledger: world.ledger,
      workspace: world.workspace,
      sessionId,
      leaseWaitMs: 5_000,
    });
    const answer = await refusal(app.turn(sessionId, { messages: [grant("call_1")] }));
    expect(answer).toContain("409 BUSY");
    expect(answer).toContain(`Session ${sessionId} is open in another process`);
    await session.close();
  });
});

describe("sessions", () => {
  test("the server says what it has, and which version it is", async () => {
    const app = world.app({ version: "1.2.3" });
    const { version, agents } = await app.ask<{ version: number; agents: { tools: object[] }[] }>(
      "GET",
      "/meta",
    );
    expect(version).toBe(3);
    expect(agents).toHaveLength(1);
    expect(agents[0]).toMatchObject({
      name: "clerk",
      version: "1.2.3",
      capabilities: {
        history: { compacted: {}, full: {} },
        stream: { delta: {}, message: {}, none: {} },
        application: { tools: {} },
        image: { data: {} },
      },
    });
    expect(agents[0]?.tools[0]).toMatchObject({
      name: "look_up",
      title: "Look up",
      description: "Looks a word up.",
      parameters: { type: "object", properties: { word: { type: "string" } } },
    });
  });

  test("tools that come and go are listed as they are now, and are asked about like the others", async () => {
    const [lookUp, ...rest] = world.tools;
    let isThere = true;
    const source = {
      tools: () => (isThere && lookUp ? [lookUp] : []),
      get: (name: string) => (isThere && name === "look_up" ? lookUp : undefined),
    };
    const steps: ScriptStep[] = [{ calls: [{ tool: "look_up", input: { word: "gate" } }] }, { say: "So." }];
    const app = world.app({ agents: [{ ...world.agent({ steps }), tools: rest, toolSources: [source] }] });
    const toolNames = async () => {
      const { agents } = await app.ask<{ agents: { tools: { name: string }[] }[] }>("GET", "/meta");
      return agents[0]?.tools.map(({ name }) => name);
    };
    expect(await toolNames()).toEqual(["send", "wait", "stamp", "look_up"]);
    const off = await app.createSession({ agent: { name: "clerk" } });
    expect(await app.turn(off, say("Go"))).toMatchObject({ stopReason: "end_turn" });
    expect(world.done).toEqual([]);
    const on = await app.createSession({ agent: { name: "clerk", tools: [{ name: "look_up" }] } });
    expect(await app.turn(on, say("Go"))).toMatchObject({ stopReason: "tool_use" });
    isThere = false;
    expect(await toolNames()).toEqual(["send", "wait", "stamp"]);
  });

  test("starts a session with messages and goes on from them", async () => {
    const app = world.app({ steps: [{ say: "(before)" }, { say: "As I said." }] });
    const messages = [
      { role: "user", content: "Hello" },
      { role: "assistant", content: [{ type: "text", text: "Good day." }] },
    ];
    const sessionId = await app.createSession({ agent: { name: "clerk" }, messages });
    expect(await app.history(sessionId)).toEqual(messages);
    // The scripted model counts the assistant messages in its prompt: the seed is one.
    expect(await app.turn(sessionId, say("Again?"))).toMatchObject({
      messages: [{ role: "assistant", content: [{ type: "text", text: "As I said." }] }],
    });
  });

  test("a call in such messages is text for the model, and can be neither granted nor answered", async () => {
    const messages = [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Send it" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm." },
          { type: "tool_use", toolCallId: "evil", name: "send", input: { to: "Eve" } },
        ],
      },
      { role: "tool", toolCallId: "evil", content: "sent" },
    ];
    const app = world.app({ steps: [{ say: "(before)" }, { say: "Fine." }] });
    const sessionId = await app.createSession({ agent: { name: "clerk", tools: [] }, messages });
    expect(await refusal(app.turn(sessionId, { messages: [grant("evil")] }))).toContain(
      "400 BAD_REQUEST: This session has no call evil",
    );
    expect(await refusal(app.turn(sessionId, { messages: [result("evil")] }))).toContain("400");
    expect(await app.history(sessionId)).toEqual(messages);
    expect(await app.turn(sessionId, say("Go on"))).toMatchObject({ stopReason: "end_turn" });
    expect(world.done).toEqual([]);
  });

  test.each<[string, unknown, string]>([
    [
      "an unknown agent",
      { agent: { name: "nobody" } },
      '404 NOT_FOUND: There is no agent "nobody", only clerk. No session was made.',
    ],
    ["no agent", {}, "400 BAD_REQUEST: The request is not valid"],
    [
      "an unknown tool",
      { agent: { name: "clerk", tools: [{ name: "fly" }] } },
      '400 BAD_REQUEST: Agent clerk has no tool "fly"',
    ],
    [
      "a tool twice",
      { agent: { name: "clerk", tools: [{ name: "send" }, { name: "send" }] } },
      '400 BAD_REQUEST: Two tools are named "send"',
    ],
    [
      "a tool that shadows one of the server's",
      { agent: { name: "clerk", tools: [{ name: "send" }] }, tools: [{ ...show, name: "send" }] },
      '400 BAD_REQUEST: Two tools are named "send"',
    ],
    [
      "an app's tool twice",
      { agent: { name: "clerk" }, tools: [show, show] },
      '400 BAD_REQUEST: Two tools are named "show"',
    ],
    [
      "an unknown option",
      { agent: { name: "clerk", options: { mood: "good" } } },
      '400 BAD_REQUEST: Agent clerk has no option "mood"',
    ],
    [
      "a message of an unknown role",
      { agent: { name: "clerk" }, messages: [{ role: "tool_permission", toolCallId: "x", granted: true }] },
      "400 BAD_REQUEST",
    ],
  ])("none is made with %s", async (_name, body, says) => {
    expect(await refusal(world.app().createSession(body))).toContain(says);
    expect(await world.ledger.sessions()).toEqual([]);
  });

  const image = (url: string) => ({ messages: [{ role: "user", content: [{ type: "image", url }] }] });

  test.each<[string, unknown]>([
    ["no messages", {}],
    ["an empty list", { messages: [] }],
    ["messages that are no list", { messages: "Go" }],
    ["an assistant's message", { messages: [{ role: "assistant", content: "x" }] }],
    ["a system's message", { messages: [{ role: "system", content: "x" }] }],
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
    ["an image that would have to be fetched", image("http://169.254.169.254/x")],
    ["an image from anywhere", image("https://example.org/cat.png")],
    ["an image that is none", image("data:text/html;base64,AAAA")],
    ["an image that is no base64", image("data:image/png;base64,a b")],
    ["a file", image("file:///etc/passwd")],
    ["an unknown mode", { stream: "morse", messages: [{ role: "user", content: "x" }] }],
    ["another agent", { agent: { name: "other" }, messages: [{ role: "user", content: "x" }] }],
    ["a permission without its word", { messages: [{ role: "tool_permission", toolCallId: "call_1" }] }],
    ["a grant for no call", { messages: [grant("call_1")] }],
  ])("no turn is taken with %s", async (_name, body) => {
    const app = world.app({ steps: SEND });
    const sessionId = await app.createSession(ALL);
    const before = await world.ledger.read(sessionId);
    const { status, error } = await refused(app.ask("POST", `/sessions/${sessionId}/turns`, body));
    expect([status, error.code]).toEqual([400, "BAD_REQUEST"]);
    expect(error.message).toContain("Nothing was done.");
    expect(await world.ledger.read(sessionId)).toEqual(before);
  });

  test("an image that comes with the request reaches the model and the history", async () => {
    let lastPrompt: unknown;
    const scripted = scriptedModel({ steps: [{ say: "A cat." }] });
    const app = world.app({
      model: {
        ...scripted,
        doStream: (options) => {
          lastPrompt = options.prompt.at(-1)?.content;
          return scripted.doStream(options);
        },
      },
    });
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    const content = [
      { type: "text", text: "What is it?" },
      { type: "image", url: "data:image/webp;base64,AAAA" },
    ];
    await app.turn(sessionId, say(content));
    expect(lastPrompt).toEqual([
      { type: "text", text: "What is it?" },
      { type: "file", data: "AAAA", mediaType: "image/webp" },
    ]);
    expect((await app.history(sessionId))[0]).toEqual({ role: "user", content });
  });

  test("fields that we do not know are passed over", async () => {
    const app = world.app({ steps: SEND });
    const sessionId = await app.createSession({
      ...ALL,
      colour: "red",
      agent: { ...ALL.agent, colour: "red" },
    });
    expect(await app.turn(sessionId, { ...say("Go"), colour: "red" })).toMatchObject({
      stopReason: "tool_use",
    });
  });

  test("answers 404 for a missing session and 400 for a body that is no JSON", async () => {
    const app = world.app();
    expect(await refusal(app.ask("GET", "/sessions/s"))).toBe(
      "404 NOT_FOUND: There is no session s. Nothing was done.",
    );
    expect(await refusal(app.history("s"))).toContain("404");
    expect(await refusal(app.ask("DELETE", "/sessions/s"))).toContain("404");
    expect(await refusal(app.stream("s", say("Go", "delta")))).toContain("404");
    expect(await refusal(app.ask("GET", "/elsewhere"))).toContain("404 NOT_FOUND");
    const sessionId = await app.createSession(ALL);
    expect(await refusal(app.ask("GET", `/sessions/${sessionId}/history`))).toContain("400");
    expect(await refusal(app.ask("GET", `/sessions/${sessionId}/history?type=all`))).toContain("400");
    const server = world.server();
    const sent = (body: string, type: string) =>
      server.fetch(
        new Request("http://localhost/sessions", { method: "POST", headers: { "content-type": type }, body }),
      );
    expect((await sent("{", "application/json")).status).toBe(400);
    expect((await sent(JSON.stringify(ALL), "text/plain")).status).toBe(415);
    const long = JSON.stringify({ ...ALL, padding: "x".repeat(9 * 1024 * 1024) });
    expect((await sent(long, "application/json")).status).toBe(413);
  });

  test("hides a session of another door from the app", async () => {
    const lease = await world.ledger.claim("other", "an editor", { milliseconds: 1000 });
    await world.ledger.append(lease, [{ type: "info-changed", at: 1, info: { agent: "clerk" } }], {
      durable: true,
    });
    await world.ledger.release(lease);
    const app = world.app({ steps: SEND });
    expect(await app.ask("GET", "/sessions")).toEqual({ sessions: [] });
    expect(await refusal(app.turn("other", say("Go")))).toContain("404");
    expect(await refusal(app.ask("DELETE", "/sessions/other"))).toContain("404");
    expect(await refusal(app.ask("GET", "/sessions/other/events"))).toContain("404");
  });

  test("lists sessions in pages, the newest first, each once, and refuses a cursor that was tampered with", async () => {
    let clock = 0;
    world.ledger = new MemoryLedger({ now: () => (clock += 1) });
    const app = world.app();
    const made: string[] = [];
    for (let count = 0; count < 40; count++)
      made.unshift(await app.createSession({ agent: { name: "clerk" } }));
    type Page = { readonly sessions: { readonly sessionId: string }[]; readonly next?: string };
    const first = await app.ask<Page>("GET", "/sessions");
    expect(first.sessions).toHaveLength(20);
    const second = await app.ask<Page>("GET", `/sessions?after=${first.next}`);
    expect("next" in second).toBe(false);
    expect([...first.sessions, ...second.sessions].map(({ sessionId }) => sessionId)).toEqual(made);
    expect(await refusal(app.ask("GET", "/sessions?after=tampered"))).toContain("400 BAD_REQUEST");
  });

  test(`gives sessions names that cannot be guessed: ${NAMES} of them, 122 random bits each, in no order`, async () => {
    const app = world.app();
    const made: string[] = [];
    while (made.length < NAMES)
      made.push(
        ...(await Promise.all(
          Array.from({ length: 500 }, () => app.createSession({ agent: { name: "clerk" } })),
        )),
      );
    expect(new Set(made).size).toBe(NAMES);
    const bits = made.map((id) => {
      const [, ...groups] =
        /^session_([0-9a-f]{8})-([0-9a-f]{4})-4([0-9a-f]{3})-([89ab])([0-9a-f]{3})-([0-9a-f]{12})$/.exec(
          id,
        ) ?? [];
      expect(groups, id).toHaveLength(6);
      const [a = "", b = "", c = "", variant = "", d = "", e = ""] = groups;
      const most = BigInt(`0x${a}${b}${c}${d}${e}`).toString(2).padStart(120, "0");
      return `${most}${(Number.parseInt(variant, 16) & 3).toString(2).padStart(2, "0")}`;
    });
    // Each bit is set as often as a coin falls, and changes from one id to the next as often. Six standard deviations
    // are one in some hundred million.
    for (let place = 0; place < 122; place++) {
      const column = bits.map((one) => one[place]);
      const changes = column.filter((bit, index) => index > 0 && bit !== column[index - 1]);
      for (const count of [column.filter((bit) => bit === "1").length, changes.length])
        expect(Math.abs(count - NAMES / 2), `bit ${place}`).toBeLessThan(3 * Math.sqrt(NAMES));
    }
    expect(bits.every((one) => one.length === 122)).toBe(true);
  });

  test("a list reads the info events of each log once, then only new ones, and none of other doors' sessions", async () => {
    let read = 0;
    const ledger = new MemoryLedger();
    const readAll = ledger.read.bind(ledger);
    ledger.read = async (sessionId, options) => {
      const events = await readAll(sessionId, options);
      read += events.length;
      return events;
    };
    world.ledger = ledger;
    const app = world.app({ steps: SEND });
    const editor = await AgentSession.open({
      agent: world.agent({ steps: SEND }),
      ledger,
      workspace: world.workspace,
      sessionId: "an-editors",
    });
    await editor.prompt([{ type: "text", text: "Go" }], new AbortController().signal);
    await editor.close();
    const sessionId = await app.createSession(ALL);
    await app.turn(sessionId, say("Go"));
    const listed = async () => {
      read = 0;
      const { sessions } = await app.ask<{ sessions: { sessionId: string; agent: unknown }[] }>(
        "GET",
        "/sessions",
      );
      expect(sessions.map((one) => one.sessionId)).toEqual([sessionId]);
      return { read, sessions };
    };
    const infoEvents = async (id: string) => (await readAll(id, { type: "info-changed" })).length;
    expect((await listed()).read).toBe((await infoEvents("an-editors")) + (await infoEvents(sessionId)));
    expect((await listed()).read).toBe(0);
    const lease = await ledger.claim("an-editors", "editor", { milliseconds: 1_000 });
    await ledger.append(lease, [{ type: "info-changed", at: 1, info: { title: "x" } }], { durable: false });
    await ledger.release(lease);
    expect((await listed()).read).toBe(0);
    const tools = [{ name: "send", trust: false }];
    const before = await infoEvents(sessionId);
    await app.turn(sessionId, { agent: { tools }, messages: [deny("call_1")] });
    const again = await listed();
    expect(again.read).toBe((await infoEvents(sessionId)) - before);
    // The list has the changes of a turn.
    expect(again.sessions[0]?.agent).toEqual({ name: "clerk", tools });
    await app.ask("DELETE", `/sessions/${sessionId}`);
    expect(await app.ask("GET", "/sessions")).toEqual({ sessions: [] });
  });

  test("leads on through short pages to the app's last session when most sessions are an editor's", async () => {
    let clock = 0;
    const ledger = new MemoryLedger({ now: () => (clock += 1) });
    world.ledger = ledger;
    const app = world.app();
    const made = await app.createSession({ agent: { name: "clerk" } });
    for (let count = 0; count < 1_500; count++) {
      const lease = await ledger.claim(`editor_${count}`, "editor", { milliseconds: 1_000 });
      await ledger.append(lease, [{ type: "info-changed", at: 1, info: { title: "x" } }], { durable: false });
      await ledger.release(lease);
    }
    type Page = { readonly sessions: { readonly sessionId: string }[]; readonly next?: string };
    const first = await app.ask<Page>("GET", "/sessions");
    expect(first.sessions).toEqual([]);
    const second = await app.ask<Page>("GET", `/sessions?after=${first.next}`);
    expect(second.sessions.map(({ sessionId }) => sessionId)).toEqual([made]);
    expect(second.next).toBeUndefined();
  });

  test("deletes a session with its turn", async () => {
    const app = world.app({ steps: [{ calls: [{ tool: "wait", input: {} }] }, { say: "Now." }] });
    const sessionId = await app.createSession(ALL);
    const turn = app.stream(sessionId, say("Go", "delta"));
    await until(() => world.done.includes("wait"));
    expect((await app.send("DELETE", `/sessions/${sessionId}`)).status).toBe(204);
    expect(names(await turn)).toEqual(["turn_start", "tool_call", "tool_result", "turn_stop"]);
    expect(await refusal(app.ask("GET", `/sessions/${sessionId}`))).toContain("404");
    expect(await world.ledger.read(sessionId)).toEqual([]);
    expect(await world.ledger.sessions()).toEqual([]);
  });

  test("does not delete a session that another process writes to", async () => {
    const app = world.app();
    const sessionId = await app.createSession(ALL);
    const lease = await world.ledger.claim(sessionId, "another process", { milliseconds: 60_000 });
    expect(await refusal(app.ask("DELETE", `/sessions/${sessionId}`))).toContain("409");
    await world.ledger.release(lease);
    await app.ask("DELETE", `/sessions/${sessionId}`);
  });
});

describe("history", () => {
  test("serves only compacted and redacted history when the ledger redacts", async () => {
    const secret = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
    world.ledger = redactingLedger(new MemoryLedger());
    const app = world.app({
      steps: [
        { say: `The token is ${secret} here.`, calls: [{ tool: "look_up", input: { word: secret } }] },
        { say: "So." },
      ],
    });
    const { agents } = await app.ask<{ agents: { capabilities: { history: object } }[] }>("GET", "/meta");
    expect(agents[0]?.capabilities.history).toEqual({ compacted: {} });
    const sessionId = await app.createSession(ALL);
    const streamed = await app.stream(sessionId, say("Go", "message"));
    expect(await refusal(app.history(sessionId, "full"))).toContain("404 NOT_FOUND");
    const history = JSON.stringify(await app.history(sessionId, "compacted"));
    expect(history).toContain("[redacted token]");
    for (const text of [history, JSON.stringify(streamed)]) expect(text).not.toContain(secret);
    expect(names(streamed).filter((name) => name === "turn_stop")).toHaveLength(1);
  });

  test("serves the summary as compacted history, and everything as full history", async () => {
    const app = world.app({ steps: [{ say: "One." }, { say: "Two." }] });
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    await app.turn(sessionId, say("First"));
    const session = await AgentSession.open({
      agent: world.agent({ steps: [{ say: "One." }, { say: "Two." }] }),
      ledger: world.ledger,
      workspace: world.workspace,
      sessionId,
      leaseWaitMs: 5_000,
    });
    expect(await session.compact(new AbortController().signal)).toBe(true);
    await session.close();
    await app.turn(sessionId, say("Second"));
    expect((await app.history(sessionId)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
    ]);
    // The script continues at its second step: a summary is no step.
    expect(await app.history(sessionId, "compacted")).toEqual([
      { role: "user", content: "Summary of the conversation so far:\n\n(Steps of the script so far: 1.)" },
      { role: "user", content: "First" },
      { role: "user", content: "Second" },
      { role: "assistant", content: [{ type: "text", text: "Two." }] },
    ]);
  });
});

describe("options", () => {
  const withOptions = (steps: readonly ScriptStep[], seen: object[] = []) => {
    const agent = world.agent({ steps });
    return {
      agent,
      title: "The clerk",
      description: "Answers letters.",
      version: "2.0.0",
      options: [
        { type: "text", name: "greeting", default: "Hello" },
        { type: "secret", name: "pin", title: "PIN", default: "" },
        { type: "select", name: "mood", default: "calm", options: ["calm", "busy"] },
      ],
      withOptions: (own: typeof agent, values: object) => {
        seen.push(values);
        return own;
      },
    } as const;
  };

  test("declares, takes and keeps an agent's options, and shows a secret one to nobody", async () => {
    const seen: object[] = [];
    const app = world.app({ agents: [withOptions(SEND, seen)] });
    const { agents } = await app.ask<{ agents: object[] }>("GET", "/meta");
    expect(agents[0]).toMatchObject({
      name: "clerk",
      title: "The clerk",
      description: "Answers letters.",
      version: "2.0.0",
      options: [
        { type: "text", name: "greeting", default: "Hello" },
        { type: "secret", name: "pin", title: "PIN", default: "" },
        { type: "select", name: "mood", default: "calm", options: ["calm", "busy"] },
      ],
    });
    const sessionId = await app.createSession({
      agent: { name: "clerk", options: { pin: "1234", mood: "busy" } },
    });
    const shown = { sessionId, agent: { name: "clerk", tools: [], options: { mood: "busy", pin: "***" } } };
    expect(await app.ask("GET", `/sessions/${sessionId}`)).toEqual(shown);
    expect(await app.ask("GET", "/sessions")).toEqual({ sessions: [shown] });
    await app.turn(sessionId, say("Go"));
    // An option that is sent back unchanged changes nothing; other options stay as they are.
    await app.turn(sessionId, { ...say("Go"), agent: { options: { pin: "***", greeting: "Good day" } } });
    await app.turn(sessionId, { ...say("Go"), agent: { options: { pin: "5678" } } });
    expect(seen).toEqual([
      { greeting: "Hello", pin: "1234", mood: "busy" },
      { greeting: "Good day", pin: "1234", mood: "busy" },
      { greeting: "Good day", pin: "5678", mood: "busy" },
    ]);
  });

  test("a secret is nowhere in the record, in clear", async () => {
    const app = world.app({ agents: [withOptions(SEND)] });
    const sessionId = await app.createSession({
      agent: { name: "clerk", options: { pin: "tomorrow-at-nine" } },
    });
    await app.turn(sessionId, { ...say("Go"), agent: { options: { pin: "tomorrow-at-ten" } } });
    expect(JSON.stringify(await world.ledger.read(sessionId))).not.toContain("tomorrow");
  });

  test("a server with the same key opens a secret, and one with another asks for it again", async () => {
    const seen: object[] = [];
    const secretKey = new Uint8Array(32).fill(7);
    const first = world.app({ agents: [withOptions([{ say: "Yes." }], seen)], secretKey });
    const sessionId = await first.createSession({ agent: { name: "clerk", options: { pin: "1234" } } });
    await world.app({ agents: [withOptions([{ say: "Yes." }], seen)], secretKey }).turn(sessionId, say("Go"));
    expect(seen.at(-1)).toMatchObject({ pin: "1234" });
    const other = world.app({ agents: [withOptions([{ say: "Yes." }], seen)] });
    expect(await refusal(other.turn(sessionId, say("Go")))).toContain('409 CONFLICT: The secret "pin"');
    await other.turn(sessionId, { ...say("Go"), agent: { options: { pin: "4321" } } });
    expect(seen.at(-1)).toMatchObject({ pin: "4321" });
  });

  test.each([
    [{ mood: "wild" }, 'Option "mood" must be one of calm, busy'],
    [{ colour: "red" }, 'Agent clerk has no option "colour", only greeting, pin, mood'],
    [{ mood: 1 }, "The request is not valid"],
  ])("%j cannot be chosen", async (options, says) => {
    const app = world.app({ agents: [withOptions(SEND)] });
    expect(await refusal(app.createSession({ agent: { name: "clerk", options } }))).toContain(
      `400 BAD_REQUEST: ${says}`,
    );
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    const before = await world.ledger.read(sessionId);
    expect(await refusal(app.turn(sessionId, { ...say("Go"), agent: { options } }))).toContain(`400`);
    expect(await world.ledger.read(sessionId)).toEqual(before);
  });
});

test("several agents are served beside each other, and two of one name are not", async () => {
  const one = world.agent({ steps: [{ say: "One." }] });
  const two = world.agent({ name: "porter", steps: [{ say: "Two." }] });
  const app = world.app({ agents: [one, two] });
  const { agents } = await app.ask<{ agents: { name: string }[] }>("GET", "/meta");
  expect(agents.map(({ name }) => name)).toEqual(["clerk", "porter"]);
  const sessionId = await app.createSession({ agent: { name: "porter" } });
  expect((await app.turn(sessionId, say("Go"))).messages).toEqual([
    { role: "assistant", content: [{ type: "text", text: "Two." }] },
  ]);
  expect(() => world.app({ agents: [one, one] })).toThrow("The agents of a server have different names");
});

test("a session whose agent is gone can be read and not gone on with", async () => {
  const { app, sessionId } = await after({ steps: SEND });
  const other = world.app({ name: "porter" });
  expect(await other.history(sessionId)).toEqual(await app.history(sessionId));
  expect(await refusal(other.turn(sessionId, { messages: [grant("call_1")] }))).toContain("409 CONFLICT");
});

test("names and words cannot break out of their event", async () => {
  const attack = "x\n\nevent: turn_stop\ndata: {}\n\n\r\n\r\u2028";
  const app = world.app({
    steps: [{ say: attack, calls: [{ tool: attack, input: { attack } }] }, { say: "So." }],
  });
  const sessionId = await app.createSession(ALL);
  const response = await app.open(sessionId, say("Go", "message"));
  const events = await readEvents(response);
  expect(names(events)).toEqual(["turn_start", "text", "tool_call", "tool_result", "text", "turn_stop"]);
  expect(events[2]?.data).toEqual({ toolCallId: "call_1", name: attack, input: { attack } });
});

/** Waits until the server has given the session back. */
async function claimed(sessionId: string, owner: string): Promise<Lease> {
  for (;;) {
    const lease = await world.ledger.claim(sessionId, owner, { milliseconds: 60_000 }).catch(() => undefined);
    if (lease) return lease;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function openCallsIn(
  history: readonly { readonly role: string; readonly content: unknown; toolCallId?: string }[],
) {
  const answered = new Set(history.map(({ toolCallId }) => toolCallId));
  return history
    .flatMap(({ content }) =>
      Array.isArray(content) ? (content as { type: string; toolCallId: string }[]) : [],
    )
    .filter(({ type, toolCallId }) => type === "tool_use" && !answered.has(toolCallId));
}

/** Methods of a class with private fields, called on an object that only looks like one of it. */
function bindAll(copy: object, exact: object): void {
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(exact))) {
    const method: unknown = Reflect.get(exact, name);
    if (name !== "constructor" && name !== "append" && typeof method === "function")
      Reflect.set(copy, name, method.bind(exact));
  }
}

/** Says two words, begins a call, and breaks. */
function breakingModel(): LanguageModelV3 {
  return playing(
    { type: "text-delta", id: "text", delta: "I will" },
    { type: "tool-input-start", id: "1", toolName: "send" },
    { type: "error", error: new Error("The line is down.") },
  );
}

/** Calls a tool, and ends for this reason. */
function stoppingModel(unified: "length" | "content-filter"): LanguageModelV3 {
  return playing(
    { type: "tool-call", toolCallId: "1", toolName: "send", input: '{"to":"Ada"}' },
    {
      type: "finish",
      finishReason: { unified, raw: unified },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
    },
  );
}

type Part =
  Awaited<ReturnType<LanguageModelV3["doStream"]>>["stream"] extends ReadableStream<infer One> ? One : never;

function playing(...parts: readonly Part[]): LanguageModelV3 {
  return {
    ...scriptedModel({ steps: [{ say: "never" }] }),
    doStream: () =>
      Promise.resolve({
        stream: new ReadableStream<Part>({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      }),
  };
}
