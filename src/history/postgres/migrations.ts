/**
 * The tables of the ledger on PostgreSQL, as steps that are only added to.
 *
 * A step adds tables, columns with defaults, or indexes. Instances of the version before go on beside it, unless the step
 * says that they cannot (`needs`). Times are `float8` milliseconds (`real` has 4 bytes here). Events are `text`: the
 * chain covers their bytes, and `jsonb` refuses \u0000. `heads` has the one row that every append changes: it is
 * narrow, and no index covers a column that changes often, so that updates stay within their page. `tenant` is reserved.
 */
export type MigrationStep = {
  /** The lowest step that an instance must know to work on tables that have this step. */
  readonly needs: number;
  readonly sql: (schema: string) => string;
};

const TENANT = "tenant text not null default ''";

const ledgerTables = (schema: string) => `
  create sequence ${schema}.fences as bigint;

  create table ${schema}.sessions (
    number bigint generated always as identity primary key,
    session_id text collate "C" not null,
    ${TENANT},
    unique (session_id, tenant)
  );

  create table ${schema}.heads (
    session bigint primary key references ${schema}.sessions on delete cascade,
    last_seq bigint not null default 0,
    chain bytea,
    created_at float8,
    updated_at float8,
    bucket int,
    fence bigint,
    owner text,
    holder text,
    lease_until float8,
    lease_ms float8,
    work_since float8,
    place text,
    ${TENANT}
  ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
  create index heads_by_time on ${schema}.heads (bucket desc nulls last);
  create index heads_to_do on ${schema}.heads (work_since) where work_since is not null;

  create table ${schema}.events (
    session bigint not null,
    seq bigint not null,
    type text not null,
    event text not null,
    chain bytea,
    ${TENANT},
    primary key (session, seq)
  );
  create index kept_files on ${schema}.events (session) where type = 'file-kept';

  create table ${schema}.questions (
    number bigint generated always as identity primary key,
    question_id text collate "C" not null,
    session bigint not null references ${schema}.sessions on delete cascade,
    asked_seq bigint not null,
    settled_seq bigint,
    ${TENANT},
    unique (question_id, tenant)
  );
  create index open_questions on ${schema}.questions (number) where settled_seq is null;
  create index questions_by_session on ${schema}.questions (session);

  create table ${schema}.snapshots (
    session bigint primary key references ${schema}.sessions on delete cascade,
    seq bigint not null,
    saved text not null,
    seal text not null,
    ${TENANT}
  );

  create table ${schema}.blobs (
    hash bytea not null,
    part int not null,
    parts int not null,
    bytes bytea not null,
    put_at float8 not null,
    ${TENANT},
    primary key (hash, part)
  );
  alter table ${schema}.blobs alter bytes set storage external;`;

/** The archive's tables: made from the events, and made again when they are lost. `redaction` names a set of patterns. */
const archiveTables = (schema: string) => `
  create table ${schema}.archive_sessions (
    redaction text not null,
    session bigint not null references ${schema}.sessions on delete cascade,
    created_at float8 not null,
    updated_at float8 not null,
    last_seq bigint not null,
    title text,
    agent text,
    cwd text,
    model text,
    is_elsewhere boolean not null,
    signer text,
    calls int not null,
    messages int not null,
    breaches int not null,
    ${TENANT},
    primary key (redaction, session)
  );
  create index archive_sessions_by_time on ${schema}.archive_sessions (redaction, updated_at, session);
  create index archive_sessions_by_folder on ${schema}.archive_sessions (redaction, cwd, updated_at, session);

  create table ${schema}.archive_items (
    redaction text not null,
    session bigint not null,
    place int not null,
    at float8 not null,
    role text,
    tool_call_id text,
    name text,
    kind text,
    title text,
    status text,
    day text,
    decided_by text,
    who text,
    rule text,
    ran_ms float8,
    waited_ms float8,
    output_size bigint,
    breach text,
    text text not null,
    words tsvector not null,
    ${TENANT},
    primary key (redaction, session, place),
    foreign key (redaction, session) references ${schema}.archive_sessions on delete cascade
  );
  create index archive_items_by_time on ${schema}.archive_items (redaction, at, session, place);
  create index archive_items_by_name on ${schema}.archive_items (redaction, name, at) where tool_call_id is not null;
  create index archive_items_by_word on ${schema}.archive_items using gin (words);

  create table ${schema}.archive_steps (
    redaction text not null,
    session bigint not null,
    seq bigint not null,
    at float8 not null,
    model text,
    input_tokens bigint,
    output_tokens bigint,
    reasoning_tokens bigint,
    cached_tokens bigint,
    cache_written_tokens bigint,
    ${TENANT},
    primary key (redaction, session, seq),
    foreign key (redaction, session) references ${schema}.archive_sessions on delete cascade
  );`;

/** Texts that instances share: grants, devices, trusted projects. */
const textTables = (schema: string) => `
  create table ${schema}.texts (
    name text collate "C" not null,
    version bigint not null,
    text text not null,
    ${TENANT},
    primary key (name, tenant)
  );`;

/** A call with `is_part` counts with the call that it is a part of. */
const partColumn = (schema: string) =>
  `alter table ${schema}.archive_items add is_part boolean not null default false;`;

export const MIGRATIONS: readonly MigrationStep[] = [
  { needs: 1, sql: ledgerTables },
  { needs: 1, sql: archiveTables },
  { needs: 1, sql: textTables },
  { needs: 1, sql: partColumn },
];
