/**
 * Makes ids for a session's calls. A provider may repeat its own ids, and ours still differ. The ids count
 * up from the session's last one, so they are the same when another process replays the log.
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
