/** Reads news about the session itself: its title. */
import type { SessionEvent } from "../call/index.js";
import { isNone } from "./json.js";
import type { JsonObject } from "./json.js";
import { readMeta } from "./read-call.js";
import type { Reading } from "./reading.js";

export function readInfo(update: JsonObject, reading: Reading): SessionEvent[] {
  for (const key of ["title", "updatedAt"]) {
    const value = update[key];
    if (!isNone(value) && typeof value !== "string") reading.tolerate("bad-field", `"${key}" must be a text`);
  }
  const { title } = update;
  const _meta = readMeta(update["_meta"], false, reading);
  return [
    {
      type: "info-changed",
      at: reading.at,
      info: { ...(typeof title === "string" && { title }), ...(_meta && { _meta }) },
    },
  ];
}
