/**
 * Redacts the events of one session in their order. One event becomes one event, plus one for buffered text at the end of
 * a stream: a secret may come in pieces, so the end of a text is buffered until the next piece.
 */
import type { SessionEvent } from "../../call/index.js";
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
      const streamed = asStreamed(event);
      const over = this.#endOthers(event, streamed?.key);
      return [...over, streamed ? this.#continue(streamed) : this.#whole(event)];
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

  #whole(event: SessionEvent): SessionEvent {
    // Pieces of the input are dropped: the whole input follows, and is redacted as a whole.
    if (event.type === "input-delta") return { ...event, text: "" };
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

function asStreamed(event: SessionEvent): StreamedEvent | undefined {
  if (event.type === "terminal-output" && event.skipped === undefined) {
    const { toolCallId, terminalId } = event;
    const key = JSON.stringify(["terminal", toolCallId, terminalId]);
    return { key, toolCallId, text: event.text, withText: (text) => ({ ...event, text }) };
  }
  if (event.type !== "message-chunk" || event.block.type !== "text") return undefined;
  const { block, messageId, role } = event;
  if (block._meta || block.annotations) return undefined;
  return {
    key: JSON.stringify(["message", messageId, role]),
    toolCallId: undefined,
    text: block.text,
    withText: (text) => ({ ...event, block: { type: "text", text } }),
  };
}
