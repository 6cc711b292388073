/**
 * The updates that a client has not been sent yet, in order. A client that reads slowly gets fewer messages, not more:
 * a call is encoded in its state at sending time, and chunks of one message are joined. So the queue is never
 * larger than the session itself.
 */
import { joinedEvents } from "../../call/index.js";
import type { SessionEvent } from "../../call/index.js";

export type Outbound =
  | { readonly type: "call"; readonly toolCallId: string }
  | { readonly type: "event"; readonly event: SessionEvent }
  | { readonly type: "update"; readonly update: object };

export class OutboundQueue {
  #items: Outbound[] = [];
  /** The queued calls since the last event or update: a second entry for one of them would add nothing. */
  readonly #calls = new Set<string>();

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  addCall(toolCallId: string): void {
    if (this.#calls.has(toolCallId)) return;
    this.#calls.add(toolCallId);
    this.#items.push({ type: "call", toolCallId });
  }

  addEvent(event: SessionEvent): void {
    const last = this.#items.at(-1);
    const joined = last?.type === "event" ? joinedEvents(last.event, event) : undefined;
    if (joined) this.#items[this.#items.length - 1] = { type: "event", event: joined };
    else this.#add({ type: "event", event });
  }

  addUpdate(update: object): void {
    this.#add({ type: "update", update });
  }

  /** Empties the queue. */
  take(): readonly Outbound[] {
    const items = this.#items;
    this.#items = [];
    this.#calls.clear();
    return items;
  }

  #add(item: Outbound): void {
    this.#calls.clear();
    this.#items.push(item);
  }
}
