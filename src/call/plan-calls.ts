/** The calls of plan entries: a call works on the entry that is in progress when the call is announced. */
import type { PlanEntry } from "./plan.js";
import type { ToolCallEvent } from "./tool-call.js";

/** Entries beyond this number of calls keep their first ones. */
const MAX_CALLS = 1_000;

/**
 * The plan with the call on the only entry in progress. With several entries in progress nobody knows which one it is.
 * A call of a sub-agent stands below its parent's, and a call that only plans works on no entry.
 */
export function withCall(
  plan: readonly PlanEntry[],
  { toolCallId, parentToolCallId, kind }: ToolCallEvent & { type: "call-announced" },
): readonly PlanEntry[] {
  if (parentToolCallId !== undefined || kind === "think") return plan;
  const [current, ...others] = plan.filter(({ status }) => status === "in_progress");
  if (!current || others.length > 0) return plan;
  const { toolCallIds = [] } = current;
  if (toolCallIds.length >= MAX_CALLS || toolCallIds.includes(toolCallId)) return plan;
  return plan.map((entry) =>
    entry === current ? { ...entry, toolCallIds: [...toolCallIds, toolCallId] } : entry,
  );
}

/** A new plan, whose entries keep the calls that they had in the plan before, unless they name their own. */
export function withCallsOf(
  entries: readonly PlanEntry[],
  before: readonly PlanEntry[],
): readonly PlanEntry[] {
  const known = new Map(
    before.flatMap(({ content, toolCallIds }) => (toolCallIds ? [[content, toolCallIds] as const] : [])),
  );
  if (known.size === 0) return entries;
  return entries.map((entry) => {
    const toolCallIds = entry.toolCallIds ?? known.get(entry.content);
    return toolCallIds ? { ...entry, toolCallIds } : entry;
  });
}
