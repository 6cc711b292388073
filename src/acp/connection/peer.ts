/**
 * One side of an ACP connection.
 *
 * Invariants: messages are handled in the order in which they came, and a notification is handled before
 * the next message is read; every request gets exactly one response; a response without a request changes
 * nothing; when the connection ends, every pending request is rejected.
 */
import { constants } from "node:os";
// Not the whole room: this file is loaded before the first message is answered.
import { diskTrouble } from "../../call/error-code.js";
import { oneLine } from "../../call/visible-text.js";
import { isJsonObject } from "../json.js";
import { CODE, RpcError } from "./message.js";
import type { Incoming, RequestId } from "./message.js";
import type { Wire } from "./wire.js";

/** A request of the other side. */
export type Asked = { readonly method: string; readonly params: unknown; readonly signal: AbortSignal };

export type MessageReceiver = {
  /** Returns the result. The other side gets an RpcError as it is. */
  request(asked: Asked): unknown;
  notification(method: string, params: unknown): void;
};

export type PeerHandlers = MessageReceiver & {
  /** Reports an internal error, which the other side does not see. */
  trouble?(error: unknown): void;
  /** How many requests may be under way. */
  readonly maxRequests?: number;
};

export type RequestOptions = {
  /** Aborting it sends a cancellation to the other side, and stops waiting for the response. */
  readonly signal?: AbortSignal;
};

type Waiting = { readonly resolve: (result: unknown) => void; readonly reject: (error: unknown) => void };

/** More than any client has open at a time. */
const MAX_REQUESTS = 4096;

export class Peer {
  readonly #wire: Wire;
  readonly #handlers: PeerHandlers;
  #receiver: MessageReceiver;
  readonly #asked = new Map<RequestId, AbortController>();
  readonly #waiting = new Map<RequestId, Waiting>();
  #lastId = 0;
  #isClosed = false;
  /** Resolves when the other side can send nothing more. */
  readonly closed: Promise<void>;

  constructor(wire: Wire, handlers: PeerHandlers) {
    this.#wire = wire;
    this.#handlers = handlers;
    this.#receiver = handlers;
    this.closed = wire
      .listen({
        message: (message) => this.#take(message),
        unreadable: (code, why) => this.#send({ jsonrpc: "2.0", id: null, error: { code, message: why } }),
      })
      .finally(() => this.#end());
  }

  /** From now on, the receiver handles the messages of the other side. */
  handOver(receiver: MessageReceiver): void {
    this.#receiver = receiver;
  }

  /** Rejects with the other side's error as an RpcError, with ConnectionClosed, or with the signal's reason. */
  request(method: string, params: unknown, { signal }: RequestOptions = {}): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new ConnectionClosed());
    if (signal?.aborted) return Promise.reject(asError(signal.reason));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const cancel = () => {
        this.#waiting.delete(id);
        this.notify("$/cancel_request", { requestId: id });
        reject(asError(signal?.reason));
      };
      const over = () => signal?.removeEventListener("abort", cancel);
      this.#waiting.set(id, {
        resolve: (result) => (over(), resolve(result)),
        reject: (error) => (over(), reject(asError(error))),
      });
      signal?.addEventListener("abort", cancel, { once: true });
      this.#send({ jsonrpc: "2.0", id, method, params });
    });
  }

  notify(method: string, params: unknown): void {
    this.#send({ jsonrpc: "2.0", method, params });
  }

  /**
   * Sends notifications that differ only in the last of their params: on a wire of text, the JSON around that one is
   * written once.
   */
  notifier<Value>(method: string, paramsWith: (last: Value | null) => object): (value: Value) => void {
    const messageWith = (last: Value | null) =>
      ({ jsonrpc: "2.0", method, params: paramsWith(last) }) as const;
    const before = JSON.stringify(messageWith(null)).slice(0, -"null}}".length);
    const wire = this.#wire;
    return (value) => {
      if (this.#isClosed) return;
      if (wire.sendText) wire.sendText(`${before}${JSON.stringify(value)}}}`);
      else wire.send(messageWith(value));
    };
  }

  /** Characters that were sent and not yet taken by the other side. */
  get unsent(): number {
    return this.#wire.unsent;
  }

  drained(): Promise<void> {
    return this.#wire.drained();
  }

  async close(): Promise<void> {
    await this.#wire.close();
    this.#end();
  }

  /** Nothing that the other side sends ends the connection. */
  #take(message: Incoming): void {
    try {
      this.#receive(message);
    } catch (error) {
      this.#handlers.trouble?.(error);
    }
  }

  #receive(message: Incoming): void {
    if (message["jsonrpc"] !== "2.0")
      return this.#invalid(null, 'A message must say "jsonrpc": "2.0". Nothing was done.');
    if (Object.hasOwn(message, "method")) return this.#receiveCall(message);
    const { id } = message;
    const isResponse = Object.hasOwn(message, "result") || Object.hasOwn(message, "error");
    if (isResponse || (isRequestId(id) && this.#waiting.has(id))) return this.#receiveResponse(message);
    this.#invalid(isRequestId(id) ? id : null, "The message has no method. Nothing was done.");
  }

  #receiveCall(message: Incoming): void {
    const { method, id, params } = message;
    const isRequest = Object.hasOwn(message, "id");
    if (isRequest && !isRequestId(id))
      return this.#invalid(
        null,
        "A request's id is a string or a whole number below 2^53. Nothing was done.",
      );
    if (typeof method !== "string")
      return this.#invalid(isRequest ? (id as RequestId) : null, "A method is a string. Nothing was done.");
    // Checked above; a message without an id is a notification.
    if (isRequest) this.#answer(id as RequestId, method, params);
    else if (method === "$/cancel_request") this.#cancelAsked(params);
    else this.#notified(method, params);
  }

  #notified(method: string, params: unknown): void {
    try {
      this.#receiver.notification(method, params);
    } catch (error) {
      this.#handlers.trouble?.(error);
    }
  }

  #answer(id: RequestId, method: string, params: unknown): void {
    if (this.#asked.has(id))
      return this.#invalid(id, "A request with this id is under way. Nothing more was done.");
    const { maxRequests = MAX_REQUESTS } = this.#handlers;
    if (this.#asked.size >= maxRequests)
      return this.#failed(
        id,
        new RpcError(CODE.internal, `${maxRequests} requests are under way. Nothing was done.`),
      );
    const abort = new AbortController();
    this.#asked.set(id, abort);
    const over = (answer: () => void) => {
      this.#asked.delete(id);
      answer();
    };
    try {
      const result = this.#receiver.request({ method, params, signal: abort.signal });
      if (!(result instanceof Promise)) return over(() => this.#done(id, result));
      result.then(
        (value: unknown) => over(() => this.#done(id, value)),
        (error: unknown) => over(() => this.#failed(id, error, abort.signal)),
      );
    } catch (error) {
      over(() => this.#failed(id, error, abort.signal));
    }
  }

  #cancelAsked(params: unknown): void {
    const id = isJsonObject(params) ? params["requestId"] : undefined;
    if (isRequestId(id))
      this.#asked.get(id)?.abort(new RpcError(CODE.cancelled, "The request was cancelled."));
  }

  /** A response with neither a result nor an error counts as an error. */
  #receiveResponse(message: Incoming): void {
    const { id, error } = message;
    const waiting = isRequestId(id) ? this.#waiting.get(id) : undefined;
    if (!waiting || !isRequestId(id)) return;
    this.#waiting.delete(id);
    if (isJsonObject(error)) {
      const { code, message: text, data } = error;
      const why = typeof text === "string" ? oneLine(text, MAX_ERROR_CHARACTERS) : "no reason was given";
      waiting.reject(new RpcError(Number.isInteger(code) ? Number(code) : CODE.internal, why, data));
    } else if (Object.hasOwn(message, "result")) waiting.resolve(message["result"]);
    else waiting.reject(new RpcError(CODE.internal, "The answer has neither a result nor an error."));
  }

  #done(id: RequestId, result: unknown): void {
    try {
      this.#send({ jsonrpc: "2.0", id, result: result ?? {} });
    } catch (error) {
      this.#failed(id, error);
    }
  }

  #failed(id: RequestId, thrown: unknown, signal?: AbortSignal): void {
    const error = signal?.aborted && !(thrown instanceof RpcError) ? asError(signal.reason) : thrown;
    if (!(thrown instanceof RpcError)) this.#handlers.trouble?.(thrown);
    const shown = error instanceof RpcError ? error : new RpcError(CODE.internal, sentenceOf(error));
    const { code, message, data } = shown;
    this.#send({
      jsonrpc: "2.0",
      id,
      error: { code, message: oneLine(message, MAX_ERROR_CHARACTERS), ...(data !== undefined && { data }) },
    });
  }

  #invalid(id: RequestId, message: string): void {
    this.#send({ jsonrpc: "2.0", id, error: { code: CODE.invalidRequest, message } });
  }

  #send(message: { readonly jsonrpc: "2.0"; readonly [field: string]: unknown }): void {
    if (!this.#isClosed) this.#wire.send(message);
  }

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const closed = new ConnectionClosed();
    for (const { reject } of this.#waiting.values()) reject(closed);
    this.#waiting.clear();
    for (const abort of this.#asked.values()) abort.abort(closed);
  }
}

/** JavaScript cannot distinguish integers beyond this: a response could go to the wrong request. */
function isRequestId(id: unknown): id is RequestId {
  return id === null || typeof id === "string" || Number.isSafeInteger(id);
}

const MAX_ERROR_CHARACTERS = 2000;

/** Errors with a code of our own are written for users; the message of any other error may disclose private data. */
function sentenceOf(error: unknown): string {
  const isOurs =
    error instanceof Error && "code" in error && !Object.hasOwn(constants.errno, String(error.code));
  if (isOurs) return error.message;
  const why = diskTrouble(error);
  return `${why === undefined ? "Something broke inside" : `The disk is ${why}`}. The request was not carried out.`;
}

const asError = (reason: unknown): Error =>
  reason instanceof Error ? reason : new RpcError(CODE.cancelled, "The request was cancelled.");

export class ConnectionClosed extends Error {
  readonly code = "CONNECTION_CLOSED";

  constructor() {
    super("The ACP connection is closed. Nothing more was sent.");
    this.name = "ConnectionClosed";
  }
}
