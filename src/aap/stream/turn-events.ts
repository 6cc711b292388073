/**
 * A session's recorded events as the events of AAP's stream. The same recorded events make the same stream with the same
 * ids, live or read again from the log; so a client that was cut off can continue from the last id it received.
 *
 * Invariants: all `tool_call`s of a step come before its first `tool_result`, and when the turn stops for the
 * app, all calls that it is to answer stand after the last result, since clients look for open calls in the last assistant
 * message only; the app's own results are not sent back to it; a call that was never sent (its answer was cut off) has
 * no result either. A sub-agent's calls are sent as the agent's are; its messages are not.
 *
 * Our agents record where an answer ends; external ones do not, so their calls are sent as soon as they move.
 */
import { handleEvent } from "../../call/index.js";
import type { EventTable, RecordedEvent, SessionBook, SessionEvent } from "../../call/index.js";
import type { Block, TurnEvent } from "../client/protocol.js";
import { MessageDraft } from "./message-draft.js";
import { callResult } from "./call-result.js";
import { continuedText, eventsAt, pauseEventsAt } from "./stream-event.js";
import type { StreamEvent } from "./stream-event.js";

export type TurnEventsOptions = {
  /** The agent records where each of its answers ends. */
  readonly hasSteps: boolean;
};

export class TurnEvents {
  /** Has each call as it ended; it may be ahead of the events that are read here. */
  readonly #book: SessionBook;
  readonly #hasSteps: boolean;
  readonly #draft = new MessageDraft();
  readonly #appCalls = new Set<string>();
  /** Calls that sub-agents work on: the app has nothing to answer for these. */
  readonly #delegated = new Set<string>();
  /** Calls of finished answers. */
  readonly #sent = new Set<string>();
  /** Sent calls that have not ended. */
  readonly #open = new Set<string>();
  /** Calls that ended before their answer was finished. */
  readonly #endedEarly = new Set<string>();
  /** Calls of the assistant message that the client is putting together, and whether a result has ended that message. */
  #lastMessage = new Set<string>();
  #isMessageEnded = true;
  /** The message that the last event added text to, if it did, and how many characters of that recorded event. */
  #text: { readonly messageId: string; readonly role: string; seq: number; offset: number } | undefined;

  /** The stream events that come of each recorded event. */
  static readonly #TABLE: EventTable<[self: TurnEvents], readonly TurnEvent[]> = {
    "app-awaited": ({ toolCallId }, self) => {
      self.#appCalls.add(toolCallId);
      return NO_EVENTS;
    },
    "child-awaited": ({ toolCallId }, self) => {
      self.#delegated.add(toolCallId);
      return NO_EVENTS;
    },
    "question-asked": ({ toolCallId }, self) => self.#moved(toolCallId),
    "call-cleared": ({ toolCallId }, self) => self.#moved(toolCallId),
    "run-started": ({ toolCallId }, self) => self.#moved(toolCallId),
    "call-done": (event, self) => self.#ended(event),
    "call-failed": (event, self) => self.#ended(event),
    "call-refused": (event, self) => self.#ended(event),
    "call-cancelled": (event, self) => self.#ended(event),
    "call-unknown": (event, self) => self.#ended(event),
    "step-ended": ({ stepId, toolCallIds }, self) => [...self.#cutOffBy(stepId), ...self.#step(toolCallIds)],
    "child-stepped": ({ toolCallIds }, self) => self.#step(toolCallIds),
    "turn-parked": (_event, self) => {
      const unanswered = self.#unanswered();
      self.#beginResponse();
      return unanswered;
    },
    "turn-stopped": (_event, self) => {
      const message = self.#message();
      self.#beginResponse();
      return message;
    },
    // The user's own message: the app has it. The assistant's text is read by `#delta`.
    "message-chunk": nothing,
    "turn-started": nothing,
    "turn-resumed": nothing,
    "context-compacted": nothing,
    "window-learnt": nothing,
    "question-answered": nothing,
    "question-withdrawn": nothing,
    "plan-updated": nothing,
    "mode-changed": nothing,
    "info-changed": nothing,
    "traffic-repaired": nothing,
    "call-announced": nothing,
    "input-delta": nothing,
    "input-ready": nothing,
    "call-revised": nothing,
    "content-appended": nothing,
    "terminal-output": nothing,
    "terminal-exited": nothing,
    "cancel-requested": nothing,
    "process-started": nothing,
    "file-kept": nothing,
    "sandbox-refused": nothing,
    "call-undone": nothing,
    "call-breached": nothing,
  };

  constructor(book: SessionBook, { hasSteps }: TurnEventsOptions) {
    this.#book = book;
    this.#hasSteps = hasSteps;
  }

  wasSent(toolCallId: string): boolean {
    return this.#sent.has(toolCallId);
  }

  isAppCall(toolCallId: string): boolean {
    return this.#appCalls.has(toolCallId);
  }

  /** Text that is recorded together may be read in pieces, which then have one number. */
  read(event: SessionEvent, seq: number): readonly StreamEvent[] {
    if (event.type === "message-chunk" && event.role !== "user") return this.#delta(event, seq);
    this.#text = undefined;
    const events = handleEvent(TurnEvents.#TABLE, event, this);
    return events.length === 0 ? NO_STREAM_EVENTS : eventsAt(seq, events);
  }

  /** A response ends here and waits for the app, although the agent has recorded no end. */
  pause(seq: number): readonly StreamEvent[] {
    const events = [...this.#message(), ...this.#unanswered()];
    this.#beginResponse();
    return pauseEventsAt(seq, events);
  }

  #delta(event: SessionEvent & { type: "message-chunk" }, seq: number): readonly StreamEvent[] {
    const { messageId, role } = event;
    const before = this.#text;
    const cutOff = this.#cutOffBy(messageId);
    const text = this.#draft.add(event);
    this.#continueMessage();
    const delta = deltaEvent(role, text);
    const offset = text.length + (before?.seq === seq ? before.offset : 0);
    if (before?.messageId === messageId && before.role === role && seq <= before.seq + 1) {
      before.seq = seq;
      before.offset = offset;
      return [continuedText(seq, offset, delta)];
    }
    this.#text = { messageId, role, seq, offset };
    return eventsAt(seq, [...cutOff, delta]);
  }

  #step(toolCallIds: readonly string[]): readonly TurnEvent[] {
    const message = this.#message();
    const calls = toolCallIds.flatMap((id) => this.#call(id));
    const results = toolCallIds.flatMap((id) => {
      this.#sent.add(id);
      if (this.#endedEarly.delete(id)) return this.#result(id);
      this.#open.add(id);
      return [];
    });
    return [...message, ...calls, ...results];
  }

  /** Sends a call of an external agent the first time that something happens to it. */
  #moved(toolCallId: string): readonly TurnEvent[] {
    if (this.#hasSteps || this.#sent.has(toolCallId)) return NO_EVENTS;
    this.#sent.add(toolCallId);
    this.#open.add(toolCallId);
    return [...this.#message(), ...this.#call(toolCallId)];
  }

  #ended({ type, toolCallId }: SessionEvent & { toolCallId: string }): readonly TurnEvent[] {
    const moved = this.#moved(toolCallId);
    if (!this.#sent.has(toolCallId)) {
      this.#endedEarly.add(toolCallId);
      return NO_EVENTS;
    }
    this.#open.delete(toolCallId);
    const isAppResult = type === "call-done" && this.#appCalls.has(toolCallId);
    return isAppResult ? moved : [...moved, ...this.#result(toolCallId)];
  }

  /** Calls that the app is to answer and would not find: they were sent in an earlier response, or before a result. */
  #unanswered(): readonly TurnEvent[] {
    const wanted = [...this.#open].filter((id) => !this.#delegated.has(id));
    const lost = wanted.filter((id) => !this.#lastMessage.has(id));
    // The messages after a result form a new message, so the others must too.
    return (lost.length > 0 && this.#isMessageEnded ? wanted : lost).flatMap((id) => this.#call(id));
  }

  /** The message of another answer than this one. Only an agent that records where its answers end can have cut one off. */
  #cutOffBy(messageId: string): readonly TurnEvent[] {
    if (!this.#draft.isCutOffBy(messageId)) return NO_EVENTS;
    return this.#hasSteps ? [...this.#message(), CUT_OFF] : this.#message();
  }

  #message(): readonly TurnEvent[] {
    return this.#draft.take().flatMap(messageEvent);
  }

  /** In a new response the client puts together a new message. */
  #beginResponse(): void {
    this.#lastMessage = new Set();
    this.#isMessageEnded = true;
  }

  /** After a result the assistant continues with a new message. */
  #continueMessage(): void {
    if (this.#isMessageEnded) this.#lastMessage = new Set();
    this.#isMessageEnded = false;
  }

  #call(toolCallId: string): readonly TurnEvent[] {
    const call = this.#book.call(toolCallId);
    if (!call) return NO_EVENTS;
    this.#continueMessage();
    this.#lastMessage.add(toolCallId);
    const { name, title, decision, rawInput } = call;
    // The input that the model wrote. Where an answer changed it, the result says so.
    const input = decision?.originalInput ?? rawInput ?? {};
    return [{ event: "tool_call", data: { toolCallId, name: name === "" ? title : name, input } }];
  }

  #result(toolCallId: string): readonly TurnEvent[] {
    const call = this.#book.call(toolCallId);
    if (!call) return NO_EVENTS;
    this.#isMessageEnded = true;
    const { content, isError } = callResult(call);
    return [{ event: "tool_result", data: { toolCallId, content, ...(isError && { isError }) } }];
  }
}

const NO_STREAM_EVENTS: readonly StreamEvent[] = [];
const NO_EVENTS: readonly TurnEvent[] = [];
const CUT_OFF: TurnEvent = { event: "answer_cut_off", data: {} };

function nothing(): readonly TurnEvent[] {
  return NO_EVENTS;
}

/** The text so far of a message that continues and is not recorded yet. */
export function unwrittenText({ seq, event }: RecordedEvent): readonly StreamEvent[] {
  if (event.type !== "message-chunk" || event.block.type !== "text") return NO_STREAM_EVENTS;
  const { text } = event.block;
  return [continuedText(seq, text.length, deltaEvent(event.role, text))];
}

const deltaEvent = (role: string, delta: string): TurnEvent => ({
  event: role === "thought" ? "thinking_delta" : "text_delta",
  data: { delta },
});

function messageEvent(block: Block): readonly TurnEvent[] {
  if (block.type === "text") return [{ event: "text", data: { text: block.text } }];
  if (block.type === "thinking") return [{ event: "thinking", data: { thinking: block.thinking } }];
  return [];
}
