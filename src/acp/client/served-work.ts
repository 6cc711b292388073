/** Files and terminals for all sessions of one agent. */
import { CODE, RpcError } from "../connection/message.js";
import type { Asked } from "../connection/peer.js";
import { ServedFiles } from "./served-files.js";
import { ServedTerminals } from "./served-terminals.js";
import type { SessionsServed } from "./served-session.js";
import type { TerminalEnd } from "./update-fold.js";

const SERVED = /^(?:fs\/(?:read|write)_text_file|terminal\/(?:create|output|wait_for_exit|kill|release))$/;

export class ServedWork {
  readonly #files: ServedFiles;
  readonly #terminals: ServedTerminals;

  constructor(sessions: SessionsServed) {
    this.#files = new ServedFiles(sessions);
    this.#terminals = new ServedTerminals({ sessions });
  }

  serves(method: string): boolean {
    return SERVED.test(method);
  }

  terminalEnd(terminalId: string): TerminalEnd | undefined {
    return this.#terminals.terminalEnd(terminalId);
  }

  /** Ends the commands of a session, or of all. */
  async end(agentSessionId?: string): Promise<void> {
    await this.#terminals.endAll(agentSessionId);
  }

  async answer({ method, params, signal }: Asked): Promise<unknown> {
    switch (method) {
      case "fs/read_text_file":
        return this.#files.readTextFile(params, signal);
      case "fs/write_text_file":
        return this.#files.writeTextFile(params, signal);
      case "terminal/create":
        return this.#terminals.create(params, signal);
      case "terminal/output":
        return this.#terminals.output(params);
      case "terminal/wait_for_exit":
        return this.#terminals.waitForExit(params, signal);
      case "terminal/kill":
        return this.#terminals.kill(params);
      case "terminal/release":
        return this.#terminals.release(params);
      default:
        throw new RpcError(CODE.methodNotFound, `There is no method ${method} here. Nothing was done.`);
    }
  }
}
