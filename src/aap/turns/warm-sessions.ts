/**
 * Sessions between two responses. One stays open for a moment after a response, since the next request often follows at
 * once; then it is closed, and the next process to open it continues from the log alone.
 */
import type { AgentSession } from "../../agent/index.js";
import { sameConfig } from "../sessions/session-config.js";
import type { SessionConfig } from "../sessions/session-config.js";
import type { OpenSession } from "./open-session.js";

type Warm = OpenSession<AgentSession>;

/** Shorter than the lease wait of others who want the session. */
const KEPT_OPEN_MS = 300;

export class WarmSessions {
  readonly #warm = new Map<string, { readonly open: Warm; readonly timer: NodeJS.Timeout }>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  get(sessionId: string): Warm | undefined {
    return this.#warm.get(sessionId)?.open;
  }

  /** Removes and returns it, if it was opened with these settings; else closes it. */
  async take(sessionId: string, config: SessionConfig): Promise<Warm | undefined> {
    const open = this.#remove(sessionId);
    if (!open || sameConfig(open.config, config)) return open;
    await open.close();
    return undefined;
  }

  keep(open: Warm): void {
    const { sessionId } = open.session;
    if (this.#isClosed) return this.#close(open);
    const timer = setTimeout(() => {
      const kept = this.#remove(sessionId);
      if (kept) this.#close(kept);
    }, KEPT_OPEN_MS);
    this.#warm.set(sessionId, { open, timer });
  }

  async end(sessionId: string): Promise<void> {
    await this.#remove(sessionId)?.close();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const sessionId of this.#warm.keys()) {
      const open = this.#remove(sessionId);
      if (open) this.#close(open);
    }
    await Promise.all(this.#closing);
  }

  #remove(sessionId: string): Warm | undefined {
    const warm = this.#warm.get(sessionId);
    clearTimeout(warm?.timer);
    this.#warm.delete(sessionId);
    return warm?.open;
  }

  #close(open: Warm): void {
    const closing = open.close().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}
