/**
 * The tables of the index, in a file of its own beside the ledger's: a cache that can be made again from the ledger.
 * Texts are redacted before they are stored here.
 *
 * An `id` is a time in milliseconds, times 1024, plus a place within that millisecond: the newest first is the highest id
 * first, in every table and in the search, and a page goes on below an id.
 *
 * `sessions.model` is the model that the session was started with, `signer` the only model that signed responses in it;
 * `steps` has one row for each response of a model; `breach` is the sentence of a call that broke the rules; a call with `is_part` counts with the call
 * that it is a part of.
 */
import type { FileKind } from "../sqlite-file.js";

const TABLES = `
  create table sessions (
    number integer primary key,
    session_id text not null,
    created_at real not null,
    updated_at real not null,
    last_seq integer not null,
    chain text,
    token text,
    title text,
    agent text,
    cwd text,
    model text,
    is_elsewhere integer not null default 0,
    signer text,
    calls integer not null,
    messages integer not null,
    breaches integer not null default 0
  ) strict;
  create index sessions_by_id on sessions (session_id);
  create index sessions_by_time on sessions (updated_at, number);
  create index sessions_by_folder on sessions (cwd, updated_at, number);

  create table calls (
    id integer primary key,
    session integer not null references sessions on delete cascade,
    tool_call_id text not null,
    name text not null,
    kind text not null,
    title text not null,
    status text not null,
    day text not null,
    decided_by text,
    who text,
    rule text,
    ran_ms real,
    waited_ms real,
    output_size integer not null,
    breach text,
    is_part integer not null,
    unique (session, tool_call_id)
  ) strict;
  create index calls_by_session on calls (session, id);
  create index calls_by_name on calls (name, id);
  create index calls_by_kind on calls (kind, id);
  create index calls_by_status on calls (status, id);

  create table steps (
    session integer not null references sessions on delete cascade,
    seq integer not null,
    at real not null,
    model text,
    input_tokens integer,
    output_tokens integer,
    reasoning_tokens integer,
    cached_tokens integer,
    cache_written_tokens integer,
    primary key (session, seq)
  ) strict, without rowid;

  create table documents (
    id integer primary key,
    session integer not null references sessions on delete cascade,
    message integer,
    role text,
    tags text not null,
    text text not null
  ) strict;
  create index documents_by_session on documents (session, message);

  create virtual table search using fts5 (
    tags, text, content = 'documents', content_rowid = 'id', tokenize = 'unicode61 remove_diacritics 2', prefix = '2 3'
  );
  insert into search (search, rank) values ('secure-delete', 1);
  create trigger document_added after insert on documents begin
    insert into search (rowid, tags, text) values (new.id, new.tags, new.text);
  end;
  create trigger document_removed after delete on documents begin
    insert into search (search, rowid, tags, text) values ('delete', old.id, old.tags, old.text);
  end;
  create trigger document_changed after update of tags, text on documents begin
    insert into search (search, rowid, tags, text) values ('delete', old.id, old.tags, old.text);
    insert into search (rowid, tags, text) values (new.id, new.tags, new.text);
  end;`;

/** An index of an older version is dropped and rebuilt from the ledger. */
const DROP_ALL = ["search", "documents", "steps", "calls", "sessions"]
  .map((table) => `drop table if exists ${table};`)
  .join("\n");
/** Counts up when the tables change, or the rows that are made of an event. */
const VERSION = 5;

/** "Tgix". */
export const INDEX_FILE: FileKind = {
  applicationId: 0x54676978,
  what: "history index",
  migrations: Array.from({ length: VERSION }, (_, step) =>
    step === VERSION - 1 ? `${DROP_ALL}\n${TABLES}` : "",
  ),
};

const PLACES = 1024;
const LAST_MOMENT = Math.floor(Number.MAX_SAFE_INTEGER / PLACES) - 1;

/** The lowest id of a time. Times come from other programs too, so any number is accepted. */
export function firstIdAt(time: number): number {
  const moment = Number.isFinite(time) ? Math.floor(time) : 0;
  return Math.min(Math.max(0, moment), LAST_MOMENT) * PLACES;
}

export function momentOf(id: number): number {
  return Math.floor(id / PLACES);
}
