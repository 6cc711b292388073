/**
 * Answers of people to calls of the same kind with the same title, whichever agent's. They are no part of a question's
 * detail: the archive may first have to index what was recorded since, and nobody should wait for that to answer.
 */
import type { FoundCall, ToolCall } from "../../call/index.js";
import type { EarlierAnswers } from "../api/question-bodies.js";
import type { ServeContext } from "../server/serve-context.js";

/** A longer record is not read to its start, which would hold the server up; the answer says so. */
const MAX_CALLS = 500;

export async function earlierAnswers(
  { archive }: ServeContext,
  sessionId: string,
  call: ToolCall,
): Promise<EarlierAnswers> {
  const isSame = (found: FoundCall): boolean =>
    found.decidedBy === "person" &&
    found.title === call.title &&
    // Ids of calls are unique within their session.
    (found.sessionId !== sessionId || found.toolCallId !== call.toolCallId);
  const { items, next } = await archive.calls({ kind: call.kind, limit: MAX_CALLS });
  const same = items.filter(isSame);
  const refused = same.filter(({ status }) => status === "refused").length;
  const since = same.at(-1)?.at;
  return {
    allowed: same.length - refused,
    refused,
    ...(since !== undefined && { since }),
    ...(next !== undefined && { lastCalls: items.length }),
  };
}
