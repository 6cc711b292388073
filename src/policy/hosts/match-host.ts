/**
 * Does a rule cover a request's host? Two readings, each safe for its purpose: `matchHost` for rules that allow, where
 * a doubt is no match, and `touchesHost` for rules that ask or deny, where a doubt is a match.
 */
import { embeddedIpv4 } from "./address-reach.js";
import { readHostPattern } from "./host-pattern.js";
import type { HostPattern } from "./host-pattern.js";
import { withoutEndDots } from "./host-reach.js";
import type { ReadUrl, UrlProblem } from "./read-url.js";

export { readUrl } from "./read-url.js";

/** True only when the pattern also covers every problem of the address. */
export function matchHost(pattern: string, url: ReadUrl): boolean {
  const wanted = readHostPattern(pattern);
  if (!wanted || !wanted.schemes.includes(url.scheme)) return false;
  if (url.port !== (wanted.port ?? USUAL_PORTS.get(url.scheme))) return false;
  return coversHost(wanted, url.host) && url.problems.every((problem) => covers(wanted, problem));
}

/** Any scheme and any port, unless the pattern writes them, and the host in whatever spelling. */
export function touchesHost(pattern: string, url: ReadUrl): boolean {
  const wanted = readHostPattern(pattern);
  if (!wanted) return true;
  // A guessed scheme does not count, nor does the port that it implies.
  const isSure = url.problems.every(({ kind }) => kind !== "scheme");
  if (isSure && wanted.writesScheme && !wanted.schemes.includes(url.scheme)) return false;
  if (isSure && wanted.port !== undefined && url.port !== wanted.port) return false;
  const plain = withoutEndDots(url.host);
  return [plain, embeddedIpv4(plain)].some((host) => host !== undefined && coversHost(wanted, host));
}

const USUAL_PORTS = new Map([
  ["http", 80],
  ["https", 443],
]);

function coversHost({ host: wanted, subdomains }: HostPattern, host: string): boolean {
  if (wanted === "") return true;
  if (!subdomains) return host === wanted;
  // With the dot, which is the boundary of a label.
  return host.endsWith(`.${wanted}`);
}

/** A port is compared before. A host that needs care is fine where the rule names that very host. */
function covers({ host, subdomains }: HostPattern, { kind }: UrlProblem): boolean {
  switch (kind) {
    case "spelling":
    case "scheme":
      return false;
    case "port":
      return true;
    case "name":
    case "reach":
      return host !== "" && !subdomains;
    default:
      return kind satisfies never;
  }
}
