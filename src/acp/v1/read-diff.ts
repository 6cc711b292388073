/** Reads a v1 diff: a path, the text before (none: a new file) and the text after. */
import type { ToolCallContent } from "../../call/index.js";
import { isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import type { Reading } from "../reading.js";
import { readItemMeta, readPath } from "../read-call.js";

export function readV1Diff(value: JsonObject, reading: Reading): ToolCallContent[] {
  const { path, newText, oldText } = value;
  if (typeof path !== "string" || typeof newText !== "string") {
    reading.tolerate("bad-content", "a diff without a path and a new text was left out");
    return [];
  }
  if (!isNone(oldText) && typeof oldText !== "string") {
    reading.tolerate("bad-field", `"oldText" must be a text and was left out`);
  }
  const _meta = readItemMeta(value["_meta"], reading);
  const before =
    typeof oldText === "string"
      ? ({ operation: "modify", oldText } as const)
      : ({ operation: "add" } as const);
  return [{ type: "diff", ...before, path: readPath(path, reading), newText, ...(_meta ? { _meta } : {}) }];
}
