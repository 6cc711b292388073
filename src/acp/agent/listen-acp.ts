/**
 * An agent that listens: ACP over Streamable HTTP and WebSocket, for clients that cannot start it themselves.
 *
 * Invariant: each client has an agent side of its own, and they share nothing but the host behind it.
 */
import type { DoorOptions } from "../../http/index.js";
import type { ListenLimits } from "../connection/listen-limits.js";
import { openWireServer } from "../connection/open-wire-server.js";
import type { Listening } from "../connection/open-wire-server.js";
import type { AcpHost } from "./acp-host.js";
import { serveWire } from "./serve-wire.js";
import type { ServeWireOptions } from "./serve-wire.js";

export type ListenOptions = DoorOptions &
  Omit<ServeWireOptions, "openHost"> & {
    /** Shared by all connections; the caller closes it. */
    readonly host: AcpHost;
    readonly limits?: Partial<ListenLimits>;
  };

export function listenAcp(options: ListenOptions): Promise<Listening> {
  const { host, name, title, version, v2, mcp, onTrouble } = options;
  const served = { name, title, version, v2, mcp, onTrouble };
  // Without its `close`: a connection that ends must not close the host for the others.
  const shared: AcpHost = { ledger: host.ledger, openSession: (request) => host.openSession(request) };
  return openWireServer({
    ...options,
    serve: (wire, limits) =>
      serveWire(wire, { ...served, maxRequests: limits.requests, openHost: async () => shared }),
  });
}
