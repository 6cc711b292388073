/**
 * The host of a rule: `example.com` is that very host, over https and on its usual port; `*.example.com`
 * its subdomains and not itself; `*` any host. A scheme or a port is meant when it is written:
 * `http://example.com`, `https://example.com:8443`. Without a scheme, a loopback host is http or https,
 * for what does not leave the machine needs no cover: `localhost:3000`. International names are written
 * in their `xn--` form, so that a look-alike cannot slip into a rule.
 */
import { readUrl } from "./read-url.js";

export type HostPattern = {
  readonly schemes: readonly string[];
  readonly writesScheme: boolean;
  readonly subdomains: boolean;
  /** Empty for `*`. */
  readonly host: string;
  /** The pattern as written. */
  readonly port: number | undefined;
};

/** Undefined for a text that is no host pattern: with a path, a user, a `*` elsewhere, or a host in an odd spelling. */
export function readHostPattern(text: string): HostPattern | undefined {
  const parts = /^(?:(https?):\/\/)?(\*$|\*(?=:\d)|\*\.)?([^/\\?#@*\s]*?)(?::(\d{1,5}))?$/i.exec(text);
  if (!parts) return undefined;
  const [, scheme, star, host = "", port] = parts;
  const isAny = star === "*";
  if (isAny !== (host === "")) return undefined;
  const read = isAny ? undefined : readUrl(`https://${host}/`);
  if (!isAny && (!read || read.problems.some(({ kind }) => kind === "spelling"))) return undefined;
  const isAddress = read !== undefined && /^\[|^[\d.]+$/.test(read.host);
  if (star === "*." && isAddress) return undefined;
  if (port !== undefined && Number(port) > 65_535) return undefined;
  return {
    schemes: schemesOf(scheme, read?.reach === "loopback"),
    writesScheme: scheme !== undefined,
    subdomains: star === "*.",
    host: read?.host ?? "",
    port: port === undefined ? undefined : Number(port),
  };
}

function schemesOf(scheme: string | undefined, isLoopback: boolean): readonly string[] {
  if (scheme !== undefined) return [scheme.toLowerCase()];
  return isLoopback ? ["http", "https"] : ["https"];
}
