/**
 * Every flow of the protocol's page on tool calls, over real HTTP, in every stream mode: the exact events in their
 * exact order, and the exact history. Written by hand from the page.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import {
  ALL,
  deny,
  FOUR_CALLS,
  grant,
  joined,
  line,
  lines,
  locate,
  MODES,
  readEvents,
  result,
  say,
  SEND,
  show,
  whole,
  World,
} from "./aap-kit.js";
import type { App, Mode, WireEvent, WireMessage } from "./aap-kit.js";

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

const START = "turn_start {}";
const stop = (stopReason: string) => `turn_stop {"stopReason":"${stopReason}"}`;
const called = (toolCallId: string, name: string, input: object) =>
  line({ event: "tool_call", data: { toolCallId, name, input } });
const resulted = (toolCallId: string, content: string, isError = false) =>
  line({ event: "tool_result", data: { toolCallId, content, ...(isError && { isError }) } });

/** Words as each mode streams them. */
const words = (mode: Mode, text: string, type: "text" | "thinking" = "text"): readonly string[] => [
  mode === "message"
    ? line({ event: type, data: { [type]: text } })
    : line({ event: `${type}_delta`, data: { delta: text } }),
];

const said = (text: string): WireMessage => ({ role: "assistant", content: [{ type: "text", text }] });
const use = (toolCallId: string, name: string, input: object) => ({
  type: "tool_use",
  toolCallId,
  name,
  input,
});
const toolMessage = (toolCallId: string, content: string): WireMessage => ({
  role: "tool",
  toolCallId,
  content,
});
const user = (content: string): WireMessage => ({ role: "user", content });

type Expected = {
  /** The lines of the stream between its start and its stop; deltas or whole messages. */
  readonly events: (mode: Mode) => readonly string[];
  readonly stopReason: string;
  readonly messages: readonly WireMessage[];
};

/** Takes a turn in a mode and checks what it brought, to the last event. */
async function takes(
  app: App,
  sessionId: string,
  mode: Mode,
  messages: readonly object[],
  expected: Expected,
) {
  const { events, stopReason } = expected;
  if (mode === "none") {
    expect(await app.turn(sessionId, { messages })).toEqual({ stopReason, messages: expected.messages });
    return;
  }
  const streamed = await app.stream(sessionId, { stream: mode, messages });
  expect(lines(joined(streamed))).toEqual([START, ...events(mode), stop(stopReason)]);
  expect(whole(streamed)).toEqual({ stopReason, messages: expected.messages });
}

const userTurn = [{ role: "user", content: "Go" }];

describe.each(MODES)("with stream: %s", (mode) => {
  test("client-side tool: the turn stops, the app runs it, and sends its result", async () => {
    const steps: ScriptStep[] = [{ calls: [{ tool: "show", input: { picture: 1 } }] }, { say: "I see." }];
    const { app } = await world.remote({ steps });
    const sessionId = await app.createSession({ agent: { name: "clerk" }, tools: [show] });
    const asked: WireMessage = { role: "assistant", content: [use("call_1", "show", { picture: 1 })] };
    await takes(app, sessionId, mode, userTurn, {
      events: () => [called("call_1", "show", { picture: 1 })],
      stopReason: "tool_use",
      messages: [asked],
    });
    expect(await app.history(sessionId)).toEqual([user("Go"), asked]);
    // The app's own result is not sent back to it.
    await takes(app, sessionId, mode, [result("call_1", "a cat")], {
      events: (one) => words(one, "I see."),
      stopReason: "end_turn",
      messages: [said("I see.")],
    });
    expect(await app.history(sessionId)).toEqual([
      user("Go"),
      asked,
      toolMessage("call_1", "a cat"),
      said("I see."),
    ]);
  });

  test("trusted server-side tool: it runs inline, and the turn goes on", async () => {
    const steps: ScriptStep[] = [
      { say: "I look.", calls: [{ tool: "look_up", input: { word: "gate" } }] },
      { say: "Found." },
    ];
    const { app } = await world.remote({ steps });
    const sessionId = await app.createSession({
      agent: { name: "clerk", tools: [{ name: "look_up", trust: true }] },
    });
    const answer: WireMessage = {
      role: "assistant",
      content: [{ type: "text", text: "I look." }, use("call_1", "look_up", { word: "gate" })],
    };
    await takes(app, sessionId, mode, userTurn, {
      events: (one) => [
        ...words(one, "I look."),
        called("call_1", "look_up", { word: "gate" }),
        resulted("call_1", "gate: a word"),
        ...words(one, "Found."),
      ],
      stopReason: "end_turn",
      messages: [answer, toolMessage("call_1", "gate: a word"), said("Found.")],
    });
    expect(await app.history(sessionId)).toEqual([
      user("Go"),
      answer,
      toolMessage("call_1", "gate: a word"),
      said("Found."),
    ]);
    expect(world.done).toEqual(["look_up gate"]);
  });

  const asked: WireMessage = { role: "assistant", content: [use("call_1", "send", { to: "Ada" })] };

  test.each([
    ["granted", grant("call_1"), '{"sentTo":"Ada"}', ["send Ada"]],
    ["denied", deny("call_1"), "Tool call denied", []],
    ["denied with a reason", deny("call_1", "not her"), "Tool call denied: not her", []],
  ] as const)("server-side tool that needs permission: %s", async (_how, permission, resultText, done) => {
    const { app } = await world.remote({ steps: SEND });
    const sessionId = await app.createSession({ agent: { name: "clerk", tools: [{ name: "send" }] } });
    await takes(app, sessionId, mode, userTurn, {
      events: () => [called("call_1", "send", { to: "Ada" })],
      stopReason: "tool_use",
      messages: [asked],
    });
    expect(world.done).toEqual([]);
    await takes(app, sessionId, mode, [permission], {
      events: (one) => [resulted("call_1", resultText, !permission.granted), ...words(one, "Sent.")],
      stopReason: "end_turn",
      messages: [toolMessage("call_1", resultText), said("Sent.")],
    });
    for (const type of ["full", "compacted"] as const)
      expect(await app.history(sessionId, type)).toEqual([
        user("Go"),
        asked,
        toolMessage("call_1", resultText),
        said("Sent."),
      ]);
    expect(world.done).toEqual(done);
  });

  const FOUR = [
    called("call_1", "show", { picture: 1 }),
    called("call_2", "look_up", { word: "gate" }),
    called("call_3", "send", { to: "Ada" }),
    called("call_4", "locate", {}),
  ];
  const fourAsked: WireMessage = {
    role: "assistant",
    content: [
      { type: "thinking", thinking: "Four at once." },
      { type: "text", text: "One moment." },
      use("call_1", "show", { picture: 1 }),
      use("call_2", "look_up", { word: "gate" }),
      use("call_3", "send", { to: "Ada" }),
      use("call_4", "locate", {}),
    ],
  };
  const lookedUp = toolMessage("call_2", "gate: a word");
  const SUBMISSION = [result("call_1"), result("call_4", "here"), grant("call_3")];
  const WHOLE_HISTORY = [
    user("Go"),
    fourAsked,
    lookedUp,
    toolMessage("call_1", "shown"),
    toolMessage("call_4", "here"),
    toolMessage("call_3", '{"sentTo":"Ada"}'),
    said("All done."),
  ];
  const firstPart: Expected = {
    events: (one) => [
      ...words(one, "Four at once.", "thinking"),
      ...words(one, "One moment."),
      ...FOUR,
      resulted("call_2", "gate: a word"),
    ],
    stopReason: "tool_use",
    messages: [fourAsked, lookedUp],
  };
  const secondPart: Expected = {
    events: (one) => [resulted("call_3", '{"sentTo":"Ada"}'), ...words(one, "All done.")],
    stopReason: "end_turn",
    messages: [toolMessage("call_3", '{"sentTo":"Ada"}'), said("All done.")],
  };

  test("four calls at once: two of the app's, one trusted, one to be asked about", async () => {
    const { app } = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await app.createSession(ALL);
    await takes(app, sessionId, mode, userTurn, firstPart);
    expect(await app.history(sessionId)).toEqual([user("Go"), fourAsked, lookedUp]);
    await takes(app, sessionId, mode, SUBMISSION, secondPart);
    expect(await app.history(sessionId)).toEqual(WHOLE_HISTORY);
    expect(await app.history(sessionId, "compacted")).toEqual(WHOLE_HISTORY);
    expect(world.done).toEqual(["look_up gate", "send Ada"]);
  });

  test("resumption: an app that knows nothing, and a server that was restarted, go on from the history", async () => {
    const before = await world.remote({ steps: FOUR_CALLS });
    const sessionId = await before.app.createSession(ALL);
    await takes(before.app, sessionId, mode, userTurn, firstPart);
    await before.serving.close();

    const { app } = await world.remote({ steps: FOUR_CALLS });
    const { tools } = await app.ask<{ tools: { name: string }[] }>("GET", `/sessions/${sessionId}`);
    const own = new Set(tools.map(({ name }) => name));
    const history = await app.history(sessionId);
    const last = history.findLast(({ role }) => role === "assistant")?.content as { [key: string]: string }[];
    const answered = new Set(history.map(({ toolCallId }) => toolCallId));
    const open = last.filter(({ type, toolCallId }) => type === "tool_use" && !answered.has(toolCallId));
    const messages = open.map(({ toolCallId = "", name = "" }) =>
      own.has(name) ? result(toolCallId, name === "locate" ? "here" : "shown") : grant(toolCallId),
    );
    expect(messages).toEqual([result("call_1"), grant("call_3"), result("call_4", "here")]);
    await takes(app, sessionId, mode, messages, secondPart);
    expect(await app.history(sessionId)).toEqual(WHOLE_HISTORY);
    expect(world.done).toEqual(["look_up gate", "send Ada"]);
  });

  test("unexposed tools are reported, and need no permission of the app where the owner allows them", async () => {
    const steps: ScriptStep[] = [{ calls: [{ tool: "stamp", input: {} }] }, { say: "Stamped." }];
    const agent = world.agent({ steps, rules: [{ allow: "stamp" }] });
    const { app } = await world.remote({
      agents: [{ agent, isExposed: ({ name }) => name !== "stamp" }],
    });
    const { agents } = await app.ask<{ agents: { tools: { name: string }[] }[] }>("GET", "/meta");
    expect(agents[0]?.tools.map(({ name }) => name)).toEqual(["look_up", "send", "wait"]);
    const sessionId = await app.createSession({ agent: { name: "clerk" } });
    await takes(app, sessionId, mode, userTurn, {
      events: (one) => [
        called("call_1", "stamp", {}),
        resulted("call_1", "stamped"),
        ...words(one, "Stamped."),
      ],
      stopReason: "end_turn",
      messages: [
        { role: "assistant", content: [use("call_1", "stamp", {})] },
        toolMessage("call_1", "stamped"),
        said("Stamped."),
      ],
    });
  });
});

test("trusted tools of one step run at the same time", async () => {
  const calls = [
    { tool: "wait", input: {} },
    { tool: "look_up", input: { word: "gate" } },
  ];
  const { app } = await world.remote({ steps: [{ calls }, { say: "Both." }] });
  const sessionId = await app.createSession(ALL);
  const turn = app.stream(sessionId, say("Go", "delta"));
  // The first one waits for the second.
  while (!world.done.includes("look_up gate")) await new Promise((resolve) => setTimeout(resolve, 5));
  world.goOn();
  expect((await turn).map(({ event }) => event).slice(0, 5)).toEqual([
    "turn_start",
    "tool_call",
    "tool_call",
    "tool_result",
    "tool_result",
  ]);
});

test("sends events before the turn is over", async () => {
  const { app } = await world.remote({
    steps: [{ say: "Wait.", calls: [{ tool: "wait", input: {} }] }, { say: "Now." }],
  });
  const sessionId = await app.createSession(ALL);
  const response = await app.open(sessionId, say("Go", "delta"));
  const isCall = ({ event }: WireEvent) => event === "tool_call";
  expect((await readEvents(response, isCall)).map(({ event }) => event)).toEqual([
    "turn_start",
    "text_delta",
    "tool_call",
  ]);
  world.goOn();
});

test("keeps the declaration of an app's tool with the session", async () => {
  const { app } = await world.remote();
  const sessionId = await app.createSession({ agent: { name: "clerk" }, tools: [show, locate] });
  expect(await app.ask("GET", `/sessions/${sessionId}`)).toEqual({
    sessionId,
    agent: { name: "clerk", tools: [] },
    tools: [show, locate],
  });
});
