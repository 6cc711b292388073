/** What the model reads of a call: its output or how it ended, what the user did or said with their yes, its images. */
import type { LanguageModelV3ToolResultPart } from "@ai-sdk/provider";
import { endSentence, pluralize } from "../call/index.js";
import type { ToolCall } from "../call/index.js";

export function resultPart(call: ToolCall, longest: number): LanguageModelV3ToolResultPart {
  const { toolCallId, name: toolName } = call;
  const trouble = endSentence(call);
  const text = [...remarks(call), cut(toldText(call, trouble), longest)].join("\n");
  const images = trouble === undefined ? imagesOf(call) : [];
  const output: LanguageModelV3ToolResultPart["output"] =
    images.length > 0
      ? { type: "content", value: [{ type: "text", text }, ...images] }
      : { type: trouble === undefined ? "text" : "error-text", value: text };
  return { type: "tool-result", toolCallId, toolName, output };
}

/** How it ended, and what it brought in spite of that. */
function toldText({ rawOutput }: ToolCall, trouble: string | undefined): string {
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

/** What whoever allowed the call did or said with their yes. */
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

/** The beginning and the end of what does not fit into the model's window. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const half = Math.floor(longest / 2);
  const head = text.slice(0, half).replace(/[\uD800-\uDBFF]$/, "");
  const tail = text.slice(-half).replace(/^[\uDC00-\uDFFF]/, "");
  const left = text.length - head.length - tail.length;
  return `${head}\n[… ${pluralize(left, "character is", "characters are")} left out here, since the result is too long. Make the call again for a part of it, or narrow it down. …]\n${tail}`;
}
