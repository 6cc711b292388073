/**
 * Redacts the events of one session in their order. One event becomes one event, plus one for buffered text at the end of
 * a stream: a secret may come in pieces, so the end of a text is buffered until the next piece.
 */
import { handleStoredEvent } from "../../call/index.js";
import type { EventOf, EventTable, SessionEvent } from "../../call/index.js";
import { redactedRecord } from "./redact-event.js";
import type { RedactionPattern } from "./redaction-pattern.js";
import { StreamRedactor } from "./stream-redactor.js";

export class RedactedEvents {
  readonly #patterns: readonly RedactionPattern[];
  readonly #streams = new Map<string, { readonly text: StreamRedactor; readonly last: StreamedEvent }>();

  constructor(patterns: readonly RedactionPattern[] = []) {
    this.#patterns = patterns;
  }

  copy(): RedactedEvents {
    const copy = new RedactedEvents(this.#patterns);
    for (const [key, { text, last }] of this.#streams) copy.#streams.set(key, { text: text.copy(), last });
    return copy;
  }

  redacted(events: readonly SessionEvent[]): SessionEvent[] {
    return events.flatMap((event) => {
      // An event of a type that this version does not know is redacted as a whole.
      const { streamed, whole } = handleStoredEvent(TABLE, event) ?? asWhole(event);
      const over = this.#endOthers(event, streamed?.key);
      return [...over, streamed ? this.#continue(streamed) : this.#redactWhole(whole)];
    });
  }

  rest(): SessionEvent[] {
    const held = [...this.#streams.keys()].flatMap((key) => this.#end(key));
    this.#streams.clear();
    return held;
  }

  #continue(streamed: StreamedEvent): SessionEvent {
    const text = this.#streams.get(streamed.key)?.text ?? new StreamRedactor(this.#patterns);
    this.#streams.set(streamed.key, { text, last: streamed });
    return streamed.withText(text.push(streamed.text));
  }

  #redactWhole(event: SessionEvent): SessionEvent {
    // The walk changes texts and nothing else, so an event stays one.
    return redactedRecord(event, this.#patterns) as SessionEvent;
  }

  /** A message ends at the next other event, a terminal's text when its call proceeds. */
  #endOthers(event: SessionEvent, key: string | undefined): SessionEvent[] {
    return [...this.#streams].flatMap(([otherKey, { last }]) => {
      if (otherKey === key) return [];
      const isOver =
        last.toolCallId === undefined
          ? event.type !== "terminal-output"
          : "toolCallId" in event && event.toolCallId === last.toolCallId && key === undefined;
      return isOver ? this.#end(otherKey) : [];
    });
  }

  #end(key: string): SessionEvent[] {
    const stream = this.#streams.get(key);
    this.#streams.delete(key);
    return stream?.text.holdsSomething ? [stream.last.withText(stream.text.flush())] : [];
  }
}

type StreamedEvent = {
  readonly key: string;
  readonly toolCallId: string | undefined;
  readonly text: string;
  readonly withText: (text: string) => SessionEvent;
};

/** An event to redact: a piece of a stream, or on its own. */
type Redactable =
  | { readonly streamed: StreamedEvent; readonly whole?: undefined }
  | { readonly streamed?: undefined; readonly whole: SessionEvent };

const asWhole = (event: SessionEvent): Redactable => ({ whole: event });

function terminalOutput(event: EventOf<"terminal-output">): Redactable {
  if (event.skipped !== undefined) return asWhole(event);
  const { toolCallId, terminalId, text } = event;
  const key = JSON.stringify(["terminal", toolCallId, terminalId]);
  return { streamed: { key, toolCallId, text, withText: (redacted) => ({ ...event, text: redacted }) } };
}

function messageChunk(event: EventOf<"message-chunk">): Redactable {
  const { block, messageId, role } = event;
  if (block.type !== "text" || block._meta || block.annotations) return asWhole(event);
  const key = JSON.stringify(["message", messageId, role]);
  const withText = (text: string): SessionEvent => ({ ...event, block: { type: "text", text } });
  return { streamed: { key, toolCallId: undefined, text: block.text, withText } };
}

const TABLE: EventTable<[], Redactable> = {
  "terminal-output": terminalOutput,
  "message-chunk": messageChunk,
  // Pieces of the input are not kept: the whole of it follows, and is redacted as a whole.
  "input-delta": (event) => asWhole({ ...event, text: "" }),
  "turn-started": asWhole,
  "turn-parked": asWhole,
  "turn-resumed": asWhole,
  "turn-stopped": asWhole,
  "step-ended": asWhole,
  "context-compacted": asWhole,
  "window-learnt": asWhole,
  "question-answered": asWhole,
  "question-withdrawn": asWhole,
  "plan-updated": asWhole,
  "mode-changed": asWhole,
  "info-changed": asWhole,
  "traffic-repaired": asWhole,
  "call-announced": asWhole,
  "input-ready": asWhole,
  "call-revised": asWhole,
  "content-appended": asWhole,
  "terminal-exited": asWhole,
  "question-asked": asWhole,
  "app-awaited": asWhole,
  "child-awaited": asWhole,
  "child-stepped": asWhole,
  "call-cleared": asWhole,
  "call-refused": asWhole,
  "run-started": asWhole,
  "cancel-requested": asWhole,
  "process-started": asWhole,
  "file-kept": asWhole,
  "sandbox-refused": asWhole,
  "call-undone": asWhole,
  "call-breached": asWhole,
  "call-done": asWhole,
  "call-failed": asWhole,
  "call-cancelled": asWhole,
  "call-unknown": asWhole,
};
