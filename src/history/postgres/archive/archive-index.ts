/**
 * Brings the archive's tables up to date with the ledger, session by session, when a query needs them.
 *
 * Invariants: a session's rows are replaced in one transaction, under a lock that only that transaction has, so any number
 * of instances may do this at once. The rows have redacted texts only, and a query reads only those that were redacted
 * with its own patterns. The events are read in pages outside of any transaction: a long one would hold back vacuum.
 */
import { hash } from "node:crypto";
import type { ArchiveProgress, Ledger, Session, Usage } from "../../../call/index.js";
import { eventPages } from "../../../call/index.js";
import { isCounted, partsByCall } from "../../../call/call-parts.js";
import { callFacts, callText, messageText, sessionFacts, storable } from "../../archive-text.js";
import { wordsOf } from "../../match-terms.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";
import { Replay } from "../../replay-session.js";
import { nameFromStored } from "../../stored-json.js";
import type { SqlConnections } from "../sql-connections.js";

/** "Tgar": the first half of the locks that indexing takes; the second is the session. */
const INDEX_LOCK = 0x54676172;
/** How far the clock of the server may go back without a session being missed by a process that is open. */
const CLOCK_MARGIN_MINUTES = 10;
/** A text with more different words is found by the first of them. */
const MAX_WORDS = 20_000;
const MAX_WORD_LENGTH = 100;

type Changed = {
  readonly session: number;
  readonly session_id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seq: number;
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
        sql: `select h.session, s.session_id, h.created_at, h.updated_at, h.last_seq
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
    const { sql, ledger } = this.#options;
    const sessionId = nameFromStored(session.session_id);
    const replay = new Replay(sessionId);
    const steps: StepRow[] = [];
    for await (const page of eventPages(ledger, sessionId)) {
      replay.add(page);
      for (const { seq, event } of page) {
        if (event.type === "step-ended") steps.push(stepRow(seq, event.at, event.answer?.model, event.usage));
        // A summary is a response too.
        else if (event.type === "context-compacted" && event.usage)
          steps.push(stepRow(seq, event.at, undefined, event.usage));
      }
      onEvents(page.length);
    }
    const rows = {
      session: this.#sessionRow(session, replay, steps),
      items: this.#itemRows(replay.book.snapshot()),
    };
    await sql.withRetries(() => this.#replace(session.session, replay.seq, { ...rows, steps }));
  }

  async #replace(
    session: number,
    seq: number,
    rows: { readonly session: object; readonly items: readonly object[]; readonly steps: readonly StepRow[] },
  ): Promise<void> {
    const { sql } = this.#options;
    const { schema } = sql.address;
    const key = [this.#redaction, session];
    await sql.transaction(async (client) => {
      await client.query("select pg_advisory_xact_lock($1, ($2::bigint % 2147483647)::int)", [
        INDEX_LOCK,
        session,
      ]);
      // Another instance may have indexed more, and the session may be gone.
      const { rows: known } = await client.query(
        `select exists (select 1 from ${schema}.archive_sessions where redaction = $1 and session = $2 and last_seq >= $3)
           or not exists (select 1 from ${schema}.sessions where number = $2) as is_done`,
        [...key, seq],
      );
      if (known[0]?.is_done === true) return;
      await client.query(`delete from ${schema}.archive_sessions where redaction = $1 and session = $2`, key);
      await client.query(
        `insert into ${schema}.archive_sessions (redaction, session, ${SESSION_COLUMNS})
         select $1, $2, ${SESSION_COLUMNS} from json_to_record($3::json) as t (created_at float8, updated_at float8,
           last_seq bigint, title text, agent text, cwd text, model text, is_elsewhere boolean, signer text, calls int,
           messages int, breaches int)`,
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
    });
  }

  #sessionRow({ created_at, updated_at }: Changed, { book, seq }: Replay, steps: readonly StepRow[]): object {
    const { info, timeline } = book.snapshot();
    const { isElsewhere, ...facts } = sessionFacts(info, this.#options.patterns);
    const calls = timeline.flatMap((entry) => (entry.type === "call" ? entry.call : []));
    const signers = new Set(steps.flatMap(({ model }) => model ?? []));
    return {
      created_at,
      updated_at,
      last_seq: seq,
      ...facts,
      is_elsewhere: isElsewhere,
      signer: signers.size === 1 ? [...signers][0] : null,
      calls: calls.filter(isCounted).length,
      messages: timeline.length - calls.length,
      breaches: calls.filter(({ breach }) => breach).length,
    };
  }

  #itemRows({ timeline }: Session): readonly object[] {
    const { patterns } = this.#options;
    const parts = partsByCall(timeline.flatMap((entry) => (entry.type === "call" ? entry.call : [])));
    return timeline.map((entry, place) => {
      if (entry.type === "message") {
        const { at, role } = entry.message;
        return {
          place,
          at: momentOf(at),
          role,
          is_part: false,
          ...searchable(messageText(entry.message, patterns)),
        };
      }
      const { call } = entry;
      const { decidedBy, ranMs, waitedMs, outputSize, isPart, ...facts } = callFacts(
        call,
        patterns,
        parts.get(call.toolCallId),
      );
      return {
        place,
        at: momentOf(call.times.announced),
        tool_call_id: storable(call.toolCallId),
        ...facts,
        decided_by: decidedBy,
        ran_ms: ranMs,
        waited_ms: waitedMs,
        output_size: outputSize,
        is_part: isPart,
        ...searchable(callText(call, patterns)),
      };
    });
  }
}

const SESSION_COLUMNS =
  "created_at, updated_at, last_seq, title, agent, cwd, model, is_elsewhere, signer, calls, messages, breaches";
const ITEM_COLUMNS =
  "place, at, role, tool_call_id, name, kind, title, status, day, decided_by, who, rule, ran_ms, waited_ms, output_size, breach, is_part, text";
const STEP_COLUMNS =
  "seq, at, model, input_tokens, output_tokens, reasoning_tokens, cached_tokens, cache_written_tokens";

type StepRow = ReturnType<typeof stepRow>;

function stepRow(seq: number, at: number, model: string | undefined, usage: Usage = {}) {
  return {
    seq,
    at,
    model: model === undefined ? null : storable(model),
    input_tokens: wholeOrNull(usage.inputTokens),
    output_tokens: wholeOrNull(usage.outputTokens),
    reasoning_tokens: wholeOrNull(usage.reasoningTokens),
    cached_tokens: wholeOrNull(usage.cachedTokens),
    cache_written_tokens: wholeOrNull(usage.cacheWrittenTokens),
  };
}

/** The log may have any value where a number should be. */
const wholeOrNull = (value: unknown): number | null =>
  Number.isSafeInteger(value) ? (value as number) : null;

/** Times come from other programs too, so any number is accepted. */
function momentOf(time: number): number {
  return Number.isFinite(time) ? Math.max(0, Math.floor(time)) : 0;
}

const searchable = (text: string) => ({ text, keys: searchKeys(text).slice(0, MAX_WORDS) });

/** The words of a text as the index has them, each once. */
export function searchKeys(text: string): readonly string[] {
  return [...new Set(wordsOf(text).map(({ key }) => key.slice(0, MAX_WORD_LENGTH)))];
}
