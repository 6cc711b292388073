/**
 * One step of the sub-agent that works on a call: its model is asked, and what it says is recorded with the call,
 * since it is nobody else's; what it calls is announced, checked and decided on as any call is, with the call as its
 * parent. An answer without a call is its last one, and the result of the call.
 *
 * What must stay true: all that a step needs is in the log, so any process can take the next one; a step that was lost
 * on the way is taken again; no half-written call outlives the step that wrote it.
 */
import { pluralize, textContent } from "../call/index.js";
import type { SessionEvent, ToolCall } from "../call/index.js";
import { isDelegating } from "../tools/index.js";
import type { DelegatingTool } from "../tools/index.js";
import { modelName } from "./streamed-response.js";
import { streamStep } from "./streamed-step.js";
import type { BrokenStep, StreamedStep } from "./streamed-step.js";
import { subAgentPrompt } from "./sub-agent-prompt.js";
import type { TurnContext } from "./turn.js";

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
  const prompt = await promptFor(context, call, tool);
  if (!prompt) return fail(context, toolCallId, WINDOW_FULL);
  const said = { agent: "", thought: "" };
  const step = await streamStep(
    context,
    {
      prompt: Promise.resolve(prompt),
      tools: toolbox.list().filter((other) => !isDelegating(other)),
      hear: (role, text) => {
        said[role] += text;
        return undefined;
      },
      parentToolCallId: toolCallId,
    },
    signal,
  );
  if (step.broken || isOver(context, toolCallId)) return breakOff(context, toolCallId, signal, step.broken);
  const stepped = stepEvents(context, toolCallId, step, said);
  if (step.requests.length > 0) await gate.submit(step.requests, stepped);
  else
    await record.appendLatest(() => [...stepped([]), ...doneEvents(context, toolCallId, said.agent, now())]);
}

async function promptFor({ agent, record, instructions }: TurnContext, call: ToolCall, tool: DelegatingTool) {
  const parsed = tool.parse(structuredClone(call.rawInput));
  return subAgentPrompt(call, record.book, {
    // It was checked when it was submitted; a tool that has changed since gets what was asked for.
    task: parsed.ok ? tool.delegates.prompt(parsed.input) : JSON.stringify(call.rawInput),
    instructions: await instructions(),
    longestResult: agent.longestResult,
    model: modelName(agent.model),
    contextWindow: agent.contextWindow,
  });
}

type Said = { readonly agent: string; readonly thought: string };

/** Nothing when the call was cancelled in the meantime: what was written of its calls by then was too. */
function stepEvents(
  context: TurnContext,
  toolCallId: string,
  step: StreamedStep,
  { agent: text, thought }: Said,
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

/** A cancel ends the call by itself; every other trouble is its failure. */
async function breakOff(
  context: TurnContext,
  toolCallId: string,
  signal: AbortSignal,
  broken: BrokenStep | undefined,
): Promise<void> {
  const { record, now } = context;
  const reason = "the answer that it was part of was broken off.";
  await record.appendLatest(() =>
    record.book
      .openCalls()
      .filter(({ parentToolCallId, state }) => parentToolCallId === toolCallId && state.status === "drafting")
      .map((draft) => ({ type: "call-cancelled", toolCallId: draft.toolCallId, at: now(), reason })),
  );
  if (broken && !signal.aborted) await fail(context, toolCallId, brokenSentence(broken));
}

/** What it last said goes with the failure: it may be most of what was wanted. */
async function fail(context: TurnContext, toolCallId: string, why: string): Promise<void> {
  const { record, now } = context;
  await record.appendLatest(() => {
    if (isOver(context, toolCallId)) return [];
    const lastWords = record.book.call(toolCallId)?.childSteps?.findLast(({ text }) => text !== "")?.text;
    const error = `${why} What its calls did stays done. Give it less to do, or go on yourself.`;
    const rawOutput = lastWords !== undefined && { rawOutput: `It last said: ${lastWords}` };
    return [{ type: "call-failed", toolCallId, at: now(), error, ...rawOutput }];
  });
}

const isOver = ({ record }: TurnContext, toolCallId: string): boolean =>
  record.book.call(toolCallId)?.times.ended !== undefined;

const NO_TOOL = "The tool that the sub-agent was started with is no longer there.";

const WINDOW_FULL = "The sub-agent's window is full: it cannot be told what it did so far.";

const tooManySteps = (maxSteps: number): string =>
  `The sub-agent took ${pluralize(maxSteps, "step")}, which is all it may take, and was not done.`;

function brokenSentence({ stopReason, error }: BrokenStep): string {
  if (stopReason === "max_tokens")
    return "The sub-agent's answer was longer than its model may write, and was cut off.";
  if (stopReason === "refusal") return "The sub-agent's model refused to go on.";
  return `The sub-agent's model failed: ${error ?? "it did not say why."}`;
}
