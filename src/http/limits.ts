/** How much a server takes from whoever reaches it, and how long it waits for them. */
import type { ServerOptions } from "node:http";

export type DoorLimits = {
  /** Sockets at a time, those included that have not shown a token yet. */
  readonly sockets: number;
  /** Requests of one socket at a time: more can only be sent by whoever does not wait for answers. */
  readonly requestsPerSocket: number;
  /** Requests of one address, with the token; twice as many may come at once. */
  readonly requestsPerSecond: number;
  readonly bodyBytes: number;
  /** How long a request's head may take to arrive, and how long the whole of it. */
  readonly headTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** How long a client may take nothing of an answer that waits for it. */
  readonly stallTimeoutMs: number;
  /** How long answers may take to reach their readers when the server ends. */
  readonly closeTimeoutMs: number;
};

const MEGABYTE = 1024 * 1024;

export const DOOR_LIMITS: DoorLimits = {
  sockets: 2048,
  requestsPerSocket: 4,
  requestsPerSecond: 2000,
  bodyBytes: 32 * MEGABYTE,
  headTimeoutMs: 10_000,
  requestTimeoutMs: 120_000,
  stallTimeoutMs: 30_000,
  closeTimeoutMs: 2_000,
};

/** As Node is told of them. */
export function serverOptions({ headTimeoutMs, requestTimeoutMs }: DoorLimits): ServerOptions {
  return {
    maxHeaderSize: 16 * 1024,
    headersTimeout: headTimeoutMs,
    requestTimeout: requestTimeoutMs,
    // How often the two above are looked at.
    connectionsCheckingInterval: Math.min(2_000, headTimeoutMs),
    keepAliveTimeout: 5_000,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
  };
}

export const HANDSHAKE_LIMITS = { handshakeTimeout: 10_000 };
