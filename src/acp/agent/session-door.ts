/** The common part of both versions of ACP: methods by their names, on the sessions of one connection. */
import type { ContentBlock } from "../../call/index.js";
import { CODE, RpcError } from "../connection/message.js";
import type { Asked } from "../connection/peer.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { Command } from "./acp-host.js";
import type { AcpSessions } from "./acp-sessions.js";
import type { Door } from "./door.js";
import type { LiveSession } from "./live-session.js";
import { objectParams, promptBlocks, textParam } from "./params.js";

export type Methods = {
  readonly [method: string]: (params: JsonObject, signal: AbortSignal) => unknown;
};

/** A prompt of a client. One that a person typed as `/name …` is a command of ours. */
export type Prompt = {
  readonly live: LiveSession;
  readonly blocks: readonly ContentBlock[];
  readonly found?: { readonly command: Command; readonly words: string } | undefined;
};

export abstract class SessionDoor implements Door {
  protected readonly sessions: AcpSessions;
  /** The methods of this version only. */
  protected abstract readonly methods: Methods;

  constructor(sessions: AcpSessions) {
    this.sessions = sessions;
  }

  request({ method, params, signal }: Asked): unknown {
    for (const methods of [this.methods, this.#commonMethods])
      if (Object.hasOwn(methods, method)) return methods[method]?.(objectParams(params), signal);
    throw new RpcError(CODE.methodNotFound, `This agent has no method ${method}.`);
  }

  notification(method: string, params: unknown): void {
    if (method !== "session/cancel" || !isJsonObject(params)) return;
    const live = this.sessions.find(String(params["sessionId"]));
    // The end is reported as the version does it: in the prompt's response, or by a state update.
    live?.cancel().catch(() => undefined);
  }

  close(): Promise<void> {
    return this.sessions.closeAll();
  }

  protected session(params: JsonObject): LiveSession {
    return this.sessions.get(textParam(params, "sessionId"));
  }

  protected readPrompt(params: JsonObject): Prompt {
    const live = this.session(params);
    const blocks = promptBlocks(params);
    return { live, blocks, found: commandIn(blocks, live.hosted.commands) };
  }

  readonly #commonMethods: Methods = {
    "session/list": (params) => this.sessions.list(params),
    "session/close": async (params) => {
      const sessionId = textParam(params, "sessionId");
      if (!(await this.sessions.close(sessionId))) this.sessions.get(sessionId);
      return {};
    },
    "session/delete": async (params) => {
      await this.sessions.delete(textParam(params, "sessionId"));
      return {};
    },
  };
}

/** The command that a prompt is, and the words after its name. An unknown name goes to the model as text. */
function commandIn(blocks: readonly ContentBlock[], commands: readonly Command[]): Prompt["found"] {
  const [block, ...others] = blocks;
  if (block?.type !== "text" || others.length > 0) return undefined;
  const [, name, words = ""] = /^\/(\S+)(?:\s+([^]*))?$/.exec(block.text.trim()) ?? [];
  const command = commands.find((known) => known.name === name);
  return command && { command, words: words.trim() };
}
