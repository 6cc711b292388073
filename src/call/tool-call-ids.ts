/**
 * Ids for a session's calls. They are ours: a provider that repeats its own ids cannot make two calls
 * collide. They count up from what the session already holds, so they are the same when the log is
 * replayed in another process.
 */
export class ToolCallIds {
  readonly #session: { readonly callCount: number; call(toolCallId: string): unknown };
  #last = 0;

  constructor(session: { readonly callCount: number; call(toolCallId: string): unknown }) {
    this.#session = session;
  }

  next(): string {
    this.#last = Math.max(this.#last, this.#session.callCount) + 1;
    while (this.#session.call(`call_${this.#last}`) !== undefined) this.#last += 1;
    return `call_${this.#last}`;
  }
}
