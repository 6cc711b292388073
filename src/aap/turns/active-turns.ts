/** The responses that are under way in this process, one for a session. A client that hangs up leaves them running. */
import type { SessionHandle } from "../../agent/index.js";
import { AapProblem } from "../api/aap-problem.js";
import type { LiveResponse } from "../stream/live-response.js";

/** A response, and the session that is open for it. `discard` releases the session of a response that was not started. */
export type ActiveTurn = {
  readonly response: LiveResponse;
  readonly session: SessionHandle;
  readonly discard: () => void;
};

export class ActiveTurns {
  readonly #turns = new Map<string, ActiveTurn>();
  /** Sessions whose response is being prepared or is under way. */
  readonly #locked = new Set<string>();

  get(sessionId: string): ActiveTurn | undefined {
    return this.#turns.get(sessionId);
  }

  /** Returns the function that unlocks it. A second request is refused at once, without a look at the ledger. */
  lock(sessionId: string): () => void {
    if (this.#locked.has(sessionId)) throw busy(sessionId);
    this.#locked.add(sessionId);
    return () => void this.#locked.delete(sessionId);
  }

  /** Resolves when the response is over. */
  async run(sessionId: string, turn: ActiveTurn): Promise<void> {
    this.#turns.set(sessionId, turn);
    try {
      await turn.response.begin();
    } finally {
      // The next turn may have started already.
      if (this.#turns.get(sessionId) === turn) this.#turns.delete(sessionId);
    }
  }

  /** Resolves when the turn is recorded as cancelled; false when none runs. */
  async cancel(sessionId: string, reason?: string): Promise<boolean> {
    const turn = this.#turns.get(sessionId);
    await turn?.response.cancel(reason);
    return turn !== undefined;
  }

  /** Resolves when no response is under way. */
  async over(): Promise<void> {
    while (this.#turns.size > 0)
      await Promise.allSettled([...this.#turns.values()].map(({ response }) => response.over()));
  }

  async cancelAll(): Promise<void> {
    await Promise.all([...this.#turns.keys()].map((sessionId) => this.cancel(sessionId)));
  }
}

const busy = (sessionId: string): AapProblem =>
  new AapProblem("BUSY", `A turn of session ${sessionId} is under way. Nothing was done; try again later.`);
