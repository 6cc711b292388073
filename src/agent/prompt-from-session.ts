/**
 * What the model is told: the turns so far, with each answer that it finished and what became of the
 * calls in it. An answer that was cut off is not told again.
 */
import type { LanguageModelV3Prompt, LanguageModelV3ToolResultPart } from "@ai-sdk/provider";
import { endSentence } from "../call/index.js";
import type { ContentBlock, Message, Session, ToolCall } from "../call/index.js";

type PromptMessage = LanguageModelV3Prompt[number];

export function promptFromSession(session: Session, instructions?: string): LanguageModelV3Prompt {
  const messages = new Map<string, Message[]>();
  const calls = new Map<string, ToolCall>();
  for (const entry of session.timeline) {
    if (entry.type === "call") calls.set(entry.call.toolCallId, entry.call);
    else
      messages.set(entry.message.messageId, [
        ...(messages.get(entry.message.messageId) ?? []),
        entry.message,
      ]);
  }
  const said = (messageId: string): string => (messages.get(messageId) ?? []).map(textOf).join("");
  const prompt: PromptMessage[] =
    instructions === undefined ? [] : [{ role: "system", content: instructions }];
  for (const { turnId } of session.turns) {
    prompt.push({ role: "user", content: [{ type: "text", text: said(`user-${turnId}`) }] });
    for (const { stepId, toolCallIds } of session.steps.filter((step) => step.turnId === turnId)) {
      const asked = toolCallIds.flatMap((toolCallId) => calls.get(toolCallId) ?? []);
      prompt.push(...stepMessages(said(`${stepId}-thought`), said(stepId), asked));
    }
  }
  return prompt;
}

function stepMessages(thought: string, text: string, calls: readonly ToolCall[]): readonly PromptMessage[] {
  const answer: PromptMessage = {
    role: "assistant",
    content: [
      ...(thought === "" ? [] : [{ type: "reasoning" as const, text: thought }]),
      // Providers refuse an answer with nothing in it.
      ...(text === "" && calls.length > 0
        ? []
        : [{ type: "text" as const, text: text === "" ? "(no words)" : text }]),
      ...calls.map(({ toolCallId, name, rawInput, decision }) => ({
        type: "tool-call" as const,
        toolCallId,
        toolName: name,
        // What the model wrote: what was changed of it stands in the result.
        input: decision?.originalInput ?? rawInput ?? {},
      })),
    ],
  };
  return calls.length === 0 ? [answer] : [answer, { role: "tool", content: calls.map(resultPart) }];
}

function resultPart(call: ToolCall): LanguageModelV3ToolResultPart {
  const { toolCallId, name: toolName } = call;
  const trouble = endSentence(call);
  const text = [...remarks(call), trouble ?? resultText(call.rawOutput)].join("\n");
  const images = trouble === undefined ? imagesOf(call) : [];
  const output: LanguageModelV3ToolResultPart["output"] =
    images.length > 0
      ? { type: "content", value: [{ type: "text", text }, ...images] }
      : { type: trouble === undefined ? "text" : "error-text", value: text };
  return { type: "tool-result", toolCallId, toolName, output };
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

/** What the model reads of a call's output. */
function resultText(output: unknown): string {
  return typeof output === "string" ? output : JSON.stringify(output ?? null);
}

const textOf = ({ blocks }: Message): string => blocks.map(blockText).join("");

function blockText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource" && "text" in block.resource) return block.resource.text;
  if (block.type === "resource_link") return `[${block.name}](${block.uri})`;
  return `[${block.type}]`;
}
