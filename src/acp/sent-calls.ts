/**
 * Remembers the fields that were last sent of each call, so that only changed fields are sent again. Calls are
 * immutable, so most comparisons are of references; of a call that has ended for good only a mark is kept.
 */
import { isOver } from "../call/index.js";
import type { ToolCall } from "../call/index.js";
import { sameJson } from "./json.js";

/** A call as it was last sent: the call itself, and each wire field of it. */
export type Sent<Fields> = { readonly call: ToolCall; readonly fields: Fields };

export class SentCalls<Fields extends object> {
  readonly #sent = new Map<string, Sent<Fields> | "ended">();

  /** The last sent state of the call; "ended" when nothing about it can change any more. */
  last(toolCallId: string): Sent<Fields> | "ended" | undefined {
    return this.#sent.get(toolCallId);
  }

  remember(call: ToolCall, fields: Fields): void {
    const isFinal = isOver(call.state) && !("assumed" in call.state && call.state.assumed);
    this.#sent.set(call.toolCallId, isFinal ? "ended" : { call, fields });
  }
}

/** The fields of `next` that differ from `last`, with their new values. */
export function changedFields<Fields extends object>(last: Fields, next: Fields): Partial<Fields> {
  const changed: Partial<Fields> = {};
  for (const key in next) {
    const value = next[key];
    if (last[key] !== value && !sameJson(last[key], value)) changed[key] = value;
  }
  return changed;
}
