/**
 * A response that is under way in this process. Whoever asked for it hears it from its start; others may come later
 * and hear it from wherever they were cut off. It goes on when nobody listens.
 */
import type { RecordedEvent } from "../../call/index.js";
import { toldMore } from "./turn-events.js";
import type { Told } from "./turn-events.js";

export type Listener = (told: readonly Told[]) => void;

export class LiveResponse {
  /** The number of the event that the response before it ended with. */
  readonly start: number;
  readonly #listeners = new Set<Listener>();
  readonly #abort = new AbortController();
  #run: ((tell: Listener, signal: AbortSignal) => Promise<void>) | undefined;
  #done: Promise<void> | undefined;
  #onOver: () => void = () => undefined;
  #unwritten: () => RecordedEvent | undefined;

  /**
   * `unwritten` is what was told and is not in the log yet. `run` tells `turn_start` first and one `turn_stop` last, and
   * never rejects.
   */
  constructor(
    start: number,
    unwritten: () => RecordedEvent | undefined,
    run: (tell: Listener, signal: AbortSignal) => Promise<void>,
  ) {
    this.start = start;
    this.#unwritten = unwritten;
    this.#run = run;
  }

  /** Lets it run; comes back when it is over and all was told. */
  begin(): Promise<void> {
    const run = this.#run;
    // Once, and whoever still knows of the response does not keep the session.
    this.#run = undefined;
    if (run) this.#done = run((told) => this.#tell(told), this.#abort.signal);
    return this.over();
  }

  onOver(listener: () => void): void {
    this.#onOver = listener;
  }

  /** What was told and is not in the log yet: whoever comes now finds it here. */
  unwritten(): readonly Told[] {
    const recorded = this.#unwritten();
    return recorded ? toldMore(recorded) : [];
  }

  /** Hears what is told from now on. Returns the function that ends this. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Comes back when the turn is recorded as cancelled. */
  async cancel(): Promise<void> {
    this.#abort.abort();
    await this.#done;
  }

  async over(): Promise<void> {
    await this.#done;
  }

  #tell(told: readonly Told[]): void {
    // Before its last words are out: who hears them may ask for the next one.
    if (told.at(-1)?.told.event === "turn_stop") {
      this.#onOver();
      this.#unwritten = () => undefined;
    }
    for (const one of this.#listeners) one(told);
  }
}
