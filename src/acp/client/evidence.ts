/**
 * What a foreign agent's call carries that rules can speak of: commands, files, addresses. The agent may call
 * them what it likes and may say the same thing in several places; all that is found counts. A field that is
 * not known counts when its value looks like a path or an address: that can only make the rules stricter.
 */
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import type { DiffContent, Location, ToolCallContent, ToolKind } from "../../call/index.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { foldedName, unknownFields } from "./unknown-fields.js";
import type { Beside } from "./unknown-fields.js";

/** What is to be looked at: the call as it stands, with all that its permission request adds. */
export type Shown = {
  readonly kind: ToolKind;
  readonly title: string;
  readonly name: string;
  readonly rawInputs: readonly unknown[];
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly Location[];
};

/** Paths are as they were written. */
export type Evidence = {
  readonly commands: readonly (string | readonly string[])[];
  readonly cwd: string | undefined;
  /** Files that the input says will be written. */
  readonly written: readonly string[];
  /** Files that the input names, whatever for. */
  readonly named: readonly string[];
  readonly urls: readonly string[];
  /** A tool of an MCP server that the agent will call. */
  readonly server: { readonly server: string; readonly tool: string } | undefined;
  /** What the input says a file will hold, all of it. */
  readonly texts: readonly string[];
  readonly diffs: readonly DiffContent[];
  readonly locations: readonly string[];
  /** There was more than is looked at. */
  readonly isTooMuch: boolean;
};

type Found = {
  readonly commands: Map<string, string | readonly string[]>;
  readonly written: Set<string>;
  readonly named: Set<string>;
  readonly urls: Set<string>;
  readonly texts: Set<string>;
  cwd: string | undefined;
  server: Evidence["server"];
  left: number;
};

/** More fields than any tool has. */
const MOST_FIELDS = 2_000;
const DEEPEST = 6;

export function evidenceOf({ kind, rawInputs, content, locations }: Shown): Evidence {
  const found: Found = {
    commands: new Map(),
    written: new Set(),
    named: new Set(),
    urls: new Set(),
    texts: new Set(),
    cwd: undefined,
    server: undefined,
    left: MOST_FIELDS,
  };
  for (const rawInput of rawInputs) readInput(rawInput, kind, found);
  const diffs = [
    ...new Map(
      content.filter((item) => item.type === "diff").map((one) => [JSON.stringify(one), one]),
    ).values(),
  ];
  return {
    commands: [...found.commands.values()],
    cwd: found.cwd,
    written: [...found.written],
    named: [...found.named].filter((path) => !found.written.has(path)),
    urls: [...found.urls],
    server: found.server,
    texts: [...found.texts],
    diffs,
    locations: [...new Set(locations.map(({ path }) => path))],
    isTooMuch: found.left <= 0,
  };
}

/** Names of the fields whose meaning is not known, each once. */
export function unknownIn({ rawInputs, kind }: Shown, beside: Beside): readonly string[] {
  return [...new Set(rawInputs.flatMap((input) => unknownFields(asObject(input, kind), beside)))];
}

/** A text that is a command, or an object written as text, is read as what it is. */
function asObject(rawInput: unknown, kind: ToolKind): unknown {
  if (typeof rawInput !== "string") return rawInput;
  const object = parsed(rawInput);
  if (isJsonObject(object)) return object;
  return kind === "execute" ? { command: rawInput } : rawInput;
}

function readInput(rawInput: unknown, kind: ToolKind, found: Found): void {
  if (typeof rawInput !== "string") return readObject(rawInput, 0, found);
  const object = parsed(rawInput);
  if (isJsonObject(object)) readObject(object, 0, found);
  else if (kind === "execute" && rawInput.trim() !== "") addCommand(rawInput, found);
  else readText("", rawInput, found);
}

function readObject(value: unknown, depth: number, found: Found): void {
  if (Array.isArray(value)) {
    for (const item of value) readItem("", item, depth, found);
    return;
  }
  if (!isJsonObject(value)) return;
  const fields = Object.entries(value).map(([name, field]) => [foldedName(name), field] as const);
  const command = readCommand(fields, found);
  const isWriting = fields.some(([name, field]) => WRITTEN_TEXT.has(name) && field !== null);
  if (typeof value["server"] === "string" && typeof value["tool"] === "string")
    found.server ??= { server: value["server"], tool: value["tool"] };
  for (const [name, field] of fields) {
    if (WHOLE_FILE.has(name) && typeof field === "string") found.texts.add(field);
    if (COMMANDS.has(name) || ALWAYS_OF_CODEX.has(name)) continue;
    if (command && name === "args" && isWords(field)) continue;
    if (typeof field === "string" && (FOLDERS.has(name) || (command && PLACES.has(name)))) {
      const place = plainPath(field);
      found.cwd ??= place;
      // Another folder than the one that is looked at is one more place that is touched.
      if (found.cwd !== place) found.named.add(place);
    } else if (PATHS.has(name)) readPaths(field, isWriting, depth, found);
    else if (name === "patch" && typeof field === "string") readPatch(field, found);
    else if (CHANGES.has(name) && isJsonObject(field)) readChanges(field, depth, found);
    else if (typeof field !== "string" || !TEXTS.has(name)) readItem(name, field, depth, found);
  }
}

function readItem(name: string, item: unknown, depth: number, found: Found): void {
  found.left -= 1;
  if (found.left <= 0) return;
  if (typeof item === "string") return readText(name, item, found);
  if (depth < DEEPEST) readObject(item, depth + 1, found);
  else if (typeof item === "object" && item !== null) found.left = 0;
}

/** A text of no known meaning. */
function readText(name: string, text: string, found: Found): void {
  for (const url of text.match(ADDRESS) ?? []) found.urls.add(url);
  if (URLS.has(name) && text !== "" && !text.startsWith("file:")) found.urls.add(text);
  else if (LOOKS_LIKE_A_PATH.test(text)) found.named.add(plainPath(text));
}

function readCommand(fields: readonly (readonly [string, unknown])[], found: Found): boolean {
  const args = fields.find(([name]) => name === "args")?.[1];
  let hasCommand = false;
  for (const [name, field] of fields) {
    if (!COMMANDS.has(name)) continue;
    if (typeof field === "string" && field.trim() !== "") {
      hasCommand = true;
      addCommand(isWords(args) && args.length > 0 ? [field, ...args] : field, found);
    } else if (isWords(field) && field.length > 0) {
      hasCommand = true;
      if (name === "commands") for (const one of field) addCommand(one, found);
      else addCommand(isWords(args) ? [...field, ...args] : field, found);
    } else if (typeof field === "object" && field !== null) found.left = 0;
  }
  return hasCommand;
}

function addCommand(command: string | readonly string[], found: Found): void {
  const said = typeof command === "string" ? command : (scriptOf(command) ?? command);
  found.commands.set(JSON.stringify(said), said);
}

/** What a shell is given to read: some agents put every command into one, `bash -lc "…"`. */
export function scriptOf([shell = "", flag = "", script, ...others]: readonly string[]): string | undefined {
  const isShell = /^(?:\/(?:usr\/)?bin\/)?(?:ba)?sh$/.test(shell) && /^-l?c$/.test(flag);
  return isShell && others.length === 0 ? script : undefined;
}

function readPaths(field: unknown, isWriting: boolean, depth: number, found: Found): void {
  if (Array.isArray(field)) {
    for (const item of field) {
      found.left -= 1;
      if (found.left > 0) readPaths(item, isWriting, depth + 1, found);
    }
  } else if (typeof field === "string" && field !== "")
    (isWriting ? found.written : found.named).add(plainPath(field));
  else readItem("", field, depth, found);
}

/** Codex names the files of a change by the keys of an object. */
function readChanges(changes: JsonObject, depth: number, found: Found): void {
  for (const [path, change] of Object.entries(changes)) {
    found.written.add(plainPath(path));
    readItem("", change, depth, found);
  }
}

function readPatch(patch: string, found: Found): void {
  for (const [, path = ""] of patch.matchAll(/^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$/gm))
    found.written.add(path.trim());
  for (const [, path = ""] of patch.matchAll(/^(?:---|\+\+\+) (?:[ab]\/)?(.+)$/gm))
    if (path !== "/dev/null") found.written.add(path.trim());
}

const names = (words: string): ReadonlySet<string> => new Set(words.split(" "));

const COMMANDS = names("command commands cmd argv commandline shellcommand");
/** Rules that Codex would store with an "always": nothing of it is run. */
const ALWAYS_OF_CODEX = names(
  "proposedexecpolicyamendment proposednetworkpolicyamendments availabledecisions",
);
const FOLDERS = names("cwd workdir workingdirectory workingdir");
/** Where a command runs, when they stand beside one. */
const PLACES = names("directory dirpath dir folder");
const PATHS = names(
  "path paths file files filepath filepaths filename filenames absolutepath relativepath notebookpath targetfile targetpath oldpath newpath sourcepath destinationpath source destination src dest dst directory dirpath dir folder root",
);
const URLS = names("url urls uri uris href link");
const CHANGES = names("changes filechanges");
/** Text that goes into a file. */
const WRITTEN_TEXT = names(
  "content contents filetext newstring newtext newstr newcontent newsource insertline edits patch diff",
);
const WHOLE_FILE = names("content contents filetext newcontent");
/** Words for people, and what goes into or is looked for in files: no paths, whatever they look like. */
const TEXTS = names(
  "content contents filetext newstring oldstring newtext oldtext newstr oldstr newcontent newsource diff description explanation reason title",
);

const ADDRESS = /\b(?:https?|wss?|ftp):\/\/[^\s"'<>`)\]}]+/gi;
const LOOKS_LIKE_A_PATH = /^(?:\/|~\/|\.{1,2}\/|file:\/\/)[^\n]{0,4096}$/;

function plainPath(path: string): string {
  if (path === "~" || path.startsWith("~/")) return homedir() + path.slice(1);
  if (!path.startsWith("file://")) return path;
  try {
    return fileURLToPath(path);
  } catch {
    return path;
  }
}

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === "string");

function parsed(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
