/**
 * What a sub-agent is told: its task, and each answer that it gave with what became of the calls in it. Where that
 * would fill the model's window, only a little is told of the results before the last ones.
 */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ChildStep, SessionBook, ToolCall } from "../call/index.js";
import { fillsWindow } from "./fills-window.js";
import { stepMessages } from "./step-messages.js";
import { providerCallIds } from "./provider-call-ids.js";

export type SubAgentPromptOptions = {
  readonly task: string;
  readonly instructions: string | undefined;
  readonly longestResult: number;
  /** The model that is told: it gets back what it signed. */
  readonly model: string;
  readonly contextWindow: number;
};

/** How many characters are told of an old result when the window fills. */
const LONGEST_OLD_RESULT = 400;

/** Undefined when the window is full even so. */
export function subAgentPrompt(
  { childSteps = [] }: ToolCall,
  book: SessionBook,
  options: SubAgentPromptOptions,
): LanguageModelV3Prompt | undefined {
  const { contextWindow, longestResult } = options;
  const whole = told(childSteps, book, options, longestResult);
  if (!fillsWindow(whole, contextWindow, childSteps.at(-1)?.usage)) return whole;
  const cut = told(childSteps, book, options, Math.min(longestResult, LONGEST_OLD_RESULT));
  return fillsWindow(cut, contextWindow, undefined) ? undefined : cut;
}

function told(
  steps: readonly ChildStep[],
  book: SessionBook,
  { task, instructions, longestResult, model }: SubAgentPromptOptions,
  longestOldResult: number,
): LanguageModelV3Prompt {
  const callsOf = ({ toolCallIds }: ChildStep) => toolCallIds.flatMap((id) => book.call(id) ?? []);
  const answerOf = ({ answer }: ChildStep) => (answer?.model === model ? answer : undefined);
  const calls = new Map(steps.flatMap(callsOf).map((call) => [call.toolCallId, call]));
  const idOf = providerCallIds(
    calls,
    new Set(steps.filter(answerOf).flatMap(({ toolCallIds }) => toolCallIds)),
  );
  return [
    { role: "system", content: instructions === undefined ? ROLE : `${instructions}\n\n${ROLE}` },
    { role: "user", content: [{ type: "text", text: task }] },
    ...steps.flatMap((step) =>
      stepMessages(
        { thought: step.thought ?? "", text: step.text, calls: callsOf(step), answer: answerOf(step) },
        { idOf, longestResult: step === steps.at(-1) ? longestResult : longestOldResult },
      ),
    ),
  ];
}

const ROLE =
  "You are a sub-agent: another agent has given you the task below and waits for its result. " +
  "Nobody answers questions that you ask in your answer. Your last answer, the one without a call, is all that the other agent gets to see: say in it what you found and did, and what you could not do.";
