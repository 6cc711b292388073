/**
 * Events of many reporters, gathered into few appends. The first of a moment is written at once; what comes in the
 * same moment, or while an append is under way, goes into the next one. So a call by itself is not held up, and two
 * hundred that report together cost little more than one.
 */
import type { SessionEvent } from "../call/index.js";
import { thisMoment } from "./moment.js";

/** What one reporter wants to have recorded. */
export type Part = {
  /** Until they are taken, the reporter may add to them. */
  readonly events: SessionEvent[];
  readonly durable: boolean;
  /** Those of them that are illegal are left out, in place of all. */
  readonly isLoose: boolean;
  isTaken: boolean;
  /** Called once, when they are recorded or cannot be. */
  readonly onEnd: (failure?: { readonly error: unknown }) => void;
};

export class GatheredEvents {
  readonly #write: () => void;
  #parts: Part[] = [];
  #isScheduled = false;
  /** The moment in which the last were written. */
  #wroteAt = -1;

  /** `write` is to take what was gathered, soon. */
  constructor(write: () => void) {
    this.#write = write;
  }

  add(part: Part): void {
    this.#parts.push(part);
    if (part.durable || this.#wroteAt !== thisMoment()) return this.writeNow();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#writeLater);
  }

  /** Whether nothing waits, and nothing was written in this moment. */
  get isIdle(): boolean {
    return this.#parts.length === 0 && this.#wroteAt !== thisMoment();
  }

  /** Something was written past this. */
  noteWritten(): void {
    this.#wroteAt = thisMoment();
  }

  /** What comes after must find it recorded. */
  writeNow(): void {
    if (this.#parts.length === 0) return;
    this.#wroteAt = thisMoment();
    this.#write();
  }

  /** What waits, if one reporter has gathered it all. */
  get only(): Part | undefined {
    return this.#parts.length === 1 ? this.#parts[0] : undefined;
  }

  take(): readonly Part[] {
    const parts = this.#parts;
    this.#parts = [];
    for (const part of parts) part.isTaken = true;
    return parts;
  }

  readonly #writeLater = (): void => {
    this.#isScheduled = false;
    this.writeNow();
  };
}
