/** One answer of the model: streamed into the log as it comes, then submitted to the gate as a whole. */
import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { SessionEvent, StepAnswer, StopReason, Usage } from "../call/index.js";
import { usageOf } from "../model/index.js";
import { EventWriter } from "../run/index.js";
import type { ToolRequest } from "../run/index.js";
import { partsOf, unlessAborted } from "./answer-stream.js";
import { promptFromSession } from "./prompt-from-session.js";
import { modelName, StreamedAnswer } from "./streamed-answer.js";
import type { TurnContext } from "./turn.js";

export type StepEnd =
  | { readonly status: "made" }
  | { readonly status: "broken"; readonly stopReason: StopReason; readonly error?: string };

export async function modelStep(context: TurnContext, turnId: string, signal: AbortSignal): Promise<StepEnd> {
  const { record, gate, now } = context;
  // Unique even when a step is taken again after a crash, so that its text is not joined to the lost one's.
  const stepId = `step_${record.seq + 1}`;
  const step = new StepReader(context, stepId);
  try {
    const { stream } = await unlessAborted(
      context.agent.model.doStream(await callOptions(context, signal)),
      signal,
    );
    for await (const part of partsOf(stream, signal)) step.read(part);
    if (!step.isFinished) step.broken ??= CUT_OFF;
  } catch (error) {
    step.broken ??= { status: "broken", stopReason: "error", error: errorText(error) };
  }
  await step.writer.flush();
  if (step.broken) return step.broken;
  if (signal.aborted) return { status: "broken", stopReason: "cancelled" };
  await gate.submit(step.requests, (toolCallIds) => [
    ...step.unfinishedDrafts(),
    { type: "step-ended", at: now(), turnId, stepId, toolCallIds, ...step.about(toolCallIds) },
  ]);
  return { status: "made" };
}

/** Turns the parts of a stream into events, and keeps what the model asked for. */
class StepReader {
  readonly requests: ToolRequest[] = [];
  readonly writer: EventWriter;
  broken: (StepEnd & { status: "broken" }) | undefined;
  /** The stream said that it was over; one that just ends was cut off. */
  isFinished = false;
  #usage: Usage | undefined;
  readonly #answer = new StreamedAnswer();
  readonly #context: TurnContext;
  readonly #stepId: string;
  /** Provider's id → ours, for calls whose input is still being written. */
  readonly #drafts = new Map<string, string>();
  readonly #abandoned: string[] = [];
  /** Provider's ids of drafts with no input yet, and of calls that were asked for in this step. */
  readonly #unwritten = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(context: TurnContext, stepId: string) {
    this.#context = context;
    this.#stepId = stepId;
    this.writer = new EventWriter(context.record);
  }

  read(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "text-end":
      case "reasoning-start":
      case "reasoning-end":
        return this.#answer.read(part);
      case "text-delta":
      case "reasoning-delta":
        this.#answer.read(part);
        // Nothing was said: it brings a signature.
        if (part.delta === "") return;
        return this.writer.add(this.#chunk(part.type === "text-delta" ? "agent" : "thought", part.delta));
      case "tool-input-start":
        return this.#startDraft(part.id, part.toolName);
      case "tool-input-delta":
        return this.#readDelta(part.id, part.delta);
      case "tool-call": {
        // The provider has run it itself: it is not ours to run.
        if (part.providerExecuted) return;
        const { toolCallId: providerCallId, toolName: name, input } = part;
        const toolCallId = this.#drafts.get(providerCallId);
        this.requests.push({
          name,
          input: parsed(input),
          providerCallId,
          ...(toolCallId !== undefined && { toolCallId }),
        });
        this.#answer.addCall(part.providerMetadata);
        this.#drafts.delete(providerCallId);
        this.#asked.add(providerCallId);
        return;
      }
      case "finish":
        this.isFinished = true;
        this.#usage = usageOf(part);
        this.broken ??= BROKEN_BY.get(part.finishReason.unified);
        return;
      case "error":
        this.broken ??= { status: "broken", stopReason: "error", error: errorText(part.error) };
        return;
      default:
    }
  }

  #chunk(role: "agent" | "thought", text: string): SessionEvent {
    const messageId = role === "agent" ? this.#stepId : `${this.#stepId}-thought`;
    return { type: "message-chunk", at: this.#context.now(), messageId, role, block: { type: "text", text } };
  }

  /** What the end of the step says beside its calls, which are named in the order in which they were asked for. */
  about(toolCallIds: readonly string[]): { readonly usage?: Usage; readonly answer?: StepAnswer } {
    const answer = this.#answer.recorded(modelName(this.#context.agent.model), toolCallIds);
    return { ...(this.#usage && { usage: this.#usage }), ...(answer && { answer }) };
  }

  /** Calls whose input the model began and never finished. */
  unfinishedDrafts(): readonly SessionEvent[] {
    const at = this.#context.now();
    const error = "The model began this call and did not finish its input. Nothing was run.";
    return this.#abandoned
      .concat([...this.#drafts.values()])
      .map((toolCallId) => ({ type: "call-failed", toolCallId, at, error }));
  }

  #startDraft(providerCallId: string, name: string): void {
    // Said twice, or after the call itself: it is the same call.
    if (this.#unwritten.has(providerCallId) || this.#asked.has(providerCallId)) return;
    const replaced = this.#drafts.get(providerCallId);
    if (replaced !== undefined) this.#abandoned.push(replaced);
    this.#unwritten.add(providerCallId);
    const announced = this.#context.gate.announce(name, { providerCallId });
    this.#drafts.set(providerCallId, announced.toolCallId);
    this.writer.add(announced);
  }

  #readDelta(providerCallId: string, text: string): void {
    this.#unwritten.delete(providerCallId);
    const toolCallId = this.#drafts.get(providerCallId);
    if (toolCallId !== undefined)
      this.writer.add({ type: "input-delta", toolCallId, at: this.#context.now(), text });
  }
}

const CUT_OFF = { status: "broken", stopReason: "error", error: "The model's answer was cut off." } as const;

const BROKEN_BY: ReadonlyMap<string, StepEnd & { status: "broken" }> = new Map([
  ["length", { status: "broken", stopReason: "max_tokens" }],
  ["content-filter", { status: "broken", stopReason: "refusal" }],
  [
    "error",
    { status: "broken", stopReason: "error", error: "The model reported an error and did not say which." },
  ],
]);

async function callOptions(
  { agent, record, toolbox, instructions }: TurnContext,
  abortSignal: AbortSignal,
): Promise<LanguageModelV3CallOptions> {
  const tools = toolbox.list().map(({ name, description, parameters }) => ({
    type: "function" as const,
    name,
    description,
    inputSchema: parameters,
  }));
  const prompt = promptFromSession(record.book.snapshot(), {
    instructions: await instructions(),
    longestResult: agent.longestResult,
    model: modelName(agent.model),
  });
  return { prompt, tools, abortSignal };
}

/** Input that is no JSON stays the text it is: the tool's own check then says what is wrong with it. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return input;
  }
}

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
