/** Keys of a session's entries: the same for the same entry, whatever stands around it. */
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

function baseKey(entry: PlacedEntry): string {
  switch (entry.type) {
    case "message":
      return `m:${entry.message.role}:${entry.message.messageId}`;
    case "call":
      return `c:${entry.call.toolCallId}`;
    case "turn-stopped":
      return `t:${entry.at}`;
    case "compaction":
      return `k:${entry.at}`;
    default:
      return entry satisfies never;
  }
}
