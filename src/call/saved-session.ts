/**
 * Serializes a folded session, so that opening it again need not fold its whole log.
 *
 * Invariant: the session that is read equals the one that was written, to the last property, and further events
 * fold as they would have (`SessionBook.restored`). The log is the truth, so a session that another version of the
 * fold wrote is not read: raise FOLD_VERSION with every change of the fold's results.
 */
import { copiedCall } from "./apply-event.js";
import type { PartialInput } from "./partial-input.js";
import { NO_INPUT, readMore, upToDate } from "./partial-input.js";
import type { Session, TimelineEntry } from "./session.js";
import type { CallTimes, ToolCall, ToolCallState } from "./tool-call.js";

export const FOLD_VERSION = 4;

/** A partial input is deeply nested and can be parsed again, so only its text and its unread length are stored. */
type SavedDraft = { readonly text: string; readonly unread: number };

/** Throws a RangeError when the text would be longer than a string can be. */
export function savedSession(session: Session): string {
  const timeline = session.timeline.map((entry) =>
    entry.type === "call" && entry.call.state.status === "drafting"
      ? { type: "call", call: { ...entry.call, state: savedState(entry.call.state) } }
      : entry,
  );
  return JSON.stringify({ version: FOLD_VERSION, session: { ...session, timeline } });
}

/** Undefined for the text of another fold version. Throws for a text that is not JSON. */
export function sessionFromSaved(text: string): Session | undefined {
  // The ledger that stores the text checks that nobody altered it.
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
    compactions: session.compactions,
    windows: session.windows,
  };
}

function entryFromSaved(entry: TimelineEntry): TimelineEntry {
  return entry.type === "call" ? { type: "call", call: callFromSaved(entry.call) } : entry;
}

/** Restores the undefined properties that JSON leaves out, since every call has every property. */
function callFromSaved(call: ToolCall): ToolCall {
  const { times, state } = call;
  return { ...copiedCall(call), times: timesFromSaved(times), state: stateFromSaved(state) };
}

function timesFromSaved(times: CallTimes): CallTimes {
  const { announced, asked, answered, started, ended, waitedMs, ranMs, undone } = times;
  return { announced, asked, answered, started, ended, waitedMs, ranMs, undone };
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
