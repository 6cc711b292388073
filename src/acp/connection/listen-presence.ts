/**
 * Who of the clients over HTTP is still there, and how much they have said that is not yet taken in. Such a client has
 * a request open all the time, to hear by; one that has none for a while is gone, and who is gone has cancelled. One
 * that talks and does not listen is not heard for ever: what it says waits here until it reads what it was told.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ListenLimits } from "./listen-limits.js";

const CONNECTION_ID = "acp-connection-id";

/** Messages of one client that may wait to be taken in. */
const MOST_UNHEARD = 16;

type Present = { open: number; unheard: number; unheardBytes: number; goodbye?: NodeJS.Timeout };

export class Presence {
  readonly #present = new Map<string, Present>();
  readonly #limits: Pick<ListenLimits, "absenceMilliseconds" | "messageBytes">;
  readonly #gone: (connectionId: string) => void;

  constructor(
    limits: Pick<ListenLimits, "absenceMilliseconds" | "messageBytes">,
    gone: (connectionId: string) => void,
  ) {
    this.#limits = limits;
    this.#gone = gone;
  }

  /** Whether the request can only be one that opens a connection. */
  static isFirst({ method, headers }: IncomingMessage): boolean {
    return method === "POST" && headers[CONNECTION_ID] === undefined;
  }

  /** Whether the client has said more already than is kept for it. */
  isFlooding(request: IncomingMessage): boolean {
    const present = this.#present.get(String(request.headers[CONNECTION_ID]));
    if (request.method !== "POST" || !present || present.unheard === 0) return false;
    const bytes = present.unheardBytes + this.#bytesOf(request);
    return present.unheard >= MOST_UNHEARD || bytes > this.#limits.messageBytes;
  }

  during(request: IncomingMessage, response: ServerResponse): void {
    const named = request.headers[CONNECTION_ID];
    const over = named === undefined ? undefined : this.#enter(String(named), request);
    response.once("close", () => {
      over?.();
      // The response to the first request names the connection.
      const connectionId = named ?? response.getHeader(CONNECTION_ID);
      if (connectionId === undefined) return;
      if (named === undefined) this.#enter(String(connectionId), request)();
      this.#leave(String(connectionId));
    });
  }

  /** Returns the function that says that the message was taken in. */
  #enter(connectionId: string, request: IncomingMessage): () => void {
    const present = this.#present.get(connectionId) ?? { open: 0, unheard: 0, unheardBytes: 0 };
    this.#present.set(connectionId, present);
    present.open += 1;
    clearTimeout(present.goodbye);
    if (request.method !== "POST") return () => undefined;
    const bytes = this.#bytesOf(request);
    present.unheard += 1;
    present.unheardBytes += bytes;
    return () => {
      present.unheard -= 1;
      present.unheardBytes -= bytes;
    };
  }

  /** One that does not say how long it is may be as long as any. */
  #bytesOf({ headers }: IncomingMessage): number {
    return headers["content-length"] === undefined
      ? this.#limits.messageBytes
      : Number(headers["content-length"]);
  }

  #leave(connectionId: string): void {
    const present = this.#present.get(connectionId);
    if (!present) return;
    present.open -= 1;
    if (present.open > 0) return;
    present.goodbye = setTimeout(() => {
      this.#present.delete(connectionId);
      this.#gone(connectionId);
    }, this.#limits.absenceMilliseconds).unref();
  }
}
