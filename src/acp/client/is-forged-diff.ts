/**
 * A diff whose old text is not in the file: an agent that shows one hides what its edit replaces. The old text may be the
 * whole file or a passage of it. A file that has the new text already was edited before the agent asked.
 */
import type { DiffContent, ToolCallContent } from "../../call/index.js";

type WholeDiff = DiffContent & { readonly oldText: string; readonly newText: string };

export function isForgedDiff(item: ToolCallContent, current: string | undefined): item is WholeDiff {
  if (item.type !== "diff" || current === undefined || item.operation !== "modify") return false;
  const { oldText, newText } = item;
  if (oldText === undefined || newText === undefined || oldText === "") return false;
  const now = lines(current);
  return !now.includes(lines(oldText)) && !now.includes(lines(newText));
}

const lines = (text: string): string => text.replaceAll("\r\n", "\n").replace(/\n$/, "");
