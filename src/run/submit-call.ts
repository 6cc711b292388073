/** A new call on its way into the record: announced, with its input, and with what the tool and the rules say of it. */
import { createToolTitle, plainJson } from "../call/index.js";
import type { CallAnnounced, SessionEvent } from "../call/index.js";
import type { CallTools } from "./call-tools.js";
import type { CallCheck } from "./check-call.js";
import type { ToolRequest } from "./gate-options.js";

export type SubmitOptions = {
  readonly tools: CallTools;
  readonly check: CallCheck;
  readonly callIds: { next(): string };
  readonly now: () => number;
};

export class CallSubmission {
  readonly #options: SubmitOptions;

  constructor(options: SubmitOptions) {
    this.#options = options;
  }

  announce(request: Omit<ToolRequest, "input">, input?: unknown): CallAnnounced {
    const { name, providerCallId, parentToolCallId } = request;
    const { tools, callIds, now } = this.#options;
    const tool = request.tool ?? tools.find({ name });
    return {
      type: "call-announced",
      toolCallId: callIds.next(),
      at: now(),
      name,
      title: createToolTitle(name, input),
      kind: tool?.kind ?? "other",
      kindSource: tool ? (tool.kindSource ?? "declared") : "inferred",
      ...(providerCallId !== undefined && { providerCallId }),
      ...(parentToolCallId !== undefined && { parentToolCallId }),
    };
  }

  /** The events that make the call, up to the decision or the question about it. */
  async submit(
    request: ToolRequest,
  ): Promise<{ readonly toolCallId: string; readonly events: readonly SessionEvent[] }> {
    const { tools, check, now } = this.#options;
    const { name, input = {} } = request;
    const announced = request.toolCallId === undefined ? this.announce(request, input) : undefined;
    const toolCallId = announced?.toolCallId ?? request.toolCallId ?? "";
    if (request.tool) tools.give(toolCallId, request.tool);
    const rawInput = request.tool ? input : plainJson(input);
    const at = now();
    const tool = tools.find({ ...request, toolCallId });
    const meta = tool?._meta && { _meta: tool._meta };
    const title = announced?.title ?? createToolTitle(name, rawInput);
    const arrived: SessionEvent[] = [
      ...(announced ? [announced] : []),
      { type: "input-ready", toolCallId, at, rawInput },
      // A call that was announced with its input has its title already.
      ...(announced && !meta
        ? []
        : [{ type: "call-revised", toolCallId, at, fields: { title, ...meta } } as const]),
    ];
    const failed = (error: string): SessionEvent => ({ type: "call-failed", toolCallId, at, error });
    // An input that was cut to be shown must never be run.
    if (rawInput !== input) return { toolCallId, events: [...arrived, failed(TOO_LARGE)] };
    if (!tool) return { toolCallId, events: [...arrived, failed(tools.unknownTool(request))] };
    const checked = await check.submitted(toolCallId, tool, rawInput, title);
    return { toolCallId, events: [...arrived, ...checked] };
  }
}

const TOO_LARGE =
  "The input is too large, or not plain JSON. Nothing was run; make it smaller or send it in parts.";
