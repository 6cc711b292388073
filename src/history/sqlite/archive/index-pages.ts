/** Pages of the index. Each starts after the last item of the page before, so no page is slower than the first. */
import { storable } from "../../archive-text.js";
import { cursorNumbers, pageLimit } from "../../archive-queries.js";
import type {
  CallQuery,
  FoundCall,
  FoundSession,
  Page,
  SearchHit,
  SearchQuery,
  SessionQuery,
} from "../../../call/index.js";
import { Conditions } from "./conditions.js";
import { foundSession, pageOf } from "../../found-rows.js";
import type { CallRow, HitRow, SessionRow } from "./index-items.js";
import { CALL_COLUMNS, callOf, hitOf } from "./index-items.js";
import { searchExpression, tagOf } from "./search-expression.js";
import type { SqliteDatabase } from "../sqlite-database.js";
import { storedName } from "../../stored-json.js";

export function sessionPage(index: SqliteDatabase, query: SessionQuery): Page<FoundSession> {
  const where = new Conditions();
  if (query.cwd !== undefined) where.add("cwd = ?", storable(query.cwd));
  const [updatedAt, number] = cursorNumbers(query.before, 2);
  if (updatedAt !== undefined && number !== undefined) {
    where.add("(updated_at, number) < (?, ?)", updatedAt, number);
  }
  const limit = pageLimit(query);
  const rows = index.select<SessionRow>(
    `select number, session_id, created_at, updated_at, title, agent, cwd, calls, messages, breaches from sessions
     ${where.sql} order by updated_at desc, number desc limit ?`,
    [...where.values, limit],
  );
  return pageOf(rows, limit, foundSession, (row) => `${row.updated_at},${row.number}`);
}

export function callPage(index: SqliteDatabase, query: CallQuery): Page<FoundCall> {
  const where = new Conditions();
  if (query.sessionId !== undefined) where.add("calls.session = ?", sessionNumber(index, query.sessionId));
  if (query.tool !== undefined) where.add("name = ?", storable(query.tool));
  if (query.kind !== undefined) where.add("kind = ?", storable(query.kind));
  if (query.status !== undefined) where.add("status = ?", query.status);
  where.addSessions(query);
  where.addPeriod("calls.id", query);
  const limit = pageLimit(query);
  const rows = index.select<CallRow>(
    `select ${CALL_COLUMNS}, session_id from calls join sessions on sessions.number = calls.session
     ${where.sql} order by calls.id desc limit ?`,
    [...where.values, limit],
  );
  return pageOf(rows, limit, callOf, ({ id }) => String(id));
}

export function searchPage(index: SqliteDatabase, query: SearchQuery): Page<SearchHit> {
  const tags = [
    ...(query.sessionId === undefined ? [] : [tagOf("session", sessionNumber(index, query.sessionId))]),
    ...(query.tool === undefined ? [] : [tagOf("tool", storable(query.tool))]),
    ...(query.kind === undefined ? [] : [tagOf("kind", storable(query.kind))]),
  ];
  const expression = searchExpression(query.text, tags);
  if (expression === undefined) return { items: [] };
  const where = new Conditions();
  where.add("search match ?", expression);
  where.addPeriod("search.rowid", query);
  const limit = pageLimit(query);
  const rows = index.select<HitRow>(
    `select search.rowid as hit, documents.role, sessions.session_id, ${CALL_COLUMNS},
       snippet(search, 1, char(1), char(2), '…', 32) as excerpt
     from search
     join documents on documents.id = search.rowid
     join sessions on sessions.number = documents.session
     left join calls on calls.id = search.rowid
     ${where.sql} order by search.rowid desc limit ?`,
    [...where.values, limit],
  );
  return pageOf(rows, limit, hitOf, ({ hit }) => String(hit));
}

/** 0 for an unknown session, since no session has that number. */
function sessionNumber(index: SqliteDatabase, sessionId: string): number {
  const sql = "select number from sessions where session_id = ? order by number desc limit 1";
  return index.select<{ number: number }>(sql, [storedName(sessionId)])[0]?.number ?? 0;
}
