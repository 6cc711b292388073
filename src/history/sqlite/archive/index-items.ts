/** The rows of the index, read as the sessions, calls and hits of the archive. */
import type { FoundCall, SearchHit } from "../../../call/index.js";
import { foundCall } from "../../found-rows.js";
import type { FoundCallRow, FoundSessionRow } from "../../found-rows.js";
import { momentOf } from "./index-tables.js";
import { nameFromStored } from "../../stored-json.js";

export const CALL_COLUMNS =
  "calls.id, tool_call_id, name, kind, calls.title, status, decided_by, who, rule, ran_ms, waited_ms, output_size, breach";

export type SessionRow = FoundSessionRow & { readonly number: number };
export type CallRow = FoundCallRow & { readonly id: number; readonly tool_call_id: string };
export type HitRow = (
  | CallRow
  | (Record<Exclude<keyof CallRow, "session_id">, null> & { session_id: string })
) & {
  hit: number;
  role: string | null;
  excerpt: string;
};

export const callOf = (row: CallRow): FoundCall => foundCall(row, row.tool_call_id, momentOf(row.id));

export function hitOf(row: HitRow): SearchHit {
  return {
    sessionId: nameFromStored(row.session_id),
    at: momentOf(row.hit),
    ...(row.id !== null && { call: callOf(row) }),
    ...(row.role !== null && { role: row.role }),
    excerpt: excerptParts(row.excerpt),
  };
}

const MARK = "\u0001";
const MARK_END = "\u0002";

/** The marks are characters that no indexed text has. */
function excerptParts(marked: string): SearchHit["excerpt"] {
  return marked
    .replaceAll(MARK_END, MARK)
    .split(MARK)
    .map((text, index) => ({ text, isMatch: index % 2 === 1 }))
    .filter(({ text }) => text !== "");
}
