/** How much a server accepts from its clients, and how long it waits for them. */
import type { ServerOptions } from "node:http";
import type { SocketLimits } from "./socket-table.js";

export type DoorLimits = SocketLimits & {
  /** Open requests of one socket: only a client that pipelines sends more. */
  readonly requestsPerSocket: number;
  /** Requests of one address with the token, and as many without it; a burst may have twice as many. */
  readonly requestsPerSecond: number;
  readonly bodyBytes: number;
  /** The time for a request's head to arrive, and for the whole request. */
  readonly headTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** The time a client may leave a response unread. */
  readonly stallTimeoutMs: number;
  /** The time for open responses to reach their readers when the server closes. */
  readonly closeTimeoutMs: number;
};

const MEGABYTE = 1024 * 1024;

export const DOOR_LIMITS: DoorLimits = {
  sockets: 2048,
  socketsWithoutToken: 1024,
  requestsPerSocket: 4,
  requestsPerSecond: 2000,
  bodyBytes: 32 * MEGABYTE,
  headTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  stallTimeoutMs: 30_000,
  closeTimeoutMs: 2_000,
};

/** The limits as options of Node's server. */
export function serverOptions({ headTimeoutMs, requestTimeoutMs }: DoorLimits): ServerOptions {
  return {
    maxHeaderSize: 16 * 1024,
    headersTimeout: headTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // Node checks the two timeouts above at this interval.
    connectionsCheckingInterval: Math.min(2_000, headTimeoutMs),
    keepAliveTimeout: 5_000,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
}

export const HANDSHAKE_LIMITS = { handshakeTimeout: 10_000 };
