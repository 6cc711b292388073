/**
 * A sub-agent's prompt: its task, and each of its responses with the results of the calls. When that would fill the
 * model's window, all results before the last ones are cut short.
 */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import type { ChildStep, SessionBook, ToolCall } from "../call/index.js";
import { fillsWindow } from "./context-window.js";
import { providerCallIds, stepMessages } from "./step-messages.js";

export type SubAgentPromptOptions = {
  readonly task: string;
  readonly instructions: string | undefined;
  readonly maxResultCharacters: number;
  /** The model that gets the prompt, with the parts that it signed. */
  readonly model: string;
  readonly contextWindow: number;
};

/** The length to which older results are cut when the window fills. */
const MAX_OLD_RESULT_CHARACTERS = 400;

/** Undefined when the window is full even with short results. */
export function subAgentPrompt(
  { childSteps = [] }: ToolCall,
  book: SessionBook,
  options: SubAgentPromptOptions,
): LanguageModelV3Prompt | undefined {
  const { contextWindow, maxResultCharacters } = options;
  const whole = promptOf(childSteps, book, options, maxResultCharacters);
  if (!fillsWindow(whole, contextWindow, childSteps.at(-1)?.usage)) return whole;
  const cut = promptOf(childSteps, book, options, Math.min(maxResultCharacters, MAX_OLD_RESULT_CHARACTERS));
  return fillsWindow(cut, contextWindow, undefined) ? undefined : cut;
}

function promptOf(
  steps: readonly ChildStep[],
  book: SessionBook,
  { task, instructions, maxResultCharacters, model }: SubAgentPromptOptions,
  maxOldResultCharacters: number,
): LanguageModelV3Prompt {
  const callsOf = ({ toolCallIds }: ChildStep) => toolCallIds.flatMap((id) => book.call(id) ?? []);
  const responseOf = ({ answer }: ChildStep) => (answer?.model === model ? answer : undefined);
  const calls = new Map(steps.flatMap(callsOf).map((call) => [call.toolCallId, call]));
  const idOf = providerCallIds(
    calls,
    new Set(steps.filter(responseOf).flatMap(({ toolCallIds }) => toolCallIds)),
  );
  return [
    { role: "system", content: instructions === undefined ? ROLE : `${instructions}\n\n${ROLE}` },
    { role: "user", content: [{ type: "text", text: task }] },
    ...steps.flatMap((step) =>
      stepMessages(
        { thought: step.thought ?? "", text: step.text, calls: callsOf(step), response: responseOf(step) },
        { idOf, maxResultCharacters: step === steps.at(-1) ? maxResultCharacters : maxOldResultCharacters },
      ),
    ),
  ];
}

const ROLE =
  "You are a sub-agent: another agent has given you the task below and waits for its result. " +
  "Nobody answers questions that you ask in your answer. Your last answer, the one without a call, is all that the other agent gets to see: say in it what you found and did, and what you could not do.";
