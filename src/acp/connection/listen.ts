/**
 * An agent that listens: ACP over Streamable HTTP and WebSocket, for clients that cannot start it themselves.
 *
 * Who is let in is the affair of `http/`. What must stay true here: each client has an agent side of its own, and they
 * share nothing but the host behind it; a client that is gone has cancelled.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import { openDoor, refuse, turnAway } from "../../http/index.js";
import type { DoorOptions, Refusal } from "../../http/index.js";
import type { AcpHost } from "../agent/host.js";
import { serveWire } from "../agent/serve-wire.js";
import type { ServeWireOptions } from "../agent/serve-wire.js";
import { LISTEN_LIMITS } from "./listen-limits.js";
import type { ListenLimits } from "./listen-limits.js";
import { Presence } from "./listen-presence.js";
import { ListenSockets } from "./listen-sockets.js";
import { streamWire } from "./stream-wire.js";

export type ListenOptions = DoorOptions &
  Omit<ServeWireOptions, "openHost"> & {
    /** Shared by all connections, and closed by whoever opened it. */
    readonly host: AcpHost;
    readonly limits?: Partial<ListenLimits>;
  };

export type Listening = {
  readonly url: string;
  /** Cancels and closes every session, then every connection. */
  readonly close: () => Promise<void>;
};

const ACP_PATH = "/acp";

export async function listenAcp(options: ListenOptions): Promise<Listening> {
  const agents = new ListenAgents(options);
  const { sockets, messageBytes, stallMilliseconds } = agents.limits;
  const { url, close } = await openDoor(options, {
    limits: { sockets, stallMilliseconds, bodyBytes: messageBytes },
    pageHeaders: { sent: ["acp-connection-id", "acp-session-id"], read: ["acp-connection-id"] },
    onRequest: (request, response) => agents.onRequest(request, response),
    onUpgrade: (request, socket, head) => agents.onUpgrade(request, socket, head),
  });
  return { url: `${url}${ACP_PATH}`, close: () => close(() => agents.close()) };
}

/** An agent side for each client. */
class ListenAgents {
  readonly limits: ListenLimits;
  readonly #options: ListenOptions;
  readonly #acp: AcpServer;
  readonly #presence: Presence;
  readonly #sockets: ListenSockets;
  /** The connections there are; each is over when its sessions are given back. */
  readonly #served = new Set<Promise<void>>();
  readonly #http: ReturnType<typeof createNodeHttpHandler>;
  readonly #upgrade: ReturnType<typeof createNodeWebSocketUpgradeHandler>;

  constructor(options: ListenOptions) {
    this.#options = options;
    this.limits = { ...LISTEN_LIMITS, ...options.limits };
    this.#acp = new AcpServer({
      agent: { connect: (stream) => ({ closed: this.#serve(stream) }) },
      maxBufferedBytes: this.limits.unreadBytes,
      maxOutputStallMs: this.limits.stallMilliseconds,
    });
    this.#presence = new Presence(this.limits, (connectionId) => this.#end(connectionId));
    this.#sockets = new ListenSockets(this.limits);
    this.#http = createNodeHttpHandler(this.#acp, { maxRequestBodyBytes: this.limits.messageBytes });
    this.#upgrade = createNodeWebSocketUpgradeHandler(this.#acp, this.#sockets.upgrades);
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    const refusal = this.#refusal(request, Presence.isFirst(request));
    if (refusal) return refuse(response, refusal);
    this.#presence.during(request, response);
    this.#http(request, response);
  }

  onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const refusal = this.#refusal(request, true);
    if (refusal) turnAway(request, socket, refusal);
    else this.#upgrade(request, socket, head);
  }

  /** Cancels and closes every session. */
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
    const { host, ...options } = this.#options;
    // Without its `close`: what one connection ends must stay open for the others.
    const shared: AcpHost = { ledger: host.ledger, openSession: (request) => host.openSession(request) };
    const served = serveWire(streamWire(stream), {
      ...options,
      mostRequests: this.limits.requests,
      openHost: async () => shared,
    })
      .catch((error: unknown) => options.onTrouble?.(error))
      .finally(() => this.#served.delete(served));
    this.#served.add(served);
    return served;
  }

  /** As if the client had said so itself. */
  #end(connectionId: string): void {
    const goodbye = new Request(`http://localhost${ACP_PATH}`, {
      method: "DELETE",
      headers: { "acp-connection-id": connectionId },
    });
    this.#acp.handleRequest(goodbye).catch((error: unknown) => this.#options.onTrouble?.(error));
  }
}
