/**
 * Orders consecutive calls so that each stands below the call that made it; otherwise the lines of two sub-agents that
 * work at the same time would mix. All other entries keep their place.
 */
import type { TimelineEntry } from "../call/index.js";

export function nestedOrder(timeline: readonly TimelineEntry[]): readonly TimelineEntry[] {
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
