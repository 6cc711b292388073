/**
 * Everything in a foreign agent's call that rules can match: commands, files, addresses. The agent may name its fields
 * as it likes and may repeat itself; everything that is found counts. An unknown field counts when its value looks
 * like a path or an address: that can only make the rules stricter.
 */
import type { DiffContent, Location, ToolCallContent, ToolKind } from "../../call/index.js";
import type { FileText } from "../../run/reported-intent.js";
import { sameJson } from "../json.js";
import { isPreview } from "./edit-preview.js";
import { emptyFindings, MAX_FIELDS, MAX_READ, operated } from "./findings.js";
import type { ServerTool, TextPiece } from "./findings.js";
import { addPathDoubt, asObject, otherReading, readDiff, readInput } from "./read-input.js";
import { unknownFields } from "./unknown-fields.js";
import type { Beside } from "./unknown-fields.js";

/** The parts of a call that are examined: the call itself, and all that its permission request adds. */
export type Shown = {
  readonly kind: ToolKind;
  /** All kinds that the agent has given it. */
  readonly kinds?: readonly ToolKind[];
  readonly title: string;
  readonly name: string;
  readonly rawInputs: readonly unknown[];
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly Location[];
};

/** Paths are as they were written. */
export type Evidence = {
  readonly commands: readonly (string | readonly string[])[];
  /** The words of a program and its arguments as one line, which is how some agents hand them to a shell. */
  readonly joined: readonly string[];
  readonly cwd: string | undefined;
  /** All folders in which the act happens according to the input, the first among them. */
  readonly folders: readonly string[];
  /** Folders beside files: relative ones may be meant from there. */
  readonly places: readonly string[];
  /** Files that the call will write according to the input. */
  readonly written: readonly string[];
  /** Files that the input names, whatever for. */
  readonly named: readonly string[];
  readonly deleted: readonly string[];
  readonly moved: readonly string[];
  readonly urls: readonly string[];
  /** A tool of an MCP server that the agent will call. */
  readonly server: ServerTool | undefined;
  readonly servers: readonly ServerTool[];
  /** The whole new text of a file, as the input states it. */
  readonly texts: readonly string[];
  /** The same texts, each with the file that it goes into. */
  readonly writes: readonly FileText[];
  /** Parts of the files' old and new contents, according to the input. */
  readonly pieces: readonly TextPiece[];
  readonly diffs: readonly DiffContent[];
  readonly locations: readonly string[];
  /** The call has more data than is read. */
  readonly isTooMuch: boolean;
  /** Why a part of it cannot be read for certain. */
  readonly doubts: readonly string[];
};

export function evidenceOf({ kind, kinds = [kind], rawInputs, content, locations }: Shown): Evidence {
  const found = emptyFindings();
  const diffs = content
    .filter((item) => item.type === "diff")
    .filter((item) => !isPreview(item))
    .filter((item, at, all) => all.findIndex((one) => sameJson(one, item)) === at);
  for (const rawInput of rawInputs) readInput(rawInput, kinds, found);
  for (const diff of diffs) readDiff(diff, found);
  const places = locations.map(({ path }) => path);
  for (const path of [...places, ...diffs.map((one) => one.path)]) addPathDoubt(path, found);
  for (const operation of found.operations)
    for (const path of [...found.written, ...found.named]) operated(operation, found).add(path);
  const [cwd] = found.folders;
  const [server] = found.servers.values();
  return {
    commands: [...found.commands.values()],
    joined: [...found.joined],
    cwd,
    folders: [...found.folders],
    places: [...found.places],
    written: [...found.written],
    named: [...found.named].filter((path) => !found.written.has(path)),
    deleted: [...found.deleted],
    moved: [...found.moved],
    urls: [...found.urls],
    server,
    servers: [...found.servers.values()],
    texts: [...found.texts],
    writes: [...found.writes.values()],
    pieces: [...found.pieces.values()],
    diffs,
    locations: [...new Set(places.flatMap((path) => [path, ...otherReading(path)]))],
    isTooMuch: found.isTooMuch || found.left < MAX_READ - MAX_FIELDS,
    doubts: [...found.doubts],
  };
}

/** Names of the fields whose meaning is not known, each once. */
export function unknownIn({ rawInputs, kind, kinds = [kind] }: Shown, beside: Beside): readonly string[] {
  return [...new Set(rawInputs.flatMap((input) => unknownFields(asObject(input, kinds), beside)))];
}
