/** Puts an AAP server on a port of this machine. */
import type { Server } from "node:http";
import type { AapServer } from "./create-aap-server.js";
import { AapProblem, problemResponse } from "./problem.js";

export type ServeOptions = {
  readonly server: AapServer;
  /** 0 for any that is free. */
  readonly port: number;
  /** Who can reach it: only this machine, unless told. */
  readonly host?: string;
};

export type Serving = {
  readonly url: string;
  /** Cancels the turns under way, then closes every connection. */
  readonly close: () => Promise<void>;
};

export async function serveAap({ server, port, host = "127.0.0.1" }: ServeOptions): Promise<Serving> {
  const fetch = isLoopback(host) ? onlyFromHere(server) : (request: Request) => server.fetch(request);
  const { createAdaptorServer } = await import("@hono/node-server");
  // Without TLS options it is a plain HTTP/1 server.
  const http = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      resolve();
    });
  });
  const address = http.address();
  const actual = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    close: async () => {
      const closed = new Promise<void>((resolve) => http.close(() => resolve()));
      await server.close();
      http.closeAllConnections();
      await closed;
    },
  };
}

/**
 * A name that points here must be one of ours: else a page of another site could rename itself to this
 * machine, and a browser would take the server for its own.
 */
function onlyFromHere(server: AapServer): AapServer["fetch"] {
  return async (request) => {
    const { hostname } = new URL(request.url);
    if (isLoopback(hostname)) return server.fetch(request);
    return problemResponse(
      new AapProblem(
        "FORBIDDEN",
        `This server is not ${hostname}; it serves its own machine only. Nothing was done.`,
      ),
    );
  };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}
