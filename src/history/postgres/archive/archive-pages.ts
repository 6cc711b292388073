/** Pages of the archive's tables. Each starts after the last item of the page before. SQL text never contains a value. */
import type {
  CallQuery,
  FoundCall,
  FoundSession,
  Page,
  PageOptions,
  Period,
  PeriodQuery,
  SearchHit,
  SearchQuery,
  SessionQuery,
} from "../../../call/index.js";
import { cursorNumbers, pageLimit } from "../../archive-queries.js";
import { storable } from "../../archive-text.js";
import { foundCall, foundSession, pageOf } from "../../found-rows.js";
import type { FoundCallRow, FoundSessionRow } from "../../found-rows.js";
import { matchTerms } from "../../match-terms.js";
import { searchTerms } from "../../search-terms.js";
import { nameFromStored, storedName } from "../../stored-json.js";
import type { SqlConnections, SqlValue } from "../sql-connections.js";
import { searchKeys } from "./archive-rows.js";

export type ArchiveTables = { readonly sql: SqlConnections; readonly redaction: string };

/** The conditions of one query, with their values. */
export class Conditions {
  readonly values: SqlValue[] = [];
  readonly #conditions: string[] = [];

  /** Each `?` of the condition is one of the values. */
  add(condition: string, ...values: readonly SqlValue[]): void {
    let at = this.values.length;
    this.#conditions.push(condition.replaceAll("?", () => `$${(at += 1)}`));
    this.values.push(...values);
  }

  addPeriod({ since, until }: Period): void {
    if (since !== undefined) this.add("i.at >= ?::float8", Math.floor(since));
    if (until !== undefined) this.add("i.at < ?::float8", Math.floor(until));
  }

  addSessions({ cwd, agent }: Pick<PeriodQuery, "cwd" | "agent">): void {
    if (cwd !== undefined) this.add("a.cwd = ?", storable(cwd));
    if (agent !== undefined) this.add("a.agent = ?", storable(agent));
  }

  addCursor({ before }: PageOptions): void {
    const [at, session, place] = cursorNumbers(before, 3);
    if (at !== undefined && session !== undefined && place !== undefined)
      this.add("(i.at, i.session, i.place) < (?::float8, ?::bigint, ?::int)", at, session, place);
  }

  get sql(): string {
    return `where ${this.#conditions.join(" and ")}`;
  }
}

type SessionRow = FoundSessionRow & { readonly session: number };

export async function sessionPage(
  { sql, redaction }: ArchiveTables,
  query: SessionQuery,
): Promise<Page<FoundSession>> {
  const { schema } = sql.address;
  const where = new Conditions();
  where.add("a.redaction = ?", redaction);
  if (query.cwd !== undefined) where.add("a.cwd = ?", storable(query.cwd));
  const [updatedAt, number] = cursorNumbers(query.before, 2);
  if (updatedAt !== undefined && number !== undefined)
    where.add("(a.updated_at, a.session) < (?::float8, ?::bigint)", updatedAt, number);
  const limit = pageLimit(query);
  const rows = await sql.retried<SqlValue[], SessionRow>(
    {
      sql: `select a.*, s.session_id from ${schema}.archive_sessions a join ${schema}.sessions s on s.number = a.session
        ${where.sql} order by a.updated_at desc, a.session desc limit ${limit}`,
    },
    ...where.values,
  );
  return pageOf(rows, limit, foundSession, (row) => `${row.updated_at},${row.session}`);
}

type ItemRow = FoundCallRow & {
  readonly session: number;
  readonly place: number;
  readonly at: number;
  readonly role: string | null;
  readonly text: string;
  readonly tool_call_id: string | null;
};

export async function callPage(tables: ArchiveTables, query: CallQuery): Promise<Page<FoundCall>> {
  const { sessionId, tool, kind, status } = query;
  const where = new Conditions();
  where.add("i.redaction = ?", tables.redaction);
  where.add("i.tool_call_id is not null");
  if (sessionId !== undefined) where.add("s.session_id = ?", storedName(sessionId));
  if (tool !== undefined) where.add("i.name = ?", storable(tool));
  if (kind !== undefined) where.add("i.kind = ?", storable(kind));
  if (status !== undefined) where.add("i.status = ?", status);
  where.addSessions(query);
  where.addPeriod(query);
  where.addCursor(query);
  const limit = pageLimit(query);
  return pageOf(await items(tables, where, limit), limit, callOf, cursorOf);
}

const DAY_MS = 86_400_000;
/** A word index has no order: newest first means to look at ever longer slices of time, until the page is full. */
const SLICES_MS = [DAY_MS, 7 * DAY_MS, 30 * DAY_MS, Infinity];

export async function searchPage(tables: ArchiveTables, query: SearchQuery): Promise<Page<SearchHit>> {
  const limit = pageLimit(query);
  const terms = searchTerms(query.text);
  const wanted = terms.flatMap(({ text, isPrefix }) => {
    const keys = searchKeys(text);
    return keys.map((key, index) => (isPrefix && index === keys.length - 1 ? `'${key}':*` : `'${key}'`));
  });
  if (wanted.length === 0) return { items: [] };
  const newest = await newestMoment(tables);
  const found: { readonly row: ItemRow; readonly excerpt: SearchHit["excerpt"] }[] = [];
  let { before } = query;
  for (const sliceMs of SLICES_MS) {
    for (;;) {
      const where = new Conditions();
      where.add("i.redaction = ?", tables.redaction);
      // The words are letters and digits, so that none can end its quotes.
      where.add("i.words @@ ?::tsquery", wanted.join(" & "));
      if (query.sessionId !== undefined) where.add("s.session_id = ?", storedName(query.sessionId));
      if (query.tool !== undefined) where.add("i.name = ?", storable(query.tool));
      if (query.kind !== undefined) where.add("i.kind = ?", storable(query.kind));
      if (sliceMs !== Infinity) where.add("i.at >= ?::float8", newest - sliceMs);
      where.addPeriod(query);
      where.addCursor(before === undefined ? {} : { before });
      const rows = await items(tables, where, limit);
      for (const row of rows) {
        // The index knows the words; only the text knows whether they follow each other.
        const excerpt = matchTerms(row.text, terms);
        if (excerpt && found.length < limit) found.push({ row, excerpt });
      }
      const last = rows.at(-1);
      if (last) before = cursorOf(last);
      if (rows.length < limit || found.length === limit) break;
    }
    if (found.length === limit) break;
  }
  return pageOf(
    found,
    limit,
    ({ row, excerpt }) => ({
      sessionId: nameFromStored(row.session_id),
      at: row.at,
      ...(row.tool_call_id !== null && { call: callOf(row) }),
      ...(row.role !== null && { role: row.role }),
      excerpt,
    }),
    ({ row }) => cursorOf(row),
  );
}

async function newestMoment({ sql, redaction }: ArchiveTables): Promise<number> {
  const [row] = await sql.retried<[string], { at: number | null }>(
    { sql: `select max(at) as at from ${sql.address.schema}.archive_items where redaction = $1` },
    redaction,
  );
  return row?.at ?? 0;
}

function items({ sql }: ArchiveTables, where: Conditions, limit: number): Promise<ItemRow[]> {
  const { schema } = sql.address;
  return sql.retried<SqlValue[], ItemRow>(
    {
      sql: `select i.*, s.session_id from ${schema}.archive_items i join ${schema}.sessions s on s.number = i.session
        join ${schema}.archive_sessions a on a.redaction = i.redaction and a.session = i.session
        ${where.sql} order by i.at desc, i.session desc, i.place desc limit ${limit}`,
    },
    ...where.values,
  );
}

const cursorOf = ({ at, session, place }: ItemRow): string => `${at},${session},${place}`;

const callOf = (row: ItemRow): FoundCall => foundCall(row, row.tool_call_id ?? "", row.at);
