/**
 * One entry for each type of session event. A new type of event does not compile until every table says what it does
 * with it, so no consumer passes it over by mistake.
 */
import type { SessionEvent, SessionEventType } from "./session.js";
import type { ToolCallEvent, ToolCallEventType } from "./tool-call.js";

export type EventOf<Type extends SessionEventType> = Extract<SessionEvent, { readonly type: Type }>;

export type EventTable<Rest extends readonly unknown[], Result> = {
  readonly [Type in SessionEventType]: (event: EventOf<Type>, ...rest: Rest) => Result;
};

/** Calls the table's entry for this event. */
export function handleEvent<Rest extends readonly unknown[], Result>(
  table: EventTable<Rest, Result>,
  event: SessionEvent,
  ...rest: Rest
): Result {
  // TypeScript does not see that the entry was chosen by the type of this very event.
  const handle = table[event.type] as (event: SessionEvent, ...rest: Rest) => Result;
  return handle(event, ...rest);
}

/** The same for an event from a log that may be damaged or newer: undefined for a type that this version does not know. */
export function handleStoredEvent<Rest extends readonly unknown[], Result>(
  table: EventTable<Rest, Result>,
  event: SessionEvent,
  ...rest: Rest
): Result | undefined {
  return Object.hasOwn(table, event.type) ? handleEvent(table, event, ...rest) : undefined;
}

/**
 * One entry for every event of a call, where all of them mean the same: that the call has changed. An event that means
 * more has an entry of its own after these. With a new event, look at each caller: the ACP encoders, the terminal's live
 * text and the archive's model responses.
 */
export function callEntries<Rest extends readonly unknown[], Result>(
  handle: (event: ToolCallEvent, ...rest: Rest) => Result,
): Pick<EventTable<Rest, Result>, ToolCallEventType> {
  return {
    "call-announced": handle,
    "input-delta": handle,
    "input-ready": handle,
    "call-revised": handle,
    "content-appended": handle,
    "terminal-output": handle,
    "terminal-exited": handle,
    "question-asked": handle,
    "app-awaited": handle,
    "child-awaited": handle,
    "child-stepped": handle,
    "call-cleared": handle,
    "call-refused": handle,
    "run-started": handle,
    "cancel-requested": handle,
    "process-started": handle,
    "file-kept": handle,
    "sandbox-refused": handle,
    "call-undone": handle,
    "call-breached": handle,
    "call-done": handle,
    "call-failed": handle,
    "call-cancelled": handle,
    "call-unknown": handle,
  };
}
