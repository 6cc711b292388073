/** The methods of ACP's v2 draft, on the sessions of one connection. */
import { invalidParams } from "../connection/message.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { v2AgentDialect } from "../v2/agent-dialect.js";
import type { Command } from "./acp-host.js";
import { choose, v2ConfigOptions } from "./choices.js";
import type { LiveSession } from "./live-session.js";
import { textParam } from "./params.js";
import { ClientSessions } from "./client-sessions.js";
import type { ClientSessionsOptions, Methods } from "./client-sessions.js";

export function v2Sessions(options: ClientSessionsOptions): ClientSessions {
  return new ClientSessions({
    ...options,
    dialect: v2AgentDialect,
    methods: v2Methods,
    afterOpen: (live) => {
      live.send({ sessionUpdate: "config_option_update", configOptions: v2ConfigOptions(live.hosted) });
      resumeLater(live);
    },
  });
}

const v2Methods = (sessions: ClientSessions): Methods => ({
  "auth/logout": () => ({}),
  "session/new": async (params) => {
    const live = await sessions.open(params);
    return { sessionId: live.hosted.session.sessionId, ...offered(live) };
  },
  "session/resume": (params) => resume(sessions, params),
  "session/prompt": (params) => runPrompt(sessions, params),
  "session/set_config_option": async (params) => {
    const live = sessions.session(params);
    await choose(live.hosted, textParam(params, "configId"), params["value"]);
    const configOptions = v2ConfigOptions(live.hosted);
    live.send({ sessionUpdate: "config_option_update", configOptions });
    return { configOptions };
  },
  "tool_call/cancel": (params) => cancelCall(sessions.session(params), textParam(params, "toolCallId")),
});

async function runPrompt(sessions: ClientSessions, params: JsonObject): Promise<object> {
  const { live, blocks, found } = sessions.readPrompt(params);
  if (!found) return { messageId: await live.insert(blocks) };
  // Beside a turn or another command the session's state does not change.
  const sendState = (state: object) => {
    if (!live.isBusy) live.send({ sessionUpdate: "state_update", ...state });
  };
  sendState({ state: "running" });
  let stopReason = "error";
  try {
    const { messageId, isCancelled } = await live.runCommand(found.command, found.words, blocks);
    stopReason = isCancelled ? "cancelled" : "end_turn";
    return { messageId };
  } finally {
    sendState({ state: "idle", stopReason });
  }
}

/** Sends older messages only on request, and the session's state always. */
async function resume(sessions: ClientSessions, params: JsonObject): Promise<object> {
  const { replayFrom } = params;
  if (!isNone(replayFrom) && (!isJsonObject(replayFrom) || replayFrom["type"] !== "start"))
    throw invalidParams('"replayFrom" can only be the start. Nothing was opened.');
  const live = await sessions.reopen(params);
  if (!isNone(replayFrom)) live.replay();
  const { turn } = live.hosted.session.book;
  const isOpen = turn !== undefined && turn.state.status !== "stopped";
  live.send({ sessionUpdate: "state_update", state: isOpen ? "running" : "idle" });
  resumeLater(live);
  return offered(live);
}

function resumeLater(live: LiveSession): void {
  setImmediate(() => {
    live.sendUsage();
    live.resume().catch(() => undefined);
  });
}

/** Responds when the cancellation is accepted; the call's own status shows when it has ended. */
function cancelCall({ hosted: { session } }: LiveSession, toolCallId: string): object {
  const call = session.book.call(toolCallId);
  if (!call || call.times.ended !== undefined)
    throw invalidParams("There is no call of this id that could be cancelled. Nothing was done.");
  session.gate.cancelCall(toolCallId, "the person cancelled it.").catch(() => undefined);
  return {};
}

function offered({ hosted }: LiveSession): object {
  return { configOptions: v2ConfigOptions(hosted), availableCommands: hosted.commands.map(v2Command) };
}

const v2Command = ({ name, description, hint }: Command): object => ({
  type: "command",
  name,
  description,
  ...(hint !== undefined && { input: { type: "text", hint } }),
});
