/** The responses that are under way in this process, one for a session: whoever hangs up leaves them to it. */
import type { HeldSession } from "../../agent/index.js";
import type { LiveResponse } from "../stream/live-response.js";

/** A response, and the session that it is about, held open for it. `discard` gives it back where it is not begun. */
export type RunningTurn = {
  readonly response: LiveResponse;
  readonly session: HeldSession;
  readonly discard: () => void;
};

export class RunningTurns {
  readonly #turns = new Map<string, RunningTurn>();

  get(sessionId: string): RunningTurn | undefined {
    return this.#turns.get(sessionId);
  }

  /** Comes back when it is over. */
  async run(sessionId: string, turn: RunningTurn): Promise<void> {
    this.#turns.set(sessionId, turn);
    try {
      await turn.response.begin();
    } finally {
      // The next turn may have started already.
      if (this.#turns.get(sessionId) === turn) this.#turns.delete(sessionId);
    }
  }

  /** Returns when the turn is recorded as cancelled; false when none runs. */
  async cancel(sessionId: string): Promise<boolean> {
    const turn = this.#turns.get(sessionId);
    await turn?.response.cancel();
    return turn !== undefined;
  }

  async cancelAll(): Promise<void> {
    await Promise.all([...this.#turns.keys()].map((sessionId) => this.cancel(sessionId)));
  }
}
