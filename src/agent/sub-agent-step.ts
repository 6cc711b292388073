/**
 * One step of the sub-agent that works on a call. The model's text is recorded with that call, since it is no part of
 * the conversation; the model's own calls are announced, checked and decided on like all others, with that call as
 * their parent. A response without calls is the last one, and the result of the call.
 *
 * Invariants: a step's whole input is in the log, so any process can run the next one; a step that was lost runs again;
 * no half-written call outlives its step.
 */
import type { LanguageModelV3Prompt } from "@ai-sdk/provider";
import { pluralize, textContent } from "../call/index.js";
import type { SessionEvent, ToolCall } from "../call/index.js";
import { isDelegating } from "../tools/index.js";
import type { DelegatingTool } from "../tools/index.js";
import { learnWindow, promptLimits } from "./context-window.js";
import { modelName } from "./streamed-response.js";
import { streamStep } from "./streamed-step.js";
import type { BrokenStep, StreamedStep } from "./streamed-step.js";
import { subAgentPrompt } from "./sub-agent-prompt.js";
import type { TurnContext } from "./advance-turn.js";

export async function subAgentStep(
  context: TurnContext,
  toolCallId: string,
  signal: AbortSignal,
): Promise<void> {
  const { record, gate, toolbox, now } = context;
  const call = record.book.call(toolCallId);
  const tool = call && toolbox.get(call.name);
  if (!call || !tool || !isDelegating(tool)) return fail(context, toolCallId, NO_TOOL);
  const { childSteps = [] } = call;
  const { maxSteps } = tool.delegates;
  if (childSteps.length >= maxSteps) return fail(context, toolCallId, tooManySteps(maxSteps));
  const texts = { agent: "", thought: "" };
  const ask = (prompt: LanguageModelV3Prompt) =>
    streamStep(
      context,
      {
        request: { prompt },
        tools: toolbox.list().filter((other) => !isDelegating(other)),
        onText: (role, text) => {
          texts[role] += text;
          return undefined;
        },
        parentToolCallId: toolCallId,
      },
      signal,
    );
  let step: StreamedStep | undefined;
  for (let refusals = 0; !step || (step.broken?.overflow && refusals <= MAX_REFUSALS); refusals += 1) {
    const prompt = await promptFor(context, call, tool);
    if (!prompt) return fail(context, toolCallId, WINDOW_FULL);
    step = await ask(prompt);
    if (step.broken?.overflow) await learnWindow(context, prompt, step.broken.overflow);
  }
  if (step.broken || isOver(context, toolCallId)) return breakOff(context, toolCallId, signal, step.broken);
  const stepped = stepEvents(context, toolCallId, step, texts);
  if (step.requests.length > 0) await gate.submit(step.requests, stepped);
  else
    await record.appendLatest(() => [...stepped([]), ...doneEvents(context, toolCallId, texts.agent, now())]);
}

/** How often in a row a prompt is made smaller after the model refused it for its length. */
const MAX_REFUSALS = 2;

async function promptFor(context: TurnContext, call: ToolCall, tool: DelegatingTool) {
  const { agent, record, instructions } = context;
  const parsed = tool.parse(structuredClone(call.rawInput));
  return subAgentPrompt(call, record.book, {
    // The input was checked when it was submitted; a tool that has changed since gets it unchanged.
    task: parsed.ok ? tool.delegates.prompt(parsed.input) : JSON.stringify(call.rawInput),
    instructions: await instructions(),
    model: modelName(agent.model),
    ...promptLimits(context),
  });
}

type Texts = { readonly agent: string; readonly thought: string };

/** Records nothing when the call was cancelled meanwhile: the cancel has ended its drafts too. */
function stepEvents(
  context: TurnContext,
  toolCallId: string,
  step: StreamedStep,
  { agent: text, thought }: Texts,
): (toolCallIds: readonly string[]) => readonly SessionEvent[] {
  return (toolCallIds) => {
    if (isOver(context, toolCallId)) return [];
    return [
      ...step.unfinishedDrafts(),
      {
        type: "child-stepped",
        toolCallId,
        at: context.now(),
        text,
        ...(thought !== "" && { thought }),
        toolCallIds,
        ...step.about(toolCallIds),
      },
    ];
  };
}

function doneEvents(
  context: TurnContext,
  toolCallId: string,
  text: string,
  at: number,
): readonly SessionEvent[] {
  if (isOver(context, toolCallId)) return [];
  const rawOutput = text.trim() === "" ? "(The sub-agent ended without a word.)" : text;
  return [{ type: "call-done", toolCallId, at, rawOutput, content: [textContent(rawOutput)] }];
}

/** A cancel ends the call by itself; every other cause fails it. */
async function breakOff(
  context: TurnContext,
  toolCallId: string,
  signal: AbortSignal,
  broken: BrokenStep | undefined,
): Promise<void> {
  const { record, now } = context;
  const reason = "the response that it was part of was cut off.";
  await record.appendLatest(() =>
    record.book
      .openCalls()
      .filter(({ parentToolCallId, state }) => parentToolCallId === toolCallId && state.status === "drafting")
      .map((draft) => ({ type: "call-cancelled", toolCallId: draft.toolCallId, at: now(), reason })),
  );
  if (broken && !signal.aborted) await fail(context, toolCallId, brokenSentence(broken));
}

/** Fails the call with the sub-agent's last text, which may be most of the result. */
async function fail(context: TurnContext, toolCallId: string, why: string): Promise<void> {
  const { record, now } = context;
  await record.appendLatest(() => {
    if (isOver(context, toolCallId)) return [];
    const lastText = record.book.call(toolCallId)?.childSteps?.findLast(({ text }) => text !== "")?.text;
    const error = `${why} What its calls did stays done. Give it less to do, or go on yourself.`;
    const rawOutput = lastText !== undefined && { rawOutput: `Its last message: ${lastText}` };
    return [{ type: "call-failed", toolCallId, at: now(), error, ...rawOutput }];
  });
}

const isOver = ({ record }: TurnContext, toolCallId: string): boolean =>
  record.book.call(toolCallId)?.times.ended !== undefined;

const NO_TOOL = "The tool that the sub-agent was started with is no longer there.";

const WINDOW_FULL = "The sub-agent's context window is full.";

const tooManySteps = (maxSteps: number): string =>
  `The sub-agent took ${pluralize(maxSteps, "step")}, which is all it may take, and was not done.`;

function brokenSentence({ stopReason, error }: BrokenStep): string {
  if (stopReason === "max_tokens")
    return "The sub-agent's response was longer than its model may write, and was cut off.";
  if (stopReason === "refusal") return "The sub-agent's model refused to go on.";
  return `The sub-agent's model failed: ${error ?? "it did not say why."}`;
}
