/**
 * Finds responses that were cut off because their process died, and that the model then repeated. Our agents record the
 * end of each response; for other agents nothing is known.
 */
import { stepIdOf } from "../call/index.js";
import type { Session } from "../call/index.js";

/** The ids of the messages that were cut off. */
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
    // A response that only the user's next message follows was cancelled or failed: the turn's end shows that.
    if (role !== "user") for (const id of open?.messageIds ?? []) cutOff.add(id);
    open = role === "user" || whole.has(stepId) ? undefined : { stepId, messageIds: [messageId] };
  }
  return cutOff;
}
