/**
 * A session as entries in the order in which every view renders them: messages, calls as cards, and the ends of turns
 * that stopped early. A call made by another call stands below it.
 */
import { stepIdOf } from "../call/index.js";
import type {
  Message,
  Question,
  RecordedCompaction,
  Session,
  StopReason,
  TimelineEntry,
  ToolCall,
  Turn,
} from "../call/index.js";
import { callCard } from "./call-card.js";
import type { CallCard, CallCardOptions } from "./call-card.js";
import { visibleName } from "./visible-line.js";

export type SessionEntry =
  /** `isCutOff`: its process died, and the model repeated the response in a later message. */
  | { readonly type: "message"; readonly message: Message; readonly isCutOff: boolean }
  /** `depth`: how many calls it is nested in. */
  | { readonly type: "call"; readonly call: ToolCall; readonly card: CallCard; readonly depth: number }
  | TurnStop
  | CompactionEntry;

/** A summary replaced the conversation so far for the model. */
type CompactionEntry = RecordedCompaction & { readonly type: "compaction" };

type TurnStop = {
  readonly type: "turn-stopped";
  readonly at: number;
  readonly reason: StopReason;
  readonly error?: string;
};

const MAX_DEPTH = 4;
const NEAR = 50;

/** A call in its place, without its card. */
export type PlacedCall = {
  readonly type: "call";
  readonly call: ToolCall;
  readonly depth: number;
  readonly question: Question | undefined;
  /** The calls around it, one of which it may belong to. */
  readonly near: readonly ToolCall[];
};

export type PlacedEntry = Exclude<SessionEntry, { type: "call" }> | PlacedCall;

/** Each card is built when its entry is read, so that the cards of a long session are not in memory together. */
export function* sessionEntries(
  session: Session,
  options: { readonly maxLines?: number } = {},
): Generator<SessionEntry, void> {
  for (const entry of placedEntries(session)) {
    if (entry.type !== "call") yield entry;
    else yield { type: "call", call: entry.call, card: placedCard(entry, options), depth: entry.depth };
  }
}

export function placedCard(
  placed: Omit<PlacedCall, "type" | "depth">,
  options: Pick<CallCardOptions, "maxLines" | "keepsColours"> = {},
): CallCard {
  const { call, question } = placed;
  return callCard(call, {
    ...options,
    question,
    get calls() {
      return placed.near;
    },
  });
}

/** The entries in their order. Costs little for each, so that a view can look for those that have changed. */
export function* placedEntries(session: Session): Generator<PlacedEntry, void> {
  const questions = new Map(session.questions.map(({ question }) => [question.questionId, question]));
  const depths = depthsOf(session.timeline);
  const cutOff = cutOffMessages(session);
  const compactions = session.compactions.map((one) => ({ ...one, type: "compaction" as const }));
  const stops = [...session.turns.flatMap(turnStop), ...compactions].toSorted(
    (one, other) => one.at - other.at,
  );
  const ordered = nestedOrder(session.timeline);
  let stopped = 0;
  for (const [index, entry] of ordered.entries()) {
    for (let stop = stops[stopped]; stop && comesBefore(stop, entry); stop = stops[(stopped += 1)])
      yield stop;
    if (entry.type === "message") {
      yield { ...entry, isCutOff: cutOff.has(entry.message.messageId) };
      continue;
    }
    const { call } = entry;
    yield {
      type: "call",
      call,
      depth: depths.get(call.toolCallId) ?? 0,
      question: questions.get(questionIdOf(call) ?? ""),
      // A nested call stands below its parent, which already names the owner.
      get near() {
        return call.parentToolCallId === undefined ? callsNear(ordered, index) : [];
      },
    };
  }
  yield* stops.slice(stopped);
}

/** A compaction of the same millisecond came before the entry, the end of a turn after it. */
function comesBefore({ type, at }: TurnStop | CompactionEntry, entry: TimelineEntry): boolean {
  return at < startOf(entry) || (type === "compaction" && at === startOf(entry));
}

function turnStop({ state }: Turn): readonly TurnStop[] {
  if (state.status !== "stopped" || state.stopReason === "end_turn") return [];
  const { stopReason: reason, error, endedAt: at } = state;
  return [{ type: "turn-stopped", at, reason, ...(error !== undefined && { error: visibleName(error) }) }];
}

/** The calls before and after a call: the only ones that it can belong to. */
function callsNear(timeline: readonly TimelineEntry[], index: number): readonly ToolCall[] {
  return timeline
    .slice(Math.max(0, index - NEAR), index + NEAR)
    .flatMap((entry) => (entry.type === "call" ? [entry.call] : []));
}

/** The nesting depth of each call. A parent counts only when it came first, so a cycle of parents cannot loop. */
function depthsOf(timeline: readonly TimelineEntry[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const entry of timeline) {
    if (entry.type !== "call") continue;
    const { toolCallId, parentToolCallId } = entry.call;
    const parentDepth = parentToolCallId === undefined ? undefined : depths.get(parentToolCallId);
    depths.set(toolCallId, parentDepth === undefined ? 0 : Math.min(MAX_DEPTH, parentDepth + 1));
  }
  return depths;
}

function startOf(entry: TimelineEntry): number {
  return entry.type === "message" ? entry.message.at : entry.call.times.announced;
}

function questionIdOf({ state }: ToolCall): string | undefined {
  return state.status === "waiting" && state.waitingFor.type === "question"
    ? state.waitingFor.questionId
    : undefined;
}

/**
 * The ids of messages that were cut off because their process died, and that the model then repeated. Our agents record
 * the end of each response; for other agents nothing is known.
 */
function cutOffMessages({ steps, timeline }: Session): ReadonlySet<string> {
  const whole = new Set(steps.map(({ stepId }) => stepId));
  const cutOff = new Set<string>();
  if (whole.size === 0) return cutOff;
  let open: { readonly stepId: string; readonly messageIds: string[] } | undefined;
  for (const entry of timeline) {
    if (entry.type !== "message") continue;
    const { role, messageId } = entry.message;
    const stepId = stepIdOf(messageId);
    if (role !== "user" && open?.stepId === stepId) {
      open.messageIds.push(messageId);
      continue;
    }
    // A response that only the user's next message follows was cancelled or failed: the turn's end shows that.
    if (role !== "user") for (const id of open?.messageIds ?? []) cutOff.add(id);
    open = role === "user" || whole.has(stepId) ? undefined : { stepId, messageIds: [messageId] };
  }
  return cutOff;
}

/**
 * Orders consecutive calls so that each stands below the call that made it; otherwise the calls of two sub-agents that
 * work at the same time would mix. All other entries keep their place.
 */
function nestedOrder(timeline: readonly TimelineEntry[]): readonly TimelineEntry[] {
  const ordered: TimelineEntry[] = [];
  let calls: CallEntry[] = [];
  for (const entry of timeline) {
    if (entry.type === "call") {
      calls.push(entry);
      continue;
    }
    for (const call of underTheirParents(calls)) ordered.push(call);
    calls = [];
    ordered.push(entry);
  }
  return [...ordered, ...underTheirParents(calls)];
}

type CallEntry = TimelineEntry & { readonly type: "call" };

/** A parent counts only when it came first, so a cycle of parents cannot loop. */
function underTheirParents(entries: readonly CallEntry[]): readonly CallEntry[] {
  const below = new Map<string, CallEntry[]>();
  const roots: CallEntry[] = [];
  for (const entry of entries) {
    const { toolCallId, parentToolCallId = "" } = entry.call;
    (below.get(parentToolCallId) ?? roots).push(entry);
    below.set(toolCallId, []);
  }
  const ordered: CallEntry[] = [];
  const left = roots.toReversed();
  for (let next = left.pop(); next; next = left.pop()) {
    ordered.push(next);
    for (const made of (below.get(next.call.toolCallId) ?? []).toReversed()) left.push(made);
  }
  return ordered;
}
