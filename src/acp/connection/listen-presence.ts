/**
 * Who of the clients over HTTP is still there. Such a client has a request open all the time, to hear by; one
 * that has none for a while is gone, and who is gone has cancelled.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

const CONNECTION_ID = "acp-connection-id";

type Present = { open: number; goodbye?: NodeJS.Timeout };

export class Presence {
  readonly #present = new Map<string, Present>();
  readonly #patience: number;
  readonly #gone: (connectionId: string) => void;

  constructor(patience: number, gone: (connectionId: string) => void) {
    this.#patience = patience;
    this.#gone = gone;
  }

  /** Whether the request can only be one that opens a connection. */
  static isFirst({ method, headers }: IncomingMessage): boolean {
    return method === "POST" && headers[CONNECTION_ID] === undefined;
  }

  during({ headers }: IncomingMessage, response: ServerResponse): void {
    const named = headers[CONNECTION_ID];
    if (named !== undefined) this.#enter(String(named));
    response.once("close", () => {
      // The response to the first request names the connection.
      const connectionId = named ?? response.getHeader(CONNECTION_ID);
      if (connectionId === undefined) return;
      if (named === undefined) this.#enter(String(connectionId));
      this.#leave(String(connectionId));
    });
  }

  #enter(connectionId: string): void {
    const present = this.#present.get(connectionId) ?? { open: 0 };
    this.#present.set(connectionId, present);
    present.open += 1;
    clearTimeout(present.goodbye);
  }

  #leave(connectionId: string): void {
    const present = this.#present.get(connectionId);
    if (!present) return;
    present.open -= 1;
    if (present.open > 0) return;
    present.goodbye = setTimeout(() => {
      this.#present.delete(connectionId);
      this.#gone(connectionId);
    }, this.#patience).unref();
  }
}
