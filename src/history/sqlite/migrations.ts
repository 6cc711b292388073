/**
 * The tables of the ledger in SQLite, and the migrations that create them. The queries are in `ledger-sql.ts`.
 *
 * Invariants: a released migration is never changed, only followed by another one. The log is the truth; `questions`
 * only has the places where a question was asked and settled, `snapshots` the fold's result
 * (see sqlite-snapshots.ts). A session's `number` differs from that of a later one with the same id. `leases` has the newest
 * lease of each session, live or expired. A blob's `put_at` is the time of the last put; the event that refers to it
 * may follow later.
 */
/**
 * Migration n leads from version n to n + 1. The version is `user_version` in the file's own header, which
 * changes in the same transaction as the tables, so neither a table of migrations nor one of locks is needed.
 * Sessions have no index by `updated_at`: each append would write to it, and sorting the list is cheap.
 */
export const MIGRATIONS: readonly string[] = [
  `create table sessions (
     number integer primary key autoincrement,
     session_id text not null unique,
     created_at real not null,
     updated_at real not null,
     last_seq integer not null
   ) strict;

   create table events (
     session integer not null references sessions on delete cascade,
     seq integer not null,
     event text not null,
     primary key (session, seq)
   ) strict;

   create table leases (
     fence integer primary key autoincrement,
     session_id text not null unique,
     owner text not null,
     expires_at real not null
   ) strict;

   create table questions (
     number integer primary key,
     question_id text not null unique,
     session integer not null references sessions on delete cascade,
     asked_seq integer not null,
     settled_seq integer
   ) strict;
   create index questions_by_session on questions (session);
   create index open_questions on questions (number) where settled_seq is null;

   create table blobs (hash text primary key, bytes blob not null) strict;`,

  `alter table events add column chain text;
   alter table sessions add column chain text;
   alter table blobs add column put_at real;`,

  `create table snapshots (
     session integer primary key references sessions on delete cascade,
     seq integer not null,
     saved text not null,
     seal text not null
   ) strict;

   alter table leases add column milliseconds real;`,

  // The tables stay; new events have new names (see RENAMED_TYPES), which an older toolgate must not read.
  "",

  // The process that holds the lease, as JSON.
  "alter table leases add column holder text;",

  // The tables stay; an older toolgate would restore a kept part of a file as the whole file.
  "",
];
