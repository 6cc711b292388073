/** The methods of ACP's v2 draft, on the sessions of one connection. */
import { invalidParams } from "../connection/message.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { v2AgentDialect } from "../v2/agent-dialect.js";
import type { Command } from "./acp-host.js";
import { AcpSessions } from "./acp-sessions.js";
import type { AcpSessionsOptions } from "./acp-sessions.js";
import { choose, v2ConfigOptions } from "./choices.js";
import type { LiveSession } from "./live-session.js";
import { textParam } from "./params.js";
import { SessionDoor } from "./session-door.js";
import type { Methods } from "./session-door.js";

export class V2Door extends SessionDoor {
  constructor(options: Omit<AcpSessionsOptions, "dialect">) {
    super(new AcpSessions({ ...options, dialect: v2AgentDialect }));
  }

  protected readonly methods: Methods = {
    "auth/logout": () => ({}),
    "session/new": async (params) => {
      const live = await this.sessions.open(params);
      return { sessionId: live.hosted.session.sessionId, ...offered(live) };
    },
    "session/resume": (params) => this.#resume(params),
    "session/prompt": (params) => this.#prompt(params),
    "session/set_config_option": async (params) => {
      const live = this.session(params);
      await choose(live.hosted, textParam(params, "configId"), params["value"]);
      const configOptions = v2ConfigOptions(live.hosted);
      live.send({ sessionUpdate: "config_option_update", configOptions });
      return { configOptions };
    },
    "tool_call/cancel": (params) => this.#cancelCall(params),
  };

  async #prompt(params: JsonObject): Promise<object> {
    const { live, blocks, found } = this.readPrompt(params);
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
  async #resume(params: JsonObject): Promise<object> {
    const { replayFrom } = params;
    if (!isNone(replayFrom) && (!isJsonObject(replayFrom) || replayFrom["type"] !== "start"))
      throw invalidParams('"replayFrom" can only be the start. Nothing was opened.');
    const live = await this.sessions.reopen(textParam(params, "sessionId"), params);
    if (!isNone(replayFrom)) live.replay();
    const { turn } = live.hosted.session.book;
    const isOpen = turn !== undefined && turn.state.status !== "stopped";
    live.send({ sessionUpdate: "state_update", state: isOpen ? "running" : "idle" });
    setImmediate(() => {
      live.sendUsage();
      live.resume().catch(() => undefined);
    });
    return offered(live);
  }

  /** Responds when the cancellation is accepted; the call's own status shows when it has ended. */
  #cancelCall(params: JsonObject): object {
    const { session } = this.session(params).hosted;
    const toolCallId = textParam(params, "toolCallId");
    const call = session.book.call(toolCallId);
    if (!call || call.times.ended !== undefined)
      throw invalidParams("There is no call of this id that could be cancelled. Nothing was done.");
    session.gate.cancelCall(toolCallId, "the person cancelled it.").catch(() => undefined);
    return {};
  }
}

function offered({ hosted }: LiveSession): object {
  return { configOptions: v2ConfigOptions(hosted), availableCommands: v2Commands(hosted.commands) };
}

function v2Commands(commands: readonly Command[]): readonly object[] {
  return commands.map(({ name, description, hint }) => ({
    type: "command",
    name,
    description,
    ...(hint !== undefined && { input: { type: "text", hint } }),
  }));
}
