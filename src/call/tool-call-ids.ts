/**
 * Ids for a session's calls. They are ours: a provider that repeats its own ids cannot make two calls
 * collide. They count up from what the session already holds, so they are the same when the log is
 * replayed in another process.
 */
export class ToolCallIds {
  readonly #taken: (toolCallId: string) => boolean;
  #count: number;

  constructor(session: { readonly callCount: number; call(toolCallId: string): unknown }) {
    this.#taken = (toolCallId) => session.call(toolCallId) !== undefined;
    this.#count = session.callCount;
  }

  next(): string {
    let toolCallId: string;
    do toolCallId = `call_${++this.#count}`;
    while (this.#taken(toolCallId));
    return toolCallId;
  }
}
