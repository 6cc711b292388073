/**
 * The prompt's messages for one response of the model and the results of its calls. The model that gave the response
 * gets back its exact parts with their signatures; any other model gets the thoughts, the text and the calls.
 */
import type { LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ResponsePart, StepResponse, ToolCall } from "../call/index.js";
import { resultPart } from "./result-part.js";

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
