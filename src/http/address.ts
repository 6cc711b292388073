/**
 * Where a server may listen, and by which names it may be called there. Whoever reaches it can have it run
 * commands: beyond this machine it listens only through TLS, or when told that something else guards the way.
 */
import { lookup } from "node:dns/promises";
import { isIP, isIPv4 } from "node:net";

export type ListenAddress = { readonly host: string; readonly port: number };

/** The address behind a name, so that what is checked is what is listened on. */
export async function addressOf({ host }: ListenAddress, isGuarded: boolean): Promise<string> {
  const { address } = await lookup(host);
  if (isGuarded || isLoopback(address)) return address;
  throw Object.assign(
    new Error(
      `Others could reach ${host}, and the token would travel there in the clear. Nothing was started. Give --tls-cert and --tls-key, or --insecure-listen if a tunnel or a proxy protects the way.`,
    ),
    { code: "NOT_GUARDED" },
  );
}

function isLoopback(address: string): boolean {
  return address === "::1" || (isIPv4(address) && address.startsWith("127."));
}

/**
 * Whether a request's Host is a name of ours. A page of another site can make its own name point here, and a
 * browser then takes us for that site; it cannot do so with a bare address.
 */
export function isOwnName(hostHeader: string, names: ReadonlySet<string>, address: string): boolean {
  const [, bracketed, plain] = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::\d{1,5})?$/i.exec(hostHeader) ?? [];
  const name = (bracketed ?? plain ?? "").toLowerCase();
  if (name === "localhost" || isLoopback(name) || names.has(name)) return true;
  return !isLoopback(address) && isIP(name) !== 0;
}

export function urlOf({ host, port }: ListenAddress, isSecure: boolean): string {
  return `${isSecure ? "https" : "http"}://${host.includes(":") ? `[${host}]` : host}:${port}`;
}
