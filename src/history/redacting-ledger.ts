/**
 * A ledger that keeps no secret that can be told from other text: what is appended is redacted first.
 *
 * What must stay true: the redacted log folds as the other one would, to the redacted session. Whoever writes has the
 * session as it is: calls run with the input that they were given, and the model is told what they really brought.
 *
 * What it costs: what was kept of changed files is not, so no call can be undone; a call whose input had a secret
 * in it is asked about anew by whoever takes the session over, because what is recorded is no longer what was asked
 * about; what a provider has signed of an answer is not kept, since the words that it signed may have changed.
 */
import { createHash } from "node:crypto";
import type { Answer, AnswerReceipt, Lease, Ledger, SessionEvent } from "../call/index.js";
import { redactedRecord, type RedactOptions } from "./redact-event.js";
import type { RedactionPattern } from "./redaction-pattern.js";
import { StreamRedactor } from "./stream-redactor.js";

export function redactingLedger(ledger: Ledger, { patterns = [] }: RedactOptions = {}): Ledger {
  const streams = new Map<string, SessionStreams>();
  const streamsOf = (sessionId: string): SessionStreams => {
    const known = streams.get(sessionId) ?? new SessionStreams(patterns);
    streams.set(sessionId, known);
    return known;
  };
  const end = async (lease: Lease): Promise<void> => {
    const rest = streams.get(lease.sessionId)?.rest() ?? [];
    streams.delete(lease.sessionId);
    if (rest.length > 0) await ledger.append(lease, rest, { durable: false });
  };
  return {
    claim: (sessionId, owner, options) => ledger.claim(sessionId, owner, options),
    renew: (lease, options) => ledger.renew(lease, options),
    release: async (lease) => {
      // A lease that was lost took its right to append with it; to release it does nothing.
      await end(lease).catch(() => undefined);
      await ledger.release(lease);
    },
    append: async (lease, events, { durable, onStored }) => {
      const before = streamsOf(lease.sessionId);
      const after = before.copy();
      const redacted = after.redacted(events);
      streams.set(lease.sessionId, after);
      const last = await ledger.append(lease, redacted, { durable }).catch((error: unknown) => {
        // What was not stored was not said. Whoever appends before they know how the last one ended gets no such care.
        if (streams.get(lease.sessionId) === after) streams.set(lease.sessionId, before);
        throw error;
      });
      // More than there were, where text that was held back had to go first.
      onStored?.(redacted.length);
      return last;
    },
    read: (sessionId, options) => ledger.read(sessionId, options),
    follow: (sessionId, options) => ledger.follow(sessionId, options),
    answer: async (questionId, answer) => answerRedacted(ledger, questionId, answer, patterns),
    openQuestions: (options) => ledger.openQuestions(options),
    sessions: (options) => ledger.sessions(options),
    remove: (lease) => {
      streams.delete(lease.sessionId);
      return ledger.remove(lease);
    },
    // The hash is the promise, and there is nothing under it.
    putBlob: async (bytes) => createHash("sha256").update(bytes).digest("hex"),
    getBlob: (hash) => ledger.getBlob(hash),
    close: () => ledger.close(),
  };
}

async function answerRedacted(
  ledger: Ledger,
  questionId: string,
  answer: Answer,
  patterns: readonly RedactionPattern[],
): Promise<AnswerReceipt> {
  // The walk changes texts and nothing else, so an answer stays one.
  const redacted = redactedRecord(answer, patterns) as Answer;
  if (JSON.stringify(redacted.input) !== JSON.stringify(answer.input)) {
    // The recorded input is the one that is run: it must not be another one than was said yes to.
    throw new RangeError(
      `The input in the answer to question ${questionId} has a secret in it, and this ledger keeps none. Nothing was recorded; answer without a changed input.`,
    );
  }
  return ledger.answer(questionId, redacted);
}

/** One event for one event, except where text was held back and its stream is over. */
class SessionStreams {
  readonly #patterns: readonly RedactionPattern[];
  readonly #streams = new Map<string, { readonly text: StreamRedactor; readonly last: StreamedEvent }>();

  constructor(patterns: readonly RedactionPattern[]) {
    this.#patterns = patterns;
  }

  copy(): SessionStreams {
    const copy = new SessionStreams(this.#patterns);
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
    // Pieces of the input are not kept: the whole of it follows, and is redacted as a whole.
    if (event.type === "input-delta") return { ...event, text: "" };
    return redactedRecord(event, this.#patterns) as SessionEvent;
  }

  /** A message is over when something else comes, a terminal's text when its call goes on. */
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
