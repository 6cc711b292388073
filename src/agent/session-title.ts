/** What a session is first asked is what it is called, unless someone named it. */
import type { ContentBlock, SessionBook, SessionEvent } from "../call/index.js";
import { oneLine } from "../call/index.js";

const LONGEST_TITLE = 80;

export function sessionTitle(
  { info }: SessionBook,
  blocks: readonly ContentBlock[],
  at: number,
): readonly SessionEvent[] {
  const text = blocks.find((block) => block.type === "text")?.text ?? "";
  const title = oneLine(text, LONGEST_TITLE);
  return title === "" || info.title !== undefined ? [] : [{ type: "info-changed", at, info: { title } }];
}
