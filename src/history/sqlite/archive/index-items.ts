/** The rows of the index, read as the sessions, calls and hits of the archive. */
import type { DecidedBy, FoundCall, FoundSession, SearchHit } from "../../../call/index.js";
import { momentOf } from "./index-tables.js";
import { nameFromStored } from "../../stored-json.js";

export const CALL_COLUMNS =
  "calls.id, tool_call_id, name, kind, calls.title, status, decided_by, who, rule, ran_ms, waited_ms, output_size, breach";

export type SessionRow = {
  number: number;
  session_id: string;
  created_at: number;
  updated_at: number;
  title: string | null;
  agent: string | null;
  cwd: string | null;
  calls: number;
  messages: number;
  breaches: number;
};
export type CallRow = {
  id: number;
  session_id: string;
  tool_call_id: string;
  name: string;
  kind: string;
  title: string;
  status: string;
  decided_by: DecidedBy | null;
  who: string | null;
  rule: string | null;
  ran_ms: number | null;
  waited_ms: number | null;
  output_size: number;
  breach: string | null;
};
export type HitRow = (
  | CallRow
  | (Record<Exclude<keyof CallRow, "session_id">, null> & { session_id: string })
) & {
  hit: number;
  role: string | null;
  excerpt: string;
};

export function sessionOf(row: SessionRow): FoundSession {
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

export function callOf(row: CallRow): FoundCall {
  return {
    sessionId: nameFromStored(row.session_id),
    toolCallId: row.tool_call_id,
    at: momentOf(row.id),
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
