/**
 * One entry for each type of session event. A new type of event does not compile until every table says what it does
 * with it, so none is passed over by mistake.
 */
import type { SessionEvent, SessionEventType } from "../call/index.js";

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
