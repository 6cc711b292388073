/** `session/request_permission` of the v2 draft: a title of its own, and the call that it is about. */
import type { Question, ToolCall } from "../../call/index.js";
import { questionMeta } from "../question-meta.js";
import { V2Encoder } from "./encoder.js";

export function encodeV2Permission(question: Question, call: ToolCall): object {
  const { sessionId, title, reason, about = [] } = question;
  const description = [...about, ...(reason === undefined ? [] : [reason])].join("\n");
  return {
    sessionId,
    title,
    ...(description !== "" && { description }),
    subject: { type: "tool_call", toolCall: wholeV2Call(call) },
    options: question.options.map(({ optionId, name, kind }) => ({ optionId, name, kind })),
    _meta: questionMeta(question),
  };
}

/** All that v2 can say of a call, as one upsert. */
function wholeV2Call(call: ToolCall): object {
  const upsert = new V2Encoder()
    .encode(call)
    .find(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  const { sessionUpdate: _, ...fields } = { sessionUpdate: "", ...upsert };
  return fields;
}
