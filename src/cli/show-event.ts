/** Maps each event of a session to the part of the live text that it changes. */
import { handleEvent } from "../call/index.js";
import type { EventOf, EventTable, SessionEvent, ToolCallEvent } from "../call/index.js";
import { compactionLine, learntWindowLine } from "../view/index.js";

/** The parts of the live text that events change. */
export type LiveParts = {
  readonly text: (event: EventOf<"message-chunk">) => void;
  readonly line: (text: string) => void;
  readonly call: (event: ToolCallEvent) => void;
  readonly breach: (event: EventOf<"call-breached">) => void;
  readonly plan: () => void;
  readonly turnEnd: () => void;
};

export function showEvent(event: SessionEvent, parts: LiveParts): void {
  handleEvent(TABLE, event, parts);
}

const skip = (): void => undefined;
const showCall = (event: ToolCallEvent, parts: LiveParts): void => parts.call(event);

const TABLE: EventTable<[parts: LiveParts], void> = {
  "message-chunk": (event, parts) => parts.text(event),
  "context-compacted": (event, parts) => parts.line(compactionLine(event)),
  "window-learnt": (event, parts) => parts.line(learntWindowLine(event)),
  "call-announced": showCall,
  "input-delta": showCall,
  "input-ready": showCall,
  "call-revised": showCall,
  "content-appended": showCall,
  "terminal-output": showCall,
  "terminal-exited": showCall,
  "question-asked": showCall,
  "app-awaited": showCall,
  "child-awaited": showCall,
  "child-stepped": showCall,
  "call-cleared": showCall,
  "call-refused": showCall,
  "run-started": showCall,
  "cancel-requested": showCall,
  "process-started": showCall,
  "file-kept": showCall,
  "sandbox-refused": showCall,
  "call-undone": showCall,
  "call-done": showCall,
  "call-failed": showCall,
  "call-cancelled": showCall,
  "call-unknown": showCall,
  "call-breached": (event, parts) => parts.breach(event),
  "question-answered": skip,
  "question-withdrawn": skip,
  "turn-started": skip,
  "turn-parked": skip,
  "turn-resumed": skip,
  "turn-stopped": (_, parts) => parts.turnEnd(),
  "step-ended": skip,
  "plan-updated": (_, parts) => parts.plan(),
  "mode-changed": skip,
  "info-changed": skip,
  "traffic-repaired": skip,
};
