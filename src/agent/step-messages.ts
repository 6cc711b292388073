/**
 * One answer of the model, as it is told again, and what became of its calls. The model that gave it gets it back as
 * it was put together, with what its provider signed; any other model gets the thoughts, the words and the calls.
 */
import type { LanguageModelV3Message, LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ResponsePart, StepResponse, ToolCall } from "../call/index.js";
import { resultPart } from "./result-part.js";

export type ToldStep = {
  readonly thought: string;
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** When the model that is told now gave it. */
  readonly answer?: StepResponse | undefined;
};

export type ToldCalls = {
  /** The id by which the model is told of a call. */
  readonly idOf: (call: ToolCall) => string;
  readonly longestResult: number;
};

type AnswerContent = Extract<LanguageModelV3Message, { role: "assistant" }>["content"];

export function stepMessages(
  step: ToldStep,
  { idOf, longestResult }: ToldCalls,
): readonly LanguageModelV3Prompt[number][] {
  const content = signedContent(step, idOf) ?? plainContent(step, idOf);
  // Providers refuse an answer with nothing in it.
  if (content.every(({ type }) => type === "reasoning")) content.push({ type: "text", text: "(no words)" });
  const answer = { role: "assistant" as const, content };
  const { calls } = step;
  if (calls.length === 0) return [answer];
  const results = calls.map((call) => ({ ...resultPart(call, longestResult), toolCallId: idOf(call) }));
  return [answer, { role: "tool", content: results }];
}

function plainContent({ thought, text, calls }: ToldStep, idOf: ToldCalls["idOf"]): AnswerContent {
  return [
    ...(thought === "" ? [] : [{ type: "reasoning" as const, text: thought }]),
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...calls.map((call) => callPart(call, idOf)),
  ];
}

/** Undefined when there is none, or when the words are no longer those that were signed: a ledger may redact them. */
function signedContent(step: ToldStep, idOf: ToldCalls["idOf"]): AnswerContent | undefined {
  const { thought, text, calls, answer } = step;
  if (!answer || !isWhole(answer, step)) return undefined;
  const called = new Map(calls.map((call) => [call.toolCallId, call]));
  const words = { reasoning: thought, text };
  const told = { reasoning: 0, text: 0 };
  return answer.parts.flatMap((part): AnswerContent => {
    if (part.type === "tool-call") {
      const call = called.get(part.toolCallId);
      return call ? [{ ...callPart(call, idOf), ...attached(part) }] : [];
    }
    const { type, length, providerOptions } = part;
    const own = words[type].slice(told[type], told[type] + length);
    told[type] += length;
    // Providers refuse a blank part, unless there is something else in it.
    return own.trim() === "" && !providerOptions ? [] : [{ type, text: own, ...attached(part) }];
  });
}

function isWhole({ parts }: StepResponse, { thought, text, calls }: ToldStep): boolean {
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

function callPart(call: ToolCall, idOf: ToldCalls["idOf"]) {
  const { name, rawInput, decision } = call;
  return {
    type: "tool-call" as const,
    toolCallId: idOf(call),
    toolName: name,
    // What the model wrote: what was changed of it stands in the result.
    input: decision?.originalInput ?? rawInput ?? {},
  };
}

type ProviderOptions = NonNullable<AnswerContent[number]["providerOptions"]>;

function attached({ providerOptions }: ResponsePart): { providerOptions?: ProviderOptions } {
  // The provider's own JSON, as it was recorded.
  return providerOptions ? { providerOptions: providerOptions as ProviderOptions } : {};
}
