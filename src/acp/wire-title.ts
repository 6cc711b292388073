/**
 * A call's title on the wire. Most clients show nothing of a call but its title, so the progress of a
 * call that is under way is written into it: `Fetch page [3/10] - second mirror`, `Index [42]`.
 */
import { isOver, oneLine } from "../call/index.js";
import type { Progress, ToolCall } from "../call/index.js";

const MESSAGE_LENGTH = 60;

export function wireTitle(call: ToolCall): string {
  const { title, progress, state } = call;
  return progress && !isOver(state) ? `${title} ${progressText(progress)}` : title;
}

function progressText({ done, total, message }: Progress): string {
  const count = total === undefined ? `[${done}]` : `[${done}/${total}]`;
  return message ? `${count} - ${oneLine(message, MESSAGE_LENGTH)}` : count;
}
