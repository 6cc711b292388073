/**
 * Tracks which HTTP clients are still there, and how much of their input is not read yet. Such a client has a request
 * open all the time, to read from; a client that has none for a while is gone. A client that sends and does not
 * read is refused when its pending input exceeds the limits.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { ListenLimits } from "./listen-limits.js";

export const CONNECTION_ID = "acp-connection-id";

const MAX_PENDING_MESSAGES = 16;

type PresentClient = {
  open: number;
  pendingMessages: number;
  pendingBytes: number;
  leaving?: NodeJS.Timeout;
};

export class ClientPresence {
  readonly #present = new Map<string, PresentClient>();
  readonly #limits: Pick<ListenLimits, "absenceTimeoutMs" | "messageBytes">;
  readonly #gone: (connectionId: string) => void;

  constructor(
    limits: Pick<ListenLimits, "absenceTimeoutMs" | "messageBytes">,
    gone: (connectionId: string) => void,
  ) {
    this.#limits = limits;
    this.#gone = gone;
  }

  /** Whether the request can only be one that opens a connection. */
  static isFirst({ method, headers }: IncomingMessage): boolean {
    return method === "POST" && headers[CONNECTION_ID] === undefined;
  }

  /** Whether the client has more pending input than the limits allow. */
  isFlooding(request: IncomingMessage): boolean {
    const present = this.#present.get(String(request.headers[CONNECTION_ID]));
    if (request.method !== "POST" || !present || present.pendingMessages === 0) return false;
    const bytes = present.pendingBytes + this.#bytesOf(request);
    return present.pendingMessages >= MAX_PENDING_MESSAGES || bytes > this.#limits.messageBytes;
  }

  track(request: IncomingMessage, response: ServerResponse): void {
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

  /** Returns the function to call when the message was read. */
  #enter(connectionId: string, request: IncomingMessage): () => void {
    const present = this.#present.get(connectionId) ?? { open: 0, pendingMessages: 0, pendingBytes: 0 };
    this.#present.set(connectionId, present);
    present.open += 1;
    clearTimeout(present.leaving);
    if (request.method !== "POST") return () => undefined;
    const bytes = this.#bytesOf(request);
    present.pendingMessages += 1;
    present.pendingBytes += bytes;
    return () => {
      present.pendingMessages -= 1;
      present.pendingBytes -= bytes;
    };
  }

  /** A request without a length may have the greatest one. */
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
    present.leaving = setTimeout(() => {
      this.#present.delete(connectionId);
      this.#gone(connectionId);
    }, this.#limits.absenceTimeoutMs).unref();
  }
}
