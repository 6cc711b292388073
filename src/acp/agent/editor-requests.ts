/**
 * Asking the client to do something for a call. It is a program of someone else's: it may refuse, answer
 * something odd, or never answer, and none of these may hold a call for ever.
 */
import { oneLine } from "../../call/index.js";
import { ToolFailure } from "../../tools/index.js";
import { RpcError } from "../connection/message.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";

/** A connection to the client. Aborting tells it that the answer is no longer wanted, and stops waiting for one. */
export type Requests = {
  request(method: string, params: unknown, options?: { readonly signal?: AbortSignal }): Promise<unknown>;
};

const PATIENCE = 30_000;

/** The client, as one session's work sees it. */
export class EditorRequests {
  readonly #requests: Requests;
  readonly #sessionId: string;
  /** How long it is waited for when it has no reason to take long, in milliseconds. */
  readonly patience: number;

  constructor(requests: Requests, sessionId: string, patience = PATIENCE) {
    this.#requests = requests;
    this.#sessionId = sessionId;
    this.patience = patience;
  }

  /** Rejects with an RpcError when the client refuses, and with a ToolFailure when it is gone or does not answer in time. */
  async ask(
    method: string,
    params: object,
    { within, signal }: { readonly within?: number; readonly signal?: AbortSignal } = {},
  ): Promise<JsonObject> {
    const timeUp = within === undefined ? undefined : AbortSignal.timeout(within);
    const signals = [timeUp, signal].filter((one) => one !== undefined);
    try {
      const result = await this.#requests.request(
        method,
        { sessionId: this.#sessionId, ...params },
        signals.length > 0 ? { signal: AbortSignal.any(signals) } : {},
      );
      // Empty results are written as null by some.
      return isJsonObject(result) ? result : {};
    } catch (error) {
      signal?.throwIfAborted();
      if (timeUp?.aborted) throw new NoAnswer(method, within ?? 0);
      if (error instanceof RpcError) throw error;
      throw new ToolFailure(
        `The editor is gone: ${method} was not answered. Whether it was carried out is not known. Look before you try it again.`,
      );
    }
  }
}

/** What the client said is wrong, short enough to be shown. */
export function refusal(error: RpcError): string {
  return oneLine(error.message, 300);
}

class NoAnswer extends ToolFailure {
  constructor(method: string, milliseconds: number) {
    super(
      `The editor did not answer ${method} within ${milliseconds / 1000} s. Whether it was carried out is not known. Look before you try it again.`,
    );
    this.name = "NoAnswer";
  }
}
