/** A model that plays a script. The stream is like a real one: word by word, and tool input a few characters at a time. */
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
} from "@ai-sdk/provider";
import type { Script, ScriptStep } from "./script.js";

const INPUT_CHUNK_LENGTH = 24;

/** `pause`: milliseconds between two parts, for a person who watches. */
export function scriptedModel(
  { steps }: Script,
  { pause = 0 }: { readonly pause?: number } = {},
): LanguageModelV3 {
  const subAgents = new Map(subAgentsIn(steps));
  return {
    specificationVersion: "v3",
    provider: "toolgate",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("The scripted model only streams.")),
    doStream: (options) => {
      const answered = options.prompt.filter(({ role }) => role === "assistant").length;
      const played = subAgents.get(firstPrompt(options.prompt)) ?? steps;
      const parts = stepParts(nextStep(played, options.prompt) ?? THE_END, answered);
      return Promise.resolve({ stream: streamOf(parts, pause, options) });
    },
  };
}

const THE_END: ScriptStep = { say: "(The script is over.)" };

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

/** Walks the script along the history: each assistant message in it is a finished step. */
function nextStep(steps: readonly ScriptStep[], prompt: LanguageModelV3Prompt): ScriptStep | undefined {
  let left = steps;
  for (const [index, message] of prompt.entries()) {
    if (message.role !== "assistant") continue;
    const [over, ...rest] = left;
    left = over?.otherwise && wentWrong(prompt[index + 1]) ? over.otherwise : rest;
  }
  return left[0];
}

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
  pause: number,
  { abortSignal }: LanguageModelV3CallOptions,
): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    async pull(controller) {
      abortSignal?.throwIfAborted();
      const { value, done } = parts.next();
      if (done) return controller.close();
      if (pause > 0) await new Promise((resolve) => setTimeout(resolve, pause));
      controller.enqueue(value);
    },
  });
}
