/**
 * One response of the model as it streams: its calls are announced and drafted in the log as they arrive, its text goes
 * to the caller, and its calls are collected until the response is complete and can be submitted.
 */
import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { SessionEvent, StepResponse, StopReason, Usage } from "../call/index.js";
import { errorMessage } from "../call/error-message.js";
import { usageOf } from "../model/index.js";
import { overflowOf } from "../model/overflow-of.js";
import type { Overflow } from "../model/index.js";
import type { NotifiedCall } from "../model/retrying.js";
import type { EventWriter } from "../record/index.js";
import type { ToolRequest } from "../run/index.js";
import type { AppTool, Tool } from "../tools/index.js";
import { modelName, readParts, StreamedResponse, unlessAborted } from "./streamed-response.js";
import type { TurnContext } from "./advance-turn.js";

export type ModelRequest = Pick<LanguageModelV3CallOptions, "prompt" | "providerOptions">;

export type BrokenStep = {
  readonly status: "broken";
  readonly stopReason: StopReason;
  readonly error?: string;
  /** Set when the model refused the prompt for its length, before any part of a response. */
  readonly overflow?: Overflow;
};

/** Receives the model's text. The event that it returns is recorded. */
export type OnText = (role: "agent" | "thought", text: string) => SessionEvent | undefined;

export type StepSetting = {
  readonly request: ModelRequest;
  readonly tools: readonly (Tool | AppTool)[];
  readonly onText: OnText;
  /** The call that a sub-agent works on; the sub-agent's own calls are nested in it. */
  readonly parentToolCallId?: string;
};

/** Asks the model, and returns the step after its last event is recorded. */
export async function streamStep(
  context: TurnContext,
  { request, tools: offered, ...setting }: StepSetting,
  signal: AbortSignal,
): Promise<StreamedStep> {
  const step = new StreamedStep(context, setting);
  const tools = offered.map((tool) => ({
    type: "function" as const,
    name: tool.name,
    description: tool.description,
    // A model that sends no schemas, such as a scripted one, does not pay for making them.
    get inputSchema() {
      return tool.parameters;
    },
  }));
  try {
    const { onModelRetry } = context;
    const call: NotifiedCall = {
      ...request,
      tools,
      abortSignal: signal,
      ...(onModelRetry && { onRetry: onModelRetry }),
    };
    const asked = context.agent.model.doStream(call);
    const { stream } = await unlessAborted(asked, signal);
    await readParts(stream, signal, (part) => step.read(part));
    if (!step.isFinished) step.broken ??= CUT_OFF;
  } catch (error) {
    step.break(error);
  }
  // Text alone is stored together with the end of the step; the calls of a step must be in the book before.
  if (step.hasDrafts || step.broken || signal.aborted) await step.writer.flush();
  // A response that completes at the moment of the cancel is dropped too.
  if (signal.aborted) step.broken ??= { status: "broken", stopReason: "cancelled" };
  return step;
}

/** Turns the parts of a stream into events, and collects the calls that the model requests. */
export class StreamedStep {
  readonly requests: ToolRequest[] = [];
  readonly writer: EventWriter;
  broken: BrokenStep | undefined;
  /** Whether the stream sent its finish part; a stream that ends without one was cut off. */
  isFinished = false;
  #usage: Usage | undefined;
  #hasText = false;
  /** The role of the last event when that was a text chunk. */
  #lastRole: "agent" | "thought" | undefined;
  readonly #response = new StreamedResponse();
  readonly #context: TurnContext;
  readonly #onText: OnText;
  readonly #nested: Pick<ToolRequest, "parentToolCallId">;
  /** Provider's id → ours, for calls whose input is still being written. */
  readonly #drafts = new Map<string, string>();
  readonly #abandoned: string[] = [];
  /** The provider's ids of drafts without input so far, and of the calls that this step requested. */
  readonly #unwritten = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(
    context: TurnContext,
    { onText, parentToolCallId }: Pick<StepSetting, "onText" | "parentToolCallId">,
  ) {
    this.#context = context;
    this.#onText = onText;
    this.#nested = parentToolCallId === undefined ? {} : { parentToolCallId };
    this.writer = context.record.writer();
  }

  read(part: LanguageModelV3StreamPart): void {
    switch (part.type) {
      case "text-start":
      case "text-end":
      case "reasoning-start":
      case "reasoning-end":
        return this.#response.read(part);
      case "text-delta":
      case "reasoning-delta":
        this.#response.read(part);
        // An empty delta only carries a signature.
        if (part.delta === "") return;
        return this.#addText(part.type === "text-delta" ? "agent" : "thought", part.delta);
      case "tool-input-start":
        return this.#startDraft(part.id, part.toolName);
      case "tool-input-delta":
        return this.#readDelta(part.id, part.delta);
      case "tool-call": {
        // The provider has run this call itself.
        if (part.providerExecuted) return;
        const { toolCallId: providerCallId, toolName: name, input } = part;
        const toolCallId = this.#drafts.get(providerCallId);
        this.requests.push({
          name,
          input: parsed(input),
          providerCallId,
          ...(toolCallId !== undefined && { toolCallId }),
          ...this.#nested,
        });
        this.#response.addCall(part.providerMetadata);
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
        return this.break(part.error);
      default:
    }
  }

  /** The usage and the signed response for the step's end. `toolCallIds` are in the order of the requests. */
  about(toolCallIds: readonly string[]): { readonly usage?: Usage; readonly answer?: StepResponse } {
    const response = this.#response.recorded(modelName(this.#context.agent.model), toolCallIds);
    return { ...(this.#usage && { usage: this.#usage }), ...(response && { answer: response }) };
  }

  /** Ends the calls whose input the model did not finish, except those that were cancelled meanwhile. */
  unfinishedDrafts(): readonly SessionEvent[] {
    const at = this.#context.now();
    const error = "The model began this call and did not finish its input. Nothing was run.";
    const isOpen = (toolCallId: string) => {
      const call = this.#context.record.book.call(toolCallId);
      return call !== undefined && call.times.ended === undefined;
    };
    return [...this.#abandoned, ...this.#drafts.values()]
      .filter(isOpen)
      .map((toolCallId) => ({ type: "call-failed", toolCallId, at, error }));
  }

  /** A response that has started is never requested again. */
  break(error: unknown): void {
    const hasStarted = this.#hasText || this.#drafts.size > 0 || this.requests.length > 0;
    const overflow = hasStarted ? undefined : overflowOf(error);
    this.broken ??= {
      status: "broken",
      stopReason: "error",
      error: errorMessage(error),
      ...(overflow && { overflow }),
    };
  }

  /** Whether calls of this step were announced while they were being written. */
  get hasDrafts(): boolean {
    return this.#drafts.size + this.#unwritten.size + this.#asked.size > 0;
  }

  #addText(role: "agent" | "thought", text: string): void {
    if (role === this.#lastRole && this.writer.addText(text)) return;
    this.#hasText = true;
    const event = this.#onText(role, text);
    if (event) this.writer.add(event);
    this.#lastRole = event && role;
  }

  #startDraft(providerCallId: string, name: string): void {
    // A repeated start, or one after the call itself, belongs to the same call.
    if (this.#unwritten.has(providerCallId) || this.#asked.has(providerCallId)) return;
    const replaced = this.#drafts.get(providerCallId);
    if (replaced !== undefined) this.#abandoned.push(replaced);
    this.#unwritten.add(providerCallId);
    const announced = this.#context.gate.announce(name, { providerCallId, ...this.#nested });
    this.#drafts.set(providerCallId, announced.toolCallId);
    this.#lastRole = undefined;
    this.writer.add(announced);
  }

  #readDelta(providerCallId: string, text: string): void {
    this.#unwritten.delete(providerCallId);
    const toolCallId = this.#drafts.get(providerCallId);
    if (toolCallId === undefined) return;
    this.#lastRole = undefined;
    this.writer.add({ type: "input-delta", toolCallId, at: this.#context.now(), text });
  }
}

const CUT_OFF: BrokenStep = {
  status: "broken",
  stopReason: "error",
  error: "The model's response was cut off.",
};

const BROKEN_BY: ReadonlyMap<string, BrokenStep> = new Map([
  ["length", { status: "broken", stopReason: "max_tokens" }],
  ["content-filter", { status: "broken", stopReason: "refusal" }],
  [
    "error",
    { status: "broken", stopReason: "error", error: "The model reported an error and did not say which." },
  ],
]);

/** Input that is not JSON stays text, and the tool's own check then reports the mistake. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return input;
  }
}
