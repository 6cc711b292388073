/** Sessions and calls as the archive's tables of every store have them, and pages of them. */
import type { DecidedBy, FoundCall, FoundSession, Page } from "../call/index.js";
import { nameFromStored } from "./stored-json.js";

export type FoundSessionRow = {
  readonly session_id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly title: string | null;
  readonly agent: string | null;
  readonly cwd: string | null;
  readonly calls: number;
  readonly messages: number;
  readonly breaches: number;
};

export type FoundCallRow = {
  readonly session_id: string;
  readonly name: string;
  readonly kind: string;
  readonly title: string;
  readonly status: string;
  readonly decided_by: DecidedBy | null;
  readonly who: string | null;
  readonly rule: string | null;
  readonly ran_ms: number | null;
  readonly waited_ms: number | null;
  readonly output_size: number;
  readonly breach: string | null;
};

export function foundSession(row: FoundSessionRow): FoundSession {
  return {
    sessionId: nameFromStored(row.session_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    ...(row.title !== null && { title: row.title }),
    ...(row.agent !== null && { agent: row.agent }),
    ...(row.cwd !== null && { cwd: row.cwd }),
    calls: row.calls,
    messages: row.messages,
    breaches: row.breaches,
  };
}

export function foundCall(row: FoundCallRow, toolCallId: string, at: number): FoundCall {
  return {
    sessionId: nameFromStored(row.session_id),
    toolCallId,
    at,
    tool: row.name,
    kind: row.kind,
    title: row.title,
    status: row.status,
    ...(row.decided_by !== null && { decidedBy: row.decided_by }),
    ...(row.who !== null && { who: row.who }),
    ...(row.rule !== null && { rule: row.rule }),
    ...(row.ran_ms !== null && { ranMs: row.ran_ms }),
    ...(row.waited_ms !== null && { waitedMs: row.waited_ms }),
    outputSize: row.output_size,
    ...(row.breach !== null && { breach: row.breach }),
  };
}

/** A full page has the cursor of its last row: there may be more. */
export function pageOf<Row, Item>(
  rows: readonly Row[],
  limit: number,
  toItem: (row: Row) => Item,
  toCursor: (row: Row) => string,
): Page<Item> {
  const items = rows.map(toItem);
  const last = rows.at(-1);
  return rows.length < limit || !last ? { items } : { items, next: toCursor(last) };
}
