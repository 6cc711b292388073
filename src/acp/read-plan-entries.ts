/** Reads the entries of a plan. */
import type { PlanEntry, PlanPriority, PlanStatus } from "../call/index.js";
import { isJsonObject } from "./json.js";
import type { JsonObject } from "./json.js";
import { readMeta } from "./read-call.js";
import { withoutToolgate } from "./toolgate-meta.js";
import type { Reading } from "./reading.js";

const PRIORITIES: ReadonlySet<unknown> = new Set(["high", "medium", "low"]);
const V1_STATUSES: ReadonlySet<unknown> = new Set(["pending", "in_progress", "completed"]);

/** With `openEnums` (v2) unknown priorities and statuses are the future's, read as medium and pending. */
export function readPlanEntries(value: unknown, openEnums: boolean, reading: Reading): readonly PlanEntry[] {
  if (!Array.isArray(value)) {
    reading.tolerate("bad-field", `a plan's "entries" must be a list; the plan was taken as empty`);
    return [];
  }
  return value.flatMap((entry: unknown) => readEntry(entry, openEnums, reading) ?? []);
}

function readEntry(entry: unknown, openEnums: boolean, reading: Reading): PlanEntry | undefined {
  if (!isJsonObject(entry) || typeof entry["content"] !== "string") return leftOut(reading);
  const { content, priority, status } = entry;
  const isKnown = PRIORITIES.has(priority) && V1_STATUSES.has(status);
  const isText = typeof priority === "string" && typeof status === "string";
  if (!isKnown && !(openEnums && isText)) return leftOut(reading);
  const meta = readMeta(entry["_meta"], false, reading);
  const own = reading.mode === "strict" && isJsonObject(meta?.["toolgate"]) ? meta["toolgate"] : undefined;
  const _meta = meta && withoutToolgate(meta);
  return {
    content,
    // Status and priority were checked against the sets above, or replaced.
    priority: PRIORITIES.has(priority) ? (priority as PlanPriority) : "medium",
    status: readPlanStatus(status, own),
    ...toolCallIds(own),
    ...(_meta && { _meta }),
  };
}

function readPlanStatus(status: unknown, own: JsonObject | undefined): PlanStatus {
  if (status === "cancelled" || own?.["status"] === "cancelled") return "cancelled";
  // Checked against the set.
  return V1_STATUSES.has(status) ? (status as PlanStatus) : "pending";
}

function toolCallIds(own: JsonObject | undefined): { toolCallIds?: readonly string[] } {
  const ids = own?.["toolCallIds"];
  return Array.isArray(ids) ? { toolCallIds: ids.filter((id) => typeof id === "string") } : {};
}

function leftOut(reading: Reading): undefined {
  reading.tolerate(
    "bad-plan-entry",
    "a plan entry without content, priority and status as ACP has them was left out",
  );
  return undefined;
}
