/** The model's response that an event records, with its cost. */
import type { SessionEvent, Usage } from "../call/index.js";

export type ModelResponse = {
  readonly at: number;
  readonly model: string | undefined;
  readonly usage?: Usage;
};

export function modelResponse(event: SessionEvent): ModelResponse | undefined {
  if (event.type === "step-ended") return { ...event, model: event.answer?.model };
  // A summary is a response too.
  return event.type === "context-compacted" && event.usage ? { ...event, model: undefined } : undefined;
}
