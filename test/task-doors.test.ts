/** Sub-agents as apps and editors see them: an app grants what a sub-agent asks, an editor sees whose call is whose. */
import { expect, test } from "vitest";
import { V1Encoder, V2Encoder } from "../src/acp/index.js";
import { AapClient, messagesFromEvents, pendingCalls } from "../src/aap/client/index.js";
import type { HistoryMessage, TurnEvent, TurnRequest } from "../src/aap/client/index.js";
import { createAapServer } from "../src/aap/index.js";
import type { AapServer } from "../src/aap/index.js";
import { AgentSession, createAgent, taskTool } from "../src/agent/index.js";
import type { ToolCall } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { parseScript, scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { counting, never, text, workspace } from "./agent-kit.js";

const task = (prompt: string, ...subAgent: readonly ScriptStep[]) => ({
  tool: "task",
  input: { description: prompt, prompt },
  subAgent,
});
const call = (tool: string, n = 1) => ({ tool, input: { n } });

/** A server whose agent's tools are `task` and `look`, which the app trusts, and `send`, which it does not. */
async function appWith(steps: readonly ScriptStep[]) {
  const [look, send] = [counting("look", "read"), counting("send")];
  const agent = createAgent({
    name: "clerk",
    model: scriptedModel(parseScript({ steps })),
    tools: [taskTool(), look.tool, send.tool],
  });
  const server = createAapServer({
    agents: [agent],
    ledger: new MemoryLedger(),
    workspace: await workspace(),
  });
  const { sessionId } = await clientOf(server).createSession({
    agent: {
      name: "clerk",
      tools: [{ name: "task", trust: true }, { name: "look", trust: true }, { name: "send" }],
    },
  });
  return {
    look,
    send,
    turn: (messages: TurnRequest["messages"]) => turn(server, sessionId, messages),
    history: (type: "full" | "compacted") => clientOf(server).history(sessionId, type),
  };
}

const clientOf = (server: AapServer): AapClient =>
  new AapClient({ baseUrl: "http://localhost/", fetch: (request) => server.fetch(request) });

async function turn(server: AapServer, sessionId: string, messages: TurnRequest["messages"]) {
  const events: TurnEvent[] = [];
  const request: TurnRequest = { stream: "message", messages };
  await clientOf(server).turn(sessionId, request, { onEvent: (event) => events.push(event) });
  return events;
}

const go = [{ role: "user", content: "go" }] as const;
const grant = (toolCallId: string) => ({ role: "tool_permission", toolCallId, granted: true }) as const;
const deny = (toolCallId: string) => ({ role: "tool_permission", toolCallId, granted: false }) as const;

const line = ({ event, data }: TurnEvent): string => {
  if (event === "tool_call") return `${data.toolCallId} ${data.name}`;
  if (event === "tool_result") return `${data.toolCallId}: ${JSON.stringify(data.content)}`;
  if (event === "text") return data.text;
  return event === "turn_stop" ? data.stopReason : "";
};
const lines = (events: readonly TurnEvent[]) => events.map(line).filter((one) => one !== "");
const pending = (history: readonly HistoryMessage[]) =>
  pendingCalls(history, []).server.map(({ toolCallId }) => toolCallId);

const ONE = [
  {
    calls: [
      task(
        "Send it.",
        { say: "I look first.", calls: [call("look")] },
        { calls: [call("send")] },
        { say: "Sent." },
      ),
    ],
  },
  { say: "Done." },
];

test("an app sees a sub-agent's calls, grants the one that asks, and gets the end of the turn", async () => {
  const app = await appWith(ONE);
  const first = await app.turn(go);
  expect(lines(first)).toEqual([
    "call_1 task",
    "call_2 look",
    'call_2: "look ran 1 time(s)"',
    "call_3 send",
    "tool_use",
  ]);
  expect(pending(messagesFromEvents(first))).toEqual(["call_3"]);
  expect(app.send.runs).toBe(0);
  // The one that ran by itself needs no grant any more.
  await expect(app.turn([grant("call_2")])).rejects.toMatchObject({ status: 409 });
  const granted = await app.turn([grant("call_3")]);
  const result = 'call_1: [{"type":"text","text":"Sent."}]';
  const expected = ['call_3: "send ran 1 time(s)"', result, "Done.", "end_turn"];
  expect(lines(granted)).toEqual(expected);
  // A grant counts once, and nothing runs twice.
  await expect(app.turn([grant("call_3")])).rejects.toMatchObject({ status: 409 });
  expect(app.send.runs).toBe(1);
});

test("an app that knows only the history finds what a sub-agent asks, in either form of it", async () => {
  const app = await appWith(ONE);
  await app.turn(go);
  for (const type of ["full", "compacted"] as const)
    expect(pending(await app.history(type)).filter((id) => id !== "call_1")).toEqual(["call_3"]);
  await app.turn([grant("call_3")]);
  const uses = (history: readonly HistoryMessage[]) =>
    history.flatMap(({ role, content }) =>
      role === "assistant" && typeof content !== "string"
        ? content.flatMap((block) => (block.type === "tool_use" ? block.toolCallId : []))
        : [],
    );
  expect(uses(await app.history("full"))).toEqual(["call_1", "call_2", "call_3"]);
  expect(uses(await app.history("compacted"))).toEqual(["call_1"]);
  for (const type of ["full", "compacted"] as const) {
    const history = await app.history(type);
    const answered = history.flatMap((message) => (message.role === "tool" ? message.toolCallId : []));
    // A sub-agent's calls end before the call that it works on.
    expect(answered.toSorted()).toEqual(uses(history));
    expect(JSON.stringify(history)).not.toContain("I look first.");
  }
});

test.each([
  ["before", [{ calls: [call("look")] }, { calls: [call("send", 2)] }]],
  ["after", [{ calls: [call("look")] }, { calls: [call("send", 2), call("look", 2)] }]],
])("what two sub-agents ask stands together at the end, with a result %s one of them", async (_, steps) => {
  const app = await appWith([
    {
      calls: [
        task("Send one.", { calls: [call("send", 1)] }, { say: "One." }),
        task("Send two.", ...steps, { say: "Two." }),
      ],
    },
    { say: "Done." },
  ]);
  const first = await app.turn(go);
  const asked = pending(messagesFromEvents(first));
  const names = first.flatMap(({ event, data }) =>
    event === "tool_call" && asked.includes(data.toolCallId) ? data.name : [],
  );
  expect(asked).toHaveLength(2);
  expect(new Set(names)).toEqual(new Set(["send"]));
  const second = await app.turn(asked.map(grant));
  expect(lines(second).slice(-2)).toEqual(["Done.", "end_turn"]);
  expect(app.send.runs).toBe(2);
});

test("an app that denies a task while its sub-agent asks ends both, and the agent gets the denial", async () => {
  const app = await appWith([
    { calls: [task("Send it.", { calls: [call("send")] })], otherwise: [{ say: "Then not." }] },
    { say: "Done." },
  ]);
  expect(lines(await app.turn(go))).toEqual(["call_1 task", "call_2 send", "tool_use"]);
  const end = await app.turn([deny("call_1")]);
  expect(lines(end).slice(-2)).toEqual(["Then not.", "end_turn"]);
  expect(app.send.runs).toBe(0);
  expect(pending(await app.history("full"))).toEqual([]);
});

test("an editor sees a task in progress while its sub-agent asks, and whose call it is", async () => {
  const send = counting("send");
  const agent = createAgent({
    name: "tester",
    model: scriptedModel(parseScript({ steps: ONE.slice(0, 1) })),
    tools: [taskTool(), counting("look").tool, send.tool],
    rules: [{ allow: "task" }, { allow: "look" }],
  });
  const session = await AgentSession.open({
    agent,
    ledger: new MemoryLedger(),
    workspace: await workspace(),
  });
  expect(await session.prompt(text("go"), never())).toEqual({ status: "parked" });
  const encoded = (encode: (one: ToolCall) => readonly object[]) =>
    [...session.book.calls()].flatMap(encode).map((update) => JSON.parse(JSON.stringify(update)));
  const [v1, v2] = [new V1Encoder(), new V2Encoder()];
  const [parent, , nested] = encoded((one) => v1.encode(one));
  expect(parent).toMatchObject({ status: "in_progress", kind: "think", title: "Task: Send it." });
  expect(nested).toMatchObject({ _meta: { toolgate: { parentToolCallId: parent.toolCallId } } });
  expect(nested.status ?? "pending").toBe("pending");
  expect(encoded((one) => v2.encode(one))[0]).toMatchObject({ status: "paused" });
});
