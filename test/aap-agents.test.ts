/** Agents that somebody else runs, served to apps: loops of the host's own, and ACP agents as real processes. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ExternalAgent } from "../src/aap/index.js";
import { LoopSession } from "../src/agent/index.js";
import type { Loop } from "../src/agent/index.js";
import { readSessionInfo, sessionModel } from "../src/call/index.js";
import { externalAcpAgent } from "../src/cli/external-acp-agent.js";
import { MemoryLedger, redactingLedger } from "../src/history/index.js";
import {
  deny,
  grant,
  lines,
  MODES,
  names,
  readEvents,
  refusal,
  refused,
  say,
  show,
  whole,
  wordsIn,
  World,
} from "./aap-kit.js";
import { childProgram } from "./child-programs.js";
import { until } from "./until.js";

let world: World;

beforeEach(async () => {
  world = await World.open();
});

afterEach(async () => {
  await world.close();
});

test("records the model of the served agent with each session of an app", async () => {
  const served = { model: "openai/sample", isElsewhere: true };
  const agent = world.agent();
  const app = world.app({ agents: [{ agent, served }] });
  const sessionId = await app.createSession({ agent: { name: agent.name } });
  expect(sessionModel(await readSessionInfo(world.ledger, sessionId))).toEqual(served);
});

describe("the host's own loops", () => {
  /** Looks a word up, sends a letter, and says how it went. */
  const loop = (): Loop => ({
    name: "looper",
    tools: world.tools,
    prompt: async ({ say: tell, think }, _input, gate) => {
      think("Hm.");
      tell("I look. ");
      const found = await gate.call({ name: "look_up", input: { word: "gate" } });
      const sent = await gate.call({ name: "send", input: { to: "Ada" } });
      tell(`${found.state.status}, ${sent.state.status}.`);
    },
  });
  const session = {
    agent: { name: "looper", tools: [{ name: "look_up", trust: true }, { name: "send" }] },
  };

  test("declares a loop of the host with what it can do", async () => {
    const app = world.app({ agents: [loop()] });
    const { agents } = await app.ask<{ agents: { tools: { name: string }[]; capabilities: object }[] }>(
      "GET",
      "/meta",
    );
    expect(agents[0]?.tools.map(({ name }) => name)).toEqual(["look_up", "send", "wait", "stamp"]);
    expect(agents[0]?.capabilities).toEqual({
      history: { compacted: {}, full: {} },
      stream: { delta: {}, message: {}, none: {} },
      image: { data: {} },
    });
  });

  test("stops a loop's turn for the app at a question, and goes on with the answer", async () => {
    const { app } = await world.remote({ agents: [loop()] });
    const sessionId = await app.createSession(session);
    const first = await app.stream(sessionId, say("Go", "message"));
    expect(lines(first)).toEqual([
      "turn_start {}",
      'thinking {"thinking":"Hm."}',
      'text {"text":"I look. "}',
      'tool_call {"toolCallId":"call_1","name":"look_up","input":{"word":"gate"}}',
      'tool_result {"toolCallId":"call_1","content":"gate: a word"}',
      'tool_call {"toolCallId":"call_2","name":"send","input":{"to":"Ada"}}',
      'turn_stop {"stopReason":"tool_use"}',
    ]);
    expect(world.done).toEqual(["look_up gate"]);
    const second = await app.stream(sessionId, { stream: "message", messages: [grant("call_2")] });
    expect(lines(second)).toEqual([
      "turn_start {}",
      'tool_result {"toolCallId":"call_2","content":"{\\"sentTo\\":\\"Ada\\"}"}',
      'text {"text":"done, done."}',
      'turn_stop {"stopReason":"end_turn"}',
    ]);
    expect(world.done).toEqual(["look_up gate", "send Ada"]);
    for (const events of [first, second])
      for (const [at, { id }] of events.entries()) {
        const path = `/sessions/${sessionId}/turns?stream=message&after=${id}`;
        const response = await app.send("GET", path);
        expect(await readEvents(response)).toEqual(events.slice(at + 1));
      }
    const history = await app.history(sessionId);
    expect(history.slice(1)).toEqual([...whole(first).messages, ...whole(second).messages]);
    expect(history[0]).toEqual({ role: "user", content: "Go" });
    expect((await refused(app.turn(sessionId, { messages: [grant("call_2")] }))).error.code).toBe(
      "ALREADY_ANSWERED",
    );
  });

  test.each(MODES)("passes a denial to a loop in every mode (%s)", async (mode) => {
    const { app } = await world.remote({ agents: [loop()] });
    const sessionId = await app.createSession(session);
    expect(await app.inMode(sessionId, mode, say("Go"))).toMatchObject({ stopReason: "tool_use" });
    expect(await app.inMode(sessionId, mode, { messages: [deny("call_2", "not her")] })).toEqual({
      stopReason: "end_turn",
      messages: [
        { role: "tool", toolCallId: "call_2", content: "Tool call denied: not her" },
        { role: "assistant", content: [{ type: "text", text: "done, refused." }] },
      ],
    });
    expect(world.done).toEqual(["look_up gate"]);
  });

  test("sends the whole turn of a loop to a late reader, also where it waits", async () => {
    const long = `${"x".repeat(1023)} `.repeat(3 * 1024);
    const talks: Loop = {
      name: "looper",
      tools: world.tools,
      prompt: async ({ say: tell }, _input, gate) => {
        tell(long);
        const sent = await gate.call({ name: "send", input: { to: "Ada" } });
        tell(`${long}${sent.state.status}.`);
      },
    };
    const app = world.app({ agents: [talks] });
    const sessionId = await app.createSession(session);
    const first = await app.open(sessionId, say("Go", "delta"));
    await until(
      async () => (await app.ask<{ questions: object[] }>("GET", "/questions")).questions.length === 1,
    );
    // The response is over when the loop has been quiet for a moment.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const second = await app.open(sessionId, { stream: "delta", messages: [grant("call_1")] });
    await until(async () => JSON.stringify(await app.history(sessionId)).includes("done."));
    const streams = [await readEvents(first), await readEvents(second)];
    expect(streams.map((events) => names(events).filter((name) => name !== "text_delta"))).toEqual([
      ["turn_start", "tool_call", "turn_stop"],
      ["turn_start", "tool_result", "turn_stop"],
    ]);
    const [one, two] = streams.map(wordsIn);
    expect([one === long, two === `${long}done.`]).toEqual([true, true]);
    expect(streams.map((events) => events.at(-1)?.data)).toEqual([
      { stopReason: "tool_use" },
      { stopReason: "end_turn" },
    ]);
  });

  test("sends no pictures to an agent that takes none", async () => {
    const blind: ExternalAgent = { name: "blind", open: () => Promise.reject(new Error("never opened")) };
    const app = world.app({ agents: [blind] });
    const { agents } = await app.ask<{ agents: { capabilities: object }[] }>("GET", "/meta");
    expect(agents[0]?.capabilities).not.toHaveProperty("image");
    const sessionId = await app.createSession({ agent: { name: "blind" } });
    const picture = [{ type: "image", url: "data:image/png;base64,AAAA" }];
    expect(await refusal(app.turn(sessionId, say(picture)))).toBe(
      "400 BAD_REQUEST: Agent blind takes no images. Nothing was done.",
    );
  });

  test("refuses a seed history and tools of the app for a loop", async () => {
    const app = world.app({ agents: [loop()] });
    const messages = [{ role: "user", content: "x" }];
    expect(await refusal(app.createSession({ ...session, messages }))).toContain("400");
    expect(await refusal(app.createSession({ ...session, tools: [show] }))).toContain("400");
  });

  test("closes a loop's call with words when the user goes on, the server ends or the session is deleted", async () => {
    const { app, serving } = await world.remote({ agents: [loop()] });
    const [one, two, three] = [
      await app.createSession(session),
      await app.createSession(session),
      await app.createSession(session),
    ];
    for (const sessionId of [one, two, three]) await app.turn(sessionId, say("Go"));
    const events = await app.stream(one, say("Never mind", "message"));
    // The loop's last output may have come too late.
    expect(names(events).filter((name) => name !== "text")).toEqual([
      "turn_start",
      "tool_result",
      "thinking",
      "tool_call",
      "tool_result",
      "tool_call",
      "turn_stop",
    ]);
    expect(events[1]?.data).toMatchObject({ toolCallId: "call_2", isError: true });
    expect((await refused(app.turn(one, { messages: [grant("call_2")] }))).error).toMatchObject({
      code: "ALREADY_ANSWERED",
      recorded: [{ toolCallId: "call_2", status: "cancelled" }],
      missing: ["call_4"],
    });
    expect((await app.send("DELETE", `/sessions/${two}`)).status).toBe(204);
    await serving.close();
    const other = await world.remote({ agents: [loop()] });
    const { error } = await refused(other.app.turn(three, { messages: [grant("call_2")] }));
    expect(error["recorded"]).toMatchObject([{ toolCallId: "call_2", status: "cancelled" }]);
    expect(await world.ledger.read(two)).toEqual([]);
  });

  test("ends the turn of a loop that breaks with an error, once", async () => {
    const broken: Loop = { name: "looper", prompt: () => Promise.reject(new Error("out of paper")) };
    const { app } = await world.remote({ agents: [broken] });
    const sessionId = await app.createSession({ agent: { name: "looper" } });
    const events = await app.stream(sessionId, say("Go", "delta"));
    expect(lines(events)).toEqual([
      "turn_start {}",
      'turn_stop {"stopReason":"error","error":"out of paper"}',
    ]);
  });

  test("ends the turn of an agent that cannot be recorded with one turn_stop", async () => {
    const unrecorded: ExternalAgent = {
      name: "unrecorded",
      open: async ({ sessionId, ledger, workspace }) => {
        const opened = await LoopSession.open({
          loop: { name: "unrecorded", prompt: async () => {} },
          sessionId,
          ledger,
          workspace,
        });
        opened.prompt = () => Promise.reject(new Error("the disk is gone"));
        return opened;
      },
    };
    const { app } = await world.remote({ agents: [unrecorded], onError: () => undefined });
    const sessionId = await app.createSession({ agent: { name: "unrecorded" } });
    const events = await app.stream(sessionId, say("Go", "delta"));
    expect(names(events)).toEqual(["turn_start", "turn_stop"]);
    expect(events.at(-1)?.data).toMatchObject({ stopReason: "error" });
  });

  test("sends the whole turn of a loop when the store redacts what it is given", async () => {
    world.ledger = redactingLedger(new MemoryLedger());
    const { app } = await world.remote({ agents: [loop()] });
    const sessionId = await app.createSession(session);
    const first = await app.stream(sessionId, say("Go", "message"));
    expect(names(first).at(-1)).toBe("turn_stop");
    const second = await app.stream(sessionId, { stream: "message", messages: [grant("call_2")] });
    expect(lines(second)).toEqual([
      "turn_start {}",
      'tool_result {"toolCallId":"call_2","content":"{\\"sentTo\\":\\"Ada\\"}"}',
      'text {"text":"done, done."}',
      'turn_stop {"stopReason":"end_turn"}',
    ]);
  });

  test("cancels a loop's turn, and answers its question from the list of all questions", async () => {
    const { app } = await world.remote({ agents: [loop()] });
    const [one, two] = [await app.createSession(session), await app.createSession(session)];
    for (const sessionId of [one, two]) await app.turn(sessionId, say("Go"));
    expect(await app.ask("POST", `/sessions/${one}/cancel`, {})).toEqual({ cancelled: true });
    const { questions } = await app.ask<{ questions: { questionId: string; sessionId: string }[] }>(
      "GET",
      "/questions",
    );
    expect(questions.map(({ sessionId }) => sessionId)).toEqual([two]);
    const path = `/questions/${encodeURIComponent(questions[0]?.questionId ?? "")}`;
    await app.ask("POST", path, { granted: true });
    await until(() => world.done.includes("send Ada"));
    await until(async () => (await app.history(two)).at(-1)?.role === "assistant");
  });

  test("keeps trust and settings with a loop's session, and does not change them during a turn", async () => {
    const { app } = await world.remote({ agents: [loop()], trustable: () => true });
    const sessionId = await app.createSession(session);
    await app.turn(sessionId, say("Go"));
    const agent = { tools: session.agent.tools.map((tool) => ({ ...tool, trust: true })) };
    expect(await refusal(app.turn(sessionId, { agent, messages: [grant("call_2")] }))).toContain(
      "409 CONFLICT",
    );
    await app.turn(sessionId, { messages: [grant("call_2")] });
    expect(await app.turn(sessionId, { ...say("Again"), agent })).toMatchObject({ stopReason: "end_turn" });
    expect(world.done).toEqual(["look_up gate", "send Ada", "look_up gate", "send Ada"]);
    expect(await app.ask("GET", `/sessions/${sessionId}`)).toMatchObject({ agent });
  });
});

describe("ACP agents behind AAP", () => {
  const byHand = childProgram("acp-agent-by-hand.mjs");

  async function remote(behaviour: string) {
    const agent = externalAcpAgent({
      name: "foreign",
      argv: [process.execPath, byHand, behaviour, join(world.folder, "notes")],
      cwd: world.folder,
      rules: world.agent(),
    });
    world.onClose(() => agent.close());
    const { app } = await world.remote({ agents: [agent] });
    return { app, sessionId: await app.createSession({ agent: { name: "foreign" } }) };
  }

  const call = {
    toolCallId: "t1",
    title: "Write a.txt",
    kind: "edit",
    rawInput: { path: "a.txt", content: "1" },
  };
  const prompt = JSON.stringify(call);

  test("asks an ACP agent's question through the app, and returns the answer", async () => {
    const { app, sessionId } = await remote("asks for the call of the prompt");
    const first = await app.stream(sessionId, say(prompt, "message"));
    expect(names(first)).toEqual(["turn_start", "tool_call", "turn_stop"]);
    const { toolCallId, input } = first[1]?.data ?? {};
    expect(input).toEqual({ path: "a.txt", content: "1" });
    expect(first.at(-1)?.data).toEqual({ stopReason: "tool_use" });
    const second = await app.stream(sessionId, { stream: "message", messages: [grant(String(toolCallId))] });
    expect(names(second)).toEqual(["turn_start", "tool_result", "turn_stop"]);
    expect(second.at(-1)?.data).toEqual({ stopReason: "end_turn" });
    // Again, in the same session of the agent's.
    const third = await app.stream(sessionId, say(prompt, "message"));
    const again = String(third[1]?.data["toolCallId"]);
    const fourth = await app.stream(sessionId, { stream: "message", messages: [deny(again, "no")] });
    expect(fourth[1]?.data).toMatchObject({ toolCallId: again, content: "Tool call denied: no" });
    expect((await app.history(sessionId)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "user",
      "assistant",
      "tool",
    ]);
  });

  test("keeps an ACP agent's session from turn to turn, and runs a repeated request once", async () => {
    const { app, sessionId } = await remote("asks for the call of the prompt");
    const key = (name: string) => ({ headers: { "idempotency-key": name } });
    const granted = { messages: [grant("t1")] };
    const first = await app.turn(sessionId, say(prompt), key("1"));
    const second = await app.turn(sessionId, granted, key("2"));
    expect(await app.turn(sessionId, granted, key("2"))).toEqual(second);
    expect(await app.turn(sessionId, say(prompt), key("1"))).toEqual(first);
    const third = await app.turn(sessionId, say("not JSON"), key("3"));
    expect(await app.turn(sessionId, say("not JSON"), key("3"))).toEqual(third);
    expect(await readFile(join(world.folder, "notes"), "utf8")).not.toContain("session/resume");
  });

  test("ends the turn with an error and leaves nothing open when an ACP agent dies while it asks", async () => {
    const { app, sessionId } = await remote("dies in a permission");
    const events = await app.stream(sessionId, say("Go", "message"));
    expect(names(events)).toEqual([
      "turn_start",
      "tool_call",
      "tool_call",
      "tool_result",
      "tool_result",
      "turn_stop",
    ]);
    expect(events.at(-1)?.data).toMatchObject({
      stopReason: "error",
      error: expect.stringContaining("out of cheese"),
    });
    expect(await world.ledger.openQuestions({ sessionId })).toEqual([]);
    // The next turn starts the agent again, and resumes its session.
    const again = await app.stream(sessionId, say("And now?", "message"));
    expect(names(again)).toEqual(names(events));
  });

  test("passes a cancel to an ACP agent", async () => {
    const { app, sessionId } = await remote("works until it is cancelled");
    const turn = app.stream(sessionId, say("Go", "message"));
    await until(async () =>
      (await world.ledger.read(sessionId)).some(({ event }) => event.type === "run-started"),
    );
    expect(await app.ask("POST", `/sessions/${sessionId}/cancel`, {})).toEqual({ cancelled: true });
    expect((await turn).at(-1)?.data).toEqual({ stopReason: "end_turn" });
  });
});
