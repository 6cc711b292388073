/**
 * A span for each turn and, below it, one for each call that runs or that a sub-agent works on, by the GenAI conventions of OpenTelemetry.
 * Spans are made from recorded events and hold names and numbers only: no input, no output and no text.
 * Without a tracer that the host has registered they have no effect.
 */
import { context, SpanStatusCode, trace } from "@opentelemetry/api";
import type { Span, Tracer } from "@opentelemetry/api";
import { handleEvent, waitDuration } from "../call/index.js";
import type { EventTable, SessionEvent, ToolCall, Usage } from "../call/index.js";
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

const ignore = (): void => undefined;

class SessionSpans {
  readonly #session: AgentSession;
  readonly #agent: TracedAgent;
  readonly #tracer: Tracer;
  readonly #calls = new Map<string, Span>();
  #turn: Span | undefined;
  #turnAt = 0;
  #tokens = { input: 0, output: 0 };

  static readonly #TABLE: EventTable<[spans: SessionSpans], void> = {
    "turn-started": ({ at }, spans) => spans.#startTurn(at),
    "turn-resumed": ({ at }, spans) => spans.#startTurn(at),
    "turn-parked": (event, spans) => spans.#endTurn(event, "parked"),
    "turn-stopped": (event, spans) => spans.#endTurn(event, event.stopReason),
    "step-ended": ({ usage }, spans) => spans.#addTokens(usage),
    "child-stepped": ({ usage }, spans) => spans.#addTokens(usage),
    "run-started": ({ toolCallId, at }, spans) => spans.#startCall(toolCallId, at),
    "child-awaited": ({ toolCallId, at }, spans) => spans.#startCall(toolCallId, at),
    "call-done": ({ toolCallId, at }, spans) => spans.#endCall(toolCallId, at),
    "call-failed": ({ toolCallId, at }, spans) => spans.#endCall(toolCallId, at),
    "call-cancelled": ({ toolCallId, at }, spans) => spans.#endCall(toolCallId, at),
    "call-unknown": ({ toolCallId, at }, spans) => spans.#endCall(toolCallId, at),
    "context-compacted": ({ usage }, spans) => spans.#addTokens(usage),
    "window-learnt": ignore,
    "message-chunk": ignore,
    "question-answered": ignore,
    "question-withdrawn": ignore,
    "plan-updated": ignore,
    "mode-changed": ignore,
    "info-changed": ignore,
    "traffic-repaired": ignore,
    "call-announced": ignore,
    "input-delta": ignore,
    "input-ready": ignore,
    "call-revised": ignore,
    "content-appended": ignore,
    "terminal-output": ignore,
    "terminal-exited": ignore,
    "question-asked": ignore,
    "app-awaited": ignore,
    "call-cleared": ignore,
    "call-refused": ignore,
    "cancel-requested": ignore,
    "process-started": ignore,
    "file-kept": ignore,
    "sandbox-refused": ignore,
    "call-undone": ignore,
    "call-breached": ignore,
  };

  constructor(session: AgentSession, agent: TracedAgent, tracer: Tracer) {
    this.#session = session;
    this.#agent = agent;
    this.#tracer = tracer;
  }

  take(event: SessionEvent): void {
    handleEvent(SessionSpans.#TABLE, event, this);
  }

  #addTokens(usage: Usage | undefined): void {
    this.#tokens.input += usage?.inputTokens ?? 0;
    this.#tokens.output += usage?.outputTokens ?? 0;
  }

  #startTurn(at: number): void {
    const { name, modelId } = this.#agent;
    this.#turn?.end(at);
    this.#turnAt = at;
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

  #endTurn({ at, tookMs }: { readonly at: number; readonly tookMs?: number }, how: string): void {
    const { input, output } = this.#tokens;
    this.#turn?.setAttributes({
      "toolgate.turn.end": how,
      ...(input > 0 && { [INPUT_TOKENS]: input }),
      ...(output > 0 && { [OUTPUT_TOKENS]: output }),
    });
    if (how === "error") this.#turn?.setStatus({ code: SpanStatusCode.ERROR });
    this.#turn?.end(tookMs === undefined ? at : this.#turnAt + tookMs);
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
    const { state, times } = this.#session.book.call(toolCallId) ?? {};
    const status = state?.status ?? "unknown";
    span?.setAttribute("toolgate.call.status", status);
    if (status !== "done") span?.setStatus({ code: SpanStatusCode.ERROR });
    // Where someone set the wall clock while the call ran, the time of its end would give the span another duration.
    const isMeasured = times?.started !== undefined && times.ranMs !== undefined;
    span?.end(isMeasured ? times.started + times.ranMs : at);
  }
}

function decided({ decision, kind, times }: ToolCall): Record<string, string | number> {
  const waited = waitDuration(times) ?? (times.asked === undefined ? undefined : 0);
  return {
    "toolgate.call.kind": kind,
    ...(decision && { "toolgate.decision.by": decision.by }),
    ...(waited !== undefined && { "toolgate.waited_ms": waited }),
  };
}
