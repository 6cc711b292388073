/**
 * The only way from a sandboxed agent to the network: a proxy on a socket file, which connects to the hosts that rules
 * allow. The proxy takes CONNECT alone, so that it sees names of hosts and never the data.
 */
import { createServer } from "node:http";
import { lookup } from "node:dns/promises";
import { connect, isIP } from "node:net";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { hostReach } from "../../policy/index.js";

export type HostProxyOptions = {
  /** The path of the socket file. */
  readonly path: string;
  /** Whether a rule allows this address, such as `https://example.com:443/`. */
  readonly allows: (url: string) => boolean;
  readonly onRefused: (host: string) => void;
  /** The addresses of a host. */
  readonly resolve?: (host: string) => Promise<readonly string[]>;
};

export type HostProxy = { close(): Promise<void> };

const CONNECT_TIMEOUT_MS = 30_000;

export async function openHostProxy(options: HostProxyOptions): Promise<HostProxy> {
  const open = new Set<Duplex>();
  const server = createServer((_, response) => response.writeHead(405).end(ONLY_CONNECT));
  server.on("connect", (request, client) => {
    open.add(client);
    client.on("error", () => client.destroy()).on("close", () => open.delete(client));
    void passOn(request.url ?? "", client, options);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.path, resolve);
  });
  return {
    close: () =>
      new Promise((resolve) => {
        for (const client of open) client.destroy();
        server.close(() => resolve());
      }),
  };
}

const ONLY_CONNECT = "Toolgate's sandbox passes HTTPS on, and nothing else.\n";

async function passOn(target: string, client: Duplex, options: HostProxyOptions): Promise<void> {
  const place = /^(?<host>\[[\da-f:.]+\]|[\w.-]+):(?<port>\d{1,5})$/i.exec(target)?.groups;
  const [host, port] = [place?.["host"] ?? "", Number(place?.["port"])];
  if (host === "" || port > 65_535) return refuse(client, "400 Bad Request");
  if (!options.allows(`https://${host}:${port}/`)) {
    options.onRefused(host);
    return refuse(client, "403 Forbidden");
  }
  const address = await publicAddress(host, options).catch(() => undefined);
  if (address === undefined) return refuse(client, "502 Bad Gateway");
  join(client, connect({ host: address, port }));
}

/** Undefined for a public name that leads to this machine or its network. */
async function publicAddress(
  host: string,
  { resolve = addressesOf }: HostProxyOptions,
): Promise<string | undefined> {
  const plain = host.replace(/^\[|\]$/g, "");
  const addresses = isIP(plain) > 0 ? [plain] : await resolve(plain);
  // A rule that names an address of this machine means it.
  const isMeant = hostReach(plain) !== "public" || addresses.every((one) => hostReach(one) === "public");
  return isMeant ? addresses[0] : undefined;
}

const addressesOf = async (host: string): Promise<readonly string[]> =>
  (await lookup(host, { all: true })).map(({ address }) => address);

function join(client: Duplex, server: Socket): void {
  server.setTimeout(CONNECT_TIMEOUT_MS, () => server.destroy());
  server.once("connect", () => {
    server.setTimeout(0);
    client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
    client.pipe(server).pipe(client);
  });
  server.on("error", () => (client.writable ? refuse(client, "502 Bad Gateway") : undefined));
  server.on("close", () => client.destroy());
  client.on("close", () => server.destroy());
}

function refuse(client: Duplex, status: string): void {
  client.end(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
}
