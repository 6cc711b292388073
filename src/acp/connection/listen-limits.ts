/** How much a listening agent takes from a client that was let in, and how long it waits for it. */
import type { DoorLimits } from "../../http/index.js";

export type ListenLimits = Pick<DoorLimits, "sockets"> & {
  /** ACP connections at a time. */
  readonly connections: number;
  /** One message of a client. */
  readonly messageBytes: number;
  /** Requests of a client that are not yet answered. */
  readonly requests: number;
  /** What is kept for a client that does not read. From then on nothing more is made for it. */
  readonly unreadBytes: number;
  /** How long it may then go on not reading. */
  readonly stallTimeoutMs: number;
  /** How long a client over HTTP may have no request open before it counts as gone. */
  readonly absenceMilliseconds: number;
  /** How often a WebSocket is asked whether someone is there; one silence is enough. */
  readonly heartbeatMilliseconds: number;
};

const MEGABYTE = 1024 * 1024;

export const LISTEN_LIMITS: ListenLimits = {
  connections: 64,
  sockets: 512,
  messageBytes: 32 * MEGABYTE,
  requests: 24,
  unreadBytes: 4 * MEGABYTE,
  stallTimeoutMs: 30_000,
  absenceMilliseconds: 30_000,
  heartbeatMilliseconds: 30_000,
};
