/**
 * What a client has still to be told, in order. A client that reads slowly gets fewer messages, not more to
 * read: a call is told as it is when its turn comes, and pieces of one message are joined. So what waits here is
 * never more than the session itself.
 */
import { joinedEvents } from "../../call/index.js";
import type { SessionEvent } from "../../call/index.js";

export type ToTell =
  | { readonly type: "call"; readonly toolCallId: string }
  | { readonly type: "event"; readonly event: SessionEvent }
  | { readonly type: "update"; readonly update: object };

export class ToldQueue {
  #waiting: ToTell[] = [];
  /** Calls that wait since the last message: telling one of them twice says nothing more. */
  readonly #calls = new Set<string>();

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  addCall(toolCallId: string): void {
    if (this.#calls.has(toolCallId)) return;
    this.#calls.add(toolCallId);
    this.#waiting.push({ type: "call", toolCallId });
  }

  addEvent(event: SessionEvent): void {
    const last = this.#waiting.at(-1);
    const joined = last?.type === "event" ? joinedEvents(last.event, event) : undefined;
    if (joined) this.#waiting[this.#waiting.length - 1] = { type: "event", event: joined };
    else this.#add({ type: "event", event });
  }

  addUpdate(update: object): void {
    this.#add({ type: "update", update });
  }

  /** All that waits, and from then on nothing does. */
  take(): readonly ToTell[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.#calls.clear();
    return taken;
  }

  #add(item: ToTell): void {
    this.#calls.clear();
    this.#waiting.push(item);
  }
}
