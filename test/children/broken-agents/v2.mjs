// A good agent of the draft of version 2, and for each requirement the way in which it can be bad.
import { join } from "node:path";
import { breaks, Refusal, request, send, serve } from "./lines.mjs";
import { all, forget, load, newId, save } from "./store.mjs";

const sessions = new Map();

const tell = (sessionId, update) => send({ method: "session/update", params: { sessionId, update } });
const update = (session, fields) => {
  session.log.push(fields);
  tell(session.sessionId, fields);
};
const state = (session, fields) => tell(session.sessionId, { sessionUpdate: "state_update", ...fields });
const block = (text) => ({ type: "text", text });

function say(session, text) {
  const messageId = newId("message");
  update(session, { sessionUpdate: "agent_message", messageId, content: [] });
  const id = breaks("ACP-PATCH-201") ? {} : { messageId };
  update(session, { sessionUpdate: "agent_message_chunk", ...id, content: block(text) });
}

function get(sessionId) {
  const session = sessions.get(sessionId);
  if (!session) throw new Refusal(-32002, `There is no session ${sessionId}.`);
  return session;
}

function options(values = {}, isResumed = false) {
  const select = (configId, ...names) => ({
    configId,
    name: configId,
    type: "select",
    currentValue: values[configId] ?? names[0],
    options: names.map((value) => ({ value, name: value })),
  });
  const model = select("model", "small", "large");
  if (breaks("ACP-CONFIG-204") || (isResumed && breaks("ACP-CONFIG-203"))) model.currentValue = "huge";
  if (breaks("ACP-CONFIG-201")) delete model.name;
  return [model, select("effort", "low", "high")];
}

const LOGIN = { type: "agent", methodId: "login", name: "Log in" };
function authMethods() {
  if (breaks("ACP-AUTH-201")) return [LOGIN, LOGIN];
  if (breaks("ACP-AUTH-202")) return [{ ...LOGIN, type: "terminal" }];
  return breaks("ACP-AUTH-206") ? [{ ...LOGIN, type: "oauth" }] : [];
}

function initialize({ protocolVersion: wanted }) {
  if (breaks("ACP-INIT-001")) throw new Refusal(-32603, "Not today.");
  if (wanted === 1 && breaks("ACP-INIT-202")) throw new Refusal(-32022, "Version 1 is too old.");
  const protocolVersion =
    wanted === 65_535 && breaks("ACP-INIT-003") ? 65_535 : wanted === 2 && breaks("ACP-INIT-201") ? 7 : 2;
  const capabilities = {
    session: {
      prompt: { image: {}, audio: {}, embeddedContext: {} },
      delete: breaks("ACP-INIT-204") ? true : {},
      additionalDirectories: {},
    },
    ...(breaks("ACP-EXT-202") && { telepathy: {} }),
  };
  const info = breaks("ACP-INIT-203") ? { name: "sample" } : { name: "sample", version: "1.0.0" };
  return { protocolVersion, info, capabilities, authMethods: authMethods() };
}

function open(params) {
  if (typeof params.cwd !== "string") throw new Refusal(-32602, "cwd is no path.");
  if (breaks("ACP-AUTH-205")) throw new Refusal(-32000, "Log in first.");
  if (params.additionalDirectories && breaks("ACP-ADDDIRS-201"))
    throw new Refusal(-32602, "One folder only.");
  if (params.mcpServers && breaks("ACP-SESSION-203")) throw new Refusal(-32602, "No servers.");
  const isSame = breaks("ACP-SESSION-002");
  const sessionId = breaks("ACP-SESSION-001") ? "" : isSame ? "session_1" : newId("session");
  const session = { sessionId, cwd: params.cwd, log: [] };
  sessions.set(sessionId, session);
  if (sessionId !== "") save(session);
  if (breaks("TOOLGATE-ORDER-001"))
    update(session, { sessionUpdate: "available_commands_update", availableCommands: [] });
  return { sessionId, configOptions: options(), ...(breaks("ACP-SCHEMA-002") && { mood: "good" }) };
}

const BLOCKS = {
  resource_link: "ACP-PROMPT-003",
  image: "ACP-PROMPTCAP-001",
  audio: "ACP-PROMPTCAP-002",
  resource: "ACP-PROMPTCAP-003",
};

async function prompt(params, accept) {
  const session = get(params.sessionId);
  if (params._meta && breaks("ACP-META-001")) throw new Refusal(-32602, "_meta is unknown.");
  for (const { type } of params.prompt)
    if (BLOCKS[type] && breaks(BLOCKS[type])) throw new Refusal(-32602, `No ${type} here.`);
  const messageId = breaks("ACP-PROMPT-201") ? "" : breaks("ACP-PATCH-203") ? "message_1" : newId("message");
  accept({ messageId });
  const [{ text }] = params.prompt;
  const reported = breaks("ACP-PROMPT-203") ? newId("message") : messageId;
  update(session, { sessionUpdate: "user_message", messageId: reported, content: [block(text)] });
  if (!breaks("ACP-STATE-201")) state(session, { state: "running" });
  const stopped = new Promise((resolve) => (session.stop = resolve));
  const turn = TURNS.get(text) ?? answerShortly;
  const reason = await turn(session, stopped);
  save(session);
  if (breaks("ACP-STATE-202")) return;
  state(session, { state: "idle", stopReason: breaks("ACP-STATE-203") ? "finished" : reason });
  if (reason === "cancelled" && breaks("ACP-CANCEL-202"))
    setTimeout(() => state(session, { state: "requires_action" }), 20);
}

const call = (session, toolCallId, fields) =>
  update(session, { sessionUpdate: "tool_call_update", toolCallId, ...fields });
const content = (text) => ({ type: "content", content: block(text) });

const CANCEL_REASONS = new Map([
  ["ACP-CANCEL-201", "_stopped"],
  ["ACP-CANCEL-203", "end_turn"],
  ["ACP-CANCEL-207", "aborted"],
]);

async function wait(session, stopped) {
  const toolCallId = newId("call");
  call(session, toolCallId, { title: "sleep 1000", kind: "execute", status: "in_progress" });
  const how = await stopped;
  const isLate = breaks("TOOLGATE-CALL-011");
  if (isLate) setTimeout(() => call(session, toolCallId, { status: "cancelled" }), 20);
  else call(session, toolCallId, { status: "cancelled" });
  if (how === "close") return breaks("ACP-CANCEL-208") || breaks("ACP-CLOSE-202") ? "end_turn" : "cancelled";
  return CANCEL_REASONS.get(process.env.BREAK) ?? "cancelled";
}

async function work(session, stopped) {
  say(session, "I will write it.");
  const { sessionId } = session;
  const priority = breaks("ACP-ENUM-201") ? "urgent" : "high";
  const entries = [{ content: "Write", priority, status: "pending" }];
  const planId = breaks("ACP-PATCH-205") ? "" : "plan_1";
  update(session, { sessionUpdate: "plan_update", plan: { type: "items", planId, entries } });
  if (breaks("ACP-SCHEMA-001")) tell(sessionId, { sessionUpdate: "usage_update" });
  if (breaks("ACP-PROMPT-205")) tell(sessionId, { sessionUpdate: "agent_message_chunk" });
  if (breaks("ACP-ENUM-202")) tell(sessionId, { sessionUpdate: "mood_update", mood: "good" });
  if (breaks("ACP-META-201"))
    tell(sessionId, { sessionUpdate: "session_info_update", title: "Work", _meta: "x" });
  if (breaks("TOOLGATE-CALL-010"))
    tell("another_session", { sessionUpdate: "session_info_update", title: "Work" });
  if (breaks("ACP-TRANSPORT-203"))
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", method: "_x/y", params: {} }, null, 2)}\n`);
  if (breaks("ACP-TRANSPORT-002")) {
    const [head, tail] = ['{"jsonrpc":"2.0","method":"_x/y","params":{"text":"', '"}}\n'];
    process.stdout.write(Buffer.concat([Buffer.from(head), Buffer.from([0xff, 0xfe]), Buffer.from(tail)]));
  }
  if (breaks("ACP-CLIENTCAP-201"))
    await request("elicitation/create", {
      sessionId,
      mode: "form",
      message: "?",
      requestedSchema: { type: "object", properties: {} },
    });
  if (breaks("ACP-CLIENTCAP-202"))
    await request("fs/read_text_file", { sessionId, path: join(session.cwd, "a") });
  return edit(session, stopped);
}

async function edit(session, stopped) {
  const toolCallId = breaks("TOOLGATE-CALL-006") ? "call_1" : newId("call");
  const path = breaks("TOOLGATE-CALL-008") ? "hello.txt" : join(session.cwd, "hello.txt");
  const diff = { type: "diff", changes: [{ operation: "add", path }] };
  const title = breaks("ACP-PATCH-208") ? {} : { title: "Write hello.txt" };
  const about = { ...title, kind: "edit", content: [diff], locations: [{ path, line: 1 }] };
  call(session, breaks("ACP-PATCH-204") ? "" : toolCallId, { ...about, status: "pending" });
  const outcome = await ask(session, toolCallId, stopped);
  const isAllowed = outcome === "yes" || (outcome === "other" && breaks("TOOLGATE-PERM-003"));
  if (!isAllowed && !(outcome !== "other" && breaks("TOOLGATE-PERM-001"))) {
    call(session, toolCallId, { status: "failed", content: [content("The call was not allowed.")] });
    const isStopped = outcome === "stopped" && !breaks("ACP-CANCEL-206");
    return isStopped ? "cancelled" : "end_turn";
  }
  if (!breaks("TOOLGATE-CALL-009")) call(session, toolCallId, { status: "in_progress" });
  if (breaks("TOOLGATE-CALL-003")) call(session, toolCallId, { status: "pending" });
  print(session);
  const chunk = breaks("TOOLGATE-CALL-002") ? block("Done.") : content("Done.");
  update(session, { sessionUpdate: "tool_call_content_chunk", toolCallId, content: chunk });
  if (!breaks("TOOLGATE-CALL-005")) call(session, toolCallId, { status: "completed" });
  if (breaks("TOOLGATE-CALL-004")) call(session, toolCallId, { rawOutput: "done" });
  say(session, "It is done.");
  return outcome === "stopped" ? "cancelled" : "end_turn";
}

/** A terminal and its output. */
function print(session) {
  const terminalId = newId("terminal");
  const cwd = breaks("ACP-PATCH-206") ? "." : session.cwd;
  update(session, { sessionUpdate: "terminal_update", terminalId, command: "ls", cwd });
  const data = breaks("ACP-PATCH-207") ? "hello.txt" : Buffer.from("hello.txt").toString("base64");
  update(session, { sessionUpdate: "terminal_output_chunk", terminalId, data });
}

/** yes, no, stopped, or other for what nobody should answer. */
async function ask(session, toolCallId, stopped) {
  const yes = { optionId: "yes", name: "Allow", kind: "allow_once" };
  const no = { optionId: "no", name: "Reject", kind: "reject_once" };
  if (!breaks("ACP-PATCH-209")) state(session, { state: "requires_action" });
  const about = breaks("TOOLGATE-CALL-007") ? "write-permission" : toolCallId;
  const asked = request("session/request_permission", {
    sessionId: session.sessionId,
    title: breaks("ACP-PERM-201") ? "" : "Write hello.txt?",
    subject: { type: "tool_call", toolCall: { toolCallId: about } },
    options: breaks("TOOLGATE-PERM-002") ? [yes] : [yes, no],
  });
  if (breaks("TOOLGATE-CALL-009")) call(session, toolCallId, { status: "in_progress" });
  const { outcome = {} } = await asked;
  if (!["selected", "cancelled"].includes(outcome.outcome) && breaks("ACP-ENUM-203")) process.exit(1);
  if (!breaks("ACP-STATE-201")) state(session, { state: "running" });
  if (outcome.outcome === "cancelled") {
    // The answer and the cancel are two messages.
    const soon = new Promise((resolve) => setTimeout(resolve, 100));
    return (await Promise.race([stopped.then(() => true), soon])) ? "stopped" : "no";
  }
  if (outcome.outcome !== "selected") return "other";
  return ["yes", "no"].includes(outcome.optionId) ? outcome.optionId : "other";
}

const isCall = ({ sessionUpdate }) => sessionUpdate.startsWith("tool_call");

function replay(session) {
  for (const fields of session.log) {
    if (breaks("TOOLGATE-LOAD-001") && isCall(fields)) continue;
    const isUser = fields.sessionUpdate === "user_message";
    if (breaks("ACP-RESUME-205") && fields.sessionUpdate === "agent_message") continue;
    const renamed = isUser && breaks("ACP-RESUME-204") ? { ...fields, messageId: newId("message") } : fields;
    tell(session.sessionId, renamed);
  }
}

function resume({ sessionId, replayFrom, additionalDirectories }, early) {
  const session = load(sessionId);
  if (!session) throw new Refusal(-32002, `There is no session ${sessionId}.`);
  sessions.set(sessionId, session);
  if (breaks("ACP-RESUME-201")) throw new Refusal(-32603, "It is lost.");
  if (additionalDirectories && breaks("ACP-ADDDIRS-202")) throw new Refusal(-32602, "One folder only.");
  const result = { configOptions: options({}, true) };
  if (replayFrom && breaks("ACP-RESUME-202")) {
    early(result);
    return replay(session);
  }
  if (replayFrom || breaks("ACP-RESUME-203")) replay(session);
  return result;
}

function list({ cwd }) {
  if (breaks("ACP-LIST-201")) return {};
  const isAll = !cwd || breaks("ACP-LIST-203") || (breaks("ACP-LIST-202") && cwd.includes("no-session"));
  const listed = all().filter((one) => isAll || one.cwd === cwd);
  const isOdd = breaks("ACP-LIST-204");
  return { sessions: listed.map((one) => ({ sessionId: one.sessionId, cwd: isOdd ? "." : one.cwd })) };
}

async function answerShortly(session) {
  say(session, "Yes.");
  return "end_turn";
}

const TURNS = new Map([
  ["wait", wait],
  ["work", work],
]);

const handlers = new Map([
  ["initialize", initialize],
  ["session/new", open],
  ["session/prompt", prompt],
  ["session/resume", resume],
  ["session/list", list],
  [
    "session/delete",
    ({ sessionId }) => {
      const isKnown = load(sessionId) !== undefined;
      if (isKnown && !breaks("ACP-DELETE-202")) forget(sessionId);
      if (breaks(isKnown ? "ACP-DELETE-201" : "ACP-DELETE-203")) throw new Refusal(-32002, "There is none.");
      return {};
    },
  ],
  [
    "session/close",
    ({ sessionId }) => {
      if (breaks("ACP-CLOSE-201")) throw new Refusal(-32603, "It stays.");
      get(sessionId).stop?.("close");
      return {};
    },
  ],
  [
    "session/set_config_option",
    ({ sessionId, configId, value }) => {
      const changed = options({ [configId]: value });
      const some = changed.filter((option) => option.configId === configId);
      const reported = breaks("ACP-CONFIG-206") ? some : changed;
      update(get(sessionId), { sessionUpdate: "config_option_update", configOptions: reported });
      return { configOptions: breaks("ACP-CONFIG-202") ? some : changed };
    },
  ],
]);
const notices = new Map([["session/cancel", ({ sessionId }) => sessions.get(sessionId)?.stop?.("cancel")]]);

export const serveV2 = () => serve({ handlers, notices });
