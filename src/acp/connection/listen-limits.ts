/** How much a listening agent takes from whoever reaches it, and how long it waits for them. */
export type ListenLimits = {
  /** ACP connections at a time. */
  readonly connections: number;
  /** Sockets at a time, those included that have not shown a token yet. */
  readonly sockets: number;
  /** One message of a client. */
  readonly messageBytes: number;
  /** What is kept for a client that does not read. From then on nothing more is made for it. */
  readonly unreadBytes: number;
  /** How long it may then go on not reading. */
  readonly stallMilliseconds: number;
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
  unreadBytes: 8 * MEGABYTE,
  stallMilliseconds: 30_000,
  absenceMilliseconds: 30_000,
  heartbeatMilliseconds: 30_000,
};

/** For requests that are still on their way to a token. */
export const HEAD_LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
  keepAlive: true,
  keepAliveInitialDelay: 30_000,
};

export const HANDSHAKE_LIMITS = { handshakeTimeout: 10_000 };
