/** The first prompt gives a session its title, unless the session has one already. */
import type { ContentBlock, SessionBook, SessionEvent } from "../call/index.js";
import { oneLine } from "../call/index.js";

const MAX_TITLE_LENGTH = 80;

export function sessionTitle(
  { info }: SessionBook,
  blocks: readonly ContentBlock[],
  at: number,
): readonly SessionEvent[] {
  const text = blocks.find((block) => block.type === "text")?.text ?? "";
  const title = oneLine(text, MAX_TITLE_LENGTH);
  return title === "" || info.title !== undefined ? [] : [{ type: "info-changed", at, info: { title } }];
}
