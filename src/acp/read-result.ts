/** The result of reading a message. */
import type { SessionEvent } from "../call/index.js";
import { Unreadable } from "./reading.js";
import type { Reading } from "./reading.js";

/**
 * The events to apply, in order and before the next message is read; the repairs made are among them
 * as `traffic-repaired`. Or the reason why the message cannot be read; then it says nothing.
 */
export type ReadResult =
  | { readonly ok: true; readonly events: readonly SessionEvent[] }
  | { readonly ok: false; readonly problem: string };

export function readResult(reading: Reading, at: number, read: () => readonly SessionEvent[]): ReadResult {
  reading.begin(at);
  try {
    const events = read();
    if (reading.repairs.length === 0) return { ok: true, events };
    const repaired = reading.repairs.map((repair) => ({ type: "traffic-repaired", at, repair }) as const);
    return { ok: true, events: [...events, ...repaired] };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, problem: error.message };
    throw error;
  }
}

/** Turns updates into events. Never throws. */
export type UpdateReader = { read(update: unknown, at: number): ReadResult };
