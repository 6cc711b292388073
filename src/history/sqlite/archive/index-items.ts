/** What the index gives out: sessions, calls and what was found, and how they are read from its rows. */
import { momentOf } from "./index-tables.js";
import { nameFromStored } from "../../stored-json.js";

/** `next` is the `before` of the next page; without it there is none. */
export type Page<Item> = { readonly items: readonly Item[]; readonly next?: string };

export type PageOptions = { readonly limit?: number; readonly before?: string };
export type Period = {
  /** Milliseconds since 1970, the first moment that counts. */
  readonly since?: number;
  /** The first one that does not count any more. */
  readonly until?: number;
};

export type SessionQuery = PageOptions & { readonly cwd?: string };
export type FoundSession = {
  readonly sessionId: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly title?: string;
  readonly agent?: string;
  readonly cwd?: string;
  readonly calls: number;
  readonly messages: number;
  /** Calls that an agent ran although the rules deny them. */
  readonly breaches: number;
};

export type CallQuery = PageOptions &
  Period & {
    readonly sessionId?: string;
    readonly tool?: string;
    readonly kind?: string;
    readonly status?: string;
  };
export type FoundCall = {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly at: number;
  readonly tool: string;
  readonly kind: string;
  readonly title: string;
  readonly status: string;
  readonly decidedBy?: "rule" | "person";
  readonly who?: string;
  readonly rule?: string;
  readonly ranMs?: number;
  readonly waitedMs?: number;
  readonly outputSize: number;
  /** The sentence of a call that broke the rules. */
  readonly breach?: string;
};

export type SearchQuery = PageOptions &
  Period & {
    /** Words, "phrases" and begin*; all of them must be there. */
    readonly text: string;
    readonly sessionId?: string;
    readonly tool?: string;
    readonly kind?: string;
  };
/** A call, or a message of that role. */
export type SearchHit = {
  readonly sessionId: string;
  readonly at: number;
  readonly call?: FoundCall;
  readonly role?: string;
  /** A piece of the text around what was found, cut where that begins and ends. */
  readonly excerpt: readonly { readonly text: string; readonly isMatch: boolean }[];
};

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
  decided_by: "rule" | "person" | null;
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
