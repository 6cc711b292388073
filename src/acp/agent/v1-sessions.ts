/** ACP v1's methods, on the sessions of one connection. */
import type { TurnEnd } from "../../agent/index.js";
import { CODE, RpcError } from "../connection/message.js";
import type { JsonObject } from "../json.js";
import { v1AgentDialect } from "../v1/agent-dialect.js";
import type { Command } from "./acp-host.js";
import { choose, v1Choices, v1ConfigOptions } from "./choices.js";
import { showsCompaction, terminalDialect } from "./editor-capabilities.js";
import type { LiveSession } from "./live-session.js";
import { textParam } from "./params.js";
import { ClientSessions } from "./client-sessions.js";
import type { ClientSessionsOptions, Methods } from "./client-sessions.js";

export function v1Sessions(options: ClientSessionsOptions): ClientSessions {
  const { capabilities } = options.client;
  const encoding = {
    terminalDialect: terminalDialect(capabilities),
    showsCompaction: showsCompaction(capabilities),
  };
  return new ClientSessions({
    ...options,
    dialect: () => v1AgentDialect(encoding),
    methods: v1Methods,
    afterOpen: (live) => {
      live.send({ sessionUpdate: "config_option_update", configOptions: v1ConfigOptions(live.hosted) });
      sendFirstUpdatesLater(live);
    },
  });
}

const v1Methods = (sessions: ClientSessions): Methods => ({
  "session/new": async (params) => {
    const live = await sessions.open(params);
    sendFirstUpdatesLater(live);
    return { sessionId: live.hosted.session.sessionId, ...v1Choices(live.hosted) };
  },
  "session/load": async (params) => {
    const live = await sessions.reopen(params);
    live.replay();
    sendFirstUpdatesLater(live);
    return v1Choices(live.hosted);
  },
  "session/resume": async (params) => {
    const live = await sessions.reopen(params);
    sendFirstUpdatesLater(live);
    return v1Choices(live.hosted);
  },
  "session/prompt": (params, signal) => runPrompt(sessions, params, signal),
  "session/set_mode": async (params) => {
    await setChoice(sessions.session(params), "mode", params["modeId"]);
    return {};
  },
  "session/set_config_option": async (params) => ({
    configOptions: await setChoice(sessions.session(params), textParam(params, "configId"), params["value"]),
  }),
});

async function runPrompt(sessions: ClientSessions, params: JsonObject, signal: AbortSignal): Promise<object> {
  const { live, blocks, found } = sessions.readPrompt(params);
  if (found) {
    const { isCancelled } = await live.runCommand(found.command, found.words, blocks);
    return { stopReason: isCancelled ? "cancelled" : "end_turn" };
  }
  return { stopReason: stopReason(await live.prompt(blocks, signal)) };
}

/** A turn that ended in an error is an error to the client, with the reason; one that waits for an app cannot be here. */
function stopReason(end: TurnEnd): string {
  if (end.status === "parked")
    throw new RpcError(CODE.internal, "The turn waits for something this client cannot give.");
  if (end.stopReason === "error") throw new RpcError(CODE.internal, end.error ?? "The turn failed.");
  return end.stopReason;
}

/** Clients that show config options get a change of the mode too, and the other way round. */
async function setChoice(live: LiveSession, id: string, value: unknown): Promise<readonly object[]> {
  await choose(live.hosted, id, value);
  const configOptions = v1ConfigOptions(live.hosted);
  live.send({ sessionUpdate: "config_option_update", configOptions });
  return configOptions;
}

/** After the response: clients do not know the session before they have read that. */
function sendFirstUpdatesLater(live: LiveSession): void {
  setImmediate(() => {
    const availableCommands = live.hosted.commands.map(v1Command);
    if (availableCommands.length > 0)
      live.send({ sessionUpdate: "available_commands_update", availableCommands });
    live.sendUsage();
    // Asks the open question again and continues the turn. The record has the turn's end.
    live.resume().catch(() => undefined);
  });
}

const v1Command = ({ name, description, hint }: Command): object => ({
  name,
  description,
  ...(hint !== undefined && { input: { hint } }),
});
