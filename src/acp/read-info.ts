/** Reads news about the session itself: its title. */
import type { SessionEvent } from "../call/index.js";
import { isNone } from "./json.js";
import type { JsonObject } from "./json.js";
import { readMeta } from "./read-call.js";
import type { Troubles } from "./troubles.js";

export function readInfo(update: JsonObject, at: number, troubles: Troubles): SessionEvent[] {
  for (const key of ["title", "updatedAt"]) {
    const value = update[key];
    if (!isNone(value) && typeof value !== "string") troubles.tolerate("bad-field", `"${key}" must be a text`);
  }
  const { title } = update;
  const _meta = readMeta(update["_meta"], false, troubles);
  return [{ type: "info-changed", at, info: { ...(typeof title === "string" && { title }), ...(_meta && { _meta }) } }];
}
