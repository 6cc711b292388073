/** Reads a v1 diff: a path, the text before (none: a new file) and the text after. */
import type { ToolCallContent } from "../../call/index.js";
import { isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import type { Place } from "../read-call.js";
import { readMeta, readPath } from "../read-call.js";

export function readV1Diff(value: JsonObject, at: Place): ToolCallContent[] {
  const { path, newText, oldText } = value;
  const { troubles } = at;
  if (typeof path !== "string" || typeof newText !== "string") {
    troubles.tolerate("bad-content", "a diff without a path and a new text was left out");
    return [];
  }
  if (!isNone(oldText) && typeof oldText !== "string") {
    troubles.tolerate("bad-field", `"oldText" must be a text and was left out`);
  }
  const _meta = readMeta(value["_meta"], false, troubles);
  const before = typeof oldText === "string" ? ({ operation: "modify", oldText } as const) : ({ operation: "add" } as const);
  return [{ type: "diff", ...before, path: readPath(path, at), newText, ...(_meta ? { _meta } : {}) }];
}
