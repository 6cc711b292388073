/** A running turn of a foreign agent, which continues until its end or its cancel, also when nobody waits for it. */
import type { SessionHandle, TurnEnd } from "../../agent/index.js";
import { openQuestions } from "../../run/index.js";

export class TurnUnderWay {
  readonly #stop = new AbortController();
  readonly #end: Promise<TurnEnd>;

  constructor(run: (stop: AbortSignal) => Promise<TurnEnd>) {
    this.#end = run(this.#stop.signal);
    // The waiting caller gets the error; without one, the rejection must not be unhandled.
    this.#end.catch(() => undefined);
  }

  /** Comes with its end, or with nothing once somebody is `asked`. The signal cancels it while this waits. */
  async until(asked: Promise<void> | undefined, signal: AbortSignal): Promise<TurnEnd | undefined> {
    const cancel = () => this.#stop.abort();
    signal.addEventListener("abort", cancel, { once: true });
    if (signal.aborted) cancel();
    try {
      return await (asked ? Promise.race([this.#end, asked.then(() => undefined)]) : this.#end);
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  }

  async cancelled(): Promise<void> {
    this.#stop.abort();
    await this.#end.catch(() => undefined);
  }
}

/** `asked` comes as soon as a question waits for an answer. */
export function untilAsked(session: Pick<SessionHandle, "book" | "onRecorded">): {
  readonly asked: Promise<void>;
  readonly stop: () => void;
} {
  let resolve: (() => void) | undefined;
  const asked = new Promise<void>((onAsked) => {
    resolve = onAsked;
  });
  const check = () => {
    if (openQuestions(session.book).length > 0) resolve?.();
  };
  const stop = session.onRecorded(check);
  check();
  return { asked, stop };
}
