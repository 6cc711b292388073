/**
 * Answers of people to calls with the same tool and title. They are no part of a question's detail: the archive may first
 * have to index what was recorded since, and nobody should wait for that to answer.
 */
import type { ToolCall } from "../../call/index.js";
import type { EarlierAnswers } from "../api/question-bodies.js";
import type { ServeContext } from "../server/serve-context.js";

const MAX_EARLIER = 500;

export async function earlierAnswers(
  { archive }: ServeContext,
  sessionId: string,
  call: ToolCall,
): Promise<EarlierAnswers> {
  const { items } = await archive.calls({ tool: call.name, limit: MAX_EARLIER });
  const same = items.filter(
    (found) =>
      found.decidedBy === "person" &&
      found.title === call.title &&
      // Ids of calls are unique within their session.
      (found.sessionId !== sessionId || found.toolCallId !== call.toolCallId),
  );
  const refused = same.filter(({ status }) => status === "refused").length;
  const since = same.at(-1)?.at;
  return { allowed: same.length - refused, refused, ...(since !== undefined && { since }) };
}
