/** The limits and timeouts for a client that may connect to a listening agent. */
import type { DoorLimits } from "../../http/index.js";

export type ListenLimits = Pick<DoorLimits, "sockets" | "socketsWithoutToken"> & {
  /** ACP connections at a time. */
  readonly connections: number;
  /** The maximum size of one message. */
  readonly messageBytes: number;
  /** Requests of a client that are not yet answered. */
  readonly requests: number;
  /** The buffer for a client that does not read. When it is full, no more updates are made for that client. */
  readonly unreadBytes: number;
  /** How long the buffer may then stay full. */
  readonly stallTimeoutMs: number;
  /** How long a client over HTTP may have no request open before it counts as gone. */
  readonly absenceTimeoutMs: number;
  /** How often a WebSocket gets a ping; one missing pong closes it. */
  readonly heartbeatMs: number;
};

const MEGABYTE = 1024 * 1024;

export const LISTEN_LIMITS: ListenLimits = {
  connections: 64,
  sockets: 512,
  socketsWithoutToken: 256,
  messageBytes: 32 * MEGABYTE,
  requests: 24,
  unreadBytes: 4 * MEGABYTE,
  stallTimeoutMs: 30_000,
  absenceTimeoutMs: 30_000,
  heartbeatMs: 30_000,
};
