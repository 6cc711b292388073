/** Toolgate as the client of foreign agents: real processes, well behaved and not. */
import { errorText } from "../src/acp/client/agent-line.js";
import { RpcError } from "../src/acp/connection/message.js";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { SessionBook } from "../src/call/index.js";
import { MemoryLedger, openLedger } from "../src/history/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { callText } from "../src/view/index.js";
import { folder } from "./agent-kit.js";
import { askForever, choose, connect, drive } from "./acp-client-kit.js";
import { isAlive } from "./is-alive.js";
import { until } from "./until.js";

const ENDED = { status: "stopped", stopReason: "end_turn" };

test("names an agent that cannot be started, and leaves nothing behind", async () => {
  await expect(connect("", { argv: ["/no/such/agent"] })).rejects.toMatchObject({
    code: "AGENT_NOT_STARTED",
    message: expect.stringContaining(
      "/no/such/agent was not found, there is no such file. Nothing was done.",
    ),
  });
  await expect(connect("", { argv: ["no-such-agent-program"] })).rejects.toMatchObject({
    message: expect.stringContaining("no-such-agent-program was not found, it is in no folder of PATH"),
  });
});

test("reports the last output of an agent that dies at the greeting", async () => {
  await expect(connect("dies at once")).rejects.toMatchObject({
    code: "AGENT_GONE",
    message: expect.stringMatching(/ended before it answered initialize: it ended with code 3.*no licence/s),
  });
});

test("refuses an agent that uses another version of the protocol", async () => {
  await expect(connect("uses another version")).rejects.toMatchObject({ code: "AGENT_VERSION" });
});

test("gives up on a program that is no agent", async () => {
  const argv = [process.execPath, "-e", "setInterval(() => {}, 1000)"] as const;
  const connecting = connect("", { argv, connect: { connectTimeoutMs: 200 } });
  await expect(connecting).rejects.toMatchObject({ message: expect.stringContaining("Is it an ACP agent?") });
});

test("names the login methods of an agent that requires a login", async () => {
  await expect(drive("wants a key")).rejects.toMatchObject({
    code: "AUTH_REQUIRED",
    message: expect.stringContaining("it offers: key (With a key)"),
  });
});

test("logs in by the named method", async () => {
  const { notes } = await drive("wants a key", { connect: { signIn: ([method]) => method?.id } });
  expect(notes()).toEqual([{ authenticate: "key" }]);
});

test("keeps updates that come before the session's name", async () => {
  const { session } = await drive("sends updates before its id is known");
  await until(() => session.book.snapshot().timeline.length > 0);
  expect(session.book.snapshot().timeline).toMatchObject([{ message: { blocks: [{ text: "early" }] } }]);
});

test("records the session under the agent's name with the requested settings", async () => {
  const { say, session, ledger } = await drive("");
  await say("look around");
  expect(session.book.info).toMatchObject({ agent: "by-hand", title: "look around" });
  const recorded = await ledger.read(session.sessionId);
  expect(recorded.map(({ event }) => event.type)).toEqual([
    "info-changed",
    "info-changed",
    "turn-started",
    "message-chunk",
    "turn-stopped",
  ]);
});

test("makes a call of an update for an unknown call, and records the repair", async () => {
  const { say, session, repairs } = await drive("updates what was never announced");
  expect(await say("go")).toEqual(ENDED);
  expect(session.book.call("ghost")).toMatchObject({
    title: "Boo",
    state: { status: "unknown", assumed: true },
  });
  expect(repairs()).toContain("unknown-id");
});

test("keeps messages after the end of a turn", async () => {
  const { say, session } = await drive("sends updates after the end");
  expect(await say("go")).toEqual(ENDED);
  await until(() => session.book.snapshot().timeline.length > 2);
  expect(session.book.call("t1")?.state).toEqual({ status: "done", assumed: false });
  expect(session.book.snapshot().timeline.at(-1)).toMatchObject({
    message: { blocks: [{ text: "and another thing" }] },
  });
});

// AC-032 of the attack catalogue: neither character fits every store's text.
test("keeps a NUL and half a surrogate pair that an agent reports as output, in the file and on the screen", async () => {
  const file = join(await folder(), "ledger.db");
  const ledger = await openLedger(file);
  const output = "before\u0000\ud800after";
  const { say, session, connection } = await drive("runs the given steps", { ledger });
  const content = [{ type: "content", content: { type: "text", text: output } }];
  const steps = [
    { sessionUpdate: "tool_call", toolCallId: "t1", title: "odd", status: "in_progress" },
    {
      sessionUpdate: "tool_call_update",
      toolCallId: "t1",
      status: "completed",
      content,
      rawOutput: { output },
    },
  ];
  expect(await say(JSON.stringify(steps))).toEqual(ENDED);
  const shown = { type: "content", content: { type: "text", text: output } };
  expect(session.book.call("t1")).toMatchObject({ content: [shown], rawOutput: { output } });
  const [id, live] = [session.sessionId, session.book.snapshot()];
  await connection.close();
  await ledger.close();
  const again = await openLedger(file);
  onTestFinished(() => again.close());
  const read = new SessionBook(
    id,
    (await again.read(id)).map(({ event }) => event),
  );
  expect(read.call("t1")).toMatchObject({ content: [shown], rawOutput: { output } });
  expect(read.snapshot().timeline).toEqual(live.timeline);
  expect(callText(read.call("t1")!)).toContain("before");
});

test("withdraws the question within a second when an agent dies in it, and marks running calls as unknown", async () => {
  const { ask, ...state } = askForever();
  void state;
  const { say, session, ledger } = await drive("dies in a permission", { ask });
  const asked = new Promise<number>((resolve) => {
    session.onRecorded((events) => {
      for (const { type } of events) if (type === "question-withdrawn") resolve(Date.now());
    });
  });
  const end = await say("go");
  expect(end).toMatchObject({
    stopReason: "error",
    error: expect.stringMatching(/by-hand is gone: it ended with code 3.*out of cheese/s),
  });
  await asked;
  expect(await ledger.openQuestions()).toEqual([]);
  expect(session.book.call("t1")?.state).toMatchObject({ status: "cancelled" });
  expect(session.book.call("running")?.state).toMatchObject({ status: "unknown" });
  expect(session.book.turn?.state).toMatchObject({ status: "stopped", stopReason: "error" });
});

test.each(["closed", "dead"] as const)(
  "leaves no child in a session of its own when the agent is %s",
  async (how) => {
    const { say, notes, connection } = await drive("runs the given steps");
    await say(["spawn detached", { pids: true }]);
    const note = notes().find((one): one is { pids: number[] } => Object.hasOwn(one as object, "pids"));
    const [agent = 0, child = 0] = note?.pids ?? [];
    expect([agent, child].filter(isAlive)).toEqual([agent, child]);
    if (how === "closed") await connection.close();
    else process.kill(agent, "SIGKILL");
    await vi.waitFor(() => expect([agent, child].filter(isAlive)).toEqual([]), 60_000);
  },
);

test("counts an agent as gone although its child keeps its pipes open", async () => {
  const { say, session } = await drive("dies while a child holds its pipes");
  const started = Date.now();
  expect(await say("go")).toMatchObject({ stopReason: "error" });
  // The child holds them for thirty seconds.
  expect(Date.now() - started).toBeLessThan(25_000);
  expect(session.book.call("running")?.state.status).toBe("unknown");
});

test("fails a prompt at once after the agent's death", async () => {
  const { say } = await drive("dies in a permission", { ask: askForever().ask });
  await say("go");
  expect(await say("again")).toMatchObject({ stopReason: "error", error: expect.stringContaining("gone") });
});

test("answers the questions of a cancelled turn with cancelled, and ignores a later yes", async () => {
  const { ask } = askForever();
  const stop = new AbortController();
  const { say, session, ledger, notes } = await drive("asks until it is cancelled", { ask });
  const ended = say("go", stop.signal);
  await until(() => session.book.openCalls().length > 0);
  const [question] = await ledger.openQuestions();
  stop.abort();
  expect(await ended).toEqual({ status: "stopped", stopReason: "cancelled" });
  expect(notes().filter((note) => note !== "cancelled")).toEqual([
    { permission: expect.objectContaining({ result: { outcome: { outcome: "cancelled" } } }) },
    { permission: expect.objectContaining({ result: { outcome: { outcome: "cancelled" } } }) },
  ]);
  const late = { outcome: { type: "selected", optionId: "allow_once" }, by: "person", at: 1 } as const;
  await expect(
    ledger.answer(question?.questionId ?? "", { ...late, intentHash: question?.intentHash ?? "" }),
  ).rejects.toMatchObject({ code: "WITHDRAWN" });
  expect(session.book.call("t1")?.state.status).toBe("failed");
});

test("ends a turn that the agent calls cancelled and nobody cancelled", async () => {
  const ask = async () => ({ outcome: { type: "refused" }, by: "person" }) as const;
  const { say, session } = await drive("ends its turn as cancelled after a no", { ask });
  expect(await say("go")).toEqual({ status: "stopped", stopReason: "end_turn" });
  expect(session.book.call("t1")?.state.status).toBe("refused");
});

test("shows the details of an agent's error", async () => {
  const { say } = await drive("refuses the prompt");
  expect(await say("go")).toMatchObject({
    stopReason: "error",
    error: "by-hand responded with an error: Invalid params: this agent takes no pictures",
  });
});

test.each([
  ["a text", "quota exceeded", "Internal error: quota exceeded"],
  ["a field of any name", { error: "quota exceeded", hint: "wait" }, "Internal error: quota exceeded; wait"],
  ["a list", ["quota exceeded", { for: "org 7" }], "Internal error: quota exceeded; org 7"],
  ["the message again", { message: "Internal error" }, "Internal error"],
  ["nothing", undefined, "Internal error"],
])("shows the reason of an agent's error in %s", (_, data, shown) => {
  expect(errorText(new RpcError(-32603, "Internal error", data))).toBe(shown);
});

test("ends an agent that ignores a cancel", async () => {
  const stop = new AbortController();
  const { say, session } = await drive("ignores a cancel", { cancelGraceMs: 100 });
  const ended = say("go", stop.signal);
  await until(() => session.book.call("t1")?.state.status === "running");
  stop.abort();
  expect(await ended).toMatchObject({ stopReason: "cancelled" });
  expect(session.book.call("t1")?.state).toMatchObject({ status: "unknown" });
});

test("keeps the tail of stderr when an agent floods it", async () => {
  const { say, connection, session } = await drive("floods stderr");
  expect(await say("go")).toEqual(ENDED);
  expect(session.book.snapshot().timeline.at(-1)).toMatchObject({ message: { blocks: [{ text: "done" }] } });
  const words = await connection.stderrTail();
  expect(words).toContain("the very last words");
  expect(words.length).toBeLessThan(2_000);
});

test("survives lines that are no messages, and messages without content", async () => {
  const { say, session, repairs } = await drive("writes garbage");
  expect(await say("go")).toEqual(ENDED);
  expect(session.book.snapshot().timeline.at(-1)).toMatchObject({
    message: { blocks: [{ text: "still here" }] },
  });
  expect(repairs()).toContain("unknown-update");
  expect(repairs()).toContain("unreadable-update");
});

test("answers each of a flood of requests once", async () => {
  const { say, notes } = await drive("floods requests");
  expect(await say("go")).toEqual(ENDED);
  expect(notes()).toEqual([{ answered: 5000, failed: 5000 }]);
}, 20_000);

test("records updates that come together in one batch", async () => {
  const { say, session, ledger } = await drive("says much");
  expect(await say("go")).toEqual(ENDED);
  expect(session.book.call("t1")).toMatchObject({
    state: { status: "done" },
    content: [{ content: { text: "line 19999" } }],
  });
  expect((await ledger.read(session.sessionId)).length).toBeLessThan(5_000);
}, 20_000);

test("distinguishes an agent's own mode and session texts from ours", async () => {
  const { say, session } = await drive("claims to be us");
  await say("go");
  expect(session.book.modeId).toBe("by-hand/allow-all");
  expect(session.book.info.title).toBe("mine");
  expect(session.book.info._meta).toEqual({
    toolgate: { agentSession: { agent: "by-hand", sessionId: "s1" } },
  });
});

test("asks the agent's question here, or declines it", async () => {
  const deaf = await drive("wants to know something");
  await deaf.say("go");
  expect(deaf.notes()).toEqual([{ action: "decline" }]);
  const messages: string[] = [];
  const { say, notes } = await drive("wants to know something", {
    elicit: ({ message }) => {
      messages.push(message);
      return Promise.resolve({ action: "accept", content: { which: "this" } });
    },
  });
  await say("go");
  expect(messages).toEqual(["by-hand asks: Which?"]);
  expect(notes()).toEqual([{ action: "accept", content: { which: "this" } }]);
});

test("resumes a recorded session at the agent, and records nothing twice", async () => {
  const ledger = new MemoryLedger();
  const first = await drive("", { ledger });
  await first.say("hello");
  const { sessionId, agentSessionId } = first.session;
  await first.connection.close();
  const { connection, notes, cwd } = await connect("");
  const workspace = await LocalWorkspace.open(cwd);
  const policy = () => ({ rules: [] });
  const session = await connection.resumeSession(agentSessionId, { ledger, workspace, policy, sessionId });
  expect(notes()).toEqual([{ "session/resume": "s1" }]);
  const said = session.book.snapshot().timeline.length;
  await session.prompt([{ type: "text", text: "and now?" }], new AbortController().signal);
  expect(session.book.snapshot().timeline.length).toBe(said + 1);
});

test("loads a session that only the agent knows, with its earlier messages", async () => {
  const { connection, notes, cwd } = await connect("");
  expect(await connection.listSessions()).toEqual({
    sessions: [{ sessionId: "old", cwd: "/x", title: "Before" }],
  });
  const options = { ledger: new MemoryLedger(), workspace: await LocalWorkspace.open(cwd) };
  const session = await connection.resumeSession("old", { ...options, policy: () => ({ rules: [] }) });
  expect(notes()).toEqual([{ "session/load": "old" }]);
  await until(() => session.book.snapshot().timeline.length > 0);
  expect(session.book.snapshot().timeline).toMatchObject([{ message: { blocks: [{ text: "as I said" }] } }]);
});

test("offers the agent's mode, model and other options, and sets each by the agent's own request", async () => {
  const { session, notes } = await drive("offers settings");
  const { settings } = session;
  await until(() => settings.commands.length > 0);
  expect(settings.commands).toEqual([{ name: "tidy", description: "Tidies up" }]);
  expect(
    settings.all.map(({ id, current, options }) => [id, current, options.map(({ value }) => value)]),
  ).toEqual([
    ["mode", "build", ["build", "plan"]],
    ["model", "small", ["small", "large"]],
    ["effort", "low", ["low", "high"]],
  ]);
  await session.setMode("plan");
  await session.setSetting("model", "large");
  await session.setSetting("effort", "high");
  expect(settings.all.map(({ current }) => current)).toEqual(["plan", "large", "high"]);
  expect(session.book.modeId).toBe("by-hand/plan");
  const sessionId = session.agentSessionId;
  expect(notes()).toEqual([
    { "session/set_mode": { sessionId, modeId: "plan" } },
    { "session/set_model": { sessionId, modelId: "large" } },
    { "session/set_config_option": { sessionId, configId: "effort", value: "high" } },
  ]);
});

test("ends a turn that an earlier process left open when its session is opened again", async () => {
  const ledger = new MemoryLedger();
  const { say, session, connection } = await drive("asks until it is cancelled", {
    ledger,
    ask: askForever().ask,
  });
  void say("go");
  await until(() => session.book.openCalls().length > 0);
  const { sessionId, cwd } = { sessionId: session.sessionId, cwd: session.workspace.root };
  await connection.close();
  const next = await connect("");
  const again = await next.connection.resumeSession("s1", {
    ledger,
    sessionId,
    workspace: await LocalWorkspace.open(cwd),
    policy: () => ({ rules: [] }),
  });
  expect(again.book.openCalls()).toEqual([]);
  expect(await ledger.openQuestions()).toEqual([]);
  expect(again.book.turn?.state.status).toBe("stopped");
});

test("lets a second turn wait for the first, and refuses to continue a turn that nobody left", async () => {
  const { say, session } = await drive("", { ask: choose("allow_once") });
  expect(await Promise.all([say("one"), say("two")])).toEqual([ENDED, ENDED]);
  await expect(session.advance(new AbortController().signal)).rejects.toMatchObject({ code: "NO_TURN" });
});
