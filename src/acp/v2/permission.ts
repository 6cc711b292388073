/** `session/request_permission` of the v2 draft, both ways: a title of its own, and the call that it is about. */
import type { Question, QuestionOption, ToolCall } from "../../call/index.js";
import { isJsonObject, isNone } from "../json.js";
import type { JsonObject } from "../json.js";
import { permissionOptions, questionLines } from "../show-more.js";
import type { AskedView } from "../show-more.js";
import { questionMeta } from "../toolgate-meta.js";
import { readV1Permission } from "../v1/permission.js";
import type { AskedPermission } from "../v1/permission.js";
import { V2Encoder } from "./encoder.js";

export function encodeV2Permission(question: Question, call: ToolCall, view: AskedView = {}): object {
  const { sessionId, title } = question;
  const description = questionLines(question, view);
  return {
    sessionId,
    title,
    ...(description !== "" && { description }),
    subject: { type: "tool_call", toolCall: wholeV2Call(call) },
    options: permissionOptions(question, view),
    _meta: questionMeta(question),
  };
}

/** Everything that v2 can say of a call, as one upsert. */
function wholeV2Call(call: ToolCall): object {
  const upsert = new V2Encoder()
    .encode(call)
    .find(({ sessionUpdate }) => sessionUpdate === "tool_call_update");
  const { sessionUpdate: _, ...fields } = { sessionUpdate: "", ...upsert };
  return fields;
}

/** Reads a request that has a subject in place of a call. Undefined when it cannot be read. */
export function readV2Permission(params: unknown): AskedPermission | undefined {
  if (!isJsonObject(params) || typeof params["title"] !== "string") return undefined;
  const toolCall = readSubject(params["subject"], params["title"]);
  return toolCall && readV1Permission({ ...params, toolCall, options: known(params["options"]) });
}

/** Drops options of unknown kinds: we never choose them. */
function known(options: unknown): unknown {
  if (!Array.isArray(options)) return options;
  return options.filter((one) => isJsonObject(one) && KINDS.has(String(one["kind"])));
}

const KINDS: ReadonlySet<string> = new Set<QuestionOption["kind"]>([
  "allow_once",
  "allow_always",
  "reject_once",
  "reject_always",
]);

function readSubject(subject: unknown, title: string): JsonObject | undefined {
  if (isNone(subject)) return { toolCallId: UNNAMED, title };
  if (!isJsonObject(subject)) return undefined;
  const { type, toolCall, command, cwd, toolCallId } = subject;
  if (type === "tool_call" && isJsonObject(toolCall))
    return isNone(toolCall["title"]) ? { ...toolCall, title } : toolCall;
  if (type !== "command") return { toolCallId: UNNAMED, title };
  if (typeof command !== "string") return undefined;
  return {
    toolCallId: typeof toolCallId === "string" ? toolCallId : UNNAMED,
    title,
    kind: "execute",
    rawInput: { command, ...(typeof cwd === "string" && { cwd }) },
  };
}

/** The id of a request that is about no call. */
const UNNAMED = "permission";
