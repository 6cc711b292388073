/** Journeys of apps: answers, trust, names, keys, cancels, lifetimes, failing providers. Over real sockets. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent } from "../src/agent/index.js";
import { openModel, scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { defineTool } from "../src/tools/index.js";
import { ALL, deny, grant, readEvents, refusal, result, say, SEND, show, TOKEN, World } from "./aap-kit.js";
import type { App, WireData } from "./aap-kit.js";
import { answerTo, AUTHORIZED, head, serving, statusOf } from "./aap-http-kit.js";

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

/** A session that waits for a yes or no to `send`. */
async function asked() {
  const { app } = await world.remote({ steps: SEND });
  const sessionId = await app.createSession(ALL);
  expect(await app.turn(sessionId, say("Go"))).toMatchObject({ stopReason: "tool_use" });
  const { questions } = await app.ask<{ questions: { questionId: string }[] }>("GET", "/questions");
  return { app, sessionId, questionId: questions[0]?.questionId ?? "" };
}

describe("an app's answers", () => {
  test("refuses an answer with an unknown field, and changes nothing", async () => {
    const { app, sessionId, questionId } = await asked();
    const before = await world.ledger.read(sessionId);
    const permission = { ...grant("call_1"), arguments: { to: "Bob" } };
    expect(await refusal(app.turn(sessionId, { messages: [permission] }))).toMatch(
      /^400 BAD_REQUEST: [^]*"arguments"[^]*Nothing was done/,
    );
    const answer = { granted: true, arguments: { to: "Bob" } };
    expect(await refusal(app.ask("POST", `/questions/${questionId}`, answer))).toMatch(
      /^400 BAD_REQUEST: [^]*"arguments"/,
    );
    expect(await world.ledger.read(sessionId)).toEqual(before);
    expect(world.done).toEqual([]);
    // Elsewhere it is ignored.
    expect(await app.turn(sessionId, { messages: [grant("call_1")], color: "red" })).toMatchObject({
      stopReason: "end_turn",
    });
  });

  test.each(["in a turn", "to the question"])(
    "lets an answer change the input and say who answers, %s",
    async (way) => {
      const { app, sessionId, questionId } = await asked();
      const yes = { granted: true, input: { to: "Bob" }, who: "ann", reason: "she moved" };
      if (way === "in a turn") await app.turn(sessionId, { messages: [{ ...grant("call_1"), ...yes }] });
      else {
        const answered = await app.ask("POST", `/questions/${questionId}`, yes);
        expect(answered).toMatchObject({ counted: true, answer: { input: { to: "Bob" }, who: "ann" } });
        const turnEnds = () => world.ledger.read(sessionId, { type: "turn-stopped" });
        await expect.poll(turnEnds).toHaveLength(1);
      }
      expect(world.done).toEqual(["send Bob"]);
      // The call shows the model's input, its result the one that ran; the model gets the reason too.
      const ran = '[The user changed the input before it ran. The call ran with: {"to":"Bob"}]\n';
      const ended = async (type: "full" | "compacted") => (await app.history(sessionId, type)).slice(1, 3);
      const call = { content: expect.arrayContaining([expect.objectContaining({ input: { to: "Ada" } })]) };
      expect(await ended("full")).toMatchObject([call, { content: `${ran}{"sentTo":"Bob"}` }]);
      expect(await ended("compacted")).toMatchObject([
        call,
        { content: `${ran}[The user said: she moved]\n{"sentTo":"Bob"}` },
      ]);
      const log = (await world.ledger.read(sessionId)).map(({ event }) => event);
      expect(log).toContainEqual(
        expect.objectContaining({
          type: "call-cleared",
          rawInput: { to: "Bob" },
          decision: expect.objectContaining({ who: "ann", originalInput: { to: "Ada" } }),
        }),
      );
    },
  );

  test("runs nothing when an answer changes the input to one that the tool does not take", async () => {
    const { app, sessionId } = await asked();
    const { messages } = await app.turn(sessionId, {
      messages: [{ ...grant("call_1"), input: { to: 7 } }],
    });
    expect(JSON.stringify(messages[0])).toContain("the changed input cannot be used");
    expect(world.done).toEqual([]);
  });

  test("refuses an answer that denies and changes the input", async () => {
    const { app, sessionId, questionId } = await asked();
    const no = { ...deny("call_1"), input: { to: "Bob" } };
    expect(await refusal(app.turn(sessionId, { messages: [no] }))).toContain("400 BAD_REQUEST");
    for (const answer of [
      { granted: false, input: {} },
      { granted: true, input: {}, alike: true },
    ])
      expect(await refusal(app.ask("POST", `/questions/${questionId}`, answer))).toContain("400 BAD_REQUEST");
    expect(world.done).toEqual([]);
  });
});

describe("malformed and misdirected requests", () => {
  test("refuses a body that is not UTF-8, and stores nothing", async () => {
    const { port, ledger } = await serving();
    const body = Buffer.concat([
      Buffer.from('{"agent":{"name":"tester"},"messages":[{"role":"user","content":"a'),
      Buffer.from([0xff, 0xfe, 0xc0]),
      Buffer.from('"}]}'),
    ]);
    const headers = {
      Host: `127.0.0.1:${port}`,
      ...AUTHORIZED,
      "Content-Type": "application/json",
      Connection: "close",
    };
    const sized = head("POST /sessions HTTP/1.1", { ...headers, "Content-Length": String(body.length) });
    const chunked = head("POST /sessions HTTP/1.1", { ...headers, "Transfer-Encoding": "chunked" });
    for (const parts of [
      [sized, body],
      [chunked, `${body.length.toString(16)}\r\n`, body, "\r\n0\r\n\r\n"],
    ]) {
      const answer = await answerTo(port, ...parts);
      expect(statusOf(answer)).toBe(400);
      expect(answer).toContain("The body is not UTF-8. Nothing was done.");
    }
    expect(await ledger.sessions()).toEqual([]);
  });

  test.each([
    ["DELETE /sessions", "GET, POST"],
    ["POST /meta", "GET"],
    ["POST /sessions/x", "GET, DELETE"],
    ["DELETE /sessions/x/turns", "POST, GET"],
    ["GET /sessions/x/cancel", "POST"],
    ["POST /questions", "GET"],
    ["DELETE /questions/a/b", "GET, POST"],
    ["POST /metrics", "GET"],
    ["DELETE /openapi.json", "GET"],
    ["POST /healthz", "GET"],
    ["PUT /sessions", "GET, POST"],
    ["PATCH /sessions/x/../y", "GET, DELETE"],
  ])("answers 405 with the allowed methods: %s", async (line, allowed) => {
    const { serving: served } = await world.remote();
    const [method = "", path = ""] = line.split(" ");
    const response = await fetch(served.url + path, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, connection: "close" },
    });
    expect([response.status, response.headers.get("allow")]).toEqual([405, allowed]);
    expect(await response.json()).toMatchObject({ error: { code: "METHOD_NOT_ALLOWED" } });
  });

  test("answers 404 to a request for an unknown path", async () => {
    const { app } = await world.remote();
    expect(await refusal(app.ask("GET", "/nothing"))).toContain("404 NOT_FOUND");
    expect(await refusal(app.ask("GET", "/sessions//history"))).toContain("404 NOT_FOUND");
  });
});

describe("the app's tools", () => {
  const call: readonly ScriptStep[] = [{ calls: [{ tool: "send", input: { to: "Ada" } }] }, { say: "Sent." }];

  test("runs the app's tool when it has the name of a tool that is switched off", async () => {
    const { app } = await world.remote({ steps: call });
    const sessionId = await app.createSession({
      agent: { name: "clerk" },
      tools: [{ ...show, name: "send" }],
    });
    expect(await app.turn(sessionId, say("Go"))).toMatchObject({ stopReason: "tool_use" });
    expect(await app.turn(sessionId, { messages: [result("call_1", "by the app")] })).toMatchObject({
      stopReason: "end_turn",
    });
    expect(world.done).toEqual([]);
    // Both at once are refused, with nothing done.
    const both = { ...say("Again"), agent: { tools: [{ name: "send" }] } };
    expect(await refusal(app.turn(sessionId, both))).toContain('400 BAD_REQUEST: Two tools are named "send"');
    expect(await app.turn(sessionId, { ...both, tools: [] })).toMatchObject({ stopReason: "end_turn" });
  });

  test("refuses to create a session when an app's tool has the name of a tool that apps do not see", async () => {
    const agent = world.agent({ steps: call });
    const agents = [{ agent, isExposed: ({ name }: { name: string }) => name !== "send" }];
    const { app } = await world.remote({ agents });
    const body = { agent: { name: "clerk" }, tools: [{ ...show, name: "send" }] };
    expect(await refusal(app.createSession(body))).toContain('400 BAD_REQUEST: Two tools are named "send"');
  });

  test("keeps an app's tool when the agent gets a tool of that name later", async () => {
    const before = await world.remote({ agents: [{ ...world.agent({ steps: call }), tools: [] }] });
    const body = { agent: { name: "clerk" }, tools: [{ ...show, name: "send" }] };
    const sessionId = await before.app.createSession(body);
    const agents = [{ agent: world.agent({ steps: call }), isExposed: () => false }];
    const { app } = await world.remote({ agents });
    expect(await app.turn(sessionId, say("Go"))).toMatchObject({ stopReason: "tool_use" });
    await app.turn(sessionId, { messages: [result("call_1")] });
    expect(world.done).toEqual([]);
  });
});

test("requests with the same key at the same moment get the same answer, and one turn runs", async () => {
  const { app } = await world.remote({ steps: [{ say: "One." }, { say: "Two." }, { say: "Three." }] });
  for (let round = 0; round < 3; round += 1) {
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    const headers = { "idempotency-key": `key-${round}` };
    const turns = Array.from({ length: 4 }, () => app.turn(sessionId, say("Go"), { headers }));
    const answers = await Promise.all(turns);
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect((await app.history(sessionId)).map(({ role }) => role)).toEqual(["user", "assistant"]);
    const streams = Array.from({ length: 4 }, () => app.stream(sessionId, say("Go", "message"), { headers }));
    await Promise.all(streams);
    expect((await app.history(sessionId)).map(({ role }) => role)).toEqual(["user", "assistant"]);
  }
});

describe("the reason of a cancel", () => {
  const waits: readonly ScriptStep[] = [{ calls: [{ tool: "wait", input: {} }] }, { say: "Well." }];

  test("is kept for a call that runs", async () => {
    const { app } = await world.remote({ steps: waits });
    const sessionId = await app.createSession(ALL);
    const turn = app.turn(sessionId, say("Go"));
    await expect.poll(() => world.done).toEqual(["wait"]);
    const body = { toolCallId: "call_1", reason: "too slow for me" };
    expect(await app.ask("POST", `/sessions/${sessionId}/cancel`, body)).toEqual({ cancelled: true });
    const { messages } = await turn;
    expect(JSON.stringify(messages)).toContain("it was stopped while it ran: too slow for me");
  });

  test.each(["runs", "waits"])("is kept for a turn that %s", async (state) => {
    const { app } = await world.remote({ steps: state === "runs" ? waits : SEND });
    const sessionId = await app.createSession(ALL);
    const turn = app.turn(sessionId, say("Go"));
    if (state === "runs") await expect.poll(() => world.done).toEqual(["wait"]);
    else await turn;
    await app.ask("POST", `/sessions/${sessionId}/cancel`, { reason: "lunch" });
    await turn;
    expect(JSON.stringify(await app.history(sessionId))).toContain("lunch");
    const log = (await world.ledger.read(sessionId)).map(({ event }) => event);
    expect(log.at(-1)).toMatchObject({ type: "turn-stopped", stopReason: "cancelled", reason: "lunch" });
  });

  test("is kept for a tool that throws its own error when it is stopped", async () => {
    let hasStarted = false;
    const slow = defineTool({
      name: "slow",
      description: "Takes its time.",
      kind: "think",
      input: z.object({}),
      run: (_input, { signal }) =>
        new Promise((_resolve, reject) => {
          hasStarted = true;
          signal.addEventListener("abort", () => reject(new Error("aborted")), { once: true });
        }),
    });
    const model = scriptedModel({ steps: [{ calls: [{ tool: "slow", input: {} }] }, { say: "Well." }] });
    const { app } = await world.remote({ agents: [createAgent({ name: "clerk", model, tools: [slow] })] });
    const sessionId = await app.createSession({
      agent: { name: "clerk", tools: [{ name: "slow", trust: true }] },
    });
    const turn = app.turn(sessionId, say("Go"));
    await expect.poll(() => hasStarted).toBe(true);
    await app.ask("POST", `/sessions/${sessionId}/cancel`, { toolCallId: "call_1", reason: "enough" });
    expect(JSON.stringify((await turn).messages)).toContain("it was stopped while it ran: enough");
  });
});

describe("the lifetime of a question", () => {
  async function expiry(app: App, body: object = {}, turn: object = {}): Promise<number | undefined> {
    const sessionId = await app.createSession({ ...ALL, ...body });
    await app.turn(sessionId, { ...say("Go"), ...turn });
    type Asked = { sessionId: string; askedAt: number; expiresAt?: number };
    const { questions } = await app.ask<{ questions: Asked[] }>("GET", "/questions");
    const question = questions.find((one) => one.sessionId === sessionId);
    return question?.expiresAt === undefined ? undefined : question.expiresAt - question.askedAt;
  }

  test("is set by the request, the agent or the server, in this order", async () => {
    const limited = createAgent({ ...world.agent({ steps: SEND }), limits: { questionLifetime: 5_000 } });
    const byServer = await world.remote({ steps: SEND, questionLifetimeMs: 7_000 });
    const byAgent = await world.remote({ agents: [limited], questionLifetimeMs: 7_000 });
    const byNobody = await world.remote({ steps: SEND });
    expect(await expiry(byNobody.app)).toBeUndefined();
    expect(await expiry(byServer.app)).toBe(7_000);
    expect(await expiry(byAgent.app)).toBe(5_000);
    expect(await expiry(byAgent.app, { questionLifetimeMs: 3_000 })).toBe(3_000);
    expect(await expiry(byAgent.app, { questionLifetimeMs: 3_000 }, { questionLifetimeMs: 2_000 })).toBe(
      2_000,
    );
    expect(await refusal(expiry(byServer.app, { questionLifetimeMs: 0 }))).toContain("400 BAD_REQUEST");
  });

  test("is shown by the session, and a yes that comes too late runs nothing", async () => {
    let clock = Date.now();
    const { app } = await world.remote({ steps: SEND, now: () => clock });
    const sessionId = await app.createSession({ ...ALL, questionLifetimeMs: 60_000 });
    expect(await app.ask("GET", `/sessions/${sessionId}`)).toMatchObject({ questionLifetimeMs: 60_000 });
    await app.turn(sessionId, say("Go"));
    clock += 60_001;
    const { messages } = await app.turn(sessionId, { messages: [grant("call_1")] });
    expect(JSON.stringify(messages)).toContain("expired");
    expect(world.done).toEqual([]);
  });
});

describe("trust", () => {
  const reads = (name: string, kind?: "read") =>
    defineTool({
      name,
      description: name,
      input: z.object({}),
      ...(kind && { kind }),
      run: async () => ({ output: `${name} ran` }),
    });
  const steps: readonly ScriptStep[] = [
    {
      calls: [
        { tool: "weather", input: {} },
        { tool: "read_doc", input: {} },
      ],
    },
    { say: "So." },
  ];
  const agent = () =>
    createAgent({
      name: "clerk",
      model: scriptedModel({ steps: [...steps] }),
      tools: [reads("weather", "read"), reads("read_doc")],
    });
  const BOTH = {
    agent: {
      name: "clerk",
      tools: [
        { name: "weather", trust: true },
        { name: "read_doc", trust: true },
      ],
    },
  };

  test("is marked in /meta, shown as it is in force, and kept so", async () => {
    const { app } = await world.remote({ agents: [agent()] });
    const { agents } = await app.ask<{ agents: { tools: WireData[] }[] }>("GET", "/meta");
    expect(agents[0]?.tools.map(({ name, kind, trustable }) => [name, kind, trustable])).toEqual([
      ["weather", "read", true],
      ["read_doc", "read", false],
    ]);
    const sessionId = await app.createSession(BOTH);
    const tools = [
      { name: "weather", trust: true },
      { name: "read_doc", trust: false },
    ];
    expect(await app.ask("GET", `/sessions/${sessionId}`)).toMatchObject({ agent: { tools } });
    expect(await app.ask("GET", "/sessions")).toMatchObject({ sessions: [{ agent: { tools } }] });
    const events = await readEvents(await app.open(sessionId, say("Go", "message")));
    const results = events.flatMap(({ event, data }) =>
      event === "tool_result" ? [data["toolCallId"]] : [],
    );
    // The declared reader ran at once; the other one, whose kind was guessed from its name, asks.
    expect(results).toEqual(["call_1"]);
    expect(events.at(-1)?.data).toEqual({ stopReason: "tool_use" });
  });

  test("is for every tool that the owner says", async () => {
    const { app } = await world.remote({ agents: [agent()], trustable: () => true });
    const sessionId = await app.createSession(BOTH);
    expect(await app.ask("GET", `/sessions/${sessionId}`)).toMatchObject(BOTH);
    expect(await app.turn(sessionId, say("Go"))).toMatchObject({ stopReason: "end_turn" });
  });
});

describe("a provider that fails", () => {
  /** Answers 503 until the test sets `isUp`. */
  async function failingProvider() {
    const state = { isUp: false, requests: 0, failure: { status: 503, message: "overloaded" } };
    const server = createServer((_request, response) => {
      state.requests += 1;
      if (!state.isUp) {
        const { status, message } = state.failure;
        response.writeHead(status).end(JSON.stringify({ error: { message } }));
        return;
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      const choice = (delta: object, end: string | null) =>
        `data: ${JSON.stringify({ id: "1", model: "m", choices: [{ index: 0, delta, finish_reason: end }] })}\n\n`;
      response.end(
        `${choice({ role: "assistant", content: "Back." }, null)}${choice({}, "stop")}data: [DONE]\n\n`,
      );
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => new Promise((resolve) => void server.close(() => resolve())));
    const { port } = server.address() as AddressInfo;
    return { state, baseUrl: `http://127.0.0.1:${port}/v1` };
  }

  const appWith = async (baseUrl: string, retry: object) => {
    const { model } = await openModel("openai-compatible/m", {
      baseUrl,
      apiKey: "the-key-of-the-test",
      retry,
    });
    return (await world.remote({ model })).app;
  };

  test("is announced at once, while the request is sent again", async () => {
    const { state, baseUrl } = await failingProvider();
    const app = await appWith(baseUrl, { firstWaitMs: 200 });
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    const response = await app.open(sessionId, say("Go", "delta"));
    const decoder = new TextDecoder();
    let text = "";
    let isAnnounced = false;
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (isAnnounced || !text.includes("event: model_retry")) continue;
      isAnnounced = true;
      // The announcement came before the response of any request.
      expect(text).not.toContain("Back.");
      state.isUp = true;
    }
    expect(text).toMatch(
      /\n\nevent: model_retry\ndata: \{"attempt":1,"waitMs":\d+,"message":"The model's provider answered 503/,
    );
    expect(text).toContain('"delta":"Back."');
    expect(text).toContain('"stopReason":"end_turn"');
    expect(text).not.toContain("127.0.0.1");
    expect((await app.history(sessionId)).map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  test("shows no key that it quotes, live or from the log", async () => {
    const { state, baseUrl } = await failingProvider();
    const key = `sk-proj-${"A1b2C3d4E5f6G7h8".repeat(3)}`;
    state.failure = { status: 401, message: `Incorrect API key provided: ${key}.` };
    const app = await appWith(baseUrl, { attempts: 1 });
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    const { error } = await app.turn(sessionId, say("Go"));
    expect(error).toContain("Incorrect API key provided: [redacted api key]");
    const again = await readEvents(await app.send("GET", `/sessions/${sessionId}/turns`));
    expect(again.at(-1)?.data).toMatchObject({ error });
  });

  test.each(["delta", "none"] as const)("shows no address of it in the mode %s", async (mode) => {
    const app = await appWith("http://127.0.0.1:9/v1", { attempts: 1 });
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    const { stopReason, error = "" } = await app.inMode(sessionId, mode, say("Go"));
    expect(stopReason).toBe("error");
    expect(error).toContain("openai-compatible/m could not be reached");
    expect(error).not.toMatch(/127|:9|http/);
    const events = await app.send("GET", `/sessions/${sessionId}/events`);
    const reader = events.body?.getReader();
    let text = "";
    while (!text.includes("event: turn-stopped"))
      text += new TextDecoder().decode((await reader?.read())?.value);
    await reader?.cancel();
    expect(text).not.toContain("127.0.0.1");
  });
});
