/**
 * Every statement that the ledger and its verification run, with the types of its values and its rows. The index and the
 * tidying are SQLite's alone, and have their statements where they are used.
 *
 * Plain SQL (`on conflict`, `returning`, `?` for a value). SQLite's own parts are in `migrations.ts` (the tables),
 * `sqlite-file.ts` and `sqlite-database.ts` (locks, pragmas). Ids and owners are stored names, see `storedName`;
 * values are in the order of the SQL. Invariant: SQL text never contains a value.
 */

export type SqlValue = string | number | null | Uint8Array;

/** The types of the values and rows are declared by hand; a driver has none. */
export type Statement<Values extends readonly SqlValue[], Row = never> = {
  readonly sql: string;
  /** Never set; they carry the types. */
  readonly values?: Values;
  readonly row?: Row;
};

const statement = <Values extends readonly SqlValue[], Row = never>(sql: string): Statement<Values, Row> => ({
  sql,
});

/** A session's last position. `number` differs from that of a later session with the same id; `chain` is its last event's link. */
export type SessionState = {
  readonly number: number;
  readonly last_seq: number;
  readonly chain: string | null;
};

type LeaseRow = {
  readonly fence: number;
  readonly owner: string;
  readonly expires_at: number;
  /** The last duration of the lease; null for a lease from before durations were stored. */
  readonly milliseconds: number | null;
  /** The identity of the process that has it, as JSON; null for a lease from before it was stored. */
  readonly holder: string | null;
};

export type EventRow = { readonly seq: number; readonly event: string };
/** `chain`: see `chainStart` in sqlite-rows.ts. Events that were recorded before there was one have none. */
type LinkedEventRow = EventRow & { readonly chain: string | null };

type SnapshotRow = { readonly seq: number; readonly saved: string; readonly seal: string };

/** The event that asked a question, with the question's place among all of them. */
type AskedRow = EventRow & { readonly number: number };

/** Named, since TypeScript 5.6 cannot read how the compiler writes the type of the bytes into a declaration. */
type NewBlob = [hash: string, bytes: Uint8Array, putAt: number];

export type EventValues = [session: number, seq: number, event: string, chain: string];
export const EVENTS_AT_ONCE = 10;

type Nullable<Row> = { readonly [Key in keyof Row]: Row[Key] | null };

const OPEN_QUESTIONS = `
  select event, seq, questions.number from questions join events on events.session = questions.session and seq = asked_seq`;

export const LEDGER_SQL = {
  lease: statement<[sessionId: string], LeaseRow>(
    "select fence, owner, expires_at, milliseconds, holder from leases where session_id = ?",
  ),
  /** Whether a lease is the newest, and the state of its session, in one statement: every append needs both. */
  heldSession: statement<[sessionId: string, fence: number], Nullable<SessionState>>(
    `select number, last_seq, chain from leases left join sessions on sessions.session_id = leases.session_id
     where leases.session_id = ? and fence = ?`,
  ),
  insertLease: statement<
    [sessionId: string, owner: string, expiresAt: number, milliseconds: number, holder: string],
    { readonly fence: number }
  >(
    "insert into leases (session_id, owner, expires_at, milliseconds, holder) values (?, ?, ?, ?, ?) returning fence",
  ),
  extendLease: statement<[expiresAt: number, milliseconds: number, fence: number]>(
    "update leases set expires_at = ?, milliseconds = ? where fence = ?",
  ),
  deleteLease: statement<[fence: number, sessionId: string]>(
    "delete from leases where fence = ? and session_id = ?",
  ),

  /** For reads: a file that cannot be written may be older than the chain. */
  session: statement<[sessionId: string], Pick<SessionState, "number">>(
    "select number from sessions where session_id = ?",
  ),
  sessionState: statement<[sessionId: string], SessionState>(
    "select number, last_seq, chain from sessions where session_id = ?",
  ),
  /** The session has no event until `updateSession`. */
  beginSession: statement<
    [sessionId: string, createdAt: number, updatedAt: number],
    Pick<SessionState, "number">
  >(
    "insert into sessions (session_id, created_at, updated_at, last_seq) values (?, ?, ?, 0) returning number",
  ),
  updateSession: statement<[lastSeq: number, chain: string, updatedAt: number, number: number]>(
    "update sessions set last_seq = ?, chain = ?, updated_at = ? where number = ?",
  ),
  /** Also deletes the session's events, questions and snapshot. */
  deleteSession: statement<[sessionId: string]>("delete from sessions where session_id = ?"),
  /** The most recently written first, sessions of one moment by their ids, after the given position. */
  sessions: statement<
    [updatedAt: number, sameMoment: number, sessionId: string, limit: number],
    {
      readonly session_id: string;
      readonly created_at: number;
      readonly updated_at: number;
      readonly last_seq: number;
    }
  >(
    `select session_id, created_at, updated_at, last_seq from sessions
     where updated_at < ? or (updated_at = ? and session_id > ?)
     order by updated_at desc, session_id limit ?`,
  ),

  insertEvent: statement<EventValues>("insert into events (session, seq, event, chain) values (?, ?, ?, ?)"),
  /** EVENTS_AT_ONCE of them: a run of a statement costs more than the row that it inserts. */
  insertEvents: statement<SqlValue[]>(
    `insert into events (session, seq, event, chain) values ${Array(EVENTS_AT_ONCE).fill("(?, ?, ?, ?)").join(", ")}`,
  ),
  events: statement<[session: number, after: number, limit: number], EventRow>(
    "select seq, event from events where session = ? and seq > ? order by seq limit ?",
  ),
  /** Events with such a text in them, by the pattern of `like`. */
  eventsLike: statement<[session: number, after: number, pattern: string, limit: number], EventRow>(
    "select seq, event from events where session = ? and seq > ? and event like ? order by seq limit ?",
  ),

  /** A second time fails, since the id is unique. */
  askQuestion: statement<[questionId: string, session: number, askedSeq: number]>(
    "insert into questions (question_id, session, asked_seq) values (?, ?, ?)",
  ),
  /** A second time changes no row, since only an open question is settled. */
  settleQuestion: statement<[settledSeq: number, questionId: string]>(
    "update questions set settled_seq = ? where question_id = ? and settled_seq is null",
  ),
  question: statement<[questionId: string], { readonly asked: string; readonly settled: string | null }>(
    `select asked.event as asked, settled.event as settled from questions
     join events as asked on asked.session = questions.session and asked.seq = asked_seq
     left join events as settled on settled.session = questions.session and settled.seq = settled_seq
     where question_id = ?`,
  ),
  questionNumber: statement<[questionId: string], { readonly number: number }>(
    "select number from questions where question_id = ?",
  ),
  openQuestions: statement<[after: number, limit: number], AskedRow>(
    `${OPEN_QUESTIONS} where settled_seq is null and questions.number > ? order by questions.number limit ?`,
  ),
  openQuestionsOf: statement<[sessionId: string, after: number, limit: number], AskedRow>(
    `${OPEN_QUESTIONS} join sessions on sessions.number = questions.session
     where settled_seq is null and session_id = ? and questions.number > ? order by questions.number limit ?`,
  ),

  /** The session number of an event, and the event's link. */
  eventLink: statement<
    [sessionId: string, seq: number],
    { readonly session: number; readonly chain: string | null }
  >(
    `select events.session, events.chain from sessions join events on events.session = sessions.number
     where session_id = ? and seq = ?`,
  ),
  keepSnapshot: statement<[session: number, seq: number, saved: string, seal: string]>(
    `insert into snapshots (session, seq, saved, seal) values (?, ?, ?, ?)
     on conflict (session) do update set seq = excluded.seq, saved = excluded.saved, seal = excluded.seal`,
  ),
  /** With the link of its event. */
  snapshot: statement<[sessionId: string], SnapshotRow & { readonly chain: string | null }>(
    `select snapshots.seq, saved, seal, events.chain from sessions
     join snapshots on snapshots.session = sessions.number
     join events on events.session = snapshots.session and events.seq = snapshots.seq
     where session_id = ?`,
  ),

  /** The bytes of one that is there are written again, as SQLite does with its whole row: they may be damaged. */
  insertBlob: statement<NewBlob>(
    `insert into blobs (hash, bytes, put_at) values (?, ?, ?)
     on conflict (hash) do update set bytes = excluded.bytes, put_at = excluded.put_at`,
  ),
  blob: statement<[hash: string], { readonly bytes: Uint8Array }>("select bytes from blobs where hash = ?"),
} as const;

/** The statements of verification: they read everything, also from before there was a chain or a snapshot. */
export const VERIFY_SQL = {
  sessions: statement<[], SessionState & { readonly session_id: string }>(
    "select number, session_id, last_seq, chain from sessions order by number",
  ),
  sessionsWithoutChain: statement<[], SessionState & { readonly session_id: string }>(
    "select number, session_id, last_seq, null as chain from sessions order by number",
  ),
  events: statement<[session: number, after: number, limit: number], LinkedEventRow>(
    "select seq, event, chain from events where session = ? and seq > ? order by seq limit ?",
  ),
  eventsWithoutChain: statement<[session: number, after: number, limit: number], LinkedEventRow>(
    "select seq, event, null as chain from events where session = ? and seq > ? order by seq limit ?",
  ),
  snapshot: statement<[session: number], SnapshotRow>(
    "select seq, saved, seal from snapshots where session = ?",
  ),
} as const;
