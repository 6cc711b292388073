/**
 * The protocol's page on tool calls, statement by statement, with a server and a client of ours and a real socket between
 * them. Each test is named after its statement, in the order of the page: S for the server, C for the client, R for resumption.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { connect, pendingCalls, runTurn } from "../src/aap/client/index.js";
import type { AapClient, HistoryMessage, TurnEvent, TurnMessage } from "../src/aap/client/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { ALL, deny, FOUR_CALLS, grant, MODES, refusal, remoteApp, say, TOKEN, World } from "./aap-kit.js";
import { plainServer } from "./aap-client-kit.js";

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

const USER = say("Go").messages.map(({ content }) => ({ role: "user" as const, content: String(content) }));

/** A server with this script, and a session of it with everything switched on. */
async function opened(steps: readonly ScriptStep[] = FOUR_CALLS, session: object = ALL) {
  const { app, serving } = await world.remote({ steps });
  const sessionId = await app.createSession(session);
  return { app, sessionId, client: connect(serving.url, TOKEN) };
}

/** A turn as its events, by their names and what they are about. */
async function eventsOf(client: AapClient, sessionId: string, messages: readonly TurnMessage[] = USER) {
  const events: TurnEvent[] = [];
  for await (const event of client.turn(sessionId, { stream: "message", messages })) events.push(event);
  return events;
}

const about = ({ event, data }: TurnEvent): string =>
  "toolCallId" in data
    ? `${event} ${data.toolCallId}`
    : "stopReason" in data
      ? `${event} ${data.stopReason}`
      : event;

const roles = (history: readonly HistoryMessage[]) =>
  history.map((message) => (message.role === "tool" ? `tool ${message.toolCallId}` : message.role));

const result = (toolCallId: string, content = "shown") => ({ role: "tool", toolCallId, content }) as const;

/** Runs the app's tools, and answers the rest with yes. */
const HANDLERS = { tools: { show: () => "shown", locate: () => "here" }, permit: () => ({ granted: true }) };

describe("unexposed server-side tools", () => {
  async function hidden() {
    const agent = world.agent({
      steps: [{ calls: [{ tool: "stamp", input: {} }] }, { say: "Stamped." }],
      rules: [{ allow: "stamp" }],
    });
    const agents = [{ agent, isExposed: ({ name }: { name: string }) => name !== "stamp" }];
    const { app, serving } = await world.remote({ agents });
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    return { app, sessionId, client: connect(serving.url, TOKEN) };
  }

  test("1: the server may have internal tools that are not declared in GET /meta", async () => {
    const { client } = await hidden();
    const { agents } = await client.meta();
    expect(agents[0]?.tools?.map(({ name }) => name)).not.toContain("stamp");
  });

  test("2: it may still stream tool_call and tool_result events for these tools", async () => {
    const { client, sessionId } = await hidden();
    const events = await eventsOf(client, sessionId);
    expect(events.map(about)).toEqual([
      "turn_start",
      "tool_call call_1",
      "tool_result call_1",
      "text",
      "turn_stop end_turn",
    ]);
    expect(world.done).toEqual(["stamp"]);
  });

  test("3: clients should be prepared to handle unknown tool names", async () => {
    const server = await plainServer({ steps: [{ calls: [{ name: "hidden" }] }, { say: "Done." }] });
    const client = connect(server.url);
    const { sessionId } = await client.createSession({ agent: { name: "plain" } });
    const { stopReason, messages } = await runTurn(client, sessionId, { messages: USER });
    expect(stopReason).toBe("end_turn");
    expect(roles(messages)).toEqual(["assistant", "tool c1", "assistant"]);
  });
});

describe("parallel tool calls", () => {
  test("4: the server may emit multiple tool_call events before turn_stop", async () => {
    const { client, sessionId } = await opened();
    const events = (await eventsOf(client, sessionId)).map(about);
    const calls = events.filter((event) => event.startsWith("tool_call "));
    expect(calls).toEqual(["tool_call call_1", "tool_call call_2", "tool_call call_3", "tool_call call_4"]);
  });

  test("5: the client should handle all of them", async () => {
    const { client, sessionId } = await opened();
    const asked: string[] = [];
    const permit = ({ name }: { name: string }) => {
      asked.push(name);
      return { granted: true };
    };
    const { stopReason } = await runTurn(client, sessionId, { messages: USER }, { ...HANDLERS, permit });
    expect(stopReason).toBe("end_turn");
    expect(asked).toEqual(["send"]);
    expect(world.done).toEqual(["look_up gate", "send Ada"]);
  });

  test("6: it re-submits all results and permissions together in a single POST", async () => {
    const { app, client, sessionId } = await opened();
    const submitted: (readonly { role: string }[])[] = [];
    await runTurn(
      client,
      sessionId,
      { messages: USER },
      { ...HANDLERS, onAnswers: (answers) => submitted.push(answers) },
    );
    expect(submitted.map((answers) => answers.map(({ role }) => role).toSorted())).toEqual([
      ["tool", "tool", "tool_permission"],
    ]);
    // The server takes nothing less.
    const other = await app.createSession(ALL);
    const fresh = await world.remote({ steps: FOUR_CALLS });
    await fresh.app.turn(other, say("Go"));
    expect(await refusal(fresh.app.turn(other, { messages: [result("call_1")] }))).toContain("409 PARTIAL");
  });

  test("7: trusted server-side tools are handled inline and do not require client action", async () => {
    const { client, sessionId } = await opened([
      { calls: [{ tool: "look_up", input: { word: "gate" } }] },
      { say: "Found." },
    ]);
    const events = (await eventsOf(client, sessionId)).map(about);
    expect(events).toEqual([
      "turn_start",
      "tool_call call_1",
      "tool_result call_1",
      "text",
      "turn_stop end_turn",
    ]);
  });

  test.each(MODES)("8: two client-side tools, one trusted, one untrusted, in the mode %s", async (stream) => {
    const { client, sessionId } = await opened();
    const events: string[] = [];
    const onEvent = (event: TurnEvent) => events.push(about(event));
    await runTurn(client, sessionId, { stream, messages: USER }, { ...HANDLERS, onEvent });
    const ofCalls = events.filter((event) => /^tool_|^turn_stop/.test(event));
    expect(ofCalls).toEqual([
      "tool_call call_1",
      "tool_call call_2",
      "tool_call call_3",
      "tool_call call_4",
      "tool_result call_2",
      "turn_stop tool_use",
      "tool_result call_3",
      "turn_stop end_turn",
    ]);
  });
});

describe("resolving by the server", () => {
  test("S1: a trusted server-side tool is executed inline immediately, and a tool_result is emitted", async () => {
    const { client, sessionId } = await opened();
    const events = (await eventsOf(client, sessionId)).map(about);
    expect(events.indexOf("tool_result call_2")).toBe(events.length - 2);
    expect(world.done).toEqual(["look_up gate"]);
  });

  test("S2: if any tool calls remain unexecuted, turn_stop has tool_use", async () => {
    const { client, sessionId } = await opened();
    expect((await eventsOf(client, sessionId)).map(about).at(-1)).toBe("turn_stop tool_use");
  });

  test("S3: the client-provided tool results are appended to the history", async () => {
    const { client, sessionId } = await opened();
    await eventsOf(client, sessionId);
    const before = await client.history(sessionId);
    await eventsOf(client, sessionId, [result("call_4", "here"), result("call_1"), grant("call_3")]);
    const after = await client.history(sessionId);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(roles(after.slice(before.length, before.length + 2))).toEqual(["tool call_4", "tool call_1"]);
  });

  test("S4a: a tool_permission is matched with its tool_call by toolCallId", async () => {
    const { app, client, sessionId } = await opened();
    await eventsOf(client, sessionId);
    const rest = [result("call_1"), result("call_4")];
    expect(await refusal(app.turn(sessionId, { messages: [...rest, grant("call_9")] }))).toContain(
      "400 BAD_REQUEST: This session has no call call_9",
    );
  });

  test("S4b: a granted tool is executed", async () => {
    const { client, sessionId } = await opened();
    await eventsOf(client, sessionId);
    await eventsOf(client, sessionId, [grant("call_3"), result("call_1"), result("call_4")]);
    expect(world.done).toEqual(["look_up gate", "send Ada"]);
  });

  test.each([
    ["Tool call denied", undefined],
    ["Tool call denied: not her", "not her"],
  ])("S4c: a denied one is stored as a tool message: %s", async (content, reason) => {
    const { client, sessionId } = await opened();
    await eventsOf(client, sessionId);
    await eventsOf(client, sessionId, [deny("call_3", reason), result("call_1"), result("call_4")]);
    expect(await client.history(sessionId)).toContainEqual({ role: "tool", toolCallId: "call_3", content });
    expect(world.done).toEqual(["look_up gate"]);
  });

  test("S4d: tool_permission messages are never appended to history", async () => {
    const { app, client, sessionId } = await opened();
    await runTurn(client, sessionId, { messages: USER }, HANDLERS);
    for (const type of ["full", "compacted"] as const)
      expect(JSON.stringify(await app.history(sessionId, type))).not.toContain("tool_permission");
  });

  test("S5: all tool_results are appended to history, and the agent loop continues", async () => {
    const { client, sessionId } = await opened();
    const { messages } = await runTurn(client, sessionId, { messages: USER }, HANDLERS);
    const history = await client.history(sessionId);
    expect(roles(history)).toEqual([
      "user",
      "assistant",
      "tool call_2",
      "tool call_1",
      "tool call_4",
      "tool call_3",
      "assistant",
    ]);
    expect(messages.at(-1)).toEqual(history.at(-1));
  });
});

describe("resolving by the client", () => {
  test("C1: it collects all tool_call events of the current turn", async () => {
    const answers: string[] = [];
    for (const stream of MODES) {
      const { client, sessionId } = await opened();
      const onAnswers = (given: readonly { toolCallId: string }[]) =>
        answers.push(
          given
            .map(({ toolCallId }) => toolCallId)
            .toSorted()
            .join(" "),
        );
      await runTurn(client, sessionId, { stream, messages: USER }, { ...HANDLERS, onAnswers });
    }
    expect(answers).toEqual(Array<string>(3).fill("call_1 call_3 call_4"));
  });

  test("C2: it ignores those that already have a matching tool_result", async () => {
    const { client, sessionId } = await opened();
    const asked: string[] = [];
    const permit = ({ toolCallId }: { toolCallId: string }) => {
      asked.push(toolCallId);
      return { granted: true };
    };
    await runTurn(client, sessionId, { messages: USER }, { ...HANDLERS, permit });
    expect(asked).toEqual(["call_3"]);
  });

  test("C3: client-side or server-side is decided by the name among the declared tools", async () => {
    const { client, sessionId } = await opened();
    await eventsOf(client, sessionId);
    const { client: own, server } = pendingCalls(await client.history(sessionId), ["show", "locate"]);
    expect([own.map(({ name }) => name), server.map(({ name }) => name)]).toEqual([
      ["show", "locate"],
      ["send"],
    ]);
  });

  test("C3a: a client-side tool is executed, and its result is collected", async () => {
    const { client, sessionId } = await opened();
    const inputs: unknown[] = [];
    const tools = { ...HANDLERS.tools, show: (input: unknown) => `shown ${inputs.push(input)}` };
    await runTurn(client, sessionId, { messages: USER }, { ...HANDLERS, tools });
    expect(inputs).toEqual([{ picture: 1 }]);
    expect(await client.history(sessionId)).toContainEqual(result("call_1", "shown 1"));
  });

  test("C3b: for a server-side tool the user is asked, or a policy grants or denies", async () => {
    const { client, sessionId } = await opened();
    const { tools } = HANDLERS;
    // Without a way to ask, the policy is no.
    await runTurn(client, sessionId, { messages: USER }, { tools });
    expect(await client.history(sessionId)).toContainEqual(
      result("call_3", "Tool call denied: this app has nobody to ask"),
    );
  });

  test("C4: everything is submitted together in a single POST", async () => {
    const server = await plainServer({
      steps: [{ calls: [{ name: "show" }, { name: "send" }] }, { say: "Done." }],
    });
    const client = connect(server.url);
    const show = { name: "show", description: "Shows.", parameters: { type: "object" } };
    const { sessionId } = await client.createSession({ agent: { name: "plain" }, tools: [show] });
    await runTurn(client, sessionId, { messages: USER }, HANDLERS);
    const turns = server.requests.filter(({ path }) => path.endsWith("/turns"));
    expect(turns).toHaveLength(2);
    expect(turns[1]?.body["messages"]).toHaveLength(2);
  });
});

describe("resumption", () => {
  /** A session that waits, and a client without state at a server that was started since. */
  async function restarted() {
    const before = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await before.app.createSession(ALL);
    await before.app.turn(sessionId, say("Go"));
    await before.serving.close();
    const { serving } = await world.remote({ steps: FOUR_CALLS });
    return { sessionId, client: connect(serving.url, TOKEN), app: remoteApp(serving.url) };
  }

  test("R0: a client without in-memory state resumes from where it left off", async () => {
    const { sessionId, client } = await restarted();
    expect(await runTurn(client, sessionId, {}, HANDLERS)).toMatchObject({ stopReason: "end_turn" });
    expect(world.done).toEqual(["look_up gate", "send Ada"]);
  });

  test("R1: it fetches the history via GET /sessions/:id/history", async () => {
    const { sessionId, client } = await restarted();
    for (const type of ["full", "compacted"] as const)
      expect(roles(await client.history(sessionId, type))).toEqual(["user", "assistant", "tool call_2"]);
  });

  test("R2: unresolved calls of the last assistant message require client action", async () => {
    const { sessionId, client } = await restarted();
    const pending = pendingCalls(await client.history(sessionId), ["show", "locate"]);
    expect([...pending.client, ...pending.server].map(({ toolCallId }) => toolCallId)).toEqual([
      "call_1",
      "call_4",
      "call_3",
    ]);
  });

  test("R3: the same client-side resolving logic applies", async () => {
    const { sessionId, client } = await restarted();
    const answers: string[] = [];
    const onAnswers = (given: readonly { role: string; toolCallId: string }[]) =>
      answers.push(...given.map(({ role, toolCallId }) => `${role} ${toolCallId}`));
    await runTurn(client, sessionId, {}, { ...HANDLERS, onAnswers });
    expect(answers).toEqual(["tool call_1", "tool call_4", "tool_permission call_3"]);
  });

  test("R4: submitting results and permissions continues the turn", async () => {
    const { sessionId, app } = await restarted();
    const messages = [result("call_1"), grant("call_3"), result("call_4", "here")];
    expect(await app.turn(sessionId, { messages })).toMatchObject({ stopReason: "end_turn" });
  });
});
