/**
 * Answers of people to the same call before, whichever agent's: of the same tool, kind and title. Where a title is not ours
 * or is cut, the inputs must be the same too, since an agent may give any call a title that was allowed before. They are no
 * part of a question's detail: the archive may first have to index what was recorded since, and nobody should wait for
 * that to answer.
 */
import type { FoundCall, Question, ToolCall } from "../../call/index.js";
import type { EarlierAnswers } from "../api/question-bodies.js";
import type { PageParts } from "../server/page-request.js";
import { isReported } from "./inbox-row.js";

/** A longer record is not read to its start, which would hold the server up; the answer says so. */
const MAX_CALLS = 500;
/** Sessions that are read for the inputs of their calls, the newest first. */
const MAX_SESSIONS = 20;

export async function earlierAnswers(
  { context: { archive }, views }: Pick<PageParts, "context" | "views">,
  question: Question,
  call: ToolCall,
): Promise<EarlierAnswers> {
  const { sessionId } = question;
  const isSame = (found: FoundCall): boolean =>
    found.decidedBy === "person" &&
    found.tool === call.name &&
    found.title === call.title &&
    // Ids of calls are unique within their session.
    (found.sessionId !== sessionId || found.toolCallId !== call.toolCallId);
  const { items, next } = await archive.calls({ kind: call.kind, limit: MAX_CALLS });
  const titled = items.filter(isSame);
  const needsInput = isReported(question) || call.title.includes("…");
  const same = needsInput ? await withSameInput(views, titled, call) : titled;
  const refused = same.filter(({ status }) => status === "refused").length;
  const since = same.length === 0 ? undefined : Math.min(...same.map(({ at }) => at));
  return {
    allowed: same.length - refused,
    refused,
    ...(since !== undefined && { since }),
    ...(next !== undefined && { lastCalls: items.length }),
  };
}

async function withSameInput(
  views: PageParts["views"],
  found: readonly FoundCall[],
  { rawInput }: ToolCall,
): Promise<readonly FoundCall[]> {
  const input = JSON.stringify(rawInput);
  const same: FoundCall[] = [];
  for (const sessionId of [...new Set(found.map((one) => one.sessionId))].slice(0, MAX_SESSIONS)) {
    // A session may have been removed since it was found.
    const book = await views.open(sessionId).then(
      (view) => view.book,
      () => undefined,
    );
    const isEqual = (one: FoundCall): boolean =>
      one.sessionId === sessionId && JSON.stringify(book?.call(one.toolCallId)?.rawInput) === input;
    same.push(...found.filter(isEqual));
  }
  return same;
}
