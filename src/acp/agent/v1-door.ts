/** ACP v1's methods, on the sessions of one connection. */
import type { TurnEnd } from "../../agent/index.js";
import { CODE, RpcError } from "../connection/message.js";
import type { JsonObject } from "../json.js";
import { v1AgentDialect } from "../v1/agent-dialect.js";
import { AcpSessions } from "./acp-sessions.js";
import type { AcpSessionsOptions } from "./acp-sessions.js";
import { choose, v1Choices, v1ConfigOptions } from "./choices.js";
import { commandIn, v1Commands } from "./commands.js";
import { showsCompaction, terminalDialect } from "./editor-capabilities.js";
import type { LiveSession } from "./live-session.js";
import { textParam } from "./params.js";
import { promptBlocks } from "./prompt-blocks.js";
import { SessionDoor } from "./session-door.js";
import type { Methods } from "./session-door.js";

export class V1Door extends SessionDoor {
  constructor(options: Omit<AcpSessionsOptions, "dialect">) {
    const { capabilities } = options.client;
    const encoding = {
      terminalDialect: terminalDialect(capabilities),
      showsCompaction: showsCompaction(capabilities),
    };
    super(new AcpSessions({ ...options, dialect: () => v1AgentDialect(encoding) }));
  }

  protected readonly methods: Methods = {
    "session/new": async (params) => {
      const live = await this.sessions.open(params);
      this.#sendFirstUpdatesLater(live);
      return { sessionId: live.hosted.session.sessionId, ...v1Choices(live.hosted) };
    },
    "session/load": async (params) => {
      const live = await this.sessions.reopen(textParam(params, "sessionId"), params);
      live.replay();
      this.#sendFirstUpdatesLater(live);
      return v1Choices(live.hosted);
    },
    "session/resume": async (params) => {
      const live = await this.sessions.reopen(textParam(params, "sessionId"), params);
      this.#sendFirstUpdatesLater(live);
      return v1Choices(live.hosted);
    },
    "session/prompt": (params, signal) => this.#prompt(params, signal),
    "session/set_mode": async (params) => {
      await this.#choose(params, "mode", params["modeId"]);
      return {};
    },
    "session/set_config_option": async (params) => ({
      configOptions: await this.#choose(params, textParam(params, "configId"), params["value"]),
    }),
  };

  /** Clients that show config options get a change of the mode too, and the other way round. */
  async #choose(params: JsonObject, id: string, value: unknown): Promise<readonly object[]> {
    const live = this.session(params);
    await choose(live.hosted, id, value);
    const configOptions = v1ConfigOptions(live.hosted);
    live.send({ sessionUpdate: "config_option_update", configOptions });
    return configOptions;
  }

  async #prompt(params: JsonObject, signal: AbortSignal): Promise<object> {
    const live = this.session(params);
    const blocks = promptBlocks(params);
    const found = commandIn(blocks, live.hosted.commands);
    if (found) {
      const { isCancelled } = await live.runCommand(found.command, found.words, blocks);
      return { stopReason: isCancelled ? "cancelled" : "end_turn" };
    }
    return { stopReason: stopReason(await live.prompt(blocks, signal)) };
  }

  /** After the response: clients do not know the session before they have read that. */
  #sendFirstUpdatesLater(live: LiveSession): void {
    setImmediate(() => {
      const commands = v1Commands(live.hosted.commands);
      if (commands.length > 0)
        live.send({ sessionUpdate: "available_commands_update", availableCommands: commands });
      live.sendUsage();
      // A question that was open is asked again, and the turn goes on. How it ends is in the record.
      live.resume().catch(() => undefined);
    });
  }
}

/** A turn that ended in an error is an error to the client, with the reason; one that waits for an app cannot be here. */
function stopReason(end: TurnEnd): string {
  if (end.status === "parked")
    throw new RpcError(CODE.internal, "The turn waits for something this client cannot give.");
  if (end.stopReason === "error") throw new RpcError(CODE.internal, end.error ?? "The turn failed.");
  return end.stopReason;
}
