/**
 * A span for each turn and, below it, one for each call that runs or that a sub-agent works on, by the GenAI conventions of OpenTelemetry.
 * Spans are made from recorded events and hold names and numbers only: no input, no output and no text.
 * Without a tracer that the host has registered they have no effect.
 */
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Span, Tracer } from "@opentelemetry/api";
import type { SessionEvent, ToolCall } from "../call/index.js";
import type { AgentSession } from "./agent-session.js";

// The conventions are still in development, so their few names are written out here.
const OPERATION = "gen_ai.operation.name";
const AGENT = "gen_ai.agent.name";
const CONVERSATION = "gen_ai.conversation.id";
const MODEL = "gen_ai.request.model";
const TOOL = "gen_ai.tool.name";
const CALL = "gen_ai.tool.call.id";
const INPUT_TOKENS = "gen_ai.usage.input_tokens";
const OUTPUT_TOKENS = "gen_ai.usage.output_tokens";

export type TracedAgent = { readonly name: string; readonly modelId: string };

/** Returns the function that stops the tracing. */
export function traceSession(
  session: AgentSession,
  agent: TracedAgent,
  tracer: Tracer = trace.getTracer("toolgate"),
): () => void {
  const spans = new SessionSpans(session, agent, tracer);
  return session.onRecorded((events) => {
    for (const event of events) spans.take(event);
  });
}

class SessionSpans {
  readonly #session: AgentSession;
  readonly #agent: TracedAgent;
  readonly #tracer: Tracer;
  readonly #calls = new Map<string, Span>();
  #turn: Span | undefined;
  #tokens = { input: 0, output: 0 };

  constructor(session: AgentSession, agent: TracedAgent, tracer: Tracer) {
    this.#session = session;
    this.#agent = agent;
    this.#tracer = tracer;
  }

  take(event: SessionEvent): void {
    switch (event.type) {
      case "turn-started":
      case "turn-resumed":
        return this.#startTurn(event.at);
      case "step-ended":
      case "child-stepped":
        this.#tokens.input += event.usage?.inputTokens ?? 0;
        this.#tokens.output += event.usage?.outputTokens ?? 0;
        return;
      case "turn-parked":
        return this.#endTurn(event.at, "parked");
      case "turn-stopped":
        return this.#endTurn(event.at, event.stopReason);
      case "run-started":
      case "child-awaited":
        return this.#startCall(event.toolCallId, event.at);
      case "call-done":
      case "call-failed":
      case "call-cancelled":
      case "call-unknown":
        return this.#endCall(event.toolCallId, event.at);
      default:
    }
  }

  #startTurn(at: number): void {
    const { name, modelId } = this.#agent;
    this.#turn?.end(at);
    this.#tokens = { input: 0, output: 0 };
    this.#turn = this.#tracer.startSpan(`invoke_agent ${name}`, {
      startTime: at,
      attributes: {
        [OPERATION]: "invoke_agent",
        [AGENT]: name,
        [MODEL]: modelId,
        [CONVERSATION]: this.#session.sessionId,
      },
    });
  }

  #endTurn(at: number, how: string): void {
    const { input, output } = this.#tokens;
    this.#turn?.setAttributes({
      "toolgate.turn.end": how,
      ...(input > 0 && { [INPUT_TOKENS]: input }),
      ...(output > 0 && { [OUTPUT_TOKENS]: output }),
    });
    if (how === "error") this.#turn?.setStatus({ code: SpanStatusCode.ERROR });
    this.#turn?.end(at);
    this.#turn = undefined;
  }

  #startCall(toolCallId: string, at: number): void {
    const call = this.#session.book.call(toolCallId);
    if (!call) return;
    const above = this.#calls.get(call.parentToolCallId ?? "") ?? this.#turn;
    const parent = above ? trace.setSpan(context.active(), above) : context.active();
    const attributes = {
      [OPERATION]: "execute_tool",
      [TOOL]: call.name,
      [CALL]: toolCallId,
      ...decided(call),
    };
    this.#calls.set(
      toolCallId,
      this.#tracer.startSpan(`execute_tool ${call.name}`, { startTime: at, attributes }, parent),
    );
  }

  #endCall(toolCallId: string, at: number): void {
    const span = this.#calls.get(toolCallId);
    this.#calls.delete(toolCallId);
    const status = this.#session.book.call(toolCallId)?.state.status ?? "unknown";
    span?.setAttribute("toolgate.call.status", status);
    if (status !== "done") span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end(at);
  }
}

function decided({ decision, kind, times }: ToolCall): Record<string, string | number> {
  const waited =
    times.asked === undefined ? undefined : Math.max(0, (times.answered ?? times.asked) - times.asked);
  return {
    "toolgate.call.kind": kind,
    ...(decision && { "toolgate.decision.by": decision.by }),
    ...(waited !== undefined && { "toolgate.waited_ms": waited }),
  };
}
