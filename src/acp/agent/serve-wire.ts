/**
 * An agent at the end of a wire. The agent answers `initialize` at once, from what is known without loading anything;
 * the rest is loaded meanwhile, since editors start agents long before they use them.
 */
// Not the whole room: this file is loaded before the first message is answered.
import { AMOUNT, checkOptions, FLAG, FUNCTION, having, required, TEXT } from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { oneLine } from "../../call/visible-text.js";
import { CODE, RpcError } from "../connection/message.js";
import { Peer } from "../connection/peer.js";
import type { Asked } from "../connection/peer.js";
import type { Wire } from "../connection/wire.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { AcpHost, ClientSide } from "./acp-host.js";
import { v1Capabilities, v2Capabilities } from "./capabilities.js";
import { objectParams } from "./params.js";
import type { ClientSessions } from "./client-sessions.js";

export type ServeWireOptions = {
  readonly name: string;
  readonly title?: string | undefined;
  readonly version: string;
  /** Called once, after `initialize`. When it fails, opening a session fails with the same error. */
  readonly openHost: () => Promise<AcpHost>;
  /** Uses the v2 draft with clients that ask for it. */
  readonly v2?: boolean | undefined;
  /** How many requests of the client may be under way. */
  readonly maxRequests?: number;
  /** Whether MCP servers over HTTP are started too, where the client names them. */
  readonly mcp?: boolean | undefined;
  /** The folder in which a client on this machine starts relative paths; without it they are refused. */
  readonly base?: string | undefined;
  /** Reports internal errors. */
  readonly onTrouble?: ((error: unknown) => void) | undefined;
};

const SERVE_OPTIONS: OptionChecks<ServeWireOptions> = {
  name: required(TEXT),
  title: TEXT,
  version: required(TEXT),
  openHost: required(FUNCTION),
  v2: FLAG,
  maxRequests: AMOUNT,
  mcp: FLAG,
  base: TEXT,
  onTrouble: FUNCTION,
};

/** Resolves when the client is gone, every call has ended and every session is released. */
export async function serveWire(wire: Wire, options: ServeWireOptions): Promise<void> {
  checkOptions(
    "serveWire",
    { wire },
    { wire: required(having("a wire (stdioWire, streamWire)", "send", "listen")) },
  );
  checkOptions("serveWire", options, SERVE_OPTIONS);
  const agent = new WireAgent(wire, options);
  try {
    await agent.peer.closed;
  } finally {
    await agent.close();
  }
}

class WireAgent {
  readonly peer: Peer;
  readonly #options: ServeWireOptions;
  #opening: Promise<ClientSessions> | undefined;
  #host: AcpHost | undefined;

  constructor(wire: Wire, options: ServeWireOptions) {
    this.#options = options;
    this.peer = new Peer(wire, {
      request: (asked) => this.#request(asked),
      notification: (method, params) => this.#notification(method, params),
      ...(options.maxRequests !== undefined && { maxRequests: options.maxRequests }),
      ...(options.onTrouble && { trouble: options.onTrouble }),
    });
  }

  async close(): Promise<void> {
    const sessions = await this.#opening?.catch(() => undefined);
    await sessions?.close();
    await this.#host?.close?.();
    await this.peer.close();
  }

  #request(asked: Asked): unknown {
    if (this.#opening) return this.#opening.then((sessions) => sessions.request(asked));
    if (asked.method === "initialize") return this.#initialize(objectParams(asked.params));
    throw new RpcError(CODE.invalidRequest, `"initialize" comes first. ${asked.method} was not done.`);
  }

  #notification(method: string, params: unknown): void {
    // A request reports that the host could not be opened.
    this.#opening?.then((sessions) => sessions.notification(method, params)).catch(() => undefined);
  }

  #initialize(params: JsonObject): object {
    const { name, title = name, version, v2 = false, mcp = false } = this.#options;
    const wanted = params["protocolVersion"];
    if (!Number.isInteger(wanted) || Number(wanted) < 0)
      throw new RpcError(CODE.invalidParams, '"protocolVersion" must be a whole number. Nothing was done.');
    const info = { name, title, version };
    const isV2 = v2 && Number(wanted) >= 2;
    this.#opening = this.#open(isV2, params);
    this.#opening.catch((error: unknown) => this.#options.onTrouble?.(error));
    return isV2 ? v2Capabilities(info, mcp) : v1Capabilities(info, mcp);
  }

  async #open(isV2: boolean, params: JsonObject): Promise<ClientSessions> {
    // The response goes out before anything is loaded. The wire sends it in the next turn of the event loop, where this
    // would come first; loading may then keep the process busy without a pause.
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const host = await this.#options.openHost();
    this.#host = host;
    // After it, not beside it: a file that is read while other code runs outlives V8's quick collections, and its buffers
    // then stay in memory until a full one, seconds later.
    const { v1Sessions } = await import("./v1-sessions.js");
    const openSessions = isV2 ? (await import("./v2-sessions.js")).v2Sessions : v1Sessions;
    const sessions = openSessions({
      host,
      peer: this.peer,
      client: this.#client(params, isV2),
      base: this.#options.base,
    });
    this.peer.handOver(sessions);
    return sessions;
  }

  /** v1 and v2 name these differently; in v2 a client has neither files nor terminals to offer. */
  #client(params: JsonObject, isV2: boolean): ClientSide {
    const info = isV2 ? params["info"] : params["clientInfo"];
    const capabilities = isV2 ? elicitationOf(params["capabilities"]) : params["clientCapabilities"];
    const named = isJsonObject(info) ? (info["title"] ?? info["name"]) : undefined;
    return {
      name: typeof named === "string" && named !== "" ? oneLine(named, 80) : "the editor",
      capabilities: isJsonObject(capabilities) ? capabilities : {},
      request: (method, requested, options) => this.peer.request(method, requested, options),
    };
  }
}

function elicitationOf(capabilities: unknown): JsonObject {
  return isJsonObject(capabilities) ? { elicitation: capabilities["elicitation"] } : {};
}
