/**
 * A session's events as an app hears of them. The same events make the same stream with the same ids, whether they
 * happen now or are read again from the log; so a client that was cut off can go on from the last id it saw.
 *
 * What must stay true: all `tool_call`s of a step come before its first `tool_result`, and when the turn stops for the
 * app, all that it is to answer stands after the last one, since clients look for open calls in the last assistant
 * message only; the app's own results are not sent back to it; a call that was never told (its answer was cut off) has
 * no result either. A sub-agent's calls are told as the agent's are; what it says is not.
 *
 * Agents of ours say when an answer is whole; others do not, so their calls are told as soon as they move.
 */
import type { RecordedEvent, SessionBook, SessionEvent } from "../../call/index.js";
import { AnswerDraft } from "./answer-draft.js";
import { callResult } from "./call-result.js";
import type { Block, TurnEvent } from "../client/protocol.js";
import { moreWords } from "./event-id.js";

/**
 * `seq` is the number of the recorded event that it comes from, `part` its place among those of that event. Words that
 * go on with a message come in pieces: with this one, `offset` characters of that event are told.
 */
export type Told = {
  readonly seq: number;
  readonly part: number;
  readonly offset?: number;
  readonly told: TurnEvent;
};

export type TurnEventsOptions = {
  /** The agent records where each of its answers ends. */
  readonly hasSteps: boolean;
};

export class TurnEvents {
  /** Knows each call as it ended; it may be ahead of the events that are read here. */
  readonly #book: SessionBook;
  readonly #hasSteps: boolean;
  readonly #draft = new AnswerDraft();
  readonly #appCalls = new Set<string>();
  /** Calls that sub-agents work on: nothing is wanted of the app for these. */
  readonly #delegated = new Set<string>();
  /** Calls of finished answers. */
  readonly #told = new Set<string>();
  /** Of those, the ones that have not ended. */
  readonly #open = new Set<string>();
  /** Ended while their answer was not finished. */
  readonly #early = new Set<string>();
  /** Calls of the assistant's message that the client is putting together, and whether a result has ended it. */
  #lastMessage = new Set<string>();
  #isEnded = true;
  /** What was read last, if it was words, and how many characters of that event. */
  #spoken: { readonly messageId: string; readonly role: string; seq: number; offset: number } | undefined;

  constructor(book: SessionBook, { hasSteps }: TurnEventsOptions) {
    this.#book = book;
    this.#hasSteps = hasSteps;
  }

  wasTold(toolCallId: string): boolean {
    return this.#told.has(toolCallId);
  }

  isAppCall(toolCallId: string): boolean {
    return this.#appCalls.has(toolCallId);
  }

  /** What is recorded together may be read in pieces, which then have one number. */
  read(event: SessionEvent, seq: number): readonly Told[] {
    if (event.type === "message-chunk" && event.role !== "user") return this.#words(event, seq);
    this.#spoken = undefined;
    const told = this.#read(event);
    return told.length === 0 ? NOTHING : numbered(told, seq);
  }

  /** A response ends here and waits for the app, without the agent's own word for it. */
  pause(seq: number): readonly Told[] {
    const told = [...this.#said(), ...this.#toAnswer()];
    this.#begin();
    // After whatever came of that event itself.
    return numbered(told, seq, PAUSE_PART);
  }

  #read(event: SessionEvent): readonly TurnEvent[] {
    switch (event.type) {
      case "app-awaited":
        this.#appCalls.add(event.toolCallId);
        return [];
      case "child-awaited":
        this.#delegated.add(event.toolCallId);
        return [];
      case "question-asked":
      case "call-cleared":
      case "run-started":
        return this.#hasSteps ? [] : this.#moved(event.toolCallId);
      case "call-done":
      case "call-failed":
      case "call-refused":
      case "call-cancelled":
      case "call-lost":
        return this.#ended(event);
      case "step-ended":
        return [...this.#cutOffBy(event.stepId), ...this.#step(event.toolCallIds)];
      case "child-stepped":
        return this.#step(event.toolCallIds);
      case "turn-parked": {
        const toAnswer = this.#toAnswer();
        this.#begin();
        return toAnswer;
      }
      case "turn-stopped": {
        const said = this.#said();
        this.#begin();
        return said;
      }
      default:
        return [];
    }
  }

  #words(event: SessionEvent & { type: "message-chunk" }, seq: number): readonly Told[] {
    const { messageId, role } = event;
    const before = this.#spoken;
    const cutOff = this.#cutOffBy(messageId);
    const delta = this.#draft.add(event);
    this.#goOn();
    const told = deltaEvent(role, delta);
    const offset = delta.length + (before?.seq === seq ? before.offset : 0);
    if (before?.messageId === messageId && before.role === role && seq <= before.seq + 1) {
      before.seq = seq;
      before.offset = offset;
      return [moreWords(seq, offset, told)];
    }
    this.#spoken = { messageId, role, seq, offset };
    return numbered([...cutOff, told], seq);
  }

  #step(toolCallIds: readonly string[]): readonly TurnEvent[] {
    const said = this.#said();
    const calls = toolCallIds.flatMap((id) => this.#call(id));
    const results = toolCallIds.flatMap((id) => {
      this.#told.add(id);
      if (this.#early.delete(id)) return this.#result(id);
      this.#open.add(id);
      return [];
    });
    return [...said, ...calls, ...results];
  }

  #moved(toolCallId: string): readonly TurnEvent[] {
    if (this.#told.has(toolCallId)) return [];
    this.#told.add(toolCallId);
    this.#open.add(toolCallId);
    return [...this.#said(), ...this.#call(toolCallId)];
  }

  #ended({ type, toolCallId }: SessionEvent & { toolCallId: string }): readonly TurnEvent[] {
    const moved = this.#hasSteps ? [] : this.#moved(toolCallId);
    if (!this.#told.has(toolCallId)) {
      this.#early.add(toolCallId);
      return [];
    }
    this.#open.delete(toolCallId);
    const isApps = type === "call-done" && this.#appCalls.has(toolCallId);
    return isApps ? moved : [...moved, ...this.#result(toolCallId)];
  }

  /** What the app is to answer and would not find: told in an earlier response, or before a result. */
  #toAnswer(): readonly TurnEvent[] {
    const wanted = [...this.#open].filter((id) => !this.#delegated.has(id));
    const lost = wanted.filter((id) => !this.#lastMessage.has(id));
    // After a result they stand in a message of their own, and so must the others.
    return (lost.length > 0 && this.#isEnded ? wanted : lost).flatMap((id) => this.#call(id));
  }

  /** What was said of another answer than this one. Only of agents that say when an answer is whole it is known that theirs was not. */
  #cutOffBy(messageId: string): readonly TurnEvent[] {
    if (!this.#draft.isCutOffBy(messageId)) return NOTHING_SAID;
    return this.#hasSteps ? [...this.#said(), CUT_OFF] : this.#said();
  }

  #said(): readonly TurnEvent[] {
    return this.#draft.take().flatMap(saidEvent);
  }

  /** A new response: the client puts together a new message. */
  #begin(): void {
    this.#lastMessage = new Set();
    this.#isEnded = true;
  }

  /** The assistant goes on: after a result that is a new message. */
  #goOn(): void {
    if (this.#isEnded) this.#lastMessage = new Set();
    this.#isEnded = false;
  }

  #call(toolCallId: string): readonly TurnEvent[] {
    const call = this.#book.call(toolCallId);
    if (!call) return [];
    this.#goOn();
    this.#lastMessage.add(toolCallId);
    const { name, title, decision, rawInput } = call;
    // As the model wrote it: an answer may have changed it since, and then the result says so.
    const input = decision?.originalInput ?? rawInput ?? {};
    return [{ event: "tool_call", data: { toolCallId, name: name === "" ? title : name, input } }];
  }

  #result(toolCallId: string): readonly TurnEvent[] {
    const call = this.#book.call(toolCallId);
    if (!call) return [];
    this.#isEnded = true;
    const { content, isError } = callResult(call);
    return [{ event: "tool_result", data: { toolCallId, content, ...(isError && { isError }) } }];
  }
}

const NOTHING: readonly Told[] = [];
const NOTHING_SAID: readonly TurnEvent[] = [];
const CUT_OFF: TurnEvent = { event: "answer_cut_off", data: {} };
const PAUSE_PART = 1_000;

const numbered = (told: readonly TurnEvent[], seq: number, before = 0): readonly Told[] =>
  told.map((one, index) => ({ seq, part: before + index + 1, told: one }));

/** What is told of words that go on with a message, all of them. */
export function toldMore({ seq, event }: RecordedEvent): readonly Told[] {
  if (event.type !== "message-chunk" || event.block.type !== "text") return [];
  const { text } = event.block;
  return [moreWords(seq, text.length, deltaEvent(event.role, text))];
}

const deltaEvent = (role: string, delta: string): TurnEvent => ({
  event: role === "thought" ? "thinking_delta" : "text_delta",
  data: { delta },
});

function saidEvent(block: Block): readonly TurnEvent[] {
  if (block.type === "text") return [{ event: "text", data: { text: block.text } }];
  if (block.type === "thinking") return [{ event: "thinking", data: { thinking: block.thinking } }];
  return [];
}
