/**
 * One answer of the model as it streams: its calls are announced and drafted in the log as they come, its words go to
 * whoever asked for it, and what it asked for is kept until the whole is there to be submitted.
 */
import type { LanguageModelV3Prompt, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import type { SessionEvent, StepResponse, StopReason, Usage } from "../call/index.js";
import { usageOf } from "../model/index.js";
import type { EventWriter } from "../record/index.js";
import type { ToolRequest } from "../run/index.js";
import type { AppTool, Tool } from "../tools/index.js";
import { readParts, unlessAborted } from "./response-stream.js";
import { modelName, StreamedResponse } from "./streamed-response.js";
import type { TurnContext } from "./turn.js";

export type BrokenStep = {
  readonly status: "broken";
  readonly stopReason: StopReason;
  readonly error?: string;
};

/** Hears the model's words; what it returns is recorded with them. */
export type HearWords = (role: "agent" | "thought", text: string) => SessionEvent | undefined;

export type StepSetting = {
  readonly prompt: Promise<LanguageModelV3Prompt>;
  readonly tools: readonly (Tool | AppTool)[];
  readonly hear: HearWords;
  /** The call that a sub-agent works on: its calls are nested in that. */
  readonly parentToolCallId?: string;
};

/** Asks the model, and returns what came of it once the last event of it is recorded. */
export async function streamStep(
  context: TurnContext,
  { prompt, tools: offered, ...setting }: StepSetting,
  signal: AbortSignal,
): Promise<StreamedStep> {
  const step = new StreamedStep(context, setting);
  const tools = offered.map(({ name, description, parameters }) => ({
    type: "function" as const,
    name,
    description,
    inputSchema: parameters,
  }));
  try {
    const asked = context.agent.model.doStream({ prompt: await prompt, tools, abortSignal: signal });
    const { stream } = await unlessAborted(asked, signal);
    await readParts(stream, signal, (part) => step.read(part));
    if (!step.isFinished) step.broken ??= CUT_OFF;
  } catch (error) {
    step.broken ??= { status: "broken", stopReason: "error", error: errorText(error) };
  }
  await step.writer.flush();
  // What came whole in the very moment of the cancel is no longer wanted.
  if (signal.aborted) step.broken ??= { status: "broken", stopReason: "cancelled" };
  return step;
}

/** Turns the parts of a stream into events, and keeps what the model asked for. */
export class StreamedStep {
  readonly requests: ToolRequest[] = [];
  readonly writer: EventWriter;
  broken: BrokenStep | undefined;
  /** The stream said that it was over; one that just ends was cut off. */
  isFinished = false;
  #usage: Usage | undefined;
  readonly #answer = new StreamedResponse();
  readonly #context: TurnContext;
  readonly #hear: HearWords;
  readonly #nested: Pick<ToolRequest, "parentToolCallId">;
  /** Provider's id → ours, for calls whose input is still being written. */
  readonly #drafts = new Map<string, string>();
  readonly #abandoned: string[] = [];
  /** Provider's ids of drafts with no input yet, and of calls that were asked for in this step. */
  readonly #unwritten = new Set<string>();
  readonly #asked = new Set<string>();

  constructor(
    context: TurnContext,
    { hear, parentToolCallId }: Pick<StepSetting, "hear" | "parentToolCallId">,
  ) {
    this.#context = context;
    this.#hear = hear;
    this.#nested = parentToolCallId === undefined ? {} : { parentToolCallId };
    this.writer = context.record.writer();
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
        return this.#say(part.type === "text-delta" ? "agent" : "thought", part.delta);
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
          ...this.#nested,
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

  /** What the end of the step says beside its calls, which are named in the order in which they were asked for. */
  about(toolCallIds: readonly string[]): { readonly usage?: Usage; readonly answer?: StepResponse } {
    const answer = this.#answer.recorded(modelName(this.#context.agent.model), toolCallIds);
    return { ...(this.#usage && { usage: this.#usage }), ...(answer && { answer }) };
  }

  /** Calls whose input the model began and never finished, unless someone has cancelled them meanwhile. */
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

  #say(role: "agent" | "thought", text: string): void {
    const said = this.#hear(role, text);
    if (said) this.writer.add(said);
  }

  #startDraft(providerCallId: string, name: string): void {
    // Said twice, or after the call itself: it is the same call.
    if (this.#unwritten.has(providerCallId) || this.#asked.has(providerCallId)) return;
    const replaced = this.#drafts.get(providerCallId);
    if (replaced !== undefined) this.#abandoned.push(replaced);
    this.#unwritten.add(providerCallId);
    const announced = this.#context.gate.announce(name, { providerCallId, ...this.#nested });
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

const CUT_OFF: BrokenStep = {
  status: "broken",
  stopReason: "error",
  error: "The model's answer was cut off.",
};

const BROKEN_BY: ReadonlyMap<string, BrokenStep> = new Map([
  ["length", { status: "broken", stopReason: "max_tokens" }],
  ["content-filter", { status: "broken", stopReason: "refusal" }],
  [
    "error",
    { status: "broken", stopReason: "error", error: "The model reported an error and did not say which." },
  ],
]);

/** Input that is no JSON stays the text it is: the tool's own check then says what is wrong with it. */
function parsed(input: string): unknown {
  try {
    return JSON.parse(input === "" ? "{}" : input);
  } catch {
    return input;
  }
}

const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error));
