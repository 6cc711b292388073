/** `/undo` and `/back` where a Toolgate server restores the files. */
import { visibleText } from "../../call/index.js";
import type { Undone } from "../../serve/client/index.js";
import { diffCardLines } from "../../view/diff-card.js";
import type { PageSession } from "../page-session.js";
import { undoneText } from "../undo.js";

/** The words of `/undo`: a call, and after it the numbers of hunks or the word "hunks", which lists them. */
export async function undoAtServer(page: PageSession, words: string): Promise<string> {
  const [toolCallId = "", ...numbers] = words.split(/\s+/).filter((word) => word !== "");
  if (numbers[0] === "hunks") return hunksText(await page.undo({ toolCallId, dryRun: true }));
  const wrong = numbers.find((number) => !/^[1-9]\d{0,5}$/.test(number));
  if (wrong !== undefined) return `"${visibleText(wrong)}" is not a hunk number. Nothing was restored.`;
  return answerText(
    await page.undo({ toolCallId, ...(numbers.length > 0 && { hunks: numbers.map(Number) }) }),
  );
}

/** Undoes whole turns, the newest first, until one is refused. */
export async function undoTurnsAtServer(
  page: PageSession,
  turnIds: readonly string[],
  nothing: string,
): Promise<string> {
  const texts: string[] = [];
  for (const turnId of turnIds.toReversed()) {
    const undone = await page.undo({ turnId });
    const isEmpty = !undone.isDone && undone.isNothing === true;
    if (!isEmpty) texts.push(answerText(undone));
    if (!isEmpty && !undone.isDone) break;
  }
  return texts.length === 0 ? nothing : texts.join("\n");
}

function answerText({ isDone, why, paths, left }: Undone): string {
  const reason = why === undefined ? [] : [visibleText(why)];
  return [...(isDone ? [undoneText({ paths, left })] : []), ...reason].join("\n");
}

function hunksText({ hunks, why }: Undone): string {
  if (!hunks)
    return why === undefined
      ? "This call has no hunks of its own: /undo restores all of it."
      : visibleText(why);
  return hunks
    .map(({ number, isUndone, diff }) =>
      [`hunk ${number}${isUndone ? ", undone" : ""}`, ...diffCardLines(diff).slice(1)].join("\n"),
    )
    .join("\n");
}
