/**
 * Stores the appends of all sessions, those of one turn of the event loop in one statement.
 *
 * Invariants: the statement stores a session's events only while the lease's fence and the expected position hold, so
 * an append that is sent again is stored once. The links of the chain are made here, from the position that was last
 * seen. A position that has moved is read again: a higher one has an answer before it, a lower one means that the server
 * lost what it had acknowledged (LOG_BEHIND). An append that is refused is refused alone. A lease with an append that may
 * be stored or not stores nothing more (APPEND_UNKNOWN): its owner does not know the log that the next event would follow.
 */
import type { AskedQuestion, Lease } from "../../call/index.js";
import { LedgerError } from "../../call/index.js";
import { errorCode } from "../../call/error-code.js";
import { checkNewest } from "../lease-rules.js";
import { questionsAfter } from "../question-state.js";
import type { QuestionEvent } from "../question-state.js";
import { nameFromStored, questionFromStored, storedName } from "../stored-json.js";
import type { StoredEvent } from "../stored-json.js";
import {
  hasQuestions,
  questionIdOf,
  valuesOfEvent,
  valuesOfMany,
  valuesOfOne,
  valuesOfQuestions,
  waves,
} from "./append-batch.js";
import type { Append, AppendGroup, AppendItem, Position, SentEvents } from "./append-batch.js";
import { BatchQueue } from "./batch-queue.js";
import type { LedgerContext } from "./ledger-context.js";
import type { HeadRow } from "./ledger-values.js";
import { ConnectionLost } from "./server-errors.js";

/**
 * Another session has asked a question of that id in between, which the check finds now; or two instances, of which one has
 * lost its leases, waited for each other.
 */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(["23505", "40P01"]);
const MAX_CONFLICTS = 3;

export class AppendQueue {
  readonly #context: LedgerContext;
  readonly #onStored: (sessionId: string) => void;
  readonly #queue = new BatchQueue<AppendItem>((items) => this.#run(items));
  /** By fence, since fences are unique. */
  readonly #positions = new Map<number, Position>();
  /** Fences with an append whose outcome stayed unknown. */
  readonly #unknown = new Set<number>();
  /** The newest append of each fence: those before it are settled first. */
  readonly #newest = new Map<number, Promise<number>>();

  constructor(context: LedgerContext, onStored: (sessionId: string) => void) {
    this.#context = context;
    this.#onStored = onStored;
  }

  append(lease: Lease, events: readonly StoredEvent[], atOnce: boolean): Promise<number> {
    const stored = new Promise<number>((resolve, reject) =>
      this.#queue.add({ lease, events, resolve, reject }, { atOnce }),
    );
    this.#newest.set(lease.fence, stored);
    return stored.finally(() => {
      if (this.#newest.get(lease.fence) === stored) this.#newest.delete(lease.fence);
    });
  }

  /** Resolves when the appends of this lease are settled. */
  async settled({ fence }: Lease): Promise<void> {
    // The caller of the append gets the error.
    await this.#newest.get(fence)?.catch(() => undefined);
  }

  /** The position of a session that was just claimed. */
  learn(fence: number, { session, last_seq, chain }: Pick<HeadRow, "session" | "last_seq" | "chain">): void {
    this.#positions.set(fence, { session, lastSeq: last_seq, link: chain?.toString("hex") });
  }

  forget({ fence }: Lease): void {
    this.#positions.delete(fence);
    this.#unknown.delete(fence);
  }

  drained(): Promise<void> {
    return this.#queue.drained();
  }

  async #run(items: readonly AppendItem[]): Promise<void> {
    for (const groups of waves(items)) {
      await this.#store(groups.filter((group) => !hasQuestions(group)));
      for (const group of groups) if (hasQuestions(group)) await this.#store([group]);
    }
  }

  async #store(groups: readonly AppendGroup[]): Promise<void> {
    let left = groups;
    let conflicts = 0;
    try {
      await this.#context.sql.withRetries(async () => {
        while (left.length > 0) {
          try {
            left = await this.#attempt(left);
          } catch (error) {
            if (!CONFLICTS.has(errorCode(error)) || (conflicts += 1) > MAX_CONFLICTS) throw error;
          }
        }
      });
    } catch (error) {
      for (const { lease, appends, sent } of left) {
        if (sent) this.#unknown.add(lease.fence);
        for (const { reject } of appends) reject(sent ? unknownOutcome(lease.sessionId) : error);
      }
    }
  }

  /** Returns the groups that must be sent again. */
  async #attempt(given: readonly AppendGroup[]): Promise<readonly AppendGroup[]> {
    const groups = await this.#positioned(given);
    const [first] = groups;
    if (!first || (hasQuestions(first) && !(await this.#checkQuestions(first)))) return [];
    // A renewal has found that a lease is lost: reading the head again reports it.
    if (groups.some(({ lease }) => !this.#positions.has(lease.fence))) return groups;
    const stored = await this.#send(first, groups).catch((error: unknown) => {
      const mayBeStored = error instanceof ConnectionLost && error.wasSent;
      if (!mayBeStored) for (const group of groups) group.sent = undefined;
      throw error;
    });
    // Fewer groups were stored than sent: their heads show which, and why.
    if (stored !== groups.length) return groups;
    for (const group of groups) if (group.sent) this.#settle(group, group.sent);
    return [];
  }

  /** Returns how many of the groups were stored. */
  async #send(first: AppendGroup, groups: readonly AppendGroup[]): Promise<number> {
    const { sql, statements, time } = this.#context;
    const { append, appendEvent, appendOne, appendQuestions } = statements;
    const positionOf = ({ fence, sessionId }: Lease): Position => {
      const position = this.#positions.get(fence);
      if (!position) throw new Error(`Session ${sessionId} has no position.`);
      return position;
    };
    const event =
      groups.length === 1 && !hasQuestions(first) ? valuesOfEvent(time(), first, positionOf) : undefined;
    if (event) return sql.countOnKept(appendEvent, ...event);
    const [row] = hasQuestions(first)
      ? await sql.runOnKept(appendQuestions, ...valuesOfQuestions(time(), first, positionOf))
      : groups.length === 1
        ? await sql.runOnKept(appendOne, ...valuesOfOne(time(), first, positionOf))
        : await sql.runOnKept(append, ...valuesOfMany(time(), groups, positionOf));
    return row?.stored ?? 0;
  }

  /** The groups that can be sent: each has a position, and nothing that was sent before is pending. */
  async #positioned(given: readonly AppendGroup[]): Promise<readonly AppendGroup[]> {
    const groups = given.filter(({ lease, appends }) => {
      if (!this.#unknown.has(lease.fence)) return true;
      for (const { reject } of appends) reject(unknownOutcome(lease.sessionId));
      return false;
    });
    const unsure = groups.filter(
      ({ lease, sent, appends }) =>
        sent !== undefined ||
        !this.#positions.has(lease.fence) ||
        appends.every(({ events }) => events.length === 0),
    );
    if (unsure.length === 0) return groups;
    const { sql, statements } = this.#context;
    const rows = await sql.run(
      statements.heads,
      unsure.map(({ lease }) => storedName(lease.sessionId)),
      unsure.map(({ sent }) => sent?.lastSeq ?? 0),
    );
    const heads = new Map(rows.map((row) => [nameFromStored(row.session_id), row]));
    const ready = new Set(
      unsure.filter((group) => {
        try {
          return this.#isToSend(group, heads.get(group.lease.sessionId));
        } catch (error) {
          this.#positions.delete(group.lease.fence);
          for (const { reject } of group.appends) reject(error);
          return false;
        }
      }),
    );
    return groups.filter((group) => !unsure.includes(group) || ready.has(group));
  }

  /** False when the group is settled. Throws LEASE_LOST or LOG_BEHIND. */
  #isToSend(group: AppendGroup, head: (HeadRow & { readonly link: Buffer | null }) | undefined): boolean {
    const { lease, sent } = group;
    const known = this.#positions.get(lease.fence);
    // The response was lost, but not the events.
    if (sent && head?.session === sent.session && head.link?.toString("hex") === sent.link) {
      this.#settle(group, sent);
      return false;
    }
    if (head && head.fence !== null && head.fence < lease.fence) throw behind(lease.sessionId);
    checkNewest(newestLease(head), lease, "appended");
    if (!head) return false;
    const link = head.chain?.toString("hex");
    const isBehind =
      known !== undefined &&
      (head.last_seq < known.lastSeq || (head.last_seq === known.lastSeq && link !== known.link));
    if (isBehind) throw behind(lease.sessionId);
    this.#positions.set(lease.fence, { session: head.session, lastSeq: head.last_seq, link });
    group.sent = undefined;
    if (known !== undefined && head.last_seq > known.lastSeq) group.hasMoved = true;
    if (group.appends.some(({ events }) => events.length > 0)) return true;
    for (const { resolve } of group.appends) resolve(head.last_seq);
    return false;
  }

  #settle({ lease, appends }: AppendGroup, { ends, session, lastSeq, link }: SentEvents): void {
    // A release has removed the lease meanwhile.
    if (this.#positions.has(lease.fence)) this.#positions.set(lease.fence, { session, lastSeq, link });
    for (const [index, { resolve }] of appends.entries()) resolve(ends[index] ?? lastSeq);
    this.#onStored(lease.sessionId);
  }

  /** Rejects the appends that are illegal; false when none is left. */
  async #checkQuestions(group: AppendGroup): Promise<boolean> {
    const { sql, statements } = this.#context;
    const { sessionId } = group.lease;
    const ids = new Set(group.appends.flatMap(({ events }) => aboutQuestions(events).map(questionIdOf)));
    const rows = await sql.run(statements.questions, [...ids].map(storedName));
    const stored = new Map(rows.map((row) => [nameFromStored(row.question_id), row]));
    const states = new Map<string, AskedQuestion>();
    const find = (questionId: string) => {
      const row = stored.get(questionId);
      return states.get(questionId) ?? (row && questionFromStored(questionId, row));
    };
    const illegal = new Map<Append, unknown>();
    for (const item of group.appends) {
      try {
        for (const [id, state] of questionsAfter(aboutQuestions(item.events), sessionId, find))
          states.set(id, state);
      } catch (error) {
        illegal.set(item, error);
      }
    }
    if (illegal.size > 0) {
      const lost = await this.#lost(group.lease);
      for (const [{ reject }, error] of illegal) reject(lost ?? error);
      group.appends = group.appends.filter((item) => !illegal.has(item));
    }
    return group.appends.length > 0;
  }

  /** LEASE_LOST when the lease is not the newest: an owner that lost it does not know which questions there are. */
  async #lost(lease: Lease): Promise<unknown> {
    const { sql, statements } = this.#context;
    const [head] = await sql.run(statements.head, storedName(lease.sessionId));
    try {
      checkNewest(newestLease(head), lease, "appended");
    } catch (error) {
      return error;
    }
    return undefined;
  }
}

const aboutQuestions = (events: readonly StoredEvent[]): QuestionEvent[] =>
  events.flatMap(({ question }) => question ?? []);

export function newestLease(head: HeadRow | undefined): Lease | undefined {
  if (!head || head.fence === null || head.owner === null) return undefined;
  const { fence, lease_until: expiresAt } = head;
  const owner = nameFromStored(head.owner);
  return { sessionId: nameFromStored(head.session_id), owner, fence, expiresAt: expiresAt ?? 0 };
}

function behind(sessionId: string): LedgerError {
  return new LedgerError(
    "LOG_BEHIND",
    `The server of the ledger lost events of session ${sessionId} that it had acknowledged, as after a failover to a standby that lagged. Nothing more is recorded here; look at the server before you open the session again.`,
  );
}

function unknownOutcome(sessionId: string): LedgerError {
  return new LedgerError(
    "APPEND_UNKNOWN",
    `The server of the ledger was lost while it stored events of session ${sessionId}: they may be recorded or not. Nothing more is recorded with this lease; open the session again, which reads what is there.`,
  );
}
