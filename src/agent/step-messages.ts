/**
 * The prompt's messages for one response of the model and the results of its calls. The model that gave the response
 * gets back its exact parts with their signatures; any other model gets the thoughts, the text and the calls.
 */
import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3ToolResultPart,
} from "@ai-sdk/provider";
import { modelRemarks } from "../call/call-remarks.js";
import { endSentence, pluralize } from "../call/index.js";
import type { ResponsePart, StepResponse, ToolCall } from "../call/index.js";

export type StepContent = {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The signed response, where the model that gets this prompt gave it. */
  readonly response?: StepResponse | undefined;
};

export type StepOptions = {
  /** The id of a call in the prompt. */
  readonly idOf: (call: ToolCall) => string;
  readonly maxResultCharacters: number;
};

type AssistantContent = Extract<LanguageModelV3Message, { role: "assistant" }>["content"];

export function stepMessages(
  step: StepContent,
  { idOf, maxResultCharacters }: StepOptions,
): readonly LanguageModelV3Prompt[number][] {
  const content = signedContent(step, idOf) ?? plainContent(step, idOf);
  // Providers refuse an empty assistant message.
  if (content.every(({ type }) => type === "reasoning")) content.push({ type: "text", text: "(no words)" });
  const message = { role: "assistant" as const, content };
  const { calls } = step;
  if (calls.length === 0) return [message];
  const results = calls.map((call) => ({ ...resultPart(call, maxResultCharacters), toolCallId: idOf(call) }));
  return [message, { role: "tool", content: results }];
}

function plainContent({ thought, text, calls }: StepContent, idOf: StepOptions["idOf"]): AssistantContent {
  return [
    ...(thought === "" ? [] : [{ type: "reasoning" as const, text: thought }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map((call) => callPart(call, idOf)),
  ];
}

/** Undefined without a signed response, or when its text no longer is the signed one: a ledger may redact it. */
function signedContent(step: StepContent, idOf: StepOptions["idOf"]): AssistantContent | undefined {
  const { thought, text, calls, response } = step;
  if (!response || !isWhole(response, step)) return undefined;
  const called = new Map(calls.map((call) => [call.toolCallId, call]));
  const texts = { reasoning: thought, text };
  const offsets = { reasoning: 0, text: 0 };
  return response.parts.flatMap((part): AssistantContent => {
    if (part.type === "tool-call") {
      const call = called.get(part.toolCallId);
      return call ? [{ ...callPart(call, idOf), ...attached(part) }] : [];
    }
    const { type, length, providerOptions } = part;
    const own = texts[type].slice(offsets[type], offsets[type] + length);
    offsets[type] += length;
    // Providers refuse a blank part unless it carries a signature.
    return own.trim() === "" && !providerOptions ? [] : [{ type, text: own, ...attached(part) }];
  });
}

function isWhole({ parts }: StepResponse, { thought, text, calls }: StepContent): boolean {
  const lengths = { reasoning: 0, text: 0 };
  const called = new Set<string>();
  for (const part of parts) {
    if (part.type === "tool-call") called.add(part.toolCallId);
    else lengths[part.type] += part.length;
  }
  return (
    lengths.reasoning === thought.length &&
    lengths.text === text.length &&
    calls.every(({ toolCallId }) => called.has(toolCallId))
  );
}

function callPart(call: ToolCall, idOf: StepOptions["idOf"]) {
  const { name, rawInput, decision } = call;
  return {
    type: "tool-call" as const,
    toolCallId: idOf(call),
    toolName: name,
    // The input as the model wrote it; the result names the user's changes.
    input: decision?.originalInput ?? rawInput ?? {},
  };
}

type ProviderOptions = NonNullable<AssistantContent[number]["providerOptions"]>;

function attached({ providerOptions }: ResponsePart): { providerOptions?: ProviderOptions } {
  // The provider's own JSON, as it was recorded.
  return providerOptions ? { providerOptions: providerOptions as ProviderOptions } : {};
}

/**
 * Calls of signed responses keep the provider's id, since its signature may cover the id. All other calls get our id, as
 * do calls whose provider id is not unique or equals one of ours.
 */
export function providerCallIds(
  calls: ReadonlyMap<string, ToolCall>,
  signed: ReadonlySet<string>,
): (call: ToolCall) => string {
  const uses = new Map<string, number>();
  for (const toolCallId of signed) {
    const id = calls.get(toolCallId)?.providerCallId ?? "";
    uses.set(id, (uses.get(id) ?? 0) + 1);
  }
  return ({ toolCallId, providerCallId = "" }) =>
    signed.has(toolCallId) &&
    providerCallId !== "" &&
    uses.get(providerCallId) === 1 &&
    !calls.has(providerCallId)
      ? providerCallId
      : toolCallId;
}

/** The result of a call: its output or its end, the user's changes and remarks, and its images. */
function resultPart(call: ToolCall, maxCharacters: number): LanguageModelV3ToolResultPart {
  const { toolCallId, name: toolName } = call;
  const trouble = endSentence(call);
  const text = [...modelRemarks(call), cut(outcomeText(call, trouble), maxCharacters)].join("\n");
  const images = trouble === undefined ? imagesOf(call) : [];
  const output: LanguageModelV3ToolResultPart["output"] =
    images.length > 0
      ? { type: "content", value: [{ type: "text", text }, ...images] }
      : { type: trouble === undefined ? "text" : "error-text", value: text };
  return { type: "tool-result", toolCallId, toolName, output };
}

/** The sentence on the call's end, and the output that it has in spite of a failure. */
function outcomeText({ rawOutput }: ToolCall, trouble: string | undefined): string {
  if (trouble === undefined) return resultText(rawOutput);
  return rawOutput === undefined || rawOutput === trouble ? trouble : `${trouble}\n${resultText(rawOutput)}`;
}

function imagesOf({ content }: ToolCall) {
  return content.flatMap((item) =>
    item.type === "content" && item.content.type === "image"
      ? [{ type: "file-data" as const, data: item.content.data, mediaType: item.content.mimeType }]
      : [],
  );
}

function resultText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}

const cut = (text: string, maxCharacters: number): string =>
  cutMiddle(
    text,
    maxCharacters,
    (count) =>
      `[… ${pluralize(count, "character is", "characters are")} left out here, since the result is too long. Make the call again for a part of it, or narrow it down. …]`,
  );

/** The beginning and the end of a text that is too long for the model's window. `note` stands for the rest. */
export function cutMiddle(text: string, maxCharacters: number, note: (count: number) => string): string {
  if (text.length <= maxCharacters) return text;
  const half = Math.floor(maxCharacters / 2);
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "");
  const tail = text.slice(-half).replace(/^[\uDC00-\uDFFF]/, "");
  return `${head}\n${note(text.length - head.length - tail.length)}\n${tail}`;
}
