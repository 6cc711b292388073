/** The result of a call in a prompt: its output or its end, the user's changes and remarks, and its images. */
import type { LanguageModelV3ToolResultPart } from "@ai-sdk/provider";
import { endSentence, pluralize } from "../call/index.js";
import type { ToolCall } from "../call/index.js";

export function resultPart(call: ToolCall, maxCharacters: number): LanguageModelV3ToolResultPart {
  const { toolCallId, name: toolName } = call;
  const trouble = endSentence(call);
  const text = [...remarks(call), cut(outcomeText(call, trouble), maxCharacters)].join("\n");
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

/** The changes and remarks of the person who allowed the call. */
function remarks({ decision, rawInput, times, state }: ToolCall): readonly string[] {
  if (!decision || state.status === "refused" || times.answered === undefined) return [];
  const { originalInput, reason, by } = decision;
  return [
    ...(originalInput === undefined
      ? []
      : [`[The user changed the input before it ran. It ran with: ${JSON.stringify(rawInput)}]`]),
    ...(by === "person" && reason !== undefined ? [`[The user said: ${reason}]`] : []),
  ];
}

function resultText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}

/** The beginning and the end of a text that is too long for the model's window. */
function cut(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const half = Math.floor(maxCharacters / 2);
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "");
  const tail = text.slice(-half).replace(/^[\uDC00-\uDFFF]/, "");
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${pluralize(left, "character is", "characters are")} left out here, since the result is too long. Make the call again for a part of it, or narrow it down. …]\n${tail}`;
}
