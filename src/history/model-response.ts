/** The model's response that an event records, with its cost. */
import { handleStoredEvent } from "../call/index.js";
import type { EventTable, SessionEvent, StepResponse, Usage } from "../call/index.js";

export type ModelResponse = {
  readonly at: number;
  readonly model: string | undefined;
  readonly usage: Usage | undefined;
};

export function modelResponse(event: SessionEvent): ModelResponse | undefined {
  return handleStoredEvent(TABLE, event);
}

type EndedStep = { readonly at: number; readonly answer?: StepResponse; readonly usage?: Usage };
const step = ({ at, answer, usage }: EndedStep): ModelResponse => ({ at, model: answer?.model, usage });
const none = (): undefined => undefined;

const TABLE: EventTable<[], ModelResponse | undefined> = {
  "call-announced": none,
  "input-delta": none,
  "input-ready": none,
  "call-revised": none,
  "content-appended": none,
  "terminal-output": none,
  "terminal-exited": none,
  "question-asked": none,
  "app-awaited": none,
  "child-awaited": none,
  "call-cleared": none,
  "call-refused": none,
  "run-started": none,
  "cancel-requested": none,
  "process-started": none,
  "file-kept": none,
  "sandbox-refused": none,
  "call-undone": none,
  "call-breached": none,
  "call-done": none,
  "call-failed": none,
  "call-cancelled": none,
  "call-unknown": none,
  "child-stepped": step,
  "step-ended": step,
  // A summary is a response too.
  "context-compacted": ({ at, usage }) => usage && { at, model: undefined, usage },
  "turn-started": none,
  "turn-parked": none,
  "turn-resumed": none,
  "turn-stopped": none,
  "window-learnt": none,
  "message-chunk": none,
  "question-answered": none,
  "question-withdrawn": none,
  "plan-updated": none,
  "mode-changed": none,
  "info-changed": none,
  "traffic-repaired": none,
};
