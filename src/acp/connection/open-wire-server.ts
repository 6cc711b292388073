/**
 * Listens for ACP clients over Streamable HTTP and WebSocket, and serves a wire to each of them.
 *
 * `http/` decides who may connect. Invariants: each client has a wire of its own; the connection of a client that is gone
 * has ended.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { openDoor, refuse, refuseOnSocket } from "../../http/index.js";
import type { DoorOptions, Refusal } from "../../http/index.js";
import { ClientPresence } from "./client-presence.js";
import { LISTEN_LIMITS } from "./listen-limits.js";
import type { ListenLimits } from "./listen-limits.js";
import { ListenSockets } from "./listen-sockets.js";
import { RoutingServer } from "./routing-server.js";
import { streamWire } from "./stream-wire.js";
import type { Wire } from "./wire.js";

export type WireServerOptions = DoorOptions & {
  readonly limits?: Partial<ListenLimits>;
  /** Serves one client. The promise settles when the client is gone and its sessions are released. */
  readonly serve: (wire: Wire, limits: ListenLimits) => Promise<void>;
  readonly onTrouble?: ((error: unknown) => void) | undefined;
};

export type Listening = {
  readonly url: string;
  /** Leaves every session, then closes every connection. */
  readonly close: () => Promise<void>;
};

const ACP_PATH = "/acp";

export async function openWireServer(options: WireServerOptions): Promise<Listening> {
  const server = new WireServer(options);
  const { sockets, socketsWithoutToken, messageBytes, stallTimeoutMs } = server.limits;
  const { url, close } = await openDoor(options, {
    limits: { sockets, socketsWithoutToken, stallTimeoutMs, bodyBytes: messageBytes },
    pageHeaders: { sent: ["acp-connection-id", "acp-session-id"], read: ["acp-connection-id"] },
    onRequest: (request, response) => server.onRequest(request, response),
    onUpgrade: (request, socket, head) => server.onUpgrade(request, socket, head),
  });
  return { url: `${url}${ACP_PATH}`, close: () => close(() => server.close()) };
}

class WireServer {
  readonly limits: ListenLimits;
  readonly #options: WireServerOptions;
  readonly #acp: RoutingServer;
  readonly #presence: ClientPresence;
  readonly #sockets: ListenSockets;
  /** The open connections. */
  readonly #served = new Set<Promise<void>>();
  readonly #http: ReturnType<typeof createNodeHttpHandler>;
  readonly #upgrade: ReturnType<typeof createNodeWebSocketUpgradeHandler>;

  constructor(options: WireServerOptions) {
    this.#options = options;
    this.limits = { ...LISTEN_LIMITS, ...options.limits };
    this.#acp = new RoutingServer({
      agent: { connect: (stream) => ({ closed: this.#serve(stream) }) },
      maxBufferedBytes: this.limits.unreadBytes,
      maxOutputStallMs: this.limits.stallTimeoutMs,
    });
    this.#presence = new ClientPresence(this.limits, (connectionId) => this.#end(connectionId));
    this.#sockets = new ListenSockets(this.limits);
    this.#http = createNodeHttpHandler(this.#acp, { maxRequestBodyBytes: this.limits.messageBytes });
    this.#upgrade = createNodeWebSocketUpgradeHandler(this.#acp, this.#sockets.upgrades);
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    const refusal = this.#refusal(request, ClientPresence.isFirst(request));
    if (refusal) return refuse(response, refusal);
    this.#presence.track(request, response);
    this.#http(request, response);
  }

  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusal(request, true);
    if (refusal) refuseOnSocket(request, socket, refusal);
    else this.#upgrade(request, socket, head);
  }

  /** Leaves every session: its running calls end, and its questions stay open. */
  async close(): Promise<void> {
    await this.#acp.close();
    await Promise.all(this.#served);
    this.#sockets.end();
  }

  #refusal(request: IncomingMessage, isFirst: boolean): Refusal | undefined {
    const { url = "" } = request;
    if (url.split("?", 1)[0] !== ACP_PATH)
      return {
        code: "NOT_FOUND",
        why: `There is nothing here. The agent is at ${ACP_PATH}. Nothing was done.`,
      };
    if (isFirst && this.#served.size >= this.limits.connections)
      return { code: "UNAVAILABLE", why: "No more connections are taken now. Nothing was done." };
    if (this.#presence.isFlooding(request))
      return {
        code: "TOO_MANY_REQUESTS",
        why: "Too much waits to be taken in; read what was sent first. Nothing was done.",
      };
    return undefined;
  }

  #serve(stream: Parameters<typeof streamWire>[0]): Promise<void> {
    const { serve, onTrouble } = this.#options;
    const served = serve(streamWire(stream), this.limits)
      .catch((error: unknown) => onTrouble?.(error))
      .finally(() => this.#served.delete(served));
    this.#served.add(served);
    return served;
  }

  /** Ends a connection as a client would that leaves. */
  #end(connectionId: string): void {
    const goodbye = new Request(`http://localhost${ACP_PATH}`, {
      method: "DELETE",
      headers: { "acp-connection-id": connectionId },
    });
    this.#acp.handleRequest(goodbye).catch((error: unknown) => this.#options.onTrouble?.(error));
  }
}
