/**
 * The tool calls of a conversation, as one list of steps in their order, the same for both versions.
 *
 * The reader repairs nothing: a field that a message lacks is missing here too.
 */
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import type { ProtocolVersion } from "./requirement.js";
import { isResponse } from "./transcript.js";
import type { Line } from "./transcript.js";

export type CallStep = { readonly line: Line; readonly sessionId: unknown } & (
  | { readonly type: "turn-started" }
  | { readonly type: "turn-ended"; readonly isCancelled: boolean; readonly background: ReadonlySet<unknown> }
  /** `isFirst`: by v1's `tool_call`, which is for new calls. `fields` is the update itself. */
  | {
      readonly type: "reported";
      readonly callId: unknown;
      readonly isFirst: boolean;
      readonly fields: JsonObject;
    }
  | {
      readonly type: "asked";
      readonly callId: unknown;
      readonly requestId: unknown;
      readonly fields: JsonObject;
    }
  | {
      readonly type: "answered";
      readonly callId: unknown;
      readonly requestId: unknown;
      readonly answer: string;
    }
  /** An update about anything else. */
  | { readonly type: "other" }
);

export function callSteps(lines: readonly Line[], version: ProtocolVersion): readonly CallStep[] {
  const prompts = new Map<unknown, unknown>();
  const asked = new Map<unknown, CallStep & { readonly type: "asked" }>();
  const steps: CallStep[] = [];
  for (const line of lines) {
    const { message, from } = line;
    if (!isJsonObject(message)) continue;
    const params = isJsonObject(message["params"]) ? message["params"] : {};
    const { sessionId } = params;
    if (from === "client" && message["method"] === "session/prompt") {
      prompts.set(message["id"], sessionId);
      steps.push({ type: "turn-started", line, sessionId });
    } else if (from === "client" && isResponse(message)) {
      const question = asked.get(message["id"]);
      if (question) {
        const { callId, requestId } = question;
        steps.push({
          ...question,
          type: "answered",
          line,
          callId,
          requestId,
          answer: answerIn(message, question),
        });
      }
    } else if (from === "agent" && message["method"] === "session/request_permission") {
      const fields = subjectOf(params);
      const step = { type: "asked" as const, line, sessionId, requestId: message["id"], fields };
      const question = { ...step, callId: fields["toolCallId"] };
      asked.set(message["id"], question);
      steps.push(question);
    } else if (from === "agent" && message["method"] === "session/update") {
      steps.push(...updateSteps(line, sessionId, params["update"], version));
    } else if (from === "agent" && isResponse(message) && prompts.has(message["id"]) && version === 1) {
      const isCancelled = isJsonObject(message["result"]) && message["result"]["stopReason"] === "cancelled";
      const ended = { type: "turn-ended" as const, line, isCancelled, background: new Set() };
      steps.push({ ...ended, sessionId: prompts.get(message["id"]) });
    }
  }
  return steps;
}

function updateSteps(
  line: Line,
  sessionId: unknown,
  update: unknown,
  version: ProtocolVersion,
): readonly CallStep[] {
  if (!isJsonObject(update)) return [{ type: "other", line, sessionId }];
  const { sessionUpdate: type, toolCallId: callId } = update;
  const isFirst = type === "tool_call";
  if (isFirst || type === "tool_call_update")
    return [{ type: "reported", line, sessionId, callId, isFirst, fields: update }];
  if (type === "tool_call_content_chunk")
    return [{ type: "reported", line, sessionId, callId, isFirst, fields: { content: [update["content"]] } }];
  if (version === 2 && type === "state_update" && update["state"] === "idle") {
    const isCancelled = update["stopReason"] === "cancelled";
    const background = Array.isArray(update["background"]) ? update["background"].filter(isJsonObject) : [];
    const ids = new Set(background.map(({ toolCallId }) => toolCallId));
    return [{ type: "turn-ended", line, sessionId, isCancelled, background: ids }];
  }
  return [{ type: "other", line, sessionId }];
}

/** The call that a question is about: v1's `toolCall`, v2's subject. */
function subjectOf(params: JsonObject): JsonObject {
  if (isJsonObject(params["toolCall"])) return params["toolCall"];
  const { subject } = params;
  if (!isJsonObject(subject)) return {};
  return isJsonObject(subject["toolCall"]) ? subject["toolCall"] : subject;
}

/** Our answer: the kind of the option we chose, `unoffered`, or the outcome when it was none. */
function answerIn(message: JsonObject, question: CallStep & { readonly type: "asked" }): string {
  const result = isJsonObject(message["result"]) ? message["result"] : {};
  const outcome = isJsonObject(result["outcome"]) ? result["outcome"] : {};
  if (outcome["outcome"] !== "selected") return String(outcome["outcome"]);
  const asked = question.line.message;
  const params = isJsonObject(asked) && isJsonObject(asked["params"]) ? asked["params"] : {};
  const options = Array.isArray(params["options"]) ? params["options"].filter(isJsonObject) : [];
  const option = options.find(({ optionId }) => optionId === outcome["optionId"]);
  return option ? String(option["kind"]) : "unoffered";
}
