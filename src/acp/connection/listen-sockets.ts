/**
 * The WebSockets of a listening agent. Each is asked now and then whether someone is there: one that neither
 * answers nor reads is ended, with all that was kept for it.
 */
import type { NodeWebSocketUpgradeServer } from "@agentclientprotocol/sdk/experimental/node";
import { WebSocketServer } from "ws";
import type { ServerOptions, WebSocket } from "ws";
import type { ListenLimits } from "./listen-limits.js";

/** Browsers that offer a token as a subprotocol need one that can be chosen. */
const SUBPROTOCOL = "acp";
const CLOSE_GRACE_MS = 2_000;

type Seen = { hasAnswered: boolean; unsent: number };

export class ListenSockets {
  readonly #server: WebSocketServer;
  readonly #seen = new Map<WebSocket, Seen>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor({ messageBytes, heartbeatMs }: ListenLimits) {
    // The types do not know `closeTimeout` yet.
    const options: ServerOptions & { readonly closeTimeout: number } = {
      noServer: true,
      maxPayload: messageBytes,
      // Sends one message per tick: the transport counts messages of one tick as a client that is too fast.
      allowSynchronousEvents: false,
      closeTimeout: CLOSE_GRACE_MS,
      handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
    };
    this.#server = new WebSocketServer(options);
    this.#heartbeat = setInterval(() => this.#beat(), heartbeatMs).unref();
  }

  /** For the SDK's upgrade handler. */
  readonly upgrades: NodeWebSocketUpgradeServer = {
    on: (event, listener) => void this.#server.on(event, listener),
    off: (event, listener) => void this.#server.off(event, listener),
    handleUpgrade: (request, socket, head, accepted) =>
      this.#server.handleUpgrade(request, socket, head, (webSocket) => {
        this.#watch(webSocket);
        accepted(webSocket);
      }),
  };

  end(): void {
    clearInterval(this.#heartbeat);
    for (const socket of this.#server.clients) socket.terminate();
  }

  #watch(socket: WebSocket): void {
    const seen: Seen = { hasAnswered: true, unsent: 0 };
    this.#seen.set(socket, seen);
    socket.on("pong", () => void (seen.hasAnswered = true));
    socket.once("close", () => this.#seen.delete(socket));
    // The error has ended the socket already. The SDK removes its listener sooner, and an error without a listener ends the process.
    socket.on("error", () => undefined);
  }

  #beat(): void {
    for (const [socket, seen] of this.#seen) {
      const isReading = socket.bufferedAmount < seen.unsent;
      if (!seen.hasAnswered && !isReading) socket.terminate();
      else {
        seen.hasAnswered = false;
        socket.ping();
        seen.unsent = socket.bufferedAmount;
      }
    }
  }
}
