/**
 * Brings the archive's tables up to date with the ledger, session by session, when a query needs them. A session that has
 * grown since this process indexed it is not read and written from its start: only its new and changed rows are.
 *
 * Invariants: a session's rows are replaced in one transaction, under a lock that only that transaction has, so any number
 * of instances may do this at once. The rows have redacted texts only, and a query reads only those that were redacted
 * with its own patterns. The events are read in pages outside of any transaction: a long one would hold back vacuum.
 */
import { hash } from "node:crypto";
import type { ArchiveProgress, Ledger, Session } from "../../../call/index.js";
import { eventPages } from "../../../call/index.js";
import { modelResponse } from "../../model-response.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";
import { Replay } from "../../replay-session.js";
import { nameFromStored } from "../../stored-json.js";
import type { SqlConnections } from "../sql-connections.js";
import { itemRows, sessionRow, stepRow } from "./archive-rows.js";
import type { ItemRow, StepRow } from "./archive-rows.js";

/** "Tgar": the first half of the locks that indexing takes; the second is the session. */
const INDEX_LOCK = 0x54676172;
/** The sessions that were indexed last, so that a growing one is not read from its start each time. */
const MAX_KEPT = 8;
/** How far the clock of the server may go back without a session being missed by a process that is open. */
const CLOCK_MARGIN_MINUTES = 10;

type Changed = {
  readonly session: number;
  readonly session_id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seq: number;
  /** Up to where the rows of the archive are. */
  readonly indexed_seq: number | null;
};

/** A session as this process has indexed it. */
type Indexed = {
  readonly replay: Replay;
  readonly steps: StepRow[];
  /** The entries whose rows are stored, by their places. */
  readonly timeline: Session["timeline"];
};

/** The rows to store: all of a session, or those that are new or changed `after` the event up to which it was indexed. */
type Rows = {
  readonly after: number | undefined;
  readonly session: object;
  readonly items: readonly ItemRow[];
  readonly steps: readonly StepRow[];
};

export type ArchiveIndexOptions = {
  readonly sql: SqlConnections;
  readonly ledger: Pick<Ledger, "read">;
  readonly patterns: readonly RedactionPattern[];
};

/** Names the patterns that texts were redacted with. */
export function redactionName(patterns: readonly RedactionPattern[]): string {
  return patterns.length === 0 ? "" : hash("sha256", JSON.stringify(patterns.map(({ source }) => source)));
}

export class ArchiveIndex {
  readonly #options: ArchiveIndexOptions;
  readonly #redaction: string;
  readonly #kept = new Map<number, Indexed>();
  /** Sessions that were last written before this minute are indexed. */
  #throughBucket = 0;

  constructor(options: ArchiveIndexOptions) {
    this.#options = options;
    this.#redaction = redactionName(options.patterns);
  }

  async refresh(onProgress?: (progress: ArchiveProgress) => void): Promise<void> {
    const { sql } = this.#options;
    const { schema } = sql.address;
    const [newest] = await sql.retried<[], { bucket: number | null }>({
      sql: `select max(bucket) as bucket from ${schema}.heads`,
    });
    const changed = await sql.retried<[redaction: string, bucket: number], Changed>(
      {
        sql: `select h.session, s.session_id, h.created_at, h.updated_at, h.last_seq, a.last_seq as indexed_seq
          from ${schema}.heads h join ${schema}.sessions s on s.number = h.session
          left join ${schema}.archive_sessions a on a.session = h.session and a.redaction = $1
          where h.bucket >= $2 and h.last_seq > 0 and a.last_seq is distinct from h.last_seq order by h.session`,
      },
      this.#redaction,
      this.#throughBucket,
    );
    const progress = {
      sessions: 0,
      ofSessions: changed.length,
      events: 0,
      ofEvents: changed.reduce((sum, { last_seq }) => sum + last_seq, 0),
    };
    for (const session of changed) {
      await this.#index(session, (count) => {
        progress.events += count;
        onProgress?.({ ...progress });
      });
      progress.sessions += 1;
      onProgress?.({ ...progress });
    }
    this.#throughBucket = Math.max(0, (newest?.bucket ?? 0) - CLOCK_MARGIN_MINUTES);
  }

  async #index(session: Changed, onEvents: (count: number) => void): Promise<void> {
    const { sql } = this.#options;
    const known = this.#kept.get(session.session);
    this.#kept.delete(session.session);
    const isKnown = known !== undefined && known.replay.seq === session.indexed_seq;
    const before = isKnown ? known : undefined;
    const now = await this.#read(session, before, onEvents);
    const rows = this.#rowsOf(session, before, now);
    if (!(await sql.withRetries(() => this.#store(session.session, now.replay.seq, rows)))) return;
    this.#kept.set(session.session, now);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
  }

  /** Reads on from where the session was indexed before. */
  async #read(
    { session_id }: Changed,
    before: Indexed | undefined,
    onEvents: (count: number) => void,
  ): Promise<Indexed> {
    const sessionId = nameFromStored(session_id);
    const replay = before?.replay ?? new Replay(sessionId);
    const steps = [...(before?.steps ?? [])];
    for await (const page of eventPages(this.#options.ledger, sessionId, { after: replay.seq })) {
      replay.add(page);
      for (const { seq, event } of page) {
        const response = modelResponse(event);
        if (response) steps.push(stepRow(seq, response.at, response.model, response.usage));
      }
      onEvents(page.length);
    }
    return { replay, steps, timeline: replay.book.snapshot().timeline };
  }

  #rowsOf(session: Changed, before: Indexed | undefined, { replay, steps, timeline }: Indexed): Rows {
    const { patterns } = this.#options;
    const after = before && (session.indexed_seq ?? undefined);
    return {
      after,
      session: sessionRow(session, replay, { steps, patterns }),
      items: itemRows(timeline, before?.timeline ?? [], patterns),
      steps: steps.filter(({ seq }) => seq > (after ?? 0)),
    };
  }

  /** False when nothing was stored: another process has indexed the session, or the session is gone. */
  async #store(session: number, seq: number, rows: Rows): Promise<boolean> {
    const { sql } = this.#options;
    const { schema } = sql.address;
    const key = [this.#redaction, session];
    return sql.transaction(async (client) => {
      await client.query("select pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)", [
        INDEX_LOCK,
        session,
      ]);
      // Another instance may have indexed more, and the session may be gone.
      const { rows: known } = await client.query<{ is_there: boolean; last_seq: number | null }>(
        `select exists (select 1 from ${schema}.sessions where number = $2) as is_there,
           (select last_seq from ${schema}.archive_sessions where redaction = $1 and session = $2) as last_seq`,
        key,
      );
      const indexedSeq = known[0]?.last_seq ?? undefined;
      const isDone = known[0]?.is_there !== true || (indexedSeq !== undefined && indexedSeq >= seq);
      // Rows of a part fit only what they were made for; the next refresh indexes the session as a whole.
      if (isDone || (rows.after !== undefined && rows.after !== indexedSeq)) return false;
      if (rows.after === undefined)
        await client.query(
          `delete from ${schema}.archive_sessions where redaction = $1 and session = $2`,
          key,
        );
      else
        await client.query(
          `delete from ${schema}.archive_items where redaction = $1 and session = $2 and place = any($3::int[])`,
          [...key, rows.items.map(({ place }) => place)],
        );
      await client.query(
        `insert into ${schema}.archive_sessions (redaction, session, ${SESSION_COLUMNS})
         select $1, $2, ${SESSION_COLUMNS} from json_to_record($3::json) as t (created_at float8, updated_at float8,
           last_seq bigint, title text, agent text, cwd text, model text, is_elsewhere boolean, signer text, calls int,
           messages int, breaches int)
         on conflict (redaction, session) do update set ${SESSION_CHANGES}`,
        [...key, JSON.stringify(rows.session)],
      );
      await client.query(
        `insert into ${schema}.archive_items (redaction, session, ${ITEM_COLUMNS}, words)
         select $1, $2, ${ITEM_COLUMNS}, array_to_tsvector(array(select json_array_elements_text(keys)))
         from json_to_recordset($3::json) as t (place int, at float8, role text, tool_call_id text, name text, kind text,
           title text, status text, day text, decided_by text, who text, rule text, ran_ms float8, waited_ms float8,
           output_size bigint, breach text, is_part boolean, text text, keys json)`,
        [...key, JSON.stringify(rows.items)],
      );
      await client.query(
        `insert into ${schema}.archive_steps (redaction, session, ${STEP_COLUMNS})
         select $1, $2, ${STEP_COLUMNS} from json_to_recordset($3::json) as t (seq bigint, at float8, model text,
           input_tokens bigint, output_tokens bigint, reasoning_tokens bigint, cached_tokens bigint,
           cache_written_tokens bigint)`,
        [...key, JSON.stringify(rows.steps)],
      );
      return true;
    });
  }
}

const SESSION_COLUMNS =
  "created_at, updated_at, last_seq, title, agent, cwd, model, is_elsewhere, signer, calls, messages, breaches";
const SESSION_CHANGES = SESSION_COLUMNS.split(", ")
  .map((column) => `${column} = excluded.${column}`)
  .join(", ");
const ITEM_COLUMNS =
  "place, at, role, tool_call_id, name, kind, title, status, day, decided_by, who, rule, ran_ms, waited_ms, output_size, breach, is_part, text";
const STEP_COLUMNS =
  "seq, at, model, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cache_written_tokens";
