/**
 * The calls of plan entries: a call works on the entry that is in progress when the call is announced, or, where the same
 * response of the model writes the plan, on the entry that this plan has in progress.
 */
import { planFromTodos } from "./plan-from-todos.js";
import type { PlanEntry } from "./plan.js";
import type { ToolCall } from "./tool-call.js";

/** Entries beyond this number of calls keep their first ones. */
const MAX_CALLS = 1_000;

type AnnouncedCall = Pick<ToolCall, "toolCallId" | "kind"> & {
  readonly parentToolCallId?: string | undefined;
};

/**
 * The plan with the call on the only entry in progress. With several entries in progress nobody knows which one it is.
 * A call of a sub-agent stands below its parent's, and a call that only plans works on no entry.
 */
export function withCall(
  plan: readonly PlanEntry[],
  { toolCallId, parentToolCallId, kind }: AnnouncedCall,
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

/**
 * The plan with the calls of the response that wrote it: their announcements came before the plan. A call that stands
 * after the planning one moves to the entry in progress; one before it keeps the entry that it has.
 */
export function withCallsOfStep(plan: readonly PlanEntry[], step: readonly ToolCall[]): readonly PlanEntry[] {
  const planning = step.findIndex(({ rawInput }) => isSamePlan(planFromTodos(rawInput), plan));
  if (planning === -1 || plan.filter(({ status }) => status === "in_progress").length !== 1) return plan;
  let changed = plan;
  for (const [at, call] of step.entries()) {
    const isKept = at < planning && changed.some(({ toolCallIds }) => toolCallIds?.includes(call.toolCallId));
    if (!isKept) changed = withCall(withoutCall(changed, call.toolCallId), call);
  }
  return changed;
}

/** The plan names the call that wrote it; its state does not: events that are folded together may have ended it already. */
const isSamePlan = (written: readonly PlanEntry[] | undefined, plan: readonly PlanEntry[]): boolean =>
  written?.length === plan.length &&
  plan.every(({ content, status }, at) => written[at]?.content === content && written[at].status === status);

const withoutCall = (plan: readonly PlanEntry[], toolCallId: string): readonly PlanEntry[] =>
  plan.map((entry) => {
    const { toolCallIds, ...rest } = entry;
    if (!toolCallIds?.includes(toolCallId)) return entry;
    const others = toolCallIds.filter((id) => id !== toolCallId);
    return others.length === 0 ? rest : { ...rest, toolCallIds: others };
  });
