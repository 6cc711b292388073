/** The methods of ACP's v2 draft, on the sessions of one connection. */
import { CODE, invalidParams, RpcError } from "../connection/message.js";
import type { Asked } from "../connection/peer.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { AcpSessions } from "./acp-sessions.js";
import type { AcpSessionsOptions } from "./acp-sessions.js";
import { choose, v2ConfigOptions } from "./choices.js";
import { commandIn, v2Commands } from "./commands.js";
import type { Door } from "./door.js";
import type { LiveSession } from "./live-session.js";
import { objectParams, textParam } from "./params.js";
import { promptBlocks } from "./prompt-blocks.js";
import { v2Dialect } from "./v2-dialect.js";

type Method = (params: JsonObject) => unknown;

export class V2Door implements Door {
  readonly #sessions: AcpSessions;

  constructor(options: Omit<AcpSessionsOptions, "dialect">) {
    this.#sessions = new AcpSessions({ ...options, dialect: v2Dialect });
  }

  request({ method, params }: Asked): unknown {
    const act = Object.hasOwn(this.#methods, method) ? this.#methods[method] : undefined;
    if (!act) throw new RpcError(CODE.methodNotFound, `This agent has no method ${method}.`);
    return act(objectParams(params));
  }

  notification(method: string, params: unknown): void {
    if (method !== "session/cancel" || !isJsonObject(params)) return;
    const live = this.#sessions.find(String(params["sessionId"]));
    // That it has ended is told by a state update.
    live?.cancel().catch(() => undefined);
  }

  close(): Promise<void> {
    return this.#sessions.closeAll();
  }

  readonly #methods: { readonly [method: string]: Method } = {
    "auth/logout": () => ({}),
    "session/new": async (params) => {
      const live = await this.#sessions.open(params);
      return { sessionId: live.hosted.session.sessionId, ...offered(live) };
    },
    "session/resume": (params) => this.#resume(params),
    "session/list": (params) => this.#sessions.list(params),
    "session/close": async (params) => {
      const sessionId = textParam(params, "sessionId");
      if (!(await this.#sessions.close(sessionId))) this.#sessions.get(sessionId);
      return {};
    },
    "session/delete": async (params) => {
      await this.#sessions.delete(textParam(params, "sessionId"));
      return {};
    },
    "session/prompt": (params) => this.#prompt(params),
    "session/set_config_option": async (params) => {
      const live = this.#session(params);
      await choose(live.hosted, textParam(params, "configId"), params["value"]);
      const configOptions = v2ConfigOptions(live.hosted);
      live.tell({ sessionUpdate: "config_option_update", configOptions });
      return { configOptions };
    },
    "tool_call/cancel": (params) => this.#cancelCall(params),
  };

  #session(params: JsonObject): LiveSession {
    return this.#sessions.get(textParam(params, "sessionId"));
  }

  async #prompt(params: JsonObject): Promise<object> {
    const live = this.#session(params);
    const blocks = promptBlocks(params);
    const found = commandIn(blocks, live.hosted.commands);
    if (!found) return { messageId: await live.insert(blocks) };
    // Beside a turn it changes nothing about what the session is doing.
    const wasBusy = live.isBusy;
    const tell = (state: object) => {
      if (!wasBusy) live.tell({ sessionUpdate: "state_update", ...state });
    };
    tell({ state: "running" });
    let stopReason = "error";
    try {
      const { messageId, isCancelled } = await live.runCommand(found.command, found.words, blocks);
      stopReason = isCancelled ? "cancelled" : "end_turn";
      return { messageId };
    } finally {
      tell({ state: "idle", stopReason });
    }
  }

  /** What was said before is told again only when it is asked for; what the session is doing always is. */
  async #resume(params: JsonObject): Promise<object> {
    const { replayFrom } = params;
    if (!isNone(replayFrom) && (!isJsonObject(replayFrom) || replayFrom["type"] !== "start"))
      throw invalidParams('"replayFrom" can only be the start. Nothing was opened.');
    const live = await this.#sessions.reopen(textParam(params, "sessionId"), params);
    if (!isNone(replayFrom)) live.replay();
    const { turn } = live.hosted.session.book;
    const isOpen = turn !== undefined && turn.state.status !== "stopped";
    live.tell({ sessionUpdate: "state_update", state: isOpen ? "running" : "idle" });
    setImmediate(() => {
      live.tellUsage();
      live.resume().catch(() => undefined);
    });
    return offered(live);
  }

  /** Answered when the wish is taken; the call's own status says when it has ended. */
  #cancelCall(params: JsonObject): object {
    const { session } = this.#session(params).hosted;
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
