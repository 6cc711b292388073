/**
 * The agent's door when the client is odd, slow, hasty or gone: the connection lives, the record says what happened
 * and nothing else, and what was opened is given back.
 */
import { PassThrough } from "node:stream";
import type { AnyMessage } from "@agentclientprotocol/sdk";
import { describe, expect, test, vi } from "vitest";
import { AgentSession } from "../src/agent/index.js";
import type { Agent } from "../src/agent/index.js";
import { agentHost, serveWire, stdioWire, streamWire } from "../src/acp/index.js";
import type { AcpHost, AgentHostOptions, Command, ServersOfSession } from "../src/acp/index.js";
import type { Ledger, SessionEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { parseScript, scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { says } from "./acp-kit.js";
import { until } from "./until.js";
import { folder, never, scripted } from "./agent-kit.js";
import { aWhile, deferred, rawAgent } from "./raw-agent.js";
import type { RawAgent, Said } from "./raw-agent.js";

const EDIT: readonly ScriptStep[] = [
  { say: "Now.", calls: [{ tool: "edit_file", input: { path: "a.txt", oldText: "one", newText: "two" } }] },
  { say: "Done." },
];
const TALK: readonly ScriptStep[] = [{ say: "Hi." }];

function hostOf(steps: readonly ScriptStep[], options: Partial<AgentHostOptions> = {}): AcpHost {
  return agentHost({
    agent: scripted(steps),
    ledger: new MemoryLedger(),
    openWorkspace: (path, roots) => LocalWorkspace.open(path, { roots }),
    ...options,
  });
}

const aFolder = () => folder({ "a.txt": "one\n" });

const typesOf = async (ledger: Ledger, sessionId: string): Promise<readonly SessionEvent["type"][]> =>
  (await ledger.read(sessionId)).map(({ event }) => event.type);

/** An agent whose model counts how often it was asked. */
function counted(steps: readonly ScriptStep[]): { readonly agent: Agent; asked: number } {
  const model = scriptedModel(parseScript({ steps }));
  const count = { asked: 0 };
  const doStream: typeof model.doStream = (options) => {
    count.asked += 1;
    return model.doStream(options);
  };
  return Object.assign(count, { agent: scripted(steps, { model: { ...model, doStream } }) });
}

/** A session whose turn waits for an answer since an earlier process. */
async function parked({ ledger }: AcpHost, cwd: string): Promise<string> {
  const workspace = await LocalWorkspace.open(cwd);
  const session = await AgentSession.open({
    agent: scripted(EDIT),
    ledger,
    workspace,
    sessionId: "session_parked",
  });
  await session.prompt(says("Edit it"), never());
  await session.close();
  return session.sessionId;
}

/** Servers without tools. */
function someServers(onClose: () => void): ServersOfSession {
  return { tools: () => [], get: () => undefined, close: async () => onClose() };
}

function prompt(agent: RawAgent, sessionId: string, text = "Go"): number | undefined {
  return agent.begin(["session/prompt", { sessionId, prompt: says(text) }])[0];
}

function allow(agent: RawAgent, { id, params }: Said): void {
  const optionId = params?.options?.[0]?.optionId;
  agent.send({ id, result: { outcome: { outcome: "selected", optionId } } });
}

describe("odd clients", () => {
  const ODD = { code: 1, message: { toString: 1 } };

  test("takes an error that cannot be read for no yes, and goes on serving the client", async () => {
    const cwd = await aFolder();
    const agent = await rawAgent(hostOf(EDIT));
    const sessionId = await agent.newSession(cwd);
    const turn = prompt(agent, sessionId);
    const { id } = await agent.question();
    agent.send({ id, error: ODD });
    expect(await agent.answer(turn)).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(await agent.request("session/list", {})).toMatchObject({ result: { sessions: [{ sessionId }] } });
    expect(agent.isOver).toBe(false);
  });

  test("leaves no session behind when a client over a stream goes", async () => {
    const cwd = await aFolder();
    const host = hostOf(EDIT);
    const roomy = { highWaterMark: 1000 };
    const toAgent = new TransformStream<AnyMessage, AnyMessage>({}, roomy, roomy);
    const toClient = new TransformStream<AnyMessage, AnyMessage>({}, roomy, roomy);
    const wire = streamWire({ readable: toAgent.readable, writable: toClient.writable });
    const served = serveWire(wire, { name: "tester", version: "1", openHost: async () => host });
    const writer = toAgent.writable.getWriter();
    const reader = toClient.readable.getReader();
    // A client's message need not be one that the SDK knows.
    const send = (message: object) => writer.write({ jsonrpc: "2.0", ...message } as AnyMessage);
    const hear = async (fits: (said: Said) => boolean): Promise<Said> => {
      for (;;) {
        // Any of the fields may be missing, and the test looks at what it needs.
        const said = (await reader.read()).value as Said;
        if (fits(said)) return said;
      }
    };
    await send({ id: 1, method: "initialize", params: { protocolVersion: 1 } });
    await send({ id: 2, method: "session/new", params: { cwd, mcpServers: [] } });
    const { result } = await hear(({ id }) => id === 2);
    const sessionId = result?.sessionId ?? "";
    await send({ id: 3, method: "session/prompt", params: { sessionId, prompt: says("Go") } });
    const { id } = await hear(({ method }) => method === "session/request_permission");
    await send({ id, error: ODD });
    expect(await hear((said) => said.id === 3)).toMatchObject({ result: { stopReason: "end_turn" } });
    await writer.close();
    await served;
    const lease = await host.ledger.claim(sessionId, "someone else", { milliseconds: 10 });
    expect(lease.owner).toBe("someone else");
  });

  test("records the agent's error as one short visible line", async () => {
    const cwd = await aFolder();
    const host = hostOf(EDIT);
    const agent = await rawAgent(host);
    const sessionId = await agent.newSession(cwd);
    const turn = prompt(agent, sessionId);
    const { id } = await agent.question();
    agent.send({ id, error: { code: 1, message: `\u001b[2J\nno ${"x".repeat(1_000_000)}` } });
    await agent.answer(turn);
    const reasons = (await host.ledger.read(sessionId)).flatMap(({ event }) =>
      event.type === "question-answered" ? [event.answer.reason ?? ""] : [],
    );
    expect(reasons).toHaveLength(1);
    expect(reasons[0]).toContain("no xxx");
    expect(reasons[0]?.length).toBeLessThan(5000);
    // oxlint-disable-next-line no-control-regex -- These are what must not be there.
    expect(reasons[0]).not.toMatch(/[\u0000-\u001f]/);
  });

  test("a load that is refused for its parameters has not ended the session that is open", async () => {
    const cwd = await aFolder();
    const agent = await rawAgent(hostOf(EDIT));
    const sessionId = await agent.newSession(cwd);
    const turn = prompt(agent, sessionId);
    const question = await agent.question();
    for (const odd of [{ mcpServers: "none" }, { mcpServers: [], additionalDirectories: "none" }])
      expect(await agent.request("session/load", { sessionId, cwd, ...odd })).toMatchObject({
        error: { code: -32602 },
      });
    allow(agent, question);
    expect(await agent.answer(turn)).toMatchObject({ result: { stopReason: "end_turn" } });
  });
});

describe("a question of an earlier process", () => {
  test.each(["session/load", "session/resume"])(
    "is asked again after %s, after its call was sent",
    async (method) => {
      const cwd = await aFolder();
      const host = hostOf(EDIT);
      const sessionId = await parked(host, cwd);
      const agent = await rawAgent(host);
      await agent.request(method, { sessionId, cwd, mcpServers: [] });
      const question = await agent.question();
      const before = agent.said.slice(0, agent.said.indexOf(question));
      expect(before.flatMap(({ params }) => params?.update?.sessionUpdate ?? [])).toContain("tool_call");
    },
  );

  test.each([
    ["session/load", false],
    ["session/resume", false],
    ["session/resume", true],
  ])("is not refused by a client that asks for %s and goes (v2: %s)", async (method, v2) => {
    const cwd = await aFolder();
    const count = counted(EDIT);
    const host = hostOf(EDIT, { agent: count.agent });
    const sessionId = await parked(host, cwd);
    const agent = await rawAgent(host, { v2 });
    await agent.request(method, { sessionId, cwd, mcpServers: [] });
    await agent.question();
    await agent.leave();
    expect(await typesOf(host.ledger, sessionId)).not.toContain("question-answered");
    expect(count.asked).toBe(0);
  });
});

test.each([false, true])(
  "keeps a question open when its client leaves, and does not ask the model again (v2: %s)",
  async (v2) => {
    const cwd = await aFolder();
    const count = counted(EDIT);
    const host = hostOf(EDIT, { agent: count.agent });
    const agent = await rawAgent(host, { v2 });
    const sessionId = await agent.newSession(cwd);
    prompt(agent, sessionId);
    await agent.question();
    await agent.leave();
    expect(await typesOf(host.ledger, sessionId)).not.toContain("question-answered");
    expect(count.asked).toBe(1);
  },
);

describe("a session that is being opened when the client goes", () => {
  test("is given back before serving ends", async () => {
    const cwd = await aFolder();
    const base = hostOf(TALK);
    const [asked, ready] = [deferred(), deferred()];
    let closed = false;
    const host: AcpHost = {
      ...base,
      openSession: async (request) => {
        asked.resolve();
        await ready.promise;
        const hosted = await base.openSession(request);
        return {
          ...hosted,
          close: async () => {
            await hosted.close();
            closed = true;
          },
        };
      },
    };
    const agent = await rawAgent(host);
    agent.begin(["session/new", { cwd, mcpServers: [] }]);
    await asked.promise;
    agent.end();
    await aWhile();
    expect(agent.isOver).toBe(false);
    ready.resolve();
    await agent.served;
    expect(closed).toBe(true);
  });

  test("has its servers ended while the ledger is still open", async () => {
    const cwd = await aFolder();
    const ledger = new MemoryLedger();
    const ended: string[] = [];
    const base = hostOf(TALK, {
      ledger,
      openServers: async () => someServers(() => void ended.push("servers")),
      close: async () => {
        ended.push("host");
        await ledger.close();
      },
    });
    const [opened, ready] = [deferred(), deferred()];
    const host: AcpHost = {
      ...base,
      openSession: async (request) => {
        const hosted = await base.openSession(request);
        opened.resolve();
        await ready.promise;
        return hosted;
      },
    };
    const agent = await rawAgent(host);
    agent.begin(["session/new", { cwd, mcpServers: [{ name: "x", command: "x", args: [], env: [] }] }]);
    await opened.promise;
    agent.end();
    await aWhile();
    ready.resolve();
    await agent.served;
    expect(ended).toEqual(["servers", "host"]);
  });

  test("is not gone on with", async () => {
    const cwd = await aFolder();
    const count = counted(TALK);
    const base = hostOf(TALK, { agent: count.agent });
    const { ledger } = base;
    const at = 0;
    const lease = await ledger.claim("session_left", "an earlier one", { milliseconds: 1000 });
    const left: readonly SessionEvent[] = [
      { type: "info-changed", at, info: { cwd } },
      { type: "turn-started", at, turnId: "turn_1" },
      {
        type: "message-chunk",
        at,
        messageId: "user-turn_1",
        role: "user",
        block: { type: "text", text: "Go" },
      },
    ];
    await ledger.append(lease, left, { durable: true });
    await ledger.release(lease);
    const [asked, ready] = [deferred(), deferred()];
    const host: AcpHost = {
      ...base,
      openSession: async (request) => {
        asked.resolve();
        await ready.promise;
        return base.openSession(request);
      },
    };
    const agent = await rawAgent(host);
    agent.begin(["session/load", { sessionId: "session_left", cwd, mcpServers: [] }]);
    await asked.promise;
    agent.end();
    await aWhile();
    ready.resolve();
    await agent.served;
    await aWhile();
    expect(count.asked).toBe(0);
  });
});

test("ends a session's servers also when its lease cannot be released", async () => {
  const cwd = await aFolder();
  const ledger = new MemoryLedger();
  let ended = false;
  const openServers = async () => someServers(() => (ended = true));
  const agent = await rawAgent(hostOf(TALK, { ledger, openServers }));
  await agent.request("session/new", { cwd, mcpServers: [{ name: "x", command: "x", args: [], env: [] }] });
  await ledger.close();
  await agent.leave();
  expect(ended).toBe(true);
});

test("a session whose model cannot be opened is free for the next who loads it", async () => {
  const cwd = await aFolder();
  let isBroken = false;
  const open = async () => {
    if (isBroken) throw new Error("there is no key");
    return scripted(TALK);
  };
  const models = ["a", "b"].map((name) => ({ name, open }));
  const agent = await rawAgent(hostOf(TALK, { models }));
  const sessionId = await agent.newSession(cwd);
  await agent.request("session/set_config_option", { sessionId, configId: "model", value: "b" });
  await agent.request("session/close", { sessionId });
  isBroken = true;
  const load = () => agent.request("session/load", { sessionId, cwd, mcpServers: [] });
  expect(await load()).toHaveProperty("error");
  isBroken = false;
  expect(await load()).toHaveProperty("result");
});

test("does not send the system's file errors to the client", async () => {
  const path = "/home/me/.config/keys.json";
  const error = Object.assign(new Error(`EACCES: permission denied, open '${path}'`), { code: "EACCES" });
  const agent = await rawAgent({ ...hostOf(TALK), openSession: () => Promise.reject(error) });
  const answer = await agent.request("session/new", { cwd: await aFolder(), mcpServers: [] });
  expect(answer).toMatchObject({ error: { code: -32603 } });
  expect(JSON.stringify(answer)).not.toContain(path);
});

test("lists the other sessions when one cannot be read", async () => {
  const cwd = await aFolder();
  const ledger = new MemoryLedger();
  const host = hostOf(TALK, { ledger });
  for (const sessionId of ["session_bad", "session_torn"]) {
    const lease = await ledger.claim(sessionId, "someone", { milliseconds: 1000 });
    const impossible: readonly SessionEvent[] = [
      { type: "info-changed", at: 0, info: { cwd } },
      { type: "call-cancelled", at: 0, toolCallId: "call_9", reason: "" },
    ];
    await ledger.append(lease, impossible, { durable: true });
  }
  const agent = await rawAgent(host);
  const sessionId = await agent.newSession(cwd);
  const read = ledger.read.bind(ledger);
  ledger.read = async (id, options) => {
    if (id === "session_torn") throw new Error("The disk is torn.");
    return read(id, options);
  };
  const { result } = await agent.request("session/list", {});
  // The id can be found in a message that is invalid as a whole.
  expect(result?.sessions).toHaveLength(2);
  expect(result?.sessions).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ sessionId }),
      expect.objectContaining({ sessionId: "session_bad" }),
    ]),
  );
});

describe("commands beside a turn", () => {
  const commands =
    (run: Command["run"] = async () => "Hello.") =>
    (): readonly Command[] => [{ name: "hello", description: "Says hello", run }];
  /** One that never ends by itself. */
  const endless = () => new Promise<string>(() => undefined);

  test.each([
    ["before", ["/hello", "Go"]],
    ["after", ["Go", "/hello"]],
  ])("keeps apart the messages of a turn and a command that comes just %s it (v2)", async (_place, texts) => {
    const cwd = await aFolder();
    const agent = await rawAgent(hostOf(TALK, { commands: commands() }), { v2: true });
    const sessionId = await agent.newSession(cwd);
    const requests = texts.map((text) => ["session/prompt", { sessionId, prompt: says(text) }] as const);
    const ids = agent.begin(...requests);
    for (const [index, id] of ids.entries()) {
      const { result } = await agent.answer(id);
      const { messageId = "none" } = result ?? {};
      const words = () => agent.updates.find((update) => update.messageId === messageId)?.content?.text;
      await until(() => words() !== undefined);
      expect(words()).toBe(texts[index]);
    }
  });

  test("keeps the messages of two commands apart when they come at once (v2)", async () => {
    const cwd = await aFolder();
    const agent = await rawAgent(hostOf(TALK, { commands: commands() }), { v2: true });
    const sessionId = await agent.newSession(cwd);
    const hello = ["session/prompt", { sessionId, prompt: says("/hello") }] as const;
    const [one, other] = agent.begin(hello, hello);
    const ids = [(await agent.answer(one)).result?.messageId, (await agent.answer(other)).result?.messageId];
    expect(ids).toEqual([expect.any(String), expect.any(String)]);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test("does not report the session as idle when a command ends beside a turn (v2)", async () => {
    const cwd = await aFolder();
    const agent = await rawAgent(hostOf(EDIT, { commands: commands() }), { v2: true });
    const sessionId = await agent.newSession(cwd);
    prompt(agent, sessionId);
    const question = await agent.question();
    const states = () => agent.updates.flatMap(({ state }) => state ?? []);
    await until(() => states().includes("requires_action"));
    await agent.answer(prompt(agent, sessionId, "/hello"));
    expect(states()).toEqual(["running", "requires_action"]);
    allow(agent, question);
    await until(() => states().includes("idle"));
    expect(states()).toEqual(["running", "requires_action", "running", "idle"]);
  });

  test("does not report the session as idle when a command that began before the turn ends (v2)", async () => {
    const cwd = await aFolder();
    const ready = deferred();
    const run = async () => {
      await ready.promise;
      return "Hello.";
    };
    const agent = await rawAgent(hostOf(EDIT, { commands: commands(run) }), { v2: true });
    const sessionId = await agent.newSession(cwd);
    const command = prompt(agent, sessionId, "/hello");
    prompt(agent, sessionId);
    await agent.question();
    ready.resolve();
    await agent.answer(command);
    await agent.request("session/list", {});
    expect(agent.updates.flatMap(({ state }) => state ?? [])).not.toContain("idle");
  });

  test("cancels a command that runs beside a turn", async () => {
    const cwd = await aFolder();
    const started = deferred();
    let given: AbortSignal | undefined;
    const run: Command["run"] = (_words, signal) => {
      given = signal;
      started.resolve();
      return endless();
    };
    const agent = await rawAgent(hostOf(TALK, { commands: commands(run) }));
    const sessionId = await agent.newSession(cwd);
    const command = prompt(agent, sessionId, "/hello");
    await started.promise;
    agent.send({ method: "session/cancel", params: { sessionId } });
    expect(await agent.answer(command)).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(given?.aborted).toBe(true);
  });

  test("ends a command before its session is closed", async () => {
    const cwd = await aFolder();
    const started = deferred();
    const run = () => (started.resolve(), endless());
    const agent = await rawAgent(hostOf(TALK, { commands: commands(run) }));
    const sessionId = await agent.newSession(cwd);
    const command = prompt(agent, sessionId, "/hello");
    await started.promise;
    const closed = await agent.request("session/close", { sessionId });
    const ended = agent.said.findIndex(({ id }) => id === command);
    expect(agent.said[ended]).toMatchObject({ result: { stopReason: "cancelled" } });
    expect(ended).toBeLessThan(agent.said.indexOf(closed));
  });
});

describe("large output for a client", () => {
  test("delivers large output that is sent at once when it is read", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let arrived = 0;
    output.on("data", (chunk: Buffer) => {
      arrived += chunk.length;
    });
    const wire = stdioWire(input, output);
    const over = wire.listen({ message: () => undefined, unreadable: () => undefined });
    const message = { text: "x".repeat(16 * 1024 * 1024) };
    // Together more than may wait for a side that does not read.
    for (let count = 0; count < 9; count++) wire.send(message);
    await wire.drained();
    expect({ isGone: input.destroyed, arrived }).toEqual({
      isGone: false,
      arrived: 9 * (JSON.stringify(message).length + 1),
    });
    input.end();
    await over;
  });

  test.each([false, true])("shows who has a session while it is waited for (v2: %s)", async (v2) => {
    const cwd = await aFolder();
    const host = hostOf(TALK);
    const lease = await host.ledger.claim("session_held", "someone else", { milliseconds: 60_000 });
    await host.ledger.append(lease, [{ type: "info-changed", at: 0, info: { cwd } }], { durable: false });
    const agent = await rawAgent(host, { v2 });
    const load = v2 ? "session/resume" : "session/load";
    const answer = agent.request(load, { sessionId: "session_held", cwd, mcpServers: [] });
    await until(() => agent.updates.length > 0);
    expect(agent.updates[0]).toMatchObject({
      sessionUpdate: "agent_thought_chunk",
      content: {
        text: "Session session_held is open in another process (someone else); waiting for it, up to 2 s …",
      },
    });
    await host.ledger.release(lease);
    expect(await answer).toHaveProperty("result");
  });

  test("loads a long session whole", async () => {
    const cwd = await aFolder();
    const host = hostOf(TALK);
    const block = { type: "text", text: "y".repeat(1024 * 1024) } as const;
    const words = Array.from({ length: 70 }, (_, index): SessionEvent => ({
      type: "message-chunk",
      at: 0,
      messageId: `m${index}`,
      role: "agent",
      block,
    }));
    const lease = await host.ledger.claim("session_long", "someone", { milliseconds: 5000 });
    const events: readonly SessionEvent[] = [{ type: "info-changed", at: 0, info: { cwd } }, ...words];
    await host.ledger.append(lease, events, { durable: false });
    await host.ledger.release(lease);
    const agent = await rawAgent(host);
    const answer = await agent.request("session/load", { sessionId: "session_long", cwd, mcpServers: [] });
    expect(answer).toHaveProperty("result");
    expect(agent.updates).toHaveLength(words.length);
  });

  test("does not hold up an agent whose client has gone without reading its output", async () => {
    const cwd = await aFolder();
    const host = hostOf([{ say: "x".repeat(3_000_000) }, { say: "y" }]);
    const agent = await rawAgent(host);
    const sessionId = await agent.newSession(cwd);
    agent.stopReading();
    prompt(agent, sessionId);
    prompt(agent, sessionId);
    let left = 2;
    for await (const { event } of host.ledger.follow(sessionId, { signal: never() }))
      if (event.type === "turn-stopped" && --left === 0) break;
    // The test controls the timeout.
    const timeUp = new AbortController();
    const timeout = vi.spyOn(AbortSignal, "timeout").mockReturnValue(timeUp.signal);
    agent.end();
    await until(() => timeout.mock.calls.length > 0);
    timeout.mockRestore();
    await aWhile();
    expect(agent.isOver).toBe(false);
    timeUp.abort();
    await agent.served;
  });
});
