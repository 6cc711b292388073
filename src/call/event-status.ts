/**
 * The status of a call or a turn after each event; undefined where the event leaves it as it is. A new event does not
 * compile until it has its line here.
 */
import type { SessionEvent, SessionEventType, Turn } from "./session.js";
import type { ToolCallEventType, ToolCallStatus } from "./tool-call.js";

export const CALL_STATUS_AFTER: { readonly [Type in ToolCallEventType]: ToolCallStatus | undefined } = {
  "call-announced": "drafting",
  "input-delta": "drafting",
  "input-ready": "ready",
  "question-asked": "waiting",
  "app-awaited": "waiting",
  "child-awaited": "waiting",
  "call-cleared": "cleared",
  "run-started": "running",
  "call-refused": "refused",
  "call-done": "done",
  "call-failed": "failed",
  "call-cancelled": "cancelled",
  "call-unknown": "unknown",
  "call-revised": undefined,
  "content-appended": undefined,
  "terminal-output": undefined,
  "terminal-exited": undefined,
  "child-stepped": undefined,
  "process-started": undefined,
  "sandbox-refused": undefined,
  "cancel-requested": undefined,
  "file-kept": undefined,
  "call-undone": undefined,
  "call-breached": undefined,
};

type TurnStatus = Turn["state"]["status"];

const TURN_STATUS_AFTER: {
  readonly [Type in Exclude<SessionEventType, ToolCallEventType>]: TurnStatus | undefined;
} = {
  "turn-started": "running",
  "turn-resumed": "running",
  "turn-parked": "parked",
  "turn-stopped": "stopped",
  "step-ended": undefined,
  "context-compacted": undefined,
  "window-learnt": undefined,
  "message-chunk": undefined,
  "question-answered": undefined,
  "question-withdrawn": undefined,
  "plan-updated": undefined,
  "mode-changed": undefined,
  "info-changed": undefined,
  "traffic-repaired": undefined,
};

export const turnStatusAfter = (event: SessionEvent): TurnStatus | undefined =>
  "toolCallId" in event ? undefined : TURN_STATUS_AFTER[event.type];

const ENDS: ReadonlySet<ToolCallStatus | undefined> = new Set([
  "done",
  "failed",
  "refused",
  "cancelled",
  "unknown",
] satisfies ToolCallStatus[]);

/** The events that end a call, and its status then. The key is a string, so that any event's type can be looked up. */
export const STATUS_AT_END: ReadonlyMap<string, ToolCallStatus> = new Map(
  Object.entries(CALL_STATUS_AFTER).flatMap(([type, status]) =>
    status !== undefined && ENDS.has(status) ? [[type, status]] : [],
  ),
);
