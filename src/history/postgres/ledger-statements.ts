/**
 * Every statement of the ledger on PostgreSQL; ledger-values.ts has the types of their values and rows.
 *
 * Invariants: SQL text never contains a value. Each statement is a transaction. A statement on several heads does not wait
 * for one (`skip locked`); only `append` does. The server's clock decides, read when the row is locked
 * (`clock_timestamp`), unless a test passes a time.
 */
import type {
  Time,
  HeadRow,
  ClaimedRow,
  WorkRow,
  EventRow,
  SummaryRow,
  AskedRow,
  NewBlobPart,
  BlobPartKey,
  BlobPartRow,
  LinkRow,
  LinkedHeadRow,
  SnapshotRow,
  Numbers,
  Texts,
  AppendValues,
  AppendOneValues,
  AppendEventValues,
  QuestionValues,
  StoredCount,
} from "./ledger-values.js";
import type { SqlValue, Statement } from "./sql-connections.js";

const statement = <Values extends readonly SqlValue[], Row = never>(sql: string): Statement<Values, Row> => ({
  sql,
});

/** In whole milliseconds. */
const clock = (parameter: string) =>
  `coalesce(${parameter}::float8, floor(extract(epoch from clock_timestamp()) * 1000)::float8)`;

const HEAD = `s.session_id, h.session, h.last_seq, h.chain, h.fence, h.owner, h.holder, h.lease_until, h.place`;

/** The place of sessions whose tools need no workspace. */
export const ANYWHERE = "*";

/** How an append changes whether somebody must go on with the session. */
export const WORK = {
  ends: 0,
  begins: 1,
  /** The turn parks, and an answer that its process had not read came in between. */
  mayBeAnswered: 2,
} as const;

export type LedgerStatements = ReturnType<typeof ledgerStatements>;

export function ledgerStatements(schema: string) {
  const [sessions, heads, events] = [`${schema}.sessions`, `${schema}.heads`, `${schema}.events`];
  const [questions, snapshots, blobs] = [`${schema}.questions`, `${schema}.snapshots`, `${schema}.blobs`];
  const now = clock("$1");
  /** A lease that ends much later than its length was given by a clock that was set back since. */
  const isHeld = `(h.fence is not null and h.lease_until > ${now} and h.lease_until - ${now} <= 2 * h.lease_ms)`;
  const isAnswered = `when ${WORK.mayBeAnswered} then case when exists (
            select 1 from ${questions} q where q.session = h.session and q.settled_seq is null
          ) then null else coalesce(h.work_since, c.now) end`;
  const changes = (work: string, more = isAnswered) => `updated_at = c.now,
        created_at = coalesce(h.created_at, c.now), bucket = floor(c.now / 60000), work_since = case ${work}
          when ${WORK.begins} then coalesce(h.work_since, c.now)
          when ${WORK.ends} then null
          ${more}
          else h.work_since end`;
  /** The append of one session, which needs no lock order. */
  const appendedOne = `
    moved as (
      update ${heads} h set last_seq = $5::bigint, chain = $6, ${changes("$7::int")}
      from (select ${now} as now) c
      where h.session = $2::bigint and h.fence = $3::bigint and h.last_seq = $4::bigint
      returning h.session
    ), inserted as (
      insert into ${events} (session, seq, type, event, chain)
      select m.session, r.seq, r.type, r.event, r.chain from moved m
      cross join unnest($8::bigint[], $9::text[], $10::text[], $11::bytea[]) as r (seq, type, event, chain)
    )`;
  const openQuestions = `
    select e.event, e.seq, q.number from ${questions} q
    join ${events} e on e.session = q.session and e.seq = q.asked_seq`;
  return {
    claim: statement<
      [
        now: Time,
        sessionId: string,
        owner: string,
        ms: number,
        holder: string,
        place: string | null,
        goneFence: number | null,
        goneUntil: number | null,
      ],
      ClaimedRow
    >(
      `update ${heads} h set fence = nextval('${schema}.fences'), owner = $3, holder = $5,
         lease_until = ${now} + $4::float8, lease_ms = $4::float8, place = coalesce($6, h.place)
       from ${sessions} s
       where s.session_id = $2 and h.session = s.number
         and (not ${isHeld} or h.owner = $3 or (h.fence = $7::bigint and h.lease_until = $8::float8))
         and ($6::text is null or $6 = '${ANYWHERE}' or h.place is null or h.place in ($6, '${ANYWHERE}'))
       returning h.fence, h.lease_until, h.session, h.last_seq, h.chain`,
    ),
    /** A session that nobody has claimed yet. No row when somebody has, in between. */
    begin: statement<
      [now: Time, sessionId: string, owner: string, ms: number, holder: string, place: string | null],
      ClaimedRow
    >(
      `with s as (insert into ${sessions} (session_id) values ($2) on conflict do nothing returning number)
       insert into ${heads} (session, fence, owner, holder, lease_until, lease_ms, place)
       select number, nextval('${schema}.fences'), $3, $5, ${now} + $4::float8, $4::float8, $6 from s
       returning fence, lease_until, session, last_seq, chain`,
    ),
    /** Many at once. Leaves out the rows that somebody else locks: it never waits for one while it has another. */
    renew: statement<
      [now: Time, sessionIds: Texts, fences: Numbers, ms: Numbers],
      { readonly fence: number; readonly lease_until: number }
    >(
      `with item as (
         select s.number as session, t.fence, t.ms
         from unnest($2::text[], $3::bigint[], $4::float8[]) as t (session_id, fence, ms)
         join ${sessions} s on s.session_id = t.session_id
       ), locked as materialized (
         select h.session, i.ms from ${heads} h join item i on h.session = i.session and h.fence = i.fence
         for update of h skip locked
       )
       update ${heads} h set lease_until = ${now} + l.ms, lease_ms = l.ms
       from locked l where h.session = l.session
       returning h.fence, h.lease_until`,
    ),
    renewOne: statement<
      [now: Time, sessionId: string, fence: number, ms: number],
      { readonly lease_until: number }
    >(
      `update ${heads} h set lease_until = ${now} + $4::float8, lease_ms = $4::float8
       from ${sessions} s where s.session_id = $2 and h.session = s.number and h.fence = $3::bigint
       returning h.lease_until`,
    ),
    /** A session without events leaves nothing behind. */
    release: statement<[sessionId: string, fence: number]>(
      `with held as materialized (
         select h.session, h.last_seq from ${heads} h join ${sessions} s on s.number = h.session
         where s.session_id = $1 and h.fence = $2::bigint for update of h
       ), gone as (delete from ${sessions} s using held where s.number = held.session and held.last_seq = 0)
       update ${heads} h set fence = null, owner = null, holder = null, lease_until = null, lease_ms = null
       from held where h.session = held.session and held.last_seq > 0`,
    ),
    head: statement<[sessionId: string], HeadRow>(
      `select ${HEAD} from ${sessions} s join ${heads} h on h.session = s.number where s.session_id = $1`,
    ),
    /** The heads of sessions, and the link of the event at `at`, to see whether it is ours. */
    heads: statement<[sessionIds: Texts, at: Numbers], LinkedHeadRow>(
      `select ${HEAD}, e.chain as link from unnest($1::text[], $2::bigint[]) as t (session_id, at)
       join ${sessions} s on s.session_id = t.session_id join ${heads} h on h.session = s.number
       left join ${events} e on e.session = h.session and e.seq = t.at`,
    ),
    /**
     * Locks in no certain order: a lock of all rows before the change costs a quarter. No other statement waits for a head
     * while it has one, except an append of another instance, when one of the two has lost its leases: then the server
     * ends one of them, which is sent again.
     */
    append: statement<AppendValues, StoredCount>(
      `with moved as (
         update ${heads} h set last_seq = i.last, chain = i.chain, ${changes("i.work")}
         from unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[], $7::int[])
           as i (session, fence, expected, last, chain, work), (select ${now} as now) c
         where h.session = i.session and h.fence = i.fence and h.last_seq = i.expected
         returning h.session
       ), inserted as (
         insert into ${events} (session, seq, type, event, chain)
         select r.session, r.seq, r.type, r.event, r.chain
         from unnest($8::bigint[], $9::bigint[], $10::text[], $11::text[], $12::bytea[])
           as r (session, seq, type, event, chain) join moved using (session)
       )
       select count(*) as stored from moved`,
    ),
    /** The same for one session: a fourth faster. */
    appendOne: statement<AppendOneValues, StoredCount>(
      `with ${appendedOne} select count(*) as stored from moved`,
    ),
    /** One event of one session, the usual append: no arrays, no look at questions and no result, which cost a tenth. */
    appendEvent: statement<AppendEventValues>(
      `with moved as (
         update ${heads} h set last_seq = $5::bigint, chain = $6, ${changes("$7::int", "")}
         from (select ${now} as now) c
         where h.session = $2::bigint and h.fence = $3::bigint and h.last_seq = $4::bigint
         returning h.session
       )
       insert into ${events} (session, seq, type, event, chain)
       select session, $5::bigint, $8::text, $9::text, $6::bytea from moved`,
    ),
    /** Events of one session that ask or settle questions. */
    appendQuestions: statement<QuestionValues, StoredCount>(
      `with ${appendedOne}, asked as (
         insert into ${questions} (question_id, session, asked_seq, settled_seq)
         select a.question_id, m.session, a.seq, a.settled
         from unnest($12::text[], $13::bigint[], $14::bigint[]) with ordinality as a (question_id, seq, settled, place)
         cross join moved m order by a.place
       ), settled as (
         update ${questions} q set settled_seq = t.seq
         from unnest($15::text[], $16::bigint[]) as t (question_id, seq), moved m
         where q.question_id = t.question_id and q.session = m.session and q.settled_seq is null
       )
       select count(*) as stored from moved`,
    ),
    question: statement<
      [now: Time, questionId: string],
      { readonly asked: string; readonly settled: string | null; readonly now: number }
    >(
      `select a.event as asked, z.event as settled, ${now} as now from ${questions} q
       join ${events} a on a.session = q.session and a.seq = q.asked_seq
       left join ${events} z on z.session = q.session and z.seq = q.settled_seq
       where q.question_id = $2`,
    ),
    questions: statement<
      [questionIds: Texts],
      { readonly question_id: string; readonly asked: string; readonly settled: string | null }
    >(
      `select q.question_id, a.event as asked, z.event as settled from ${questions} q
       join ${events} a on a.session = q.session and a.seq = q.asked_seq
       left join ${events} z on z.session = q.session and z.seq = q.settled_seq
       where q.question_id = any($1::text[])`,
    ),
    /** The head is locked first, as an append locks it; then the question is looked at again. The server makes the link. */
    answer: statement<
      [now: Time, questionId: string, event: string, chainStart: string],
      { readonly session: number }
    >(
      `with locked as materialized (
         select h.session, h.last_seq, h.chain from ${heads} h
         where h.session = (select session from ${questions} where question_id = $2) for update
       ), settled as (
         update ${questions} q set settled_seq = l.last_seq + 1 from locked l
         where q.question_id = $2 and q.session = l.session and q.settled_seq is null
         returning l.session, l.last_seq + 1 as seq,
           sha256(convert_to(coalesce(encode(l.chain, 'hex'), $4) || E'\\n' || (l.last_seq + 1)::text || E'\\n' || $3,
             'UTF8')) as chain
       ), inserted as (
         insert into ${events} (session, seq, type, event, chain)
         select session, seq, 'question-answered', $3, chain from settled
       ), moved as (
         update ${heads} h set last_seq = z.seq, chain = z.chain, updated_at = c.now,
           bucket = floor(c.now / 60000),
           work_since = case when exists (
             select 1 from ${questions} q
             where q.session = z.session and q.settled_seq is null and q.question_id <> $2
           ) then h.work_since else coalesce(h.work_since, c.now) end
         from settled z, (select ${now} as now) c where h.session = z.session
       )
       select session from settled`,
    ),
    /**
     * Sessions of a place that somebody must go on with, and the lease that may still last. Free ones come first, in any
     * order, so that no number of turns under way, or of turns that nobody can run, hides them for long; then the leases
     * that end next, since a dead process's lease stays while others are renewed.
     */
    work: statement<[now: Time, place: string, limit: number], WorkRow>(
      `select s.session_id, h.holder, h.fence, h.lease_until, h.lease_ms,
         case when ${isHeld} then h.lease_until - ${now} else 0 end as left_ms
       from ${heads} h join ${sessions} s on s.number = h.session
       where h.work_since is not null and h.place in ($2, '${ANYWHERE}')
       order by ${isHeld}, case when ${isHeld} then h.lease_until else random() end limit $3`,
    ),
    holder: statement<
      [now: Time, sessionId: string],
      { readonly owner: string | null; readonly holder: string | null; readonly is_held: boolean }
    >(
      `select h.owner, h.holder, ${isHeld} as is_held
       from ${sessions} s join ${heads} h on h.session = s.number where s.session_id = $2`,
    ),
    /** Turns that nobody holds and somebody must go on with, of all places. */
    health: statement<
      [now: Time],
      { readonly waiting: number; readonly oldest_ms: number; readonly is_read_only: boolean }
    >(
      `select count(*) as waiting, coalesce(max(${now} - h.work_since), 0) as oldest_ms,
         current_setting('transaction_read_only') = 'on' as is_read_only
       from ${heads} h
       where h.work_since is not null and not ${isHeld}`,
    ),
    questionNumber: statement<[questionId: string], { readonly number: number }>(
      `select number from ${questions} where question_id = $1`,
    ),
    openQuestions: statement<[after: number, limit: number], AskedRow>(
      `${openQuestions} where q.settled_seq is null and q.number > $1 order by q.number limit $2`,
    ),
    openQuestionsOf: statement<[sessionId: string, after: number, limit: number], AskedRow>(
      `${openQuestions} where q.session = (select number from ${sessions} where session_id = $1)
         and q.settled_seq is null and q.number > $2 order by q.number limit $3`,
    ),
    events: statement<[sessionId: string, after: number, limit: number], EventRow>(
      `select seq, event from ${events}
       where session = (select number from ${sessions} where session_id = $1) and seq > $2 order by seq limit $3`,
    ),
    eventsOfType: statement<[sessionId: string, after: number, limit: number, type: string], EventRow>(
      `select seq, event from ${events}
       where session = (select number from ${sessions} where session_id = $1) and seq > $2
         and type = $4 order by seq limit $3`,
    ),
    /** The next events of many followers, each after its own position; a session without events has no row. */
    look: statement<
      [places: Numbers, sessionIds: Texts, after: Numbers, limit: number],
      {
        readonly place: number;
        readonly session: number;
        readonly seq: number | null;
        readonly event: string | null;
      }
    >(
      `select t.place, h.session, e.seq, e.event
       from unnest($1::int[], $2::text[], $3::bigint[]) as t (place, session_id, after)
       join ${sessions} s on s.session_id = t.session_id
       join ${heads} h on h.session = s.number and h.last_seq > 0
       left join lateral (
         select seq, event from ${events} where session = h.session and seq > t.after order by seq limit $4
       ) e on true
       order by t.place, e.seq`,
    ),
    /** The positions of followed sessions, to see what a lost notification was about. */
    positions: statement<
      [sessionIds: Texts],
      { readonly session_id: string; readonly session: number; readonly last_seq: number }
    >(
      `select s.session_id, h.session, h.last_seq from ${sessions} s join ${heads} h on h.session = s.number
       where s.session_id = any($1::text[])`,
    ),
    has: statement<[sessionId: string], { readonly session: number }>(
      `select h.session from ${sessions} s join ${heads} h on h.session = s.number
       where s.session_id = $1 and h.last_seq > 0`,
    ),
    /** The limit stands inside: with a limit that the planner does not know, it would start parallel workers. */
    newestSessions: statement<[limit: number], SummaryRow>(
      `select s.session_id, h.created_at, h.updated_at, h.last_seq
       from (
         select session, bucket, created_at, updated_at, last_seq from ${heads}
         where bucket is not null order by bucket desc nulls last, updated_at desc
         fetch first $1 rows with ties
       ) h join ${sessions} s on s.number = h.session
       order by h.bucket desc nulls last, h.updated_at desc, s.session_id limit $1`,
    ),
    sessionsBefore: statement<
      [bucket: number, updatedAt: number, sessionId: string, limit: number],
      SummaryRow
    >(
      `select s.session_id, h.created_at, h.updated_at, h.last_seq
       from ${heads} h join ${sessions} s on s.number = h.session
       where h.bucket <= $1::int
         and (h.updated_at < $2::float8 or (h.updated_at = $2::float8 and s.session_id > $3 collate "C"))
       order by h.bucket desc nulls last, h.updated_at desc, s.session_id limit $4`,
    ),
    remove: statement<[sessionId: string, fence: number], { readonly session: number }>(
      `with held as materialized (
         select h.session from ${heads} h join ${sessions} s on s.number = h.session
         where s.session_id = $1 and h.fence = $2::bigint for update of h
       ), gone as (delete from ${events} e using held where e.session = held.session)
       delete from ${sessions} s using held where s.number = held.session returning s.number as session`,
    ),
    eventLink: statement<[sessionId: string, seq: number], LinkRow>(
      `select e.session, e.chain from ${sessions} s join ${events} e on e.session = s.number
       where s.session_id = $1 and e.seq = $2`,
    ),
    keepSnapshot: statement<
      [session: number, fence: number, seq: number, saved: string, seal: string],
      { readonly session: number }
    >(
      `insert into ${snapshots} (session, seq, saved, seal)
       select session, $3::bigint, $4, $5 from ${heads} where session = $1 and fence = $2::bigint
       on conflict (session) do update set seq = excluded.seq, saved = excluded.saved, seal = excluded.seal
       returning session`,
    ),
    snapshot: statement<[sessionId: string], SnapshotRow>(
      `select n.seq, n.saved, n.seal, e.chain from ${sessions} s
       join ${snapshots} n on n.session = s.number
       join ${events} e on e.session = n.session and e.seq = n.seq where s.session_id = $1`,
    ),
    /** A blob that was put a short time ago is not written again, unless its bytes are damaged. */
    putBlob: statement<NewBlobPart>(
      `insert into ${blobs} (hash, part, parts, bytes, put_at) values ($2, $3, $4, $5, ${now})
       on conflict (hash, part) do update set bytes = excluded.bytes, put_at = excluded.put_at
       where ${blobs}.put_at < excluded.put_at - 3600000 or ${blobs}.bytes <> excluded.bytes`,
    ),
    blobPart: statement<BlobPartKey, BlobPartRow>(
      `select bytes, parts from ${blobs} where hash = $1 and part = $2`,
    ),
    /** Outside of every append: a notification in it would make all commits wait for each other. Never waits for the disk. */
    notify: statement<[channel: string, payload: string]>(
      "select pg_notify($1, $2), set_config('synchronous_commit', 'off', true)",
    ),
    durability: statement<
      [],
      { readonly synchronous_commit: string; readonly fsync: string; readonly encoding: string }
    >(
      `select current_setting('synchronous_commit') as synchronous_commit, current_setting('fsync') as fsync,
         current_setting('server_encoding') as encoding`,
    ),
  } as const;
}
