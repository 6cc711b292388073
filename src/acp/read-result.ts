/** What a reader makes of a message. */
import type { AskedQuestion, SessionEvent, ToolCall } from "../call/index.js";
import { Troubles, Unreadable } from "./troubles.js";
import type { ReaderMode } from "./troubles.js";

/**
 * The events to apply, in order and before the next message is read; the repairs made are among them
 * as `traffic-repaired`. Or the reason why the message cannot be read; then it says nothing.
 */
export type ReadResult =
  | { readonly ok: true; readonly events: readonly SessionEvent[] }
  | { readonly ok: false; readonly problem: string };

/** The session as it stands, with all events of earlier messages applied. A SessionBook is one. */
export type SessionSoFar = {
  readonly sessionId: string;
  call(toolCallId: string): ToolCall | undefined;
  question(questionId: string): AskedQuestion | undefined;
};

export type ReaderOptions = {
  readonly session: SessionSoFar;
  /** The session's folder: relative paths of careless agents are taken from here. */
  readonly cwd: string;
  readonly mode: ReaderMode;
};

export function reading(mode: ReaderMode, at: number, read: (troubles: Troubles) => readonly SessionEvent[]): ReadResult {
  const troubles = new Troubles(mode);
  try {
    const events = read(troubles);
    if (troubles.repairs.length === 0) return { ok: true, events };
    return { ok: true, events: [...events, ...troubles.repairs.map((repair) => ({ type: "traffic-repaired", at, repair }) as const)] };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, problem: error.message };
    throw error;
  }
}
