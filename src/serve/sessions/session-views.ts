/** The sessions that somebody looks at, folded once for all of them; a few more are kept for the next look. */
import { AapProblem } from "../../aap/api/aap-problem.js";
import type { ServeContext } from "../server/serve-context.js";
import { SessionView } from "./session-view.js";

const MAX_UNWATCHED = 8;

export class SessionViews {
  readonly #context: ServeContext;
  /** The most recently used come last. */
  readonly #views = new Map<string, Promise<SessionView | undefined>>();

  /** Called when a session that was folded here is not followed any more: it was removed, or nobody looks at it. */
  onEnd: (sessionId: string) => void = () => undefined;

  constructor(context: ServeContext) {
    this.#context = context;
  }

  async open(sessionId: string): Promise<SessionView> {
    const known = this.#views.get(sessionId);
    const onEnd = (): void => {
      this.#views.delete(sessionId);
      this.onEnd(sessionId);
    };
    const opening = known ?? SessionView.open(this.#context, sessionId, onEnd);
    this.#views.delete(sessionId);
    this.#views.set(sessionId, opening);
    const view = await opening.catch((error: unknown) => {
      this.#views.delete(sessionId);
      throw error;
    });
    await this.#closeUnwatched(sessionId);
    if (view) return view;
    this.#views.delete(sessionId);
    throw new AapProblem("NOT_FOUND", `There is no session ${sessionId}. Nothing was read.`);
  }

  async close(): Promise<void> {
    for (const view of this.#views.values()) (await view)?.close();
  }

  async #closeUnwatched(used: string): Promise<void> {
    let unwatched = 0;
    for (const [sessionId, opening] of [...this.#views].toReversed()) {
      const view = sessionId === used ? undefined : await opening.catch(() => undefined);
      if (!view || view.isWatched) continue;
      unwatched += 1;
      if (unwatched <= MAX_UNWATCHED) continue;
      this.#views.delete(sessionId);
      view.close();
    }
  }
}
