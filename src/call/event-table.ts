/**
 * One entry for each type of session event. A new type of event does not compile until every table says what it does
 * with it, so no consumer passes it over by mistake.
 */
import type { SessionEvent, SessionEventType } from "./session.js";

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
