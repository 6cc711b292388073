/**
 * A file's change as a git patch, for v2's diffs. A patch that would be very large is left out: the list of
 * changes says what happened, and the patch is optional.
 */
import type { DiffContent } from "../../call/index.js";
import { unifiedHunk, unifiedHunks } from "./unified-hunks.js";

/** The maximum size of a patch in one message. */
const MAX_BYTES = 4 * 1024 * 1024;

export function gitPatch(diff: DiffContent): string | undefined {
  const { operation, path, oldPath, patch } = diff;
  if (patch !== undefined) return patch;
  const hunks = hunksOf(diff);
  if (hunks === undefined) return undefined;
  const from = quoted(`a/${relative(oldPath ?? path)}`);
  const to = quoted(`b/${relative(path)}`);
  const names =
    hunks === ""
      ? []
      : [
          `--- ${operation === "add" ? "/dev/null" : from}`,
          `+++ ${operation === "delete" ? "/dev/null" : to}`,
        ];
  const text = [`diff --git ${from} ${to}`, ...extended(diff), ...names, ""].join("\n") + hunks;
  return Buffer.byteLength(text) > MAX_BYTES ? undefined : text;
}

/** Undefined without the texts, or when a cut line would make a patch that does not apply. */
function hunksOf({ operation, oldText, newText, hunks }: DiffContent): string | undefined {
  if (hunks) {
    const isWhole = hunks.every(({ column }) => column === undefined);
    return isWhole ? hunks.map(unifiedHunk).join("") : undefined;
  }
  if ((operation !== "add" && oldText === undefined) || (operation !== "delete" && newText === undefined))
    return undefined;
  return unifiedHunks(oldText ?? "", newText ?? "");
}

/** The lines that tell git what happened to the file itself. */
function extended({ operation, path, oldPath }: DiffContent): readonly string[] {
  switch (operation) {
    case "add":
      return ["new file mode 100644"];
    case "delete":
      return ["deleted file mode 100644"];
    case "move":
      return [`rename from ${quoted(relative(oldPath ?? path))}`, `rename to ${quoted(relative(path))}`];
    case "copy":
      return [`copy from ${quoted(relative(oldPath ?? path))}`, `copy to ${quoted(relative(path))}`];
    case "modify":
      return [];
    default:
      return operation satisfies never;
  }
}

/** Git writes paths without a leading slash behind its `a/` and `b/`. */
const relative = (path: string): string => path.replace(/^\/+/, "");

/** Quotes a path as git does when it could end its line early or look quoted. */
function quoted(path: string): string {
  const inside = path.replace(UNSAFE, (character) => ESCAPES.get(character) ?? octal(character));
  return inside === path ? path : `"${inside}"`;
}

const UNSAFE = /["\\\p{Cc}]/gu;
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Git's escapes are of bytes. */
function octal(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
