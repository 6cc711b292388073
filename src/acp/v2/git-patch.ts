/**
 * A file's change as a git patch, for v2's diffs. Texts that are too far apart for a quick comparison
 * have none: the list of changes says what happened, and the patch is optional.
 */
import { structuredPatch } from "diff";
import type { DiffContent } from "../../call/index.js";

/** Comparing costs edits × length: this keeps the worst case at some tens of milliseconds. */
const MAX_EDITS = 2000;

export function gitPatch(diff: DiffContent): string | undefined {
  const { operation, path, oldPath, oldText, newText, patch } = diff;
  if (patch !== undefined) return patch;
  if ((operation !== "add" && oldText === undefined) || (operation !== "delete" && newText === undefined))
    return undefined;
  const before = oldText ?? "";
  const after = newText ?? "";
  const hunks = structuredPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: MAX_EDITS,
  })?.hunks;
  if (!hunks) return undefined;
  const from = `a/${relative(oldPath ?? path)}`;
  const to = `b/${relative(path)}`;
  const names =
    hunks.length === 0
      ? []
      : [
          `--- ${operation === "add" ? "/dev/null" : from}`,
          `+++ ${operation === "delete" ? "/dev/null" : to}`,
        ];
  const lines = hunks.flatMap(({ oldStart, oldLines, newStart, newLines, lines: body }) => [
    `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@`,
    ...body,
  ]);
  return [`diff --git ${from} ${to}`, ...extended(diff), ...names, ...lines, ""].join("\n");
}

/** The lines that tell git what happened to the file itself. */
function extended({ operation, path, oldPath }: DiffContent): readonly string[] {
  switch (operation) {
    case "add":
      return ["new file mode 100644"];
    case "delete":
      return ["deleted file mode 100644"];
    case "move":
      return [`rename from ${relative(oldPath ?? path)}`, `rename to ${relative(path)}`];
    case "copy":
      return [`copy from ${relative(oldPath ?? path)}`, `copy to ${relative(path)}`];
    case "modify":
      return [];
    default:
      return operation satisfies never;
  }
}

/** Git writes paths without a leading slash behind its `a/` and `b/`. */
const relative = (path: string): string => path.replace(/^\/+/, "");

/** In a unified diff an empty range starts on the line before it. */
const range = (start: number, lines: number): string => `${lines === 0 ? start - 1 : start},${lines}`;
