// A good agent of version 1, and for each requirement the way in which it can be bad.
import { join } from "node:path";
import { breaks, Refusal, request, send, serve } from "./lines.mjs";
import { all, forget, load, newId, save } from "./store.mjs";

const sessions = new Map();

const update = (session, fields, sessionId = session.sessionId) => {
  session.log.push(fields);
  send({ method: "session/update", params: { sessionId, update: fields } });
};
const say = (session, text) =>
  update(session, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

function get(sessionId) {
  const session = sessions.get(sessionId);
  if (!session) throw new Refusal(-32002, `There is no session ${sessionId}.`);
  return session;
}

const MODES = [
  { id: "ask", name: "Ask" },
  { id: "code", name: "Code" },
];
function options(values = {}) {
  const select = (id, ...names) => ({
    id,
    name: id,
    type: "select",
    currentValue: values[id] ?? names[0],
    options: names.map((value) => ({ value, name: value })),
  });
  const model = select("model", "small", "large");
  if (breaks("ACP-CONFIG-001")) model.currentValue = "huge";
  const noisy = { id: "noisy", name: "noisy", type: "boolean", currentValue: true };
  return [model, select("effort", "low", "high"), ...(breaks("ACP-CONFIG-003") ? [noisy] : [])];
}

function initialize({ protocolVersion }) {
  if (breaks("ACP-INIT-001")) return { protocolVersion: "one" };
  const future = protocolVersion === 65_535 && breaks("ACP-INIT-003");
  const login = { id: "login", name: "Log in" };
  // As little as an agent may be.
  if (breaks("BARE")) return { protocolVersion: 1 };
  return {
    protocolVersion: future ? 65_535 : breaks("ACP-INIT-002") ? 2 : 1,
    agentCapabilities: {
      loadSession: true,
      promptCapabilities: { image: true, audio: true, embeddedContext: true },
      sessionCapabilities: { list: {}, delete: {}, resume: {}, close: {}, additionalDirectories: {} },
    },
    ...(!breaks("ACP-INIT-004") && { agentInfo: { name: "sample", version: "1.0.0" } }),
    authMethods: breaks("ACP-AUTH-001")
      ? [login, login]
      : breaks("ACP-AUTH-002")
        ? [{ ...login, type: "terminal" }]
        : [],
  };
}

function open(params) {
  if (typeof params.cwd !== "string") throw new Refusal(-32602, "cwd is no path.");
  if (breaks("ACP-AUTH-005")) throw new Refusal(-32000, "Log in first.");
  if (params.additionalDirectories && breaks("ACP-ADDDIRS-001"))
    throw new Refusal(-32602, "One folder only.");
  const isSame = breaks("ACP-SESSION-002");
  const sessionId = breaks("ACP-SESSION-001") ? "" : isSame ? "session_1" : newId("session");
  const session = { sessionId, cwd: params.cwd, log: [], turns: 0 };
  sessions.set(sessionId, session);
  if (sessionId !== "") save(session);
  if (breaks("TOOLGATE-ORDER-001"))
    update(session, { sessionUpdate: "available_commands_update", availableCommands: [] });
  if (breaks("BARE")) return { sessionId };
  return {
    sessionId,
    modes: { currentModeId: breaks("ACP-MODES-001") ? "dream" : "ask", availableModes: MODES },
    configOptions: options(),
    ...(breaks("ACP-SCHEMA-002") && { mood: "good" }),
  };
}

const BLOCKS = {
  resource_link: "ACP-PROMPT-003",
  image: "ACP-PROMPTCAP-001",
  audio: "ACP-PROMPTCAP-002",
  resource: "ACP-PROMPTCAP-003",
};

async function prompt(params) {
  const session = get(params.sessionId);
  if (params._meta && breaks("ACP-META-001")) throw new Refusal(-32602, "_meta is unknown.");
  for (const { type } of params.prompt)
    if (BLOCKS[type] && breaks(BLOCKS[type])) throw new Refusal(-32602, `No ${type} here.`);
  session.turns++;
  const [{ text }] = params.prompt;
  update(session, { sessionUpdate: "user_message_chunk", content: { type: "text", text } });
  const stopped = new Promise((resolve) => (session.stop = resolve));
  const stopReason = await (text === "wait"
    ? wait(session, stopped)
    : text === "work"
      ? work(session, stopped)
      : say(session, "Yes."));
  save(session);
  return { stopReason: breaks("ACP-PROMPT-001") ? "done" : (stopReason ?? "end_turn") };
}

const call = (session, toolCallId, fields) =>
  update(session, { sessionUpdate: "tool_call_update", toolCallId, ...fields });
const text = (words) => [{ type: "content", content: { type: "text", text: words } }];

async function wait(session, stopped) {
  const toolCallId = newId("call");
  update(session, {
    sessionUpdate: "tool_call",
    toolCallId,
    title: "sleep 1000",
    kind: "execute",
    status: "in_progress",
  });
  const how = await stopped;
  if (how === "close" && breaks("ACP-CLOSE-002")) {
    call(session, toolCallId, { status: "completed" });
    return "end_turn";
  }
  const isLate = breaks("ACP-CANCEL-002") || breaks("TOOLGATE-CALL-011");
  if (isLate) setTimeout(() => call(session, toolCallId, { status: "failed" }), 20);
  else call(session, toolCallId, { status: "failed", content: text("The command was cancelled.") });
  if (breaks("ACP-CANCEL-001")) throw new Refusal(-32800, "The command was cancelled.");
  return "cancelled";
}

async function work(session, stopped) {
  say(session, "I will write it.");
  const isValid = !breaks("ACP-SCHEMA-001");
  const entries = [{ content: "Write", priority: isValid ? "high" : "urgent", status: "pending" }];
  update(session, { sessionUpdate: "plan", entries });
  if (breaks("ACP-PROMPT-002"))
    send({
      method: "session/update",
      params: { sessionId: session.sessionId, update: { sessionUpdate: "agent_message_chunk" } },
    });
  if (breaks("TOOLGATE-CALL-010")) update(session, { sessionUpdate: "plan", entries }, "another_session");
  if (breaks("ACP-TRANSPORT-002"))
    process.stdout.write(
      Buffer.concat([
        Buffer.from('{"jsonrpc":"2.0","method":"_x/y","params":{"text":"'),
        Buffer.from([0xff, 0xfe]),
        Buffer.from('"}}\n'),
      ]),
    );
  const offer = { sessionId: session.sessionId };
  if (breaks("ACP-CLIENTCAP-001"))
    await request("fs/read_text_file", { ...offer, path: join(session.cwd, "a") });
  if (breaks("ACP-CLIENTCAP-002")) await request("terminal/create", { ...offer, command: "ls" });
  if (breaks("ACP-CLIENTCAP-003"))
    await request("elicitation/create", {
      ...offer,
      mode: "form",
      message: "?",
      requestedSchema: { type: "object", properties: {} },
    });
  return edit(session, stopped);
}

async function edit(session, stopped) {
  const toolCallId = breaks("TOOLGATE-CALL-006") ? "call_1" : newId("call");
  const path = breaks("TOOLGATE-CALL-008") ? "hello.txt" : join(session.cwd, "hello.txt");
  const diff = [{ type: "diff", path, oldText: null, newText: "hello" }];
  const about = { title: "Write hello.txt", kind: "edit", content: diff, locations: [{ path, line: 1 }] };
  if (breaks("TOOLGATE-CALL-001")) call(session, toolCallId, { ...about, status: "pending" });
  else update(session, { sessionUpdate: "tool_call", toolCallId, ...about, status: "pending" });
  const outcome = await ask(session, toolCallId, about, stopped);
  const isAllowed = outcome === "yes" || (outcome === "other" && breaks("TOOLGATE-PERM-003"));
  if (!isAllowed && !(outcome !== "other" && breaks("TOOLGATE-PERM-001"))) {
    call(session, toolCallId, { status: "failed", content: text("The call was not allowed.") });
    return outcome === "stopped" ? "cancelled" : "end_turn";
  }
  if (!breaks("TOOLGATE-CALL-009")) call(session, toolCallId, { status: "in_progress" });
  if (breaks("TOOLGATE-CALL-003")) call(session, toolCallId, { status: "pending" });
  const bare = [{ type: "text", text: "Done." }];
  const content = breaks("TOOLGATE-CALL-002") ? bare : [...diff, ...text("Done.")];
  if (!breaks("TOOLGATE-CALL-005")) call(session, toolCallId, { status: "completed", content });
  if (breaks("TOOLGATE-CALL-004")) call(session, toolCallId, { title: "Wrote hello.txt" });
  say(session, "It is done.");
  return outcome === "stopped" ? "cancelled" : "end_turn";
}

/** yes, no, stopped, or other for what nobody should answer. */
async function ask(session, toolCallId, about, stopped) {
  const yes = { optionId: "yes", name: "Allow", kind: "allow_once" };
  const no = { optionId: "no", name: "Reject", kind: "reject_once" };
  const asked = request("session/request_permission", {
    sessionId: session.sessionId,
    toolCall: { toolCallId: breaks("TOOLGATE-CALL-007") ? "write-permission" : toolCallId, ...about },
    options: breaks("TOOLGATE-PERM-002") ? [yes] : [yes, no],
  });
  if (breaks("TOOLGATE-CALL-009")) call(session, toolCallId, { status: "in_progress" });
  const { outcome = {} } = await asked;
  if (outcome.outcome === "cancelled") {
    // The answer and the cancel are two messages.
    const isStopped = await Promise.race([
      stopped.then(() => true),
      new Promise((resolve) => setTimeout(resolve, 100)),
    ]);
    return isStopped ? "stopped" : "no";
  }
  if (outcome.outcome !== "selected") return "other";
  return ["yes", "no"].includes(outcome.optionId) ? outcome.optionId : "other";
}

function reopen({ sessionId }) {
  const session = load(sessionId);
  if (!session) throw new Refusal(-32002, `There is no session ${sessionId}.`);
  sessions.set(sessionId, session);
  return session;
}

const isCall = ({ sessionUpdate }) => sessionUpdate.startsWith("tool_call");

function replay(session, log = session.log) {
  for (const fields of log)
    send({ method: "session/update", params: { sessionId: session.sessionId, update: fields } });
}

const handlers = new Map([
  ["initialize", initialize],
  ["session/new", open],
  ["session/prompt", prompt],
  [
    "session/load",
    (params, early) => {
      const session = reopen(params);
      if (breaks("ACP-LOAD-001")) throw new Refusal(-32603, "It is lost.");
      if (breaks("ACP-LOAD-002")) {
        early({});
        return replay(session);
      }
      replay(session, breaks("TOOLGATE-LOAD-001") ? session.log.filter((one) => !isCall(one)) : session.log);
      return breaks("ACP-LOAD-003") ? null : {};
    },
  ],
  [
    "session/resume",
    (params) => {
      const session = reopen(params);
      if (breaks("ACP-RESUME-001")) throw new Refusal(-32603, "It is lost.");
      if (breaks("ACP-RESUME-002")) replay(session);
      return {};
    },
  ],
  [
    "session/list",
    ({ cwd }) => {
      if (breaks("ACP-LIST-001")) return {};
      const listed = all().filter((one) => !cwd || one.cwd === cwd || breaks("ACP-LIST-002"));
      return { sessions: listed.map(({ sessionId, cwd: folder }) => ({ sessionId, cwd: folder })) };
    },
  ],
  [
    "session/delete",
    ({ sessionId }) => {
      const isKnown = load(sessionId) !== undefined;
      if (isKnown) forget(sessionId);
      sessions.delete(sessionId);
      if (breaks(isKnown ? "ACP-DELETE-001" : "ACP-DELETE-002")) throw new Refusal(-32002, "There is none.");
      return {};
    },
  ],
  [
    "session/close",
    ({ sessionId }) => {
      if (breaks("ACP-CLOSE-001")) throw new Refusal(-32603, "It stays.");
      get(sessionId).stop?.("close");
      return {};
    },
  ],
  [
    "session/set_mode",
    ({ sessionId, modeId }) => {
      if (breaks("ACP-MODES-002")) throw new Refusal(-32603, "It stays.");
      update(get(sessionId), { sessionUpdate: "current_mode_update", currentModeId: modeId });
      return {};
    },
  ],
  [
    "session/set_config_option",
    ({ sessionId, configId, value }) => {
      get(sessionId);
      const changed = options({ [configId]: value });
      return {
        configOptions: breaks("ACP-CONFIG-002") ? changed.filter(({ id }) => id === configId) : changed,
      };
    },
  ],
]);
const notices = new Map([["session/cancel", ({ sessionId }) => sessions.get(sessionId)?.stop?.("cancel")]]);

export const serveV1 = () => serve({ handlers, notices });
