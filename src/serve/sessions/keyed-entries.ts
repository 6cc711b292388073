/** Keys of a session's entries: the same for the same entry, whatever stands around it. */
import type { SessionEvent } from "../../call/index.js";
import type { PlacedEntry } from "../../view/session-entries.js";

export type KeyedEntry = { readonly key: string; readonly entry: PlacedEntry };

export function* keyedEntries(entries: Iterable<PlacedEntry>): Generator<KeyedEntry, void> {
  // A message that calls interrupt has several runs with one id.
  const runs = new Map<string, number>();
  for (const entry of entries) {
    const base = baseKey(entry);
    const run = runs.get(base) ?? 0;
    runs.set(base, run + 1);
    yield { key: run === 0 ? base : `${base}~${run}`, entry };
  }
}

/** The key of the entry that an event changes; undefined when the event shows in no entry. */
export function keyOfChange(event: SessionEvent): string | undefined {
  if ("toolCallId" in event) return callKey(event.toolCallId);
  switch (event.type) {
    case "message-chunk":
      return messageKey(event);
    case "turn-stopped":
      return stopKey(event);
    case "context-compacted":
      return compactionKey(event);
    case "turn-started":
    case "turn-parked":
    case "turn-resumed":
    case "step-ended":
    case "window-learnt":
    case "question-answered":
    case "question-withdrawn":
    case "plan-updated":
    case "mode-changed":
    case "info-changed":
    case "traffic-repaired":
      return undefined;
    default:
      return event satisfies never;
  }
}

function baseKey(entry: PlacedEntry): string {
  switch (entry.type) {
    case "message":
      return messageKey(entry.message);
    case "call":
      return callKey(entry.call.toolCallId);
    case "turn-stopped":
      return stopKey(entry);
    case "compaction":
      return compactionKey(entry);
    default:
      return entry satisfies never;
  }
}

type Named = { readonly role: string; readonly messageId: string };
type Timed = { readonly at: number };

const messageKey = ({ role, messageId }: Named): string => `m:${role}:${messageId}`;
const callKey = (toolCallId: string): string => `c:${toolCallId}`;
const stopKey = ({ at }: Timed): string => `t:${at}`;
const compactionKey = ({ at }: Timed): string => `k:${at}`;
