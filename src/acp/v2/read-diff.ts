/** Reads a v2 diff: a list of file changes and perhaps a git patch. Each change becomes a diff of its own. */
import type { DiffContent, FileOperation, ToolCallContent } from "../../call/index.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import type { Reading } from "../reading.js";
import { readItemMeta, readMeta, readPath } from "../read-call.js";

const OPERATIONS: ReadonlyMap<unknown, FileOperation> = new Map(
  (["add", "modify", "delete", "move", "copy"] as const).map((operation) => [operation, operation]),
);

const FILE_TYPES: ReadonlyMap<unknown, NonNullable<DiffContent["fileType"]>> = new Map(
  (["text", "binary", "directory", "symlink"] as const).map((fileType) => [fileType, fileType]),
);

export function readV2Diff(value: JsonObject, reading: Reading): ToolCallContent[] {
  const changes = value["changes"];
  if (!Array.isArray(changes)) {
    reading.tolerate("bad-content", "a diff without a list of changes was left out");
    return [];
  }
  const _meta = readItemMeta(value["_meta"], reading);
  const diffs = changes.flatMap((change: unknown) => readChange(change, reading));
  const patches = splitPatch(readPatch(value["patch"], reading), diffs.length);
  return diffs.map((diff, index) => {
    const patch = patches[index];
    return { ...diff, ...(patch === undefined ? {} : { patch }), ...(_meta && index === 0 ? { _meta } : {}) };
  });
}

function readChange(change: unknown, reading: Reading): DiffContent[] {
  if (!isJsonObject(change) || typeof change["operation"] !== "string") {
    reading.tolerate("bad-content", "a file change without an operation was left out");
    return [];
  }
  readMeta(change["_meta"], false, reading);
  const fileType = readName(change, "fileType", reading);
  const mimeType = readName(change, "mimeType", reading);
  const operation = OPERATIONS.get(change["operation"]);
  // An operation of a vendor or of the future says nothing we could show.
  if (!operation) return [];
  const { path, oldPath } = change;
  const needsOldPath = operation === "move" || operation === "copy";
  if (typeof path !== "string" || (needsOldPath && typeof oldPath !== "string")) {
    reading.tolerate("bad-content", `a file change (${operation}) without its paths was left out`);
    return [];
  }
  const known = FILE_TYPES.get(fileType);
  return [
    {
      type: "diff",
      operation,
      path: readPath(path, reading),
      ...(needsOldPath && typeof oldPath === "string" ? { oldPath: readPath(oldPath, reading) } : {}),
      ...(known ? { fileType: known } : {}),
      ...(mimeType === undefined ? {} : { mimeType }),
    },
  ];
}

function readName(change: JsonObject, key: string, reading: Reading): string | undefined {
  const value = change[key];
  if (typeof value === "string") return value;
  if (!isNone(value)) reading.tolerate("bad-field", `"${key}" must be a text and was left out`);
  return undefined;
}

function readPatch(value: unknown, reading: Reading): string | undefined {
  if (isNone(value)) return undefined;
  if (isJsonObject(value) && typeof value["text"] === "string" && typeof value["format"] === "string") {
    readMeta(value["_meta"], false, reading);
    return value["format"] === "git_patch" ? value["text"] : undefined;
  }
  reading.tolerate("bad-field", "a patch without format and text was left out");
  return undefined;
}

/**
 * Splits the patch by file when it has as many parts as there are changes; otherwise the first change gets all of
 * it.
 */
function splitPatch(patch: string | undefined, count: number): readonly (string | undefined)[] {
  if (patch === undefined || count === 1) return [patch];
  const parts = patch.split(/^(?=diff --git )/m).filter((part) => part.startsWith("diff --git "));
  return parts.length === count ? parts : [patch];
}
