/** The turns that run in this process: whoever hangs up leaves them to it. */
import type { TurnEvent } from "./client/protocol.js";
import type { StartedTurn } from "./start-turn.js";

export class RunningTurns {
  readonly #turns = new Map<string, { readonly controller: AbortController; readonly done: Promise<void> }>();

  async run(sessionId: string, turn: StartedTurn, tell: (event: TurnEvent) => void): Promise<void> {
    const controller = new AbortController();
    const done = turn(tell, controller.signal);
    const entry = { controller, done };
    this.#turns.set(sessionId, entry);
    try {
      await done;
    } finally {
      // The next turn may have started already.
      if (this.#turns.get(sessionId) === entry) this.#turns.delete(sessionId);
    }
  }

  /** Returns when the turn is recorded as cancelled; at once when none runs. */
  async cancel(sessionId: string): Promise<void> {
    const turn = this.#turns.get(sessionId);
    turn?.controller.abort();
    await turn?.done.catch(() => undefined);
  }

  async cancelAll(): Promise<void> {
    await Promise.all([...this.#turns.keys()].map((sessionId) => this.cancel(sessionId)));
  }
}
