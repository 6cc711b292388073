/**
 * Stores the appends of all sessions, those of one turn of the event loop in one statement.
 *
 * Invariants: the statement stores a session's events only while the lease's fence and the expected position hold, so
 * an append that is sent again is stored once. The links of the chain are made here, from the position that was last
 * seen. A position that has moved is read again: a higher one has an answer before it, a lower one means that the server
 * lost what it had acknowledged (LOG_BEHIND). An append that is refused is refused alone.
 */
import type { AskedQuestion, Lease } from "../../call/index.js";
import { LedgerError } from "../../call/index.js";
import { errorCode } from "../../call/error-code.js";
import { chainStart, nextLink } from "../chain/hash-chain.js";
import { checkNewest } from "../lease-rules.js";
import type { QuestionEvent } from "../question-state.js";
import { questionsAfter } from "../question-state.js";
import { eventFromStored, nameFromStored, questionFromStored, storedName } from "../stored-json.js";
import type { StoredEvent } from "../stored-json.js";
import { BatchQueue } from "./batch-queue.js";
import { WORK } from "./ledger-statements.js";
import type { AppendOneValues, AppendValues, HeadRow, LedgerStatements } from "./ledger-statements.js";
import type { SqlConnections } from "./sql-connections.js";

type Position = { readonly session: number; readonly lastSeq: number; readonly link: string | undefined };

type Append = {
  readonly events: readonly StoredEvent[];
  readonly resolve: (seq: number) => void;
  readonly reject: (error: unknown) => void;
};

type Item = Append & { readonly lease: Lease };

/** The appends of one session that are stored together. */
type Group = {
  readonly lease: Lease;
  appends: Append[];
  /** An answer came between what this process had read and what it sent. */
  hasMoved?: boolean;
  /** The position after the events that were sent last, and each append's last `seq`. */
  sent?: (Position & { readonly ends: readonly number[]; readonly work: number | null }) | undefined;
};

export type AppendQueueOptions = {
  readonly sql: SqlConnections;
  readonly statements: LedgerStatements;
  /** The time of a test; null for the server's clock. */
  readonly time: () => number | null;
  readonly onStored: (sessionId: string) => void;
};

const UNIQUE = "23505";
const MAX_CONFLICTS = 3;

export class AppendQueue {
  readonly #options: AppendQueueOptions;
  readonly #queue = new BatchQueue<Item>((items) => this.#run(items));
  /** By fence, since fences are unique. */
  readonly #positions = new Map<number, Position>();
  /** The newest append of each fence: those before it are settled first. */
  readonly #newest = new Map<number, Promise<number>>();

  constructor(options: AppendQueueOptions) {
    this.#options = options;
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
    // Its caller has the error.
    await this.#newest.get(fence)?.catch(() => undefined);
  }

  /** The position of a session that was just claimed. */
  learn(fence: number, { session, last_seq, chain }: Pick<HeadRow, "session" | "last_seq" | "chain">): void {
    this.#positions.set(fence, { session, lastSeq: last_seq, link: chain?.toString("hex") });
  }

  forget({ fence }: Lease): void {
    this.#positions.delete(fence);
  }

  drained(): Promise<void> {
    return this.#queue.drained();
  }

  async #run(items: readonly Item[]): Promise<void> {
    for (const groups of waves(items)) {
      const aboutQuestions = groups.filter(({ appends }) =>
        appends.some(({ events }) => events.some(({ question }) => question)),
      );
      await this.#store(groups.filter((group) => !aboutQuestions.includes(group)));
      for (const group of aboutQuestions) await this.#store([group]);
    }
  }

  async #store(groups: readonly Group[]): Promise<void> {
    let left = [...groups];
    let conflicts = 0;
    try {
      await this.#options.sql.withRetries(async () => {
        while (left.length > 0) {
          try {
            left = await this.#attempt(left);
          } catch (error) {
            // Another session has asked a question of that id in between: the check finds it now.
            if (errorCode(error) !== UNIQUE || (conflicts += 1) > MAX_CONFLICTS) throw error;
          }
        }
      });
    } catch (error) {
      for (const { appends } of left) for (const { reject } of appends) reject(error);
    }
  }

  /** Returns the groups that must be sent again. */
  async #attempt(given: readonly Group[]): Promise<Group[]> {
    const { sql, statements, time } = this.#options;
    const groups = await this.#positioned(given);
    if (groups.length === 0) return [];
    const [first] = groups;
    const isAboutQuestions = first && hasQuestions(first);
    if (isAboutQuestions && !(await this.#checkQuestions(first))) return [];
    const values = this.#values(time(), groups);
    const stored = new Set(
      (isAboutQuestions
        ? await sql.run(statements.appendQuestions, ...values, ...questionValues(first))
        : groups.length === 1
          ? await sql.run(statements.appendOne, ...valuesOfOne(values))
          : await sql.run(statements.append, ...values)
      ).map(({ session }) => session),
    );
    return groups.filter((group) => {
      if (!group.sent || !stored.has(group.sent.session)) return true;
      this.#settle(group, group.sent);
      return false;
    });
  }

  /** The groups that can be sent: each has a position, and nothing that was sent before is pending. */
  async #positioned(groups: readonly Group[]): Promise<readonly Group[]> {
    const unsure = groups.filter(
      ({ lease, sent, appends }) =>
        sent !== undefined ||
        !this.#positions.has(lease.fence) ||
        appends.every(({ events }) => events.length === 0),
    );
    if (unsure.length === 0) return groups;
    const { sql, statements } = this.#options;
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
  #isToSend(group: Group, head: (HeadRow & { readonly link: Buffer | null }) | undefined): boolean {
    const { lease, sent } = group;
    const known = this.#positions.get(lease.fence);
    // The answer to what was sent was lost, and not the events.
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

  #settle({ lease, appends }: Group, { ends, session, lastSeq, link }: NonNullable<Group["sent"]>): void {
    // A release that came meanwhile has forgotten the lease.
    if (this.#positions.has(lease.fence)) this.#positions.set(lease.fence, { session, lastSeq, link });
    for (const [index, { resolve }] of appends.entries()) resolve(ends[index] ?? lastSeq);
    this.#options.onStored(lease.sessionId);
  }

  /** Rejects the appends that are illegal; false when none is left. */
  async #checkQuestions(group: Group): Promise<boolean> {
    const { sql, statements } = this.#options;
    const { sessionId } = group.lease;
    const ids = new Set(group.appends.flatMap(({ events }) => aboutQuestions(events).map(questionIdOf)));
    const rows = await sql.run(statements.questions, [...ids].map(storedName));
    const stored = new Map(rows.map((row) => [nameFromStored(row.question_id), row]));
    const states = new Map<string, AskedQuestion>();
    const find = (questionId: string) => {
      const row = stored.get(questionId);
      return states.get(questionId) ?? (row && questionFromStored(questionId, row));
    };
    group.appends = group.appends.filter(({ events, reject }) => {
      try {
        for (const [id, state] of questionsAfter(aboutQuestions(events), sessionId, find))
          states.set(id, state);
        return true;
      } catch (error) {
        reject(error);
        return false;
      }
    });
    return group.appends.length > 0;
  }

  #values(time: number | null, groups: readonly Group[]): AppendValues {
    const rows: EventRows = { sessions: [], seqs: [], types: [], events: [], links: [] };
    const expected: number[] = [];
    for (const group of groups) {
      const position = this.#positions.get(group.lease.fence);
      if (!position) throw new Error(`Session ${group.lease.sessionId} has no position.`);
      expected.push(position.lastSeq);
      group.sent = linked(group, position, rows);
    }
    const sent = groups.flatMap((group) => group.sent ?? []);
    return [
      time,
      sent.map(({ session }) => session),
      groups.map(({ lease }) => lease.fence),
      expected,
      sent.map(({ lastSeq }) => lastSeq),
      sent.map(({ link }) => Buffer.from(link ?? "", "hex")),
      sent.map(({ work }) => work),
      rows.sessions,
      rows.seqs,
      rows.types,
      rows.events,
      rows.links,
    ];
  }
}

function valuesOfOne(values: AppendValues): AppendOneValues {
  const [
    now,
    [session = 0],
    [fence = 0],
    [expected = 0],
    [last = 0],
    [chain = Buffer.alloc(0)],
    [work = null],
  ] = values;
  const [, , , , , , , , seqs, types, events, links] = values;
  return [now, session, fence, expected, last, chain, work, seqs, types, events, links];
}

type EventRows = {
  readonly sessions: number[];
  readonly seqs: number[];
  readonly types: string[];
  readonly events: string[];
  readonly links: Buffer[];
};

/** Each wave has at most one group of a session: an older and a newer lease are never in one statement. */
function waves(items: readonly Item[]): readonly (readonly Group[])[] {
  const all: Map<string, Group>[] = [];
  for (const { lease, ...append } of items) {
    const known = all.map((wave) => wave.get(lease.sessionId)).findLast((group) => group !== undefined);
    if (known?.lease.fence === lease.fence) {
      known.appends.push(append);
      continue;
    }
    let wave = all.find((one, index) => !all.slice(index).some((later) => later.has(lease.sessionId)));
    if (!wave) all.push((wave = new Map()));
    wave.set(lease.sessionId, { lease, appends: [append] });
  }
  return all.map((wave) => [...wave.values()]);
}

function linked(
  { lease, appends, hasMoved = false }: Group,
  from: Position,
  rows: EventRows,
): NonNullable<Group["sent"]> {
  const { session } = from;
  let { lastSeq, link = chainStart(lease.sessionId) } = from;
  let work: number | null = null;
  const ends = appends.map(({ events }) => {
    for (const { text } of events) {
      lastSeq += 1;
      link = nextLink(link, lastSeq, text);
      rows.sessions.push(session);
      rows.seqs.push(lastSeq);
      const type = typeOf(text);
      work = workAfter(type, hasMoved) ?? work;
      rows.types.push(type);
      rows.events.push(text);
      rows.links.push(Buffer.from(link, "hex"));
    }
    return lastSeq;
  });
  return { session, lastSeq, link, ends, work };
}

function questionValues(group: Group) {
  const settled = new Map<string, number>();
  const asked = new Map<string, number>();
  let seq = group.sent?.lastSeq ?? 0;
  for (const { events } of group.appends) seq -= events.length;
  for (const { question } of group.appends.flatMap(({ events }) => events)) {
    seq += 1;
    if (question) (question.type === "question-asked" ? asked : settled).set(questionIdOf(question), seq);
  }
  const later = [...settled].filter(([id]) => !asked.has(id));
  return [
    [...asked.keys()].map(storedName),
    [...asked.values()],
    [...asked.keys()].map((id) => settled.get(id) ?? null),
    later.map(([id]) => storedName(id)),
    later.map(([, at]) => at),
  ] as const;
}

const aboutQuestions = (events: readonly StoredEvent[]): QuestionEvent[] =>
  events.flatMap(({ question }) => question ?? []);

const hasQuestions = ({ appends }: Group) =>
  appends.some(({ events }) => events.some(({ question }) => question !== undefined));

const questionIdOf = (event: QuestionEvent) =>
  event.type === "question-asked" ? event.question.questionId : event.questionId;

/** Most events begin with their type. */
const TYPE_FIRST = /^\{"type":"([a-z-]+)"[,}]/;

/** The type that a reader of the stored text sees. */
function typeOf(text: string): string {
  return TYPE_FIRST.exec(text)?.[1] ?? eventFromStored(text, 0).type;
}

/** Whether somebody must go on with the session after such an event; others do not change it. */
function workAfter(type: string, hasMoved: boolean): number | undefined {
  if (type === "turn-started" || type === "turn-resumed") return WORK.begins;
  if (type === "turn-parked") return hasMoved ? WORK.mayBeAnswered : WORK.ends;
  return type === "turn-stopped" ? WORK.ends : undefined;
}

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
