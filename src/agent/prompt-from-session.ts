/**
 * What the model is told: the turns so far, with each answer that it finished and what became of the
 * calls in it; of what was compacted, its summary. An answer that was cut off is not told again.
 */
import type {
  LanguageModelV3FilePart,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
} from "@ai-sdk/provider";
import { thoughtIdOf } from "../call/index.js";
import type { ContentBlock, Message, Session, Step, Turn } from "../call/index.js";
import { stepMessages } from "./step-messages.js";
import { providerCallIds } from "./provider-call-ids.js";

type PromptMessage = LanguageModelV3Prompt[number];

export type PromptOptions = {
  readonly instructions?: string | undefined;
  /** Of a longer result only this many characters are told, and how to read on. */
  readonly longestResult: number;
  /** The model that is told: it gets back what it signed. Without it, nobody's signatures are told. */
  readonly model?: string;
};

export function promptFromSession(session: Session, options: PromptOptions): LanguageModelV3Prompt {
  const { instructions, longestResult, model } = options;
  const said = messagesById(session);
  const calls = new Map(
    session.timeline.flatMap((entry) =>
      entry.type === "call" ? [[entry.call.toolCallId, entry.call] as const] : [],
    ),
  );
  const steps = stepsByTurn(session);
  const answerOf = ({ answer }: Step) => (answer?.model === model ? answer : undefined);
  const signed = [...steps.values()].flat().filter(answerOf);
  const idOf = providerCallIds(calls, new Set(signed.flatMap(({ toolCallIds }) => toolCallIds)));
  const prompt: PromptMessage[] =
    instructions === undefined ? [] : [{ role: "system", content: instructions }];
  if (session.compaction) prompt.push(userMessage([summaryPart(session.compaction.summary)]));
  for (const { turnId } of turnsToTell(session)) {
    prompt.push(userMessage((said.get(`user-${turnId}`) ?? []).flatMap(({ blocks }) => blocks.map(partOf))));
    for (const step of steps.get(turnId) ?? []) {
      const textOfMessage = (messageId: string) => (said.get(messageId) ?? []).map(textOf).join("");
      const told = {
        thought: textOfMessage(thoughtIdOf(step.stepId)),
        text: textOfMessage(step.stepId),
        calls: step.toolCallIds.flatMap((toolCallId) => calls.get(toolCallId) ?? []),
        answer: answerOf(step),
      };
      prompt.push(...stepMessages(told, { idOf, longestResult }));
    }
  }
  return prompt;
}

function messagesById({ timeline }: Session): ReadonlyMap<string, readonly Message[]> {
  const messages = new Map<string, Message[]>();
  for (const entry of timeline) {
    if (entry.type !== "message") continue;
    const known = messages.get(entry.message.messageId);
    if (known) known.push(entry.message);
    else messages.set(entry.message.messageId, [entry.message]);
  }
  return messages;
}

/** Those after what was compacted. */
function stepsByTurn({ steps, compaction }: Session): ReadonlyMap<string, readonly Step[]> {
  const last = steps.findLastIndex(({ stepId }) => stepId === compaction?.throughStepId);
  const byTurn = new Map<string, Step[]>();
  for (const step of steps.slice(last + 1)) {
    const known = byTurn.get(step.turnId);
    if (known) known.push(step);
    else byTurn.set(step.turnId, [step]);
  }
  return byTurn;
}

/** The turn in which something was compacted is still under way: what the user wants of it is told again. */
function turnsToTell({ turns, steps, compaction }: Session): readonly Turn[] {
  const turnId = steps.find(({ stepId }) => stepId === compaction?.throughStepId)?.turnId;
  return turns.slice(
    Math.max(
      0,
      turns.findIndex((turn) => turn.turnId === turnId),
    ),
  );
}

const summaryPart = (summary: string): LanguageModelV3TextPart => ({
  type: "text",
  text: `What happened so far, in short:\n\n${summary}`,
});

function userMessage(content: readonly (LanguageModelV3TextPart | LanguageModelV3FilePart)[]): PromptMessage {
  // Providers refuse a message with nothing in it.
  return {
    role: "user",
    content: content.length > 0 ? [...content] : [{ type: "text", text: "(no words)" }],
  };
}

const textOf = ({ blocks }: Message): string => blocks.map(blockText).join("");

function partOf(block: ContentBlock): LanguageModelV3TextPart | LanguageModelV3FilePart {
  return block.type === "image"
    ? { type: "file", data: block.data, mediaType: block.mimeType }
    : { type: "text", text: blockText(block) };
}

function blockText(block: ContentBlock): string {
  if (block.type === "text") return block.text;
  if (block.type === "resource" && "text" in block.resource)
    return `<resource uri="${block.resource.uri}">\n${block.resource.text}\n</resource>`;
  if (block.type === "resource_link") return `[${block.name}](${block.uri})`;
  return `[${block.type}]`;
}
