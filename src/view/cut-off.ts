/**
 * Answers that were cut off, because their process died, and were said again. Agents of ours record where each of
 * their answers ends; of others nothing is known.
 */
import { stepIdOf } from "../call/index.js";
import type { Session } from "../call/index.js";

/** The ids of their messages. */
export function cutOffMessages({ steps, timeline }: Session): ReadonlySet<string> {
  const whole = new Set(steps.map(({ stepId }) => stepId));
  const cutOff = new Set<string>();
  if (whole.size === 0) return cutOff;
  let open: { readonly stepId: string; readonly messageIds: string[] } | undefined;
  for (const entry of timeline) {
    if (entry.type !== "message") continue;
    const { role, messageId } = entry.message;
    const stepId = stepIdOf(messageId);
    if (role !== "user" && open?.stepId === stepId) {
      open.messageIds.push(messageId);
      continue;
    }
    // An answer that nothing follows but the user's next word was cancelled, or broke: its turn's end says so.
    if (role !== "user") for (const id of open?.messageIds ?? []) cutOff.add(id);
    open = role === "user" || whole.has(stepId) ? undefined : { stepId, messageIds: [messageId] };
  }
  return cutOff;
}
