/**
 * An agent that listens: ACP over Streamable HTTP and WebSocket, for clients that cannot start it themselves.
 *
 * Whoever is let in can have commands run with the rights of whoever started it. So what must stay true: nobody is
 * heard before they have shown the token, under a name of this server and from no foreign page; each client has an
 * agent side of its own, and they share nothing but the host behind it; a client that is gone has cancelled.
 */
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { Duplex } from "node:stream";
import {
  createNodeHttpHandler,
  createNodeWebSocketUpgradeHandler,
} from "@agentclientprotocol/sdk/experimental/node";
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server";
import type { AcpHost } from "../agent/host.js";
import { serveWire } from "../agent/serve-wire.js";
import type { ServeWireOptions } from "../agent/serve-wire.js";
import { ACP_PATH, admit, readOrigin } from "./listen-admission.js";
import type { Admission, AdmissionRules } from "./listen-admission.js";
import { addressOf, urlOf } from "./listen-address.js";
import type { ListenAddress } from "./listen-address.js";
import { answer, answerUpgrade, corsHeaders } from "./listen-answer.js";
import { HANDSHAKE_LIMITS, HEAD_LIMITS, LISTEN_LIMITS } from "./listen-limits.js";
import type { ListenLimits } from "./listen-limits.js";
import { Presence } from "./listen-presence.js";
import { ListenSockets } from "./listen-sockets.js";
import { streamWire } from "./stream-wire.js";

export type ListenOptions = Omit<ServeWireOptions, "openHost"> & {
  /** Shared by all connections, and closed by whoever opened it. */
  readonly host: AcpHost;
  /** Port 0 is any that is free. */
  readonly at: ListenAddress;
  readonly token: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Something else guards the way to an address beyond this machine. */
  readonly isGuarded?: boolean;
  /** Names of this server beside the one it listens on. */
  readonly allowedHosts?: readonly string[];
  readonly allowedOrigins?: readonly string[];
  readonly limits?: Partial<ListenLimits>;
};

export type Listening = {
  readonly url: string;
  /** Cancels and closes every session, then every connection. */
  readonly close: () => Promise<void>;
};

export async function listenAcp(options: ListenOptions): Promise<Listening> {
  const { at, tls, token, allowedHosts = [], allowedOrigins = [] } = options;
  const rules: AdmissionRules = {
    address: await addressOf(at, tls !== undefined || (options.isGuarded ?? false)),
    names: new Set([at.host, ...allowedHosts].map((name) => name.toLowerCase())),
    origins: new Set(allowedOrigins.map(readOrigin)),
    token,
  };
  const door = new ListenDoor(options, rules);
  const server = tls
    ? createSecureServer({ ...HEAD_LIMITS, ...HANDSHAKE_LIMITS, ...tls })
    : createServer(HEAD_LIMITS);
  return door.open(server, at.port);
}

class ListenDoor {
  readonly #options: ListenOptions;
  readonly #rules: AdmissionRules;
  readonly #limits: ListenLimits;
  readonly #acp: AcpServer;
  readonly #presence: Presence;
  readonly #sockets: ListenSockets;
  /** The connections there are; each is over when its sessions are given back. */
  readonly #served = new Set<Promise<void>>();
  readonly #http: ReturnType<typeof createNodeHttpHandler>;
  readonly #upgrade: ReturnType<typeof createNodeWebSocketUpgradeHandler>;
  #isClosing = false;

  constructor(options: ListenOptions, rules: AdmissionRules) {
    this.#options = options;
    this.#rules = rules;
    this.#limits = { ...LISTEN_LIMITS, ...options.limits };
    this.#acp = new AcpServer({
      agent: { connect: (stream) => ({ closed: this.#serve(stream) }) },
      maxBufferedBytes: this.#limits.unreadBytes,
      maxOutputStallMs: this.#limits.stallMilliseconds,
    });
    this.#presence = new Presence(this.#limits.absenceMilliseconds, (connectionId) =>
      this.#end(connectionId),
    );
    this.#sockets = new ListenSockets(this.#limits);
    this.#http = createNodeHttpHandler(this.#acp, { maxRequestBodyBytes: this.#limits.messageBytes });
    this.#upgrade = createNodeWebSocketUpgradeHandler(this.#acp, this.#sockets.upgrades);
  }

  async open(server: Server, port: number): Promise<Listening> {
    server.maxConnections = this.#limits.sockets;
    server.on("request", (request, response) => this.#onRequest(request, response));
    server.on("upgrade", (request, socket, head) => this.#onUpgrade(request, socket, head));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, this.#rules.address, () => {
        server.off("error", reject);
        resolve();
      });
    });
    const address = server.address();
    const at = { ...this.#options.at, port: typeof address === "object" && address ? address.port : port };
    return {
      url: `${urlOf(at, this.#options.tls !== undefined)}${ACP_PATH}`,
      close: () => this.#close(server),
    };
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const cors = corsHeaders(request.headers.origin, this.#rules.origins);
    const admission = this.#admit(request, Presence.isFirst(request));
    if (admission.type !== "admitted") return answer(response, admission, cors);
    response.setHeaders(new Map(Object.entries({ ...cors, "cache-control": "no-store" })));
    this.#presence.during(request, response);
    this.#http(request, response);
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const admission = this.#admit(request, true);
    if (admission.type === "admitted") this.#upgrade(request, socket, head);
    else answerUpgrade(socket, admission);
  }

  #admit(request: IncomingMessage, isFirst: boolean): Admission {
    const admission = admit(request, this.#rules);
    const isFull = this.#isClosing || (isFirst && this.#served.size >= this.#limits.connections);
    if (admission.type !== "admitted" || !isFull) return admission;
    return { type: "refused", status: 503, why: "No more connections are taken now. Nothing was done." };
  }

  #serve(stream: Parameters<typeof streamWire>[0]): Promise<void> {
    const { host, ...options } = this.#options;
    // Without its `close`: what one connection ends must stay open for the others.
    const shared: AcpHost = { ledger: host.ledger, openSession: (request) => host.openSession(request) };
    const served = serveWire(streamWire(stream), { ...options, openHost: async () => shared })
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

  async #close(server: Server): Promise<void> {
    this.#isClosing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    await this.#acp.close();
    await Promise.all(this.#served);
    this.#sockets.end();
    server.closeAllConnections();
    await closed;
  }
}
