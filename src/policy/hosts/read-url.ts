/**
 * The address of a request, read by the platform's own parser, and the problems that a person should know before
 * saying yes. Programs disagree on odd spellings (one takes "010.0.0.1" for 8.0.0.1, another for 10.0.0.1), so what is
 * not written the plain way is never let through silently.
 */
import { oneLine } from "../../call/index.js";
import { embeddedIpv4 } from "./address-reach.js";
import type { Reach } from "./address-reach.js";
import { hostReach, normalised } from "./host-reach.js";

/**
 * `spelling` and `scheme` are beyond any rule. The others are fine where a rule names the very thing: the
 * port, or the host (an encoded international `name`; a `reach` that is not public).
 */
export type UrlProblem = {
  readonly kind: "spelling" | "scheme" | "port" | "name" | "reach";
  readonly text: string;
};

export type ReadUrl = {
  /** Without the colon, in lower case. */
  readonly scheme: string;
  /** The host as URL writes it; empty when the scheme has no host. */
  readonly host: string;
  readonly port: number | undefined;
  readonly reach: Reach;
  readonly problems: readonly UrlProblem[];
};

/** Undefined when the text is no address. */
export function readUrl(text: string): ReadUrl | undefined {
  const full = withScheme(text);
  const url = parsed(full);
  if (!url) return undefined;
  const scheme = url.protocol.slice(0, -1);
  // Outside http the parser leaves a host as it is written, and 0x7f.1 would be a name.
  const host = url.hostname === "" ? "" : (normalised(url.hostname) ?? url.hostname);
  const port = url.port === "" ? DEFAULT_PORTS.get(scheme) : Number(url.port);
  const reach = host === "" ? "reserved" : hostReach(host);
  const problems = [
    ...schemeProblems(scheme, full !== text),
    ...spellingProblems(text, full, host),
    ...hostProblems(host, reach),
    ...(url.port === "" ? [] : [problem("port", `The port is ${url.port}, not the usual one.`)]),
  ];
  return { scheme, host, port, reach, problems };
}

const DEFAULT_PORTS = new Map([
  ["http", 80],
  ["https", 443],
]);

/** Guesses the scheme as curl does: a text without one is http. "localhost:3000" and "me:pw@host" have none. */
function withScheme(text: string): string {
  if (/^\s*[a-z][a-z0-9+.-]*:(?:\/\/|\\)/i.test(text) || KNOWN_SCHEME.test(text)) return text;
  return text.startsWith("//") ? `http:${text}` : `http://${text}`;
}

const KNOWN_SCHEME =
  /^\s*(?:https?|wss?|ftp|file|data|javascript|blob|about|mailto|view-source):(?!\d+(?:[/?#]|$))/i;

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

function schemeProblems(scheme: string, isGuess: boolean): UrlProblem[] {
  if (isGuess)
    return [problem("scheme", "The URL names no scheme, so it is taken for http, which is not encrypted.")];
  if (DEFAULT_PORTS.has(scheme)) return [];
  return [problem("scheme", `The scheme is ${oneLine(scheme, 20)}, not http or https.`)];
}

function spellingProblems(text: string, full: string, host: string): UrlProblem[] {
  const texts: string[] = [];
  if (/[\p{C}\p{Z}]/u.test(text)) texts.push("The URL has spaces or invisible characters in it.");
  if (text.includes("\\"))
    texts.push("The URL has a backslash in it, which programs read in different ways.");
  // Up to a backslash too: to http it is a slash.
  const authority = /^[a-z][a-z0-9+.-]*:\/\/([^/?#\\]*)/i.exec(full)?.[1] ?? "";
  if (authority.includes("@"))
    texts.push(`A name or password stands before "@"; the host is ${shown(host)}.`);
  const written = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/, "");
  if (written.toLowerCase() !== host)
    texts.push(`The host is written ${shown(written)} and read as ${shown(host)}.`);
  if (/^\.|\.\.|\.$/.test(host)) texts.push("The host has a dot too many.");
  return texts.map((one) => problem("spelling", one));
}

function hostProblems(host: string, reach: Reach): UrlProblem[] {
  const problems: UrlProblem[] = [];
  const inner = embeddedIpv4(host);
  if (inner !== undefined) problems.push(problem("spelling", `The host ${host} stands for ${inner}.`));
  if (/(?:^|\.)xn--/.test(host))
    problems.push(problem("name", `The host ${shown(host)} is in other letters and may look like another.`));
  if (host !== "" && reach !== "public")
    problems.push(problem("reach", `The host ${shown(host)} is ${REACHES[reach]}.`));
  return problems;
}

const REACHES: { readonly [reach in Exclude<Reach, "public">]: string } = {
  loopback: "this machine itself",
  private: "in a private network",
  "link-local": "in the local network",
  metadata: "where a cloud keeps a machine's credentials",
  reserved: "not a public address",
};

const problem = (kind: UrlProblem["kind"], text: string): UrlProblem => ({ kind, text });
const shown = (host: string) => (host === "" ? "as nothing" : `"${oneLine(host, 100)}"`);
