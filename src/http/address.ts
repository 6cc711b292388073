/**
 * Where a server may listen, and which host names it accepts. A client that reaches it can run commands: beyond this
 * machine it listens only with TLS, or when the user says that something else protects the connection.
 */
import { lookup } from "node:dns/promises";
import { isIP, isIPv4 } from "node:net";

export type ListenAddress = { readonly host: string; readonly port: number };

/** Resolves the name once, so that the checked address is the one it listens on. */
export async function addressOf({ host }: ListenAddress, isGuarded: boolean): Promise<string> {
  const { address } = await lookup(host);
  if (isGuarded || isLoopback(address)) return address;
  throw Object.assign(
    new Error(
      `Others could reach ${host}, and the token would travel there in the clear. Nothing was started. Give --tls-cert and --tls-key, or --insecure-listen if a tunnel or a proxy protects the way; in a program, tls or isGuarded.`,
    ),
    { code: "NOT_GUARDED" },
  );
}

function isLoopback(address: string): boolean {
  return address === "::1" || (isIPv4(address) && address.startsWith("127."));
}

/**
 * True when a request's Host is a name of this server. Another site can point its own name at this address (DNS
 * rebinding), and a browser then treats this server as that site; a bare address cannot be used for this.
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
