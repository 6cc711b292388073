/**
 * Requests to an agent with a timeout. A failure becomes an error that names the agent, the method and the known
 * cause.
 */
import { oneLine } from "../../call/index.js";
import { CODE, RpcError } from "../connection/message.js";
import { ConnectionClosed } from "../connection/peer.js";
import type { Peer } from "../connection/peer.js";
import { AgentTrouble } from "./agent-trouble.js";
import type { KnownAgent } from "./read-agent.js";

export type AgentLineOptions = {
  readonly peer: Peer;
  /** The agent's name, as far as it is known by now. */
  readonly name: () => string;
  readonly stderrTail: () => Promise<string>;
  /** Milliseconds. */
  readonly connectTimeoutMs: number;
};

export type SignIn = {
  readonly method: string;
  readonly offered: KnownAgent["authMethods"];
  readonly choose: ((offered: KnownAgent["authMethods"]) => string | undefined) | undefined;
};

export class AgentLine {
  readonly #options: AgentLineOptions;

  constructor(options: AgentLineOptions) {
    this.#options = options;
  }

  async request(method: string, params: object): Promise<unknown> {
    const { peer, connectTimeoutMs } = this.#options;
    const signal = AbortSignal.timeout(connectTimeoutMs);
    try {
      return await peer.request(method, params, { signal });
    } catch (error) {
      throw await this.#inWords(method, error, signal.aborted);
    }
  }

  /** The same; when the agent wants someone to sign in first, that is done and it is tried once more. */
  async signedIn(method: string, params: object, how: SignIn): Promise<unknown> {
    try {
      return await this.request(method, params);
    } catch (error) {
      if (!(error instanceof RpcError) || error.code !== CODE.authRequired) throw error;
      const methodId = how.choose?.(how.offered);
      if (methodId === undefined) throw this.#wantsSignIn(how.offered);
      await this.request(how.method, { methodId });
      return this.request(method, params);
    }
  }

  #wantsSignIn(methods: KnownAgent["authMethods"]): AgentTrouble {
    const offered = methods.map(({ id, name }) => `${id} (${name})`).join(", ");
    return new AgentTrouble(
      "AUTH_REQUIRED",
      `${this.#options.name()} wants you to sign in first${offered === "" ? "" : `; it offers: ${offered}`}. Nothing was started. Sign in with the agent's own command, or name the way to sign in.`,
    );
  }

  async #inWords(method: string, error: unknown, isTimeUp: boolean): Promise<unknown> {
    const { stderrTail, connectTimeoutMs } = this.#options;
    const name = this.#options.name();
    if (error instanceof ConnectionClosed) {
      const words = await stderrTail();
      const end = words === "" ? "" : `: ${words}`;
      return new AgentTrouble("AGENT_GONE", `${name} ended before it answered ${method}${end}`);
    }
    if (isTimeUp) {
      const late = `${name} did not answer ${method} within ${connectTimeoutMs / 1000} s. Is it an ACP agent?`;
      return new AgentTrouble("AGENT_REFUSED", `${late} ${await stderrTail()}`.trim());
    }
    if (!(error instanceof RpcError) || error.code === CODE.authRequired) return error;
    return new AgentTrouble(
      "AGENT_REFUSED",
      `${name} refused ${method}: ${oneLine(errorText(error), 1_000)}`,
    );
  }
}

/** The message and its details: agents put the reason beside a message that says nothing. */
export function errorText(error: Error): string {
  const data = error instanceof RpcError ? error.data : undefined;
  const details = [...new Set(textsIn(data))].filter((text) => text !== error.message);
  return [error.message, details.join("; ")].filter((text) => text !== "").join(": ");
}

const MAX_DEPTH = 4;

/** Agents name the field as they like, so every text counts. The caller bounds the length. */
function textsIn(data: unknown, depth = 0): readonly string[] {
  if (typeof data === "string") return data === "" ? [] : [data];
  if (depth >= MAX_DEPTH || typeof data !== "object" || data === null) return [];
  return Object.values(data).flatMap((value) => textsIn(value, depth + 1));
}
