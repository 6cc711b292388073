/** A real server on this machine, and a fetch tool that knows it under a public name. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { fetchTool } from "../built-in/fetch.js";
import type { FetchOptions } from "../built-in/fetch.js";

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export async function aServer(handler: Handler) {
  const requests: IncomingMessage[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response);
  });
  server.on("connection", () => (connections += 1));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    port,
    /** Under the name that `aFetch` knows. */
    url: `http://site.test:${port}`,
    address: `http://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
  };
}

/** site.test is this machine, and allowed; no other name is known. */
export function aFetch(options: FetchOptions = {}) {
  return fetchTool({
    reach: (host, address) => host === "site.test" && address === "127.0.0.1",
    lookup: (host) =>
      host === "site.test"
        ? Promise.resolve([{ address: "127.0.0.1", family: 4 }])
        : Promise.reject(Object.assign(new Error(`no ${host}`), { code: "ENOTFOUND" })),
    ...options,
  });
}

export const sends =
  (body: string | Uint8Array, contentType?: string, status = 200): Handler =>
  (_request, response) => {
    response.writeHead(status, contentType === undefined ? {} : { "content-type": contentType });
    response.end(body);
  };
