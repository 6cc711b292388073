/**
 * Reads a foreign agent's input for commands, files and addresses, wherever they stand in it. A field that is not known
 * counts when its value looks like a path or an address: that can only make the rules stricter.
 */
import { homedir } from "node:os";
import { fileURLToPath } from "node:url";
import { oneLine } from "../../call/index.js";
import type { DiffContent, ToolKind } from "../../call/index.js";
import { shellScript } from "../../run/same-act.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { doubledKey } from "./doubled-key.js";
import { foldedName, operationNamed, readingOf } from "./field-readings.js";
import { MAX_READ, operated } from "./findings.js";
import type { Findings, Operation, TextPiece } from "./findings.js";
import { looksLikePatch, readPatch } from "./read-patch.js";

/** Where in the input a value stands. */
type Place = {
  readonly depth: number;
  /** The files that the fields around it name. */
  readonly owners: readonly string[];
  readonly operation: Operation | undefined;
};

const TOP: Place = { depth: 0, owners: [], operation: undefined };

const MAX_DEPTH = 6;
const MAX_DEPTH_READ = 64;

/** A text that is a command, or an object written as text, is read as a command or an object. */
export function asObject(rawInput: unknown, kinds: readonly ToolKind[]): unknown {
  const isCommand = kinds.includes("execute");
  if (isWords(rawInput) && isCommand) return { command: rawInput };
  if (typeof rawInput !== "string") return rawInput;
  return parsed(rawInput) ?? (isCommand ? { command: rawInput } : rawInput);
}

export function readInput(rawInput: unknown, kinds: readonly ToolKind[], found: Findings): void {
  const isText = typeof rawInput === "string";
  const key = isText && parsed(rawInput) !== undefined ? doubledKey(rawInput) : undefined;
  if (key !== undefined) found.doubts.add(`the input names "${oneLine(key, 80)}" twice`);
  const object = asObject(rawInput, kinds);
  if (typeof object === "string") readText("", object, found);
  else readObject(object, TOP, found);
}

/** A diff may come as a patch, which names its files itself, and its paths in more ways than one. */
export function readDiff({ path, oldPath, operation, patch, fileType }: DiffContent, found: Findings): void {
  if (patch !== undefined) addPatch(patch, found);
  if (fileType === "symlink") found.doubts.add("the diff makes or changes a link");
  for (const other of otherReading(path)) (operation === "delete" ? found.deleted : found.written).add(other);
  for (const other of oldPath === undefined ? [] : otherReading(oldPath)) found.moved.add(other);
}

/** The protocol has plain absolute paths; of any other, programs make different files. */
export function addPathDoubt(path: string, found: Findings): void {
  if (AMBIGUOUS_PATH.test(path))
    found.doubts.add(`the path "${oneLine(path, 80)}" can be read in several ways`);
}

/** A home folder, a variable or an address, at the start or behind the folder that a relative path was put below. */
const AMBIGUOUS_PATH = /^[a-z][a-z0-9+.-]+:|(?:^|\/)(?:~[^/]*(?:\/|$)|\$\{|\$[A-Z_]+(?:\/|$)|file:)/i;

/** The file in a home folder or behind an address. */
export function otherReading(path: string): readonly string[] {
  const [, home, file] = /(?:^|\/)(?:(~\/.*)|file:\/+(.*))$/i.exec(path) ?? [];
  if (home !== undefined) return [plainPath(home)];
  return file === undefined ? [] : [plainPath(`file:///${file}`)];
}

function readObject(value: unknown, place: Place, found: Findings): void {
  if (Array.isArray(value)) {
    for (const item of value) readItem("", item, place, found);
    return;
  }
  if (!isJsonObject(value)) return;
  const fields = Object.entries(value).map(([name, field]) => [foldedName(name), field] as const);
  addDoubledNames(fields, found);
  const isCommand = readCommand(fields, place, found);
  const isWriting = fields.some(([name, field]) => isWrittenText(name) && field !== null);
  if (typeof value["server"] === "string" && typeof value["tool"] === "string") {
    const { server, tool } = value;
    found.servers.set(JSON.stringify([server, tool]), { server, tool });
  }
  const own = fields.flatMap(([name, field]) => (readingOf(name) === "path" ? pathsIn(field) : []));
  const owners = own.length > 0 ? own : place.owners;
  const inside = { ...place, owners };
  for (const path of own) {
    (isWriting ? found.written : found.named).add(path);
    addPathDoubt(path, found);
  }
  readOperations(fields, inside, found);
  for (const [name, field] of fields) readField(name, field, { ...inside, isCommand, isWriting }, found);
}

type Fields = readonly (readonly [name: string, field: unknown])[];

/** When two fields share a name, such as `args` and `Args`, nobody knows which one the agent uses. */
function addDoubledNames(fields: Fields, found: Findings): void {
  const values = new Map<string, string>();
  for (const [name, field] of fields) {
    const value = JSON.stringify(field ?? null);
    if ((values.get(name) ?? value) !== value)
      found.doubts.add(`the input names "${oneLine(name, 80)}" twice`);
    values.set(name, value);
  }
}

/** The operation on the files of an object; without one, the operation of the objects around it. */
function readOperations(fields: Fields, { owners, operation }: Place, found: Findings): void {
  const operations = new Set(operation === undefined ? [] : [operation]);
  for (const [name, field] of fields) {
    const word = field === true ? name : readingOf(name) === "operation" ? field : undefined;
    const named = typeof word === "string" ? operationNamed(word) : undefined;
    if (named === "delete" || named === "move") operations.add(named);
  }
  for (const one of operations) {
    if (owners.length === 0) found.operations.add(one);
    for (const path of owners) operated(one, found).add(path);
  }
}

type FieldPlace = Place & { readonly isCommand: boolean; readonly isWriting: boolean };

function readField(name: string, field: unknown, place: FieldPlace, found: Findings): void {
  const reading = readingOf(name);
  const { isCommand, isWriting, owners } = place;
  if (reading === "whole-text" && typeof field === "string") {
    found.texts.add(field);
    for (const path of owners) found.writes.set(JSON.stringify([path, field]), { path, text: field });
    return;
  }
  if (typeof field === "string") addPieces(name, field, owners, found);
  const isRead =
    reading === "command" || ALWAYS_OF_CODEX.has(name) || (isCommand && name === "args" && isWords(field));
  if (isRead || (typeof field === "string" && isPlainText(name))) return;
  if (reading === "folder" || reading === "place") readFolders(field, { ...place, reading }, found);
  else if (reading === "path") readBeside(field, place, found);
  else if (reading === "patch" && typeof field === "string") addPatch(field, found);
  else if (reading === "changes" && isJsonObject(field)) readChanges(field, place, found);
  else {
    const operation = operationNamed(name);
    const removes = operation === "delete" || operation === "move" ? operation : undefined;
    for (const path of removes ? pathsIn(field) : []) {
      (isWriting ? found.written : found.named).add(path);
      if (removes) operated(removes, found).add(path);
    }
    readItem(name, field, removes && isObject(field) ? { ...place, operation: removes } : place, found);
  }
}

function addPieces(name: string, text: string, paths: readonly string[], found: Findings): void {
  const reading = readingOf(name);
  const pieces: readonly (readonly [TextPiece["side"], string])[] =
    reading === "written-text"
      ? [["new", text]]
      : reading === "other-text" || name === "search"
        ? [["old", text]]
        : reading === "patch"
          ? [...changedLines(text)]
          : [];
  for (const [side, piece] of pieces)
    found.pieces.set(JSON.stringify([paths, side, piece]), { paths, side, text: piece });
}

/** The lines that a patch takes away and adds. */
function* changedLines(patch: string): Generator<readonly [TextPiece["side"], string]> {
  for (const line of patch.split(/\r?\n/)) {
    if (/^\+(?!\+\+ )/.test(line)) yield ["new", line.slice(1)];
    else if (/^-(?!-- )/.test(line)) yield ["old", line.slice(1)];
  }
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null;

const deeper = ({ depth, owners, operation }: Place): Place => ({ depth: depth + 1, owners, operation });

function readFolders(
  field: unknown,
  place: FieldPlace & { readonly reading: "folder" | "place" },
  found: Findings,
): void {
  const { isCommand, isWriting, reading } = place;
  for (const path of pathsIn(field)) {
    if (reading === "folder" || isCommand) {
      // Another folder than the first is one more place that is touched.
      if (found.folders.size > 0 && !found.folders.has(path)) found.named.add(path);
      found.folders.add(path);
    } else {
      found.places.add(path);
      (isWriting ? found.written : found.named).add(path);
    }
  }
  readBeside(field, place, found);
}

/** Objects where a path was expected. */
function readBeside(field: unknown, place: Place, found: Findings): void {
  for (const item of Array.isArray(field) ? field : [field])
    if (typeof item !== "string") readItem("", item, place, found);
}

const pathsIn = (field: unknown): readonly string[] =>
  (Array.isArray(field) ? field.slice(0, MAX_READ) : [field])
    .filter((item) => typeof item === "string" && item !== "")
    .map((item) => plainPath(String(item)));

function readItem(name: string, item: unknown, place: Place, found: Findings): void {
  found.left -= 1;
  if (found.left <= 0) return;
  if (typeof item === "string") return readText(name, item, found);
  if (typeof item !== "object" || item === null) return;
  if (place.depth >= MAX_DEPTH) found.isTooMuch = true;
  if (place.depth >= MAX_DEPTH_READ) return;
  if (!Array.isArray(item)) return readObject(item, deeper(place), found);
  for (const one of item) readItem(name, one, deeper(place), found);
}

/** A text of no known meaning. */
function readText(name: string, text: string, found: Findings): void {
  for (const url of text.match(ADDRESS) ?? []) if (!/^file:/i.test(url)) found.urls.add(url);
  if (looksLikePatch(text)) addPatch(text, found);
  if (readingOf(name) === "url" && text !== "" && !text.startsWith("file:")) found.urls.add(text);
  else if (LOOKS_LIKE_A_PATH.test(text)) found.named.add(plainPath(text));
}

function readCommand(fields: Fields, place: Place, found: Findings): boolean {
  const args = fields.find(([name]) => name === "args")?.[1];
  let hasCommand = false;
  for (const [name, field] of fields) {
    if (readingOf(name) !== "command") continue;
    if (typeof field === "string" && field.trim() !== "") {
      hasCommand = true;
      addCommand(isWords(args) && args.length > 0 ? [field, ...args] : field, found);
      if (isWords(args)) addJoined([field, ...args], found);
    } else if (isWords(field) && field.length > 0) {
      hasCommand = true;
      if (name === "commands") for (const one of field) addCommand(one, found);
      else addCommand(isWords(args) ? [...field, ...args] : field, found);
    } else if (typeof field === "object" && field !== null) {
      found.isTooMuch = true;
      readItem("", field, place, found);
    }
  }
  return hasCommand;
}

/** Whether the agent hands these words to a shell, nobody can see. */
function addJoined(words: readonly string[], found: Findings): void {
  const [, ...args] = words;
  if (shellScript(words) !== undefined || !args.some((word) => MEANS_MORE_TO_A_SHELL.test(word))) return;
  found.joined.add(words.join(" "));
  found.doubts.add("the arguments of the command mean more to a shell, and who reads them cannot be seen");
}

function addCommand(command: string | readonly string[], found: Findings): void {
  const script = typeof command === "string" ? command : (shellScript(command) ?? command);
  found.commands.set(JSON.stringify(script), script);
}

/** Codex names the files of a change by the keys of an object. */
function readChanges(changes: JsonObject, place: Place, found: Findings): void {
  for (const [key, change] of Object.entries(changes)) {
    const path = plainPath(key);
    found.written.add(path);
    readItem("", change, { ...place, owners: [path] }, found);
  }
}

function addPatch(patch: string, found: Findings): void {
  const { written, deleted, moved, isWhole } = readPatch(patch);
  for (const path of written) found.written.add(plainPath(path));
  for (const path of deleted) found.deleted.add(plainPath(path));
  for (const path of moved) found.moved.add(plainPath(path));
  if (!isWhole) found.doubts.add("the call carries a patch that cannot be read whole");
}

/** Rules that Codex would store with an "always": nothing of it is run. */
const ALWAYS_OF_CODEX: ReadonlySet<string> = new Set([
  "proposedexecpolicyamendment",
  "proposednetworkpolicyamendments",
  "availabledecisions",
]);

/** Text that goes into a file. */
const isWrittenText = (name: string): boolean =>
  ["whole-text", "written-text", "patch"].includes(readingOf(name) ?? "") ||
  name === "edits" ||
  name === "insertline";

/** Sentences for people, and what goes into or is looked for in files: no paths, whatever they look like. */
const isPlainText = (name: string): boolean =>
  ["whole-text", "written-text", "other-text"].includes(readingOf(name) ?? "") ||
  ["description", "explanation", "reason", "title"].includes(name);

const MEANS_MORE_TO_A_SHELL = /[;&|<>`$()\n]/;
const ADDRESS = /\b(?:https?:\/|[a-z][a-z\d+.-]{1,31}:\/\/)[^\s"'<>`)\]}]+/gi;
const LOOKS_LIKE_A_PATH = /^(?:\/|~\/|\.{1,2}\/|file:\/\/)[^\n]{0,4096}$/;

function plainPath(path: string): string {
  if (path === "~" || path.startsWith("~/")) return homedir() + path.slice(1);
  if (!/^file:\/\//i.test(path)) return path;
  try {
    return fileURLToPath(path);
  } catch {
    return path;
  }
}

const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((word) => typeof word === "string");

/** The object or list that a text is. */
function parsed(text: string): unknown {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
