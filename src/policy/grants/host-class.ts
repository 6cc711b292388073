/**
 * The host that a command talks to. A rule with the width "host" covers exactly the curls that ask its host for
 * something and send it nothing but the address; one with the width "local", also those that send a port of this
 * machine the text in their words.
 */
import { readUrl } from "../hosts/match-host.js";
import type { CommandPart } from "../part.js";

/** Undefined when the command does more than read from one host. */
export function hostClass(part: CommandPart): string | undefined {
  const { argv, judgement } = part;
  if (judgement.sends.length > 0) return undefined;
  return argv.slice(1).every((word, index) => isPlain(word, argv[index] ?? "", judgement.urls))
    ? oneHost(part)
    : undefined;
}

/** Undefined when the command does more than talk to one port of this machine. */
export function localClass(part: CommandPart): string | undefined {
  const { argv, judgement } = part;
  const host = oneHost(part);
  if (host === undefined || !LOOPBACK.test(host)) return undefined;
  const isSent = argv
    .slice(1)
    .every(
      (word, index) =>
        isPlain(word, argv[index] ?? "", judgement.urls) || isLocallyPlain(word, argv[index] ?? ""),
    );
  return isSent ? host : undefined;
}

const LOOPBACK = /^http:\/\/(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]):\d+$/;

function oneHost({ argv, judgement, read, runsFiles }: CommandPart): string | undefined {
  const { doubts, installs, reads, writes, deletes, moves, urls, isKnown, runs } = judgement;
  if (argv[0] !== "curl" || !isKnown || runs || !read.patterns.every(isPatternBehindHost)) return undefined;
  if ([doubts, installs, reads, writes, deletes, moves, runsFiles].some((list) => list.length > 0))
    return undefined;
  const hosts = new Set(urls.map(plainHost));
  const [host] = hosts;
  return hosts.size === 1 ? host : undefined;
}

/** A question mark or star behind the host: whatever file it matches, the host stays. */
const isPatternBehindHost = (word: string): boolean => /^https?:\/\/[\w.:-]+\/[^*?[]*[*?]/.test(word);

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

/** Methods, headers and data in the words themselves. A value that begins with an at sign is read from a file. */
function isLocallyPlain(word: string, before: string): boolean {
  if (METHOD.test(before)) return /^(?:POST|OPTIONS)$/.test(word);
  if (HEADER.test(before)) return /^[\w-]+: [^@]*$/.test(word) && !STEERS.test(word);
  if (DATA.test(before)) return !word.includes("@");
  return DATA.test(word);
}

/** Headers that make another method of the request, or another host of its goal. */
const STEERS =
  /^(?:host|forwarded|proxy-[\w-]*|x-forwarded[\w-]*|x-original[\w-]*|[\w-]*(?:method|override)[\w-]*):/i;

const DATA = /^(?:-d|--data|--data-raw|--data-ascii|--data-urlencode|--json)$/;

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
    // Without a scheme, curl takes http.
    const isPlainPort = problems.every(({ kind }) => kind !== "spelling" && kind !== "name");
    return isPlainPort && port !== undefined && scheme === "http" ? `http://${host}:${port}` : undefined;
  }
  return problems.length === 0 ? `${scheme}://${host}` : undefined;
}
