/**
 * Brings the index up to date with the ledger: session by session, in small pieces, when a query needs it.
 *
 * Invariants: the ledger is only read. Several processes may do this at once: a process that writes a session's
 * rows leaves a token, and a process that finds another's token stops. `last_seq` is written last, so unfinished work is
 * done again. A session is identified by its number, id and start, and by the link of its chain up to which it is
 * indexed, so the rows of a session that was removed, started again or restored from a backup are rebuilt.
 */
import { setImmediate } from "node:timers/promises";
import type { ArchiveProgress, RecordedEvent, SessionBook } from "../../../call/index.js";
import { isCounted, partOf, partsByCall } from "../../../call/call-parts.js";
import { sessionFacts } from "../../archive-text.js";
import { modelResponse } from "../../model-response.js";
import { SessionRows } from "./session-rows.js";
import type { IndexedStep } from "./session-rows.js";
import type { RedactionPattern } from "../../redaction/redaction-pattern.js";
import { Replay } from "../../replay-session.js";
import type { SqliteDatabase } from "../sqlite-database.js";
import { eventFromStored, nameFromStored } from "../../stored-json.js";

type InLedger = {
  readonly number: number;
  readonly session_id: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seq: number;
};
type InIndex = Omit<InLedger, "updated_at"> & { readonly chain: string | null; readonly messages: number };

const EVENTS_PER_READ = 1_000;
/** How long a piece of the work may keep the process from everything else. */
const PIECE_MS = 5;
/** The books of the sessions that were indexed last, so that a growing session is not folded from its start each time. */
const MAX_KEPT_REPLAYS = 8;

export class IndexUpdate {
  readonly #ledger: SqliteDatabase;
  readonly #index: SqliteDatabase;
  readonly #patterns: readonly RedactionPattern[];
  #hasChain = false;
  readonly #replays = new Map<number, Replay>();
  #version: unknown;

  constructor(ledger: SqliteDatabase, index: SqliteDatabase, patterns: readonly RedactionPattern[]) {
    this.#ledger = ledger;
    this.#index = index;
    this.#patterns = patterns;
  }

  async run(onProgress?: (progress: ArchiveProgress) => void): Promise<void> {
    const version = this.#ledger.pragma("data_version");
    if (version === this.#version) return;
    const inLedger = this.#sessionsInLedger();
    const known = this.#forgetRemoved(inLedger);
    const changed = inLedger.filter(({ number, last_seq }) => known.get(number)?.last_seq !== last_seq);
    const progress = {
      sessions: 0,
      ofSessions: changed.length,
      events: 0,
      ofEvents: changed.reduce((sum, session) => sum + this.#unread(session, known.get(session.number)), 0),
    };
    let isWhole = true;
    for (const session of changed) {
      const isDone = await this.#update(session, known.get(session.number), (events) => {
        progress.events += events;
        onProgress?.({ ...progress });
      });
      isWhole &&= isDone;
      progress.sessions += 1;
      onProgress?.({ ...progress });
    }
    // Another process may not finish the session that it took over: then the next query looks again.
    if (isWhole) this.#version = version;
  }

  /** Drops the rows of sessions that are no longer in the ledger. */
  forgetRemoved(): void {
    this.#forgetRemoved(this.#sessionsInLedger());
  }

  #sessionsInLedger(): readonly InLedger[] {
    // A read-only ledger may be older than the chain, or still empty.
    const tables = Number(this.#ledger.pragma("user_version"));
    this.#hasChain = tables >= 2;
    if (tables === 0) return [];
    return this.#ledger.select<InLedger>(
      "select number, session_id, created_at, updated_at, last_seq from sessions order by number",
    );
  }

  /** The number of events to read until the session is up to date. */
  #unread({ number, last_seq }: InLedger, indexed: InIndex | undefined): number {
    const kept = this.#replays.get(number);
    return last_seq - (kept && kept.seq <= (indexed?.last_seq ?? 0) ? kept.seq : 0);
  }

  /** The sessions that are still the ledger's, by their numbers. */
  #forgetRemoved(inLedger: readonly InLedger[]): Map<number, InIndex> {
    const indexed = this.#index.select<InIndex>(
      "select number, session_id, created_at, last_seq, chain, messages from sessions",
    );
    const current = new Map(inLedger.map((session) => [session.number, session]));
    const known = new Map<number, InIndex>();
    for (const session of indexed) {
      if (this.#isSame(session, current.get(session.number))) known.set(session.number, session);
      else this.#forget(session.number);
    }
    return known;
  }

  #isSame(indexed: InIndex, session: InLedger | undefined): boolean {
    if (!session || session.session_id !== indexed.session_id) return false;
    if (session.created_at !== indexed.created_at || session.last_seq < indexed.last_seq) return false;
    return (
      session.last_seq === indexed.last_seq ||
      this.#linkAt(session.number, indexed.last_seq) === indexed.chain
    );
  }

  #forget(number: number): void {
    this.#replays.delete(number);
    this.#index.transaction(() => this.#index.change("delete from sessions where number = ?", [number]), {
      durable: false,
    });
  }

  #linkAt(number: number, seq: number): string | null {
    if (!this.#hasChain || seq === 0) return null;
    const sql = "select chain from events where session = ? and seq = ?";
    return this.#ledger.select<{ chain: string | null }>(sql, [number, seq])[0]?.chain ?? null;
  }

  /** False when another process has taken the session over. */
  async #update(
    session: InLedger,
    indexed: InIndex | undefined,
    onEvents: (count: number) => void,
  ): Promise<boolean> {
    const from = indexed?.last_seq ?? 0;
    const replay = this.#replayOf(session, from);
    const changes: Changes = { touched: new Set(), steps: [] };
    for (;;) {
      const events = this.#events(session.number, replay.seq);
      replay.add(events);
      for (const recorded of events) if (recorded.seq > from) noteChange(recorded, changes);
      onEvents(events.length);
      if (events.length < EVENTS_PER_READ) break;
      await setImmediate();
    }
    return this.#write(session, indexed, replay, changes);
  }

  #replayOf({ number, session_id }: InLedger, from: number): Replay {
    const kept = this.#replays.get(number);
    this.#replays.delete(number);
    // A book ahead of the index has folded events whose calls were not written.
    const replay = kept && kept.seq <= from ? kept : new Replay(nameFromStored(session_id));
    this.#replays.set(number, replay);
    const [oldest] = this.#replays.keys();
    if (this.#replays.size > MAX_KEPT_REPLAYS && oldest !== undefined) this.#replays.delete(oldest);
    return replay;
  }

  #events(number: number, after: number): RecordedEvent[] {
    return this.#ledger
      .select<{ seq: number; event: string }>(
        "select seq, event from events where session = ? and seq > ? order by seq limit ?",
        [number, after, EVENTS_PER_READ],
      )
      .map(({ seq, event }) => ({ seq, event: eventFromStored(event, seq) }));
  }

  async #write(
    session: InLedger,
    indexed: InIndex | undefined,
    replay: Replay,
    { touched, steps }: Changes,
  ): Promise<boolean> {
    const rows = new SessionRows(this.#index, session.number, this.#patterns);
    const { info, timeline } = replay.book.snapshot();
    const messages = timeline.flatMap((entry) => (entry.type === "message" ? entry.message : []));
    // The last message may have grown.
    const firstNew = Math.max(0, (indexed?.messages ?? 0) - 1);
    const calls = [...replay.book.calls()];
    const parts = partsByCall(calls);
    const writes = [
      ...[...withOwners(touched, replay.book)].map((toolCallId) => () => {
        const call = replay.book.call(toolCallId);
        if (call) rows.putCall(call, parts.get(toolCallId));
      }),
      ...steps.map((step) => () => rows.putStep(step)),
      ...messages.slice(firstNew).map((message, index) => () => rows.putMessage(message, firstNew + index)),
    ];
    if (!rows.begin(session, indexed?.last_seq)) return false;
    let written = 0;
    const writePiece = (): void => {
      const end = performance.now() + PIECE_MS;
      do writes[written++]?.();
      while (written < writes.length && performance.now() < end);
    };
    while (written < writes.length) {
      if (!rows.together(writePiece)) return false;
      await setImmediate();
    }
    const { title, agent, cwd, model, isElsewhere } = sessionFacts(info, this.#patterns);
    return rows.end({
      updated_at: session.updated_at,
      last_seq: replay.seq,
      chain: this.#linkAt(session.number, replay.seq),
      title,
      agent,
      cwd,
      model,
      is_elsewhere: Number(isElsewhere),
      calls: calls.filter(isCounted).length,
      messages: messages.length,
      breaches: calls.filter(({ breach }) => breach).length,
    });
  }
}

/** The rows to write, beside those of the messages, which are read from the fold. */
type Changes = { readonly touched: Set<string>; readonly steps: IndexedStep[] };

function noteChange({ seq, event }: RecordedEvent, { touched, steps }: Changes): void {
  if ("toolCallId" in event) touched.add(event.toolCallId);
  const response = modelResponse(event);
  if (response) steps.push({ ...response, seq, usage: response.usage ?? {} });
}

/** The row of a call shows the decision about its parts. */
function withOwners(touched: ReadonlySet<string>, book: SessionBook): ReadonlySet<string> {
  const owners = [...touched].flatMap((toolCallId) => {
    const call = book.call(toolCallId);
    return call ? (partOf(call) ?? []) : [];
  });
  return new Set([...touched, ...owners]);
}
