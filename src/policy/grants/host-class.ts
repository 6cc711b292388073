/**
 * The host that a command reads from: for a curl that asks one host for something and sends it nothing but the address.
 * A rule with the width "host" covers exactly these commands of its host.
 */
import { readUrl } from "../hosts/match-host.js";
import type { CommandPart } from "../parts.js";

/** Undefined when the command does more than read from one host. */
export function hostClass({ argv, judgement, read, runsFiles }: CommandPart): string | undefined {
  const { doubts, sends, installs, reads, writes, deletes, moves, urls, isKnown, runs } = judgement;
  if (argv[0] !== "curl" || !isKnown || runs || read.patterns.length > 0) return undefined;
  if ([doubts, sends, installs, reads, writes, deletes, moves, runsFiles].some((list) => list.length > 0))
    return undefined;
  if (!argv.slice(1).every((word, index) => isPlain(word, argv[index] ?? "", urls))) return undefined;
  const hosts = new Set(urls.map(plainHost));
  const [host] = hosts;
  return hosts.size === 1 ? host : undefined;
}

/** Flags that change how the answer is shown or how long it is waited for. */
const SHOWS =
  /^(?:-[sSfivI]+|--(?:silent|show-error|fail|fail-with-body|include|head|verbose|compressed|no-progress-meter|get|http1\.1|http2|ipv4|ipv6))$/;
const TAKES_NUMBER = /^(?:-m|--max-time|--connect-timeout|--retry|--retry-delay|--retry-max-time)$/;
const METHOD = /^(?:-X|--request)$/;
const HEADER = /^(?:-H|--header)$/;
const OUTPUT = /^(?:-o|--output)$/;
const FORMAT = /^(?:-w|--write-out)$/;
const TAKES_VALUE = [TAKES_NUMBER, METHOD, HEADER, OUTPUT, FORMAT, /^--url$/];

/** A header of these says what kind of answer is wanted; others may hold a key. */
const HARMLESS_HEADER =
  /^(?:accept|accept-language|accept-encoding|content-type|user-agent|cache-control): [^@]*$/i;

function isPlain(word: string, before: string, urls: readonly string[]): boolean {
  if (TAKES_NUMBER.test(before)) return /^\d+(?:\.\d+)?$/.test(word);
  if (METHOD.test(before)) return /^(?:GET|HEAD)$/.test(word);
  if (HEADER.test(before)) return HARMLESS_HEADER.test(word);
  if (OUTPUT.test(before)) return word === "/dev/null" || word === "-";
  // A format that begins with an at sign is read from a file; one that names an output writes it.
  if (FORMAT.test(before)) return !word.startsWith("@") && !word.includes("%output");
  return urls.includes(word) || SHOWS.test(word) || TAKES_VALUE.some((flag) => flag.test(word));
}

/** A public host on its usual port, or a port of this machine. */
function plainHost(text: string): string | undefined {
  const url = readUrl(text);
  // Curl makes many addresses of brackets and braces.
  if (!url || /[[\]{}]/.test(text)) return undefined;
  const { scheme, host, port, reach, problems } = url;
  if (reach === "loopback") {
    const isPlainPort = problems.every(({ kind }) => kind === "reach" || kind === "port");
    return isPlainPort && port !== undefined && scheme === "http" ? `http://${host}:${port}` : undefined;
  }
  return problems.length === 0 ? `${scheme}://${host}` : undefined;
}
