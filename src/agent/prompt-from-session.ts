/**
 * The model's prompt: the turns so far, with each finished response and the results of its calls. A summary stands
 * for the compacted part. A response that was cut off is left out.
 */
import type {
  LanguageModelV3FilePart,
  LanguageModelV3Prompt,
  LanguageModelV3TextPart,
} from "@ai-sdk/provider";
import { endSentence, pluralize, thoughtIdOf } from "../call/index.js";
import type { ContentBlock, Message, Session, Step, Turn } from "../call/index.js";
import { cutMiddle, providerCallIds, stepMessages } from "./step-messages.js";

type PromptMessage = LanguageModelV3Prompt[number];

export type PromptOptions = {
  readonly instructions?: string | undefined;
  /** A longer result is cut to this many characters, with a note on how to read on. */
  readonly maxResultCharacters: number;
  /** The model that gets the prompt, with the parts that it signed. Without it the prompt has no signatures. */
  readonly model?: string;
};

export function promptFromSession(session: Session, options: PromptOptions): LanguageModelV3Prompt {
  const { instructions, maxResultCharacters, model } = options;
  const messages = messagesById(session);
  const calls = new Map(
    session.timeline.flatMap((entry) =>
      entry.type === "call" ? [[entry.call.toolCallId, entry.call] as const] : [],
    ),
  );
  const steps = stepsByTurn(session);
  const responseOf = ({ answer }: Step) => (answer?.model === model ? answer : undefined);
  const signed = [...steps.values()].flat().filter(responseOf);
  const idOf = providerCallIds(calls, new Set(signed.flatMap(({ toolCallIds }) => toolCallIds)));
  const prompt: PromptMessage[] =
    instructions === undefined ? [] : [{ role: "system", content: instructions }];
  if (session.compaction) prompt.push(userMessage([summaryPart(session.compaction.summary)]));
  const current = session.turns.at(-1)?.turnId;
  const turns = turnsToSend(session);
  const isUnanswered = ({ turnId }: Turn) => !steps.has(turnId) && turnId !== current;
  const isFailed = (turn: Turn) =>
    isUnanswered(turn) && turn.state.status === "stopped" && turn.state.stopReason === "error";
  const lastFailed = turns.findLast(isFailed);
  for (const turn of turns) {
    const { turnId } = turn;
    const made = steps.get(turnId) ?? [];
    const parts = (messages.get(`user-${turnId}`) ?? []).flatMap(({ blocks }) => blocks.map(partOf));
    // A message that the provider refuses would keep all later ones from the model. Its images get a second attempt,
    // since the failure may have been the network's.
    const hasImages = !isFailed(turn) || turn === lastFailed;
    const sent = hasImages ? parts : parts.map(withoutImage);
    prompt.push(
      userMessage(isUnanswered(turn) ? sent.map((part) => cutPart(part, maxResultCharacters)) : sent),
    );
    for (const step of made) {
      const textOfMessage = (messageId: string) => (messages.get(messageId) ?? []).map(textOf).join("");
      const content = {
        thought: textOfMessage(thoughtIdOf(step.stepId)),
        text: textOfMessage(step.stepId),
        calls: step.toolCallIds.flatMap((toolCallId) => calls.get(toolCallId) ?? []),
        response: responseOf(step),
      };
      prompt.push(...stepMessages(content, { idOf, maxResultCharacters }));
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

/** For each step that the summary replaces: whether one of its calls was not done. */
export function compactedSteps(session: Session): readonly boolean[] {
  const compacted = session.steps.slice(0, compactedCount(session));
  if (compacted.length === 0) return [];
  const troubled = new Set(
    session.timeline.flatMap((entry) =>
      entry.type === "call" && endSentence(entry.call) !== undefined ? [entry.call.toolCallId] : [],
    ),
  );
  return compacted.map(({ toolCallIds }) => toolCallIds.some((id) => troubled.has(id)));
}

const compactedCount = ({ steps, compaction }: Session): number =>
  steps.findLastIndex(({ stepId }) => stepId === compaction?.throughStepId) + 1;

/** The steps after the compacted part. */
function stepsByTurn(session: Session): ReadonlyMap<string, readonly Step[]> {
  const byTurn = new Map<string, Step[]>();
  for (const step of session.steps.slice(compactedCount(session))) {
    const known = byTurn.get(step.turnId);
    if (known) known.push(step);
    else byTurn.set(step.turnId, [step]);
  }
  return byTurn;
}

/** The turn whose steps were compacted still runs, so the prompt repeats its user message. */
function turnsToSend({ turns, steps, compaction }: Session): readonly Turn[] {
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
  text: `Summary of the conversation so far:\n\n${summary}`,
});

function userMessage(content: readonly UserPart[]): PromptMessage {
  // Providers refuse an empty message.
  return {
    role: "user",
    content: content.length > 0 ? [...content] : [{ type: "text", text: "(no words)" }],
  };
}

type UserPart = LanguageModelV3TextPart | LanguageModelV3FilePart;

const cutPart = (part: UserPart, maxCharacters: number): UserPart =>
  part.type === "text" ? { ...part, text: cutMiddle(part.text, maxCharacters, leftOut) } : part;

const withoutImage = (part: UserPart): UserPart =>
  part.type === "text" ? part : { type: "text", text: NO_IMAGE };

const NO_IMAGE =
  "[An image is left out here, since the requests with it failed. The user can attach it again.]";

const leftOut = (count: number): string =>
  `[… ${pluralize(count, "character is", "characters are")} left out here, since the message is too long. …]`;

const textOf = ({ blocks }: Message): string => blocks.map(blockText).join("");

function partOf(block: ContentBlock): UserPart {
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
