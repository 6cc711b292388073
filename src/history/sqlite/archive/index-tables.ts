/**
 * The tables of the index, in a file of its own beside the ledger's. All of it can be made again from the
 * ledger: a newer toolgate that needs other tables makes them anew. Texts are redacted before they come here.
 *
 * An `id` is the moment it happened in milliseconds, times 1024, and a place within it: so the newest first
 * is the highest id first, in every table and in the search, and a page goes on below an id.
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
    calls integer not null,
    messages integer not null
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
    unique (session, tool_call_id)
  ) strict;
  create index calls_by_session on calls (session, id);
  create index calls_by_name on calls (name, id);
  create index calls_by_kind on calls (kind, id);
  create index calls_by_status on calls (status, id);

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

/** `breach`: the sentence of a call that broke the rules. What is there already has none: no call before could be marked. */
const BREACHES = `
  alter table calls add column breach text;
  alter table sessions add column breaches integer not null default 0;`;

/** "Tgix". */
export const INDEX_FILE: FileKind = {
  applicationId: 0x54676978,
  what: "history index",
  migrations: [TABLES, BREACHES],
};

const PLACES = 1024;
const LAST_MOMENT = Math.floor(Number.MAX_SAFE_INTEGER / PLACES) - 1;

/** The lowest id of a moment. Times come from other programs too, so any number is taken. */
export function firstIdAt(time: number): number {
  const moment = Number.isFinite(time) ? Math.floor(time) : 0;
  return Math.min(Math.max(0, moment), LAST_MOMENT) * PLACES;
}

export function momentOf(id: number): number {
  return Math.floor(id / PLACES);
}
