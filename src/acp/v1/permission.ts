/**
 * `session/request_permission`, both ways. The request repeats what the call shows, since a client may
 * show nothing else; an answer that we did not offer, or cannot read, is never a yes.
 */
import type * as acp from "@agentclientprotocol/sdk";
import { textContent, visibleText } from "../../call/index.js";
import type { Answer, OptionKind, Question, QuestionOption, ToolCall } from "../../call/index.js";
import type { Immutable } from "../immutable.js";
import { isJsonObject } from "../json.js";
import { permissionOptions, questionLines } from "../show-more.js";
import type { AskedView } from "../show-more.js";
import { questionMeta, SENTENCE_MARK } from "../toolgate-meta.js";
import { wholeV1Call } from "./encoder.js";

export type V1PermissionRequest = Immutable<acp.RequestPermissionRequest>;

const KINDS: ReadonlyMap<unknown, OptionKind> = new Map(
  (["allow_once", "allow_always", "reject_once", "reject_always"] as const).map((kind) => [kind, kind]),
);

/** The call's content is followed by the question's own text, since v1 has no field for it. */
export function encodeV1Permission(
  question: Question,
  call: ToolCall,
  view: AskedView = {},
): V1PermissionRequest {
  const toolCall = wholeV1Call(call);
  const content = [...(toolCall.content ?? []), ...questionContent(question, view)];
  return {
    sessionId: question.sessionId,
    toolCall: { ...toolCall, ...(content.length > 0 && { content }) },
    options: permissionOptions(question, view),
    _meta: questionMeta(question),
  };
}

/** In a fence, since clients render text as Markdown and most of these lines are an agent's. */
function questionContent(question: Question, view: AskedView) {
  const text = questionLines(question, view);
  if (text === "") return [];
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return [textContent(`${fence}text\n${text}\n${fence}`, SENTENCE_MARK)];
}

/** Another agent's question and its options; undefined when it cannot be read, and is then to be refused. */
export type AskedPermission = {
  readonly sessionId: string;
  readonly toolCall: unknown;
  readonly options: readonly QuestionOption[];
};

export function readV1Permission(request: unknown): AskedPermission | undefined {
  if (
    !isJsonObject(request) ||
    typeof request["sessionId"] !== "string" ||
    !Array.isArray(request["options"])
  )
    return undefined;
  const options = request["options"].map(readOption);
  if (!options.every((option) => option !== undefined) || !isJsonObject(request["toolCall"]))
    return undefined;
  return { sessionId: request["sessionId"], toolCall: request["toolCall"], options };
}

function readOption(option: unknown): QuestionOption | undefined {
  if (!isJsonObject(option)) return undefined;
  const { optionId, name } = option;
  const kind = KINDS.get(option["kind"]);
  return kind && typeof optionId === "string" && typeof name === "string"
    ? { optionId, name, kind }
    : undefined;
}

const MAX_REASON_CHARACTERS = 4000;

/** A dismissed question counts as refused. */
export function readV1Answer(result: unknown, question: Question): Pick<Answer, "outcome" | "reason"> {
  const outcome = readV1Outcome(result, question);
  const reason = readReason(result);
  if (outcome === "cancelled")
    return { outcome: { type: "refused" }, reason: reason ?? "the question was dismissed" };
  return { outcome, ...(reason !== undefined && { reason }) };
}

/** The client's answer to a question. `cancelled` is a question put away unanswered; anything we did not offer is a refusal. */
export function readV1Outcome(result: unknown, question: Question): Answer["outcome"] | "cancelled" {
  const outcome = isJsonObject(result) ? result["outcome"] : undefined;
  if (!isJsonObject(outcome)) return { type: "refused" };
  if (outcome["outcome"] === "cancelled") return "cancelled";
  const chosen = question.options.find(({ optionId }) => optionId === outcome["optionId"]);
  return chosen && outcome["outcome"] === "selected"
    ? { type: "selected", optionId: chosen.optionId }
    : { type: "refused" };
}

/**
 * The reason or the advice that a person wrote with an answer. ACP has no field for it yet, so clients write it into
 * `_meta`, beside the outcome or inside it. The model gets it as the person's words.
 */
function readReason(result: unknown): string | undefined {
  if (!isJsonObject(result)) return undefined;
  const { _meta, outcome } = result;
  return reasonIn(_meta) ?? (isJsonObject(outcome) ? reasonIn(outcome["_meta"]) : undefined);
}

function reasonIn(meta: unknown): string | undefined {
  if (!isJsonObject(meta)) return undefined;
  const ours = meta["toolgate"];
  const text = (isJsonObject(ours) ? ours["reason"] : undefined) ?? meta["reason"] ?? meta["feedback"];
  if (typeof text !== "string" || text.trim() === "") return undefined;
  return visibleText(text.trim().slice(0, MAX_REASON_CHARACTERS), { keepNewlines: true });
}
