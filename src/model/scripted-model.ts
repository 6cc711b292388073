/** A model that plays a script. The stream is like a real one: word by word, and tool input a few characters at a time. */
import { checkOptions, LIST, required } from "../call/check-options.js";
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import { mustBeSteps } from "./script.js";
import type { Script, ScriptStep } from "./script.js";

const INPUT_CHUNK_LENGTH = 24;

/** `pauseMs`: between two parts, for a person who watches. */
type Pace = { readonly pauseMs?: number };

export function scriptedModel(script: Script, pace: Pace = {}): LanguageModelV3 {
  checkOptions<Script>("scriptedModel", script, { steps: required(LIST) });
  mustBeSteps(script.steps);
  return playScript(script, pace);
}

/** For scripts that are known to be right: to check one loads the schemas, which an idle agent does without. */
export function playScript({ steps }: Script, { pauseMs = 0 }: Pace = {}): LanguageModelV3 {
  const subAgents = new Map(subAgentsIn(steps));
  return {
    specificationVersion: "v3",
    provider: "toolgate",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The scripted model only streams.")),
    doStream: (options) => {
      const { isSummary, compacted } = requestNotes(options);
      const made = [...compacted, ...stepsIn(options.prompt)];
      const played = subAgents.get(firstPrompt(options.prompt)) ?? steps;
      const step = isSummary ? summaryOf(made.length) : (nextStep(played, made) ?? THE_END);
      return Promise.resolve({ stream: streamOf(stepParts(step, made.length), pauseMs, options) });
    },
  };
}

const THE_END: ScriptStep = { say: "(The script is over.)" };

/** A summary is no step of the script: the script continues where it was. */
const summaryOf = (count: number): ScriptStep => ({ say: `(Steps of the script so far: ${count}.)` });

/** The steps of each sub-agent, by its prompt. */
function* subAgentsIn(steps: readonly ScriptStep[]): Generator<[string, readonly ScriptStep[]]> {
  for (const { calls = [], otherwise = [] } of steps) {
    for (const { input, subAgent } of calls) {
      const prompt = promptOf(input);
      if (subAgent && prompt !== undefined) yield [prompt, subAgent];
    }
    yield* subAgentsIn(otherwise);
  }
}

function promptOf(input: unknown): string | undefined {
  const prompt: unknown =
    typeof input === "object" && input !== null ? Reflect.get(input, "prompt") : undefined;
  return typeof prompt === "string" ? prompt : undefined;
}

function firstPrompt(prompt: LanguageModelV3Prompt): string {
  const first = prompt.find((message) => message.role === "user");
  return first?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}

/** Walks the script along the responses so far: `made` says of each whether one of its calls was not done. */
function nextStep(steps: readonly ScriptStep[], made: readonly boolean[]): ScriptStep | undefined {
  let left = steps;
  for (const isTrouble of made) {
    const [over, ...rest] = left;
    left = over?.otherwise && isTrouble ? over.otherwise : rest;
  }
  return left[0];
}

/** Each assistant message in the history is a finished step. */
const stepsIn = (prompt: LanguageModelV3Prompt): readonly boolean[] =>
  prompt.flatMap(({ role }, index) => (role === "assistant" ? [wentWrong(prompt[index + 1])] : []));

function wentWrong(results: LanguageModelV3Prompt[number] | undefined): boolean {
  if (results?.role !== "tool") return false;
  return results.content.some((part) => part.type === "tool-result" && part.output.type === "error-text");
}

function* stepParts(
  { think, say, calls = [] }: ScriptStep,
  index: number,
): Generator<LanguageModelV3StreamPart> {
  yield { type: "stream-start", warnings: [] };
  if (think !== undefined) yield* textParts("reasoning", think);
  if (say !== undefined) yield* textParts("text", say);
  for (const [number, { tool, input }] of calls.entries()) {
    const id = `scripted-${index}-${number}`;
    const json = JSON.stringify(input ?? {});
    yield { type: "tool-input-start", id, toolName: tool };
    for (let at = 0; at < json.length; at += INPUT_CHUNK_LENGTH) {
      yield { type: "tool-input-delta", id, delta: json.slice(at, at + INPUT_CHUNK_LENGTH) };
    }
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: tool, input: json };
  }
  yield {
    type: "finish",
    finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: NO_USAGE,
  };
}

const NO_USAGE = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function* textParts(what: "reasoning" | "text", text: string): Generator<LanguageModelV3StreamPart> {
  const id = what;
  yield { type: `${what}-start`, id };
  for (const delta of text.match(/\S*\s*/g) ?? [])
    if (delta !== "") yield { type: `${what}-delta`, id, delta };
  yield { type: `${what}-end`, id };
}

function streamOf(
  parts: Iterator<LanguageModelV3StreamPart>,
  pauseMs: number,
  { abortSignal }: LanguageModelV3CallOptions,
): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      abortSignal?.throwIfAborted();
      const { value, done } = parts.next();
      if (done) return controller.close();
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
      controller.enqueue(value);
    },
  });
}

/**
 * Notes on a request that its prompt does not hold, in `providerOptions.toolgate`. A provider ignores the options of
 * others; the scripted model finds its place by them.
 */
export type RequestNotes = {
  /** Set when the model is asked for a summary of the prompt. */
  readonly isSummary?: boolean;
  /** For each response that a summary replaces, the oldest first: whether one of its calls was not done. */
  readonly compacted?: readonly boolean[];
};

type ProviderOptions = NonNullable<LanguageModelV3CallOptions["providerOptions"]>;

export function asProviderOptions({ isSummary = false, compacted = [] }: RequestNotes): ProviderOptions {
  return { toolgate: { isSummary, compacted: [...compacted] } };
}

function requestNotes({ providerOptions }: LanguageModelV3CallOptions): Required<RequestNotes> {
  const { isSummary, compacted } = providerOptions?.["toolgate"] ?? {};
  return {
    isSummary: isSummary === true,
    compacted: Array.isArray(compacted) ? compacted.map((isTrouble) => isTrouble === true) : [],
  };
}
