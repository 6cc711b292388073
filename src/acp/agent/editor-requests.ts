/**
 * Requests to the client for a call. The client is a foreign program: it may refuse, send an odd response, or never
 * respond, and none of these may block a call for ever.
 */
import { oneLine } from "../../call/index.js";
import { ToolFailure } from "../../tools/index.js";
import { RpcError } from "../connection/message.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";

/** A connection to the client. Aborting cancels the request, and stops waiting for a response. */
export type Requests = {
  request(method: string, params: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
};

const REQUEST_TIMEOUT_MS = 30_000;

/** Requests to the client for one session. */
export class EditorRequests {
  readonly #requests: Requests;
  readonly #sessionId: string;
  /** For requests that the client has no reason to take long for. */
  readonly requestTimeoutMs: number;

  constructor(requests: Requests, sessionId: string, requestTimeoutMs = REQUEST_TIMEOUT_MS) {
    this.#requests = requests;
    this.#sessionId = sessionId;
    this.requestTimeoutMs = requestTimeoutMs;
  }

  /** Rejects with an RpcError when the client refuses, and with a ToolFailure when it is gone or does not answer in time. */
  async ask(
    method: string,
    params: object,
    { timeoutMs, signal }: { readonly timeoutMs?: number; readonly signal?: AbortSignal } = {},
  ): Promise<JsonObject> {
    const timeUp = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const signals = [timeUp, signal].filter((one) => one !== undefined);
    try {
      const result = await this.#requests.request(
        method,
        { sessionId: this.#sessionId, ...params },
        signals.length > 0 ? { signal: AbortSignal.any(signals) } : {},
      );
      // Some clients write an empty result as null.
      return isJsonObject(result) ? result : {};
    } catch (error) {
      signal?.throwIfAborted();
      if (timeUp?.aborted) throw new NoResponse(method, timeoutMs ?? 0);
      if (error instanceof RpcError) throw error;
      throw new ToolFailure(
        `The editor is gone: ${method} was not answered. Whether it was carried out is not known. Look before you try it again.`,
      );
    }
  }
}

/** The client's reason for refusing, short enough to be shown. */
export function refusal(error: RpcError): string {
  return oneLine(error.message, 300);
}

class NoResponse extends ToolFailure {
  constructor(method: string, timeoutMs: number) {
    super(
      `The editor did not answer ${method} within ${timeoutMs / 1000} s. Whether it was carried out is not known. Look before you try it again.`,
    );
    this.name = "NoResponse";
  }
}
