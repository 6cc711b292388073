/**
 * A folded session written down, so that opening it again need not fold its whole log.
 *
 * What must stay true: the session that is read is the one that was written, to the last property, and goes on
 * as it would have (`SessionBook.restored`). The log is the truth, so what another version of the fold wrote
 * is not read: raise FOLD_VERSION with every change of what the fold makes of events.
 */
import type { PartialInput } from "./partial-input.js";
import { NO_INPUT, readMore, upToDate } from "./partial-input.js";
import type { Session, TimelineEntry } from "./session.js";
import type { CallTimes, ToolCall, ToolCallState } from "./tool-call.js";

export const FOLD_VERSION = 3;

/** A reading of half an input is deep and can be made again: its text is kept, and how much of it was not looked at. */
type SavedDraft = { readonly text: string; readonly unread: number };

/** Throws a RangeError when there is more than one text can hold. */
export function savedSession(session: Session): string {
  const timeline = session.timeline.map((entry) =>
    entry.type === "call" && entry.call.state.status === "drafting"
      ? { type: "call", call: { ...entry.call, state: savedState(entry.call.state) } }
      : entry,
  );
  return JSON.stringify({ version: FOLD_VERSION, session: { ...session, timeline } });
}

/** Undefined for what another version of the fold wrote. Throws for what nobody wrote. */
export function sessionFromSaved(text: string): Session | undefined {
  // Whoever keeps the text sees to it that it is the one that was written.
  const { version, session } = JSON.parse(text) as { readonly version: unknown; readonly session: Session };
  if (version !== FOLD_VERSION) return undefined;
  return {
    sessionId: session.sessionId,
    info: session.info,
    modeId: session.modeId,
    plan: session.plan,
    turns: session.turns,
    steps: session.steps,
    timeline: session.timeline.map(entryFromSaved),
    questions: session.questions,
    repairs: session.repairs,
    compaction: session.compaction,
  };
}

function entryFromSaved(entry: TimelineEntry): TimelineEntry {
  return entry.type === "call" ? { type: "call", call: callFromSaved(entry.call) } : entry;
}

/** JSON leaves out what is undefined, and every call has every property. */
function callFromSaved(call: ToolCall): ToolCall {
  return {
    toolCallId: call.toolCallId,
    providerCallId: call.providerCallId,
    name: call.name,
    title: call.title,
    kind: call.kind,
    kindSource: call.kindSource,
    parentToolCallId: call.parentToolCallId,
    childSteps: call.childSteps,
    rawInput: call.rawInput,
    rawOutput: call.rawOutput,
    content: call.content,
    locations: call.locations,
    progress: call.progress,
    decision: call.decision,
    breach: call.breach,
    times: timesFromSaved(call.times),
    _meta: call._meta,
    state: stateFromSaved(call.state),
  };
}

function timesFromSaved({ announced, asked, answered, started, ended, undone }: CallTimes): CallTimes {
  return { announced, asked, answered, started, ended, undone };
}

function savedState({ status, draft }: ToolCallState & { status: "drafting" }) {
  const { text, unread } = draft;
  return { status, draft: { text, unread: unread.length } satisfies SavedDraft };
}

function stateFromSaved(state: ToolCallState): ToolCallState {
  if (state.status !== "drafting") return state;
  // `savedState` wrote it in place of the reading.
  const draft = state.draft as unknown as SavedDraft;
  return { status: "drafting", draft: readingOf(draft) };
}

function readingOf({ text, unread }: SavedDraft): PartialInput {
  const lookedAt = text.length - unread;
  const reading = upToDate(readMore(NO_INPUT, text.slice(0, lookedAt)));
  return unread === 0 ? reading : { ...reading, text, unread: text.slice(lookedAt) };
}
