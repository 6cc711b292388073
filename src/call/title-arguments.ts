/**
 * The argument of a call that its title shows: the path, the lines, the command, the address, or else the
 * most informative one. Everything that leaves this file is one visible line, and no value of a key that
 * looks like a secret leaves it.
 */
import { oneLine } from "./visible-text.js";
import type { ToolCall } from "./tool-call.js";

const PATH_KEYS = [
  "path",
  "file_path",
  "filePath",
  "target_file",
  "absolute_path",
  "abs_path",
  "notebook_path",
];
const FOLDER_KEYS = ["directory", "dir", "folder", "dir_path", "target_directory"];
const SOURCE_KEYS = ["source", "src", "from", "old_path", "oldPath", "source_path", ...PATH_KEYS];
const TARGET_KEYS = ["destination", "dest", "to", "new_path", "newPath", "destination_path", "target"];

const ANY_PATH_KEYS = [...PATH_KEYS, "file", "filename", ...FOLDER_KEYS];

export function pathOf(input: unknown): string | undefined {
  return shown(ownText(input, ANY_PATH_KEYS), 80);
}

export function sourceAndTarget(input: unknown): readonly [string, string] | undefined {
  const source = shown(ownText(input, SOURCE_KEYS), 50);
  const target = shown(ownText(input, TARGET_KEYS), 50);
  return source && target ? [source, target] : undefined;
}

export function patternOf(input: unknown): string | undefined {
  return shown(ownText(input, ["pattern", "query", "regex", "search_term", "glob", "glob_pattern"]), 50);
}

/** " (lines 10-40)", " (from line 10)", or nothing; leads with a space. */
export function linesOf(input: unknown): string {
  const range = ownValue(input, "view_range");
  const [rangeStart, rangeEnd] = Array.isArray(range) ? (range as readonly unknown[]) : [];
  const start = lineNumber([
    rangeStart,
    ...["offset", "line", "start_line", "startLine"].map((key) => ownValue(input, key)),
  ]);
  const limit = lineNumber([ownValue(input, "limit")]);
  const end = lineNumber([rangeEnd, ...["end_line", "endLine"].map((key) => ownValue(input, key))]);
  if (start === undefined)
    return limit === undefined ? "" : ` (first ${limit === 1 ? "line" : `${limit} lines`})`;
  const last = end ?? (limit === undefined ? undefined : start + limit - 1);
  return last === undefined || last < start ? ` (from line ${start})` : ` (lines ${start}-${last})`;
}

function lineNumber(values: readonly unknown[]): number | undefined {
  return values.find(
    (value): value is number =>
      typeof value === "number" && value >= 1 && value < 1e9 && Number.isInteger(value),
  );
}

export function commandOf(input: unknown): string | undefined {
  const command = ["command", "cmd", "argv"].map((key) => ownValue(input, key)).find(isCommand);
  if (command === undefined) return undefined;
  const argv = [command, ownValue(input, "args")].flat().filter((part) => typeof part === "string");
  const [first = "", flag = "", script] = argv;
  // Codex wraps every command like this; the shell itself does not matter.
  if (argv.length === 3 && /^(?:\/bin\/)?(?:ba|z)?sh$/.test(first) && /^-l?c$/.test(flag))
    return shown(script, 110);
  if (argv.length === 1) return shown(first, 110);
  const rest = argv.slice(1, MAX_ARGUMENTS).map((part) => (/^[^\s'"]+$/.test(part) ? part : `'${part}'`));
  return shown([first, ...rest, ...(argv.length > MAX_ARGUMENTS ? ["…"] : [])].join(" "), 110);
}

const MAX_ARGUMENTS = 100;

function isCommand(value: unknown): boolean {
  return Array.isArray(value) ? typeof value[0] === "string" : typeof value === "string" && value !== "";
}

/** Host and path. The parts before "@" and after "?" are left out, since they may have passwords and tokens. */
export function addressOf(input: unknown): string | undefined {
  const text = ownText(input, ["url", "uri", "href"]);
  return text === undefined ? undefined : shown(address(text), 100);
}

function address(text: string): string {
  const start = text.slice(0, 4096);
  // The platform's URL parser: parsing by hand, "https://evil.example\@good.example" shows the wrong host.
  const url = parsed(start);
  if (!url || url.host === "")
    return start.replace(/[?#].*$/s, "?…").replace(/^([a-z+.-]+:\/\/)?[^/@]*@/i, "$1");
  const scheme = /^https?:$/.test(url.protocol) ? "" : `${url.protocol}//`;
  const path = url.pathname === "/" ? "" : url.pathname;
  return `${scheme}${url.host}${path}${url.search === "" ? "" : "?…"}`;
}

const parsed = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined);

/** The argument that best distinguishes two calls of an unknown tool. */
export function mainArgument(tool: string, input: unknown): string | undefined {
  return (
    pathOf(input) ??
    addressOf(input) ??
    commandOf(input) ??
    patternOf(input) ??
    shown(ownText(input, ["title", "name", "subject", "branch", "description"]), 60) ??
    (SECRET.test(tool) ? undefined : firstShortText(input))
  );
}

const SECRET =
  /token|passw|passphrase|pwd|secret|credential|authori[sz]ation|(?:^|[_-])auth(?:[_-]|$)|cookie|bearer|api.?key|keys?$|otp$|pin$/i;

/** Keys of bulk text are skipped, and "value", which may have a secret under a harmless key. */
const BULK = /^(?:content|contents|text|body|data|value|code|input)$/i;

function firstShortText(input: unknown): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const keys = Object.keys(input).slice(0, 50);
  const key = keys.find((candidate) => {
    const value = SECRET.test(candidate) || BULK.test(candidate) ? undefined : ownValue(input, candidate);
    return typeof value === "string" && value !== "" && value.length <= 80;
  });
  return key === undefined ? undefined : shown(ownText(input, [key]), 60);
}

function shown(text: string | undefined, maxLength: number): string | undefined {
  // An argument of spaces only counts as none.
  return text === undefined ? undefined : oneLine(text, maxLength) || undefined;
}

/**
 * Reads a field of a tool's input, which a model or the author of its prompt has written: only own
 * properties count, never inherited ones, and reading must not run a getter.
 */
export function ownValue(holder: unknown, key: string): unknown {
  if (typeof holder !== "object" || holder === null) return undefined;
  // Asked first, since most keys are not there and a descriptor takes longer to look for.
  return Object.hasOwn(holder, key) ? Object.getOwnPropertyDescriptor(holder, key)?.value : undefined;
}

/** The first non-empty text under one of the keys. */
export function ownText(holder: unknown, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = ownValue(holder, key);
    if (typeof value === "string" && value !== "") return value;
  }
  return undefined;
}

/**
 * The command, file or address that somebody decided on, where the call's title does not show it. A foreign agent writes
 * the title itself, and nobody decides on a title.
 */
export function decidedSubject({ decision, rawInput, title, name }: ToolCall): string | undefined {
  if (!decision) return undefined;
  const subject = commandOf(rawInput) ?? pathOf(rawInput) ?? addressOf(rawInput);
  if (subject !== undefined) return title.includes(subject) ? undefined : subject;
  // A call without a name is a foreign agent's: its input is all that there is to show.
  const isUnknown = name === "" && rawInput !== undefined && rawInput !== null;
  return isUnknown ? oneLine(JSON.stringify(rawInput), MAX_INPUT) : undefined;
}

const MAX_INPUT = 200;
