/** The appends of one batch as groups, one for each session, and as the values of the statement that stores them. */
import type { Lease } from "../../call/index.js";
import { chainStart, nextLink } from "../chain/hash-chain.js";
import type { QuestionEvent } from "../question-state.js";
import { eventFromStored, storedName } from "../stored-json.js";
import type { StoredEvent } from "../stored-json.js";
import { bigintArray, byteaArray, intArray, textArray } from "./binary-arrays.js";
import { WORK } from "./ledger-statements.js";
import type { AppendEventValues, AppendOneValues, AppendValues, QuestionValues } from "./ledger-values.js";

/** The position of a session's next event: the number of the session's row, its last event and that event's link. */
export type Position = {
  readonly session: number;
  readonly lastSeq: number;
  readonly link: string | undefined;
};

export type Append = {
  readonly events: readonly StoredEvent[];
  readonly resolve: (seq: number) => void;
  readonly reject: (error: unknown) => void;
};

export type AppendItem = Append & { readonly lease: Lease };

/** The position after the events that were sent last, and each append's last `seq`. */
export type SentEvents = Position & { readonly ends: readonly number[]; readonly work: number | null };

/** The appends of one session that are stored together. */
export type AppendGroup = {
  readonly lease: Lease;
  appends: Append[];
  /** An answer came after this process had read the log and before its append. */
  hasMoved?: boolean;
  sent?: SentEvents | undefined;
};

/** Each wave has at most one group of a session: an older and a newer lease are never in one statement. */
export function waves(items: readonly AppendItem[]): readonly (readonly AppendGroup[])[] {
  const all: Map<string, AppendGroup>[] = [];
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

export const hasQuestions = ({ appends }: AppendGroup): boolean =>
  appends.some(({ events }) => events.some(({ question }) => question !== undefined));

export const questionIdOf = (event: QuestionEvent): string =>
  event.type === "question-asked" ? event.question.questionId : event.questionId;

type EventRows = {
  readonly sessions: number[];
  readonly seqs: number[];
  readonly types: string[];
  readonly events: string[];
  readonly links: Buffer[];
};

type PositionOf = (lease: Lease) => Position;

export function valuesOfMany(
  time: number | null,
  groups: readonly AppendGroup[],
  positionOf: PositionOf,
): AppendValues {
  const rows = newRows();
  const from = groups.map(({ lease }) => positionOf(lease));
  const sent = groups.map((group) => linked(group, positionOf(group.lease), rows));
  return [
    time,
    bigintArray(sent.map(({ session }) => session)),
    bigintArray(groups.map(({ lease }) => lease.fence)),
    bigintArray(from.map(({ lastSeq }) => lastSeq)),
    bigintArray(sent.map(({ lastSeq }) => lastSeq)),
    byteaArray(sent.map(chainOf)),
    intArray(sent.map(({ work }) => work)),
    bigintArray(rows.sessions),
    ...eventArrays(rows),
  ];
}

export function valuesOfOne(
  time: number | null,
  group: AppendGroup,
  positionOf: PositionOf,
): AppendOneValues {
  const rows = newRows();
  const from = positionOf(group.lease);
  const sent = linked(group, from, rows);
  const { session, lastSeq, work } = sent;
  return [time, session, group.lease.fence, from.lastSeq, lastSeq, chainOf(sent), work, ...eventArrays(rows)];
}

/** Undefined when the group is not one event, or when it depends on the session's questions. */
export function valuesOfEvent(
  time: number | null,
  group: AppendGroup,
  positionOf: PositionOf,
): AppendEventValues | undefined {
  const [append, ...others] = group.appends;
  const [event, ...more] = append?.events ?? [];
  if (!event || more.length > 0 || others.length > 0 || group.hasMoved) return undefined;
  const rows = newRows();
  const from = positionOf(group.lease);
  const sent = linked(group, from, rows);
  const { session, lastSeq, work } = sent;
  const [type = ""] = rows.types;
  return [time, session, group.lease.fence, from.lastSeq, lastSeq, chainOf(sent), work, type, event.text];
}

export function valuesOfQuestions(
  time: number | null,
  group: AppendGroup,
  positionOf: PositionOf,
): QuestionValues {
  const values = valuesOfOne(time, group, positionOf);
  const settled = new Map<string, number>();
  const asked = new Map<string, number>();
  let seq = positionOf(group.lease).lastSeq;
  for (const { question } of group.appends.flatMap(({ events }) => events)) {
    seq += 1;
    if (question) (question.type === "question-asked" ? asked : settled).set(questionIdOf(question), seq);
  }
  const later = [...settled].filter(([id]) => !asked.has(id));
  return [
    ...values,
    [...asked.keys()].map(storedName),
    [...asked.values()],
    [...asked.keys()].map((id) => settled.get(id) ?? null),
    later.map(([id]) => storedName(id)),
    later.map(([, at]) => at),
  ];
}

const newRows = (): EventRows => ({ sessions: [], seqs: [], types: [], events: [], links: [] });

const chainOf = ({ link = "" }: Position): Uint8Array => Buffer.from(link, "hex");

const eventArrays = ({ seqs, types, events, links }: EventRows) =>
  [bigintArray(seqs), textArray(types), textArray(events), byteaArray(links)] as const;

/** Adds the group's events to the rows, and notes in the group what is sent. */
function linked(group: AppendGroup, from: Position, rows: EventRows): SentEvents {
  const { lease, appends, hasMoved = false } = group;
  const { session } = from;
  let { lastSeq, link = chainStart(lease.sessionId) } = from;
  let work: number | null = null;
  const ends = appends.map(({ events }) => {
    for (const { text } of events) {
      lastSeq += 1;
      link = nextLink(link, lastSeq, text);
      const type = typeOf(text);
      work = workAfter(type, hasMoved) ?? work;
      rows.sessions.push(session);
      rows.seqs.push(lastSeq);
      rows.types.push(type);
      rows.events.push(text);
      rows.links.push(Buffer.from(link, "hex"));
    }
    return lastSeq;
  });
  return (group.sent = { session, lastSeq, link, ends, work });
}

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
