/**
 * A model that asks again when asking again may help.
 *
 * What must stay true here: once a part of an answer was handed on, that answer is never begun anew, for
 * its words and calls would come twice; a stream that breaks after that says so with an error part. A
 * signal ends everything at once, the waiting included.
 */
import { setTimeout as sleepFor } from "node:timers/promises";
import type {
  LanguageModelV3,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from "@ai-sdk/provider";
import { isRetryable } from "./is-retryable.js";
import { retryWait } from "./retry-wait.js";
import { wrapModel } from "./wrap-model.js";

export type RetryOptions = {
  /** How often to ask in all; 1 is never again. */
  readonly attempts?: number;
  /** Milliseconds before the second attempt, where the provider does not say. */
  readonly firstWait?: number;
  /** Milliseconds that are never exceeded, whatever the provider says. */
  readonly longestWait?: number;
  readonly onRetry?: (retry: Retry) => void;
  readonly sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly now?: () => number;
  readonly random?: () => number;
};

/** What went wrong with an attempt, and how long it will be to the next. */
export type Retry = { readonly attempt: number; readonly waitMs: number; readonly reason: string };

export function retrying(model: LanguageModelV3, options: RetryOptions = {}): LanguageModelV3 {
  return wrapModel(model, {
    doGenerate: (call) => withRetries(() => model.doGenerate(call), call.abortSignal, options),
    doStream: (call) =>
      withRetries(async () => begun(await model.doStream(call), call.abortSignal), call.abortSignal, options),
  });
}

async function withRetries<Value>(
  ask: () => PromiseLike<Value>,
  signal: AbortSignal | undefined,
  options: RetryOptions,
): Promise<Value> {
  const {
    attempts = 5,
    firstWait = 1000,
    longestWait = 60_000,
    onRetry,
    sleep = sleepUnlessAborted,
  } = options;
  const { now = Date.now, random = Math.random } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      signal?.throwIfAborted();
      if (attempt >= attempts || !isRetryable(error)) throw error;
      const waitMs = retryWait(error, attempt, { firstWait, longestWait, now, random });
      onRetry?.({ attempt, waitMs, reason: reasonOf(error) });
      await sleep(waitMs, signal);
    }
  }
}

/** Reads up to the first part that says something, so that what fails before it can be asked again. */
async function begun(
  result: LanguageModelV3StreamResult,
  signal: AbortSignal | undefined,
): Promise<LanguageModelV3StreamResult> {
  const reader = result.stream.getReader();
  const first: LanguageModelV3StreamPart[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (value.type === "error" && isRetryable(value.error)) {
      void reader.cancel().catch(() => undefined);
      throw value.error;
    }
    first.push(value);
    if (!SAYS_NOTHING.has(value.type)) break;
  }
  return { ...result, stream: resumed(first, reader, signal) };
}

const SAYS_NOTHING: ReadonlySet<LanguageModelV3StreamPart["type"]> = new Set([
  "stream-start",
  "response-metadata",
  "raw",
]);

function resumed(
  first: readonly LanguageModelV3StreamPart[],
  reader: ReadableStreamDefaultReader<LanguageModelV3StreamPart>,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV3StreamPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of first) controller.enqueue(part);
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        signal?.throwIfAborted();
        controller.enqueue({ type: "error", error });
        controller.close();
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

async function sleepUnlessAborted(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await sleepFor(milliseconds, undefined, signal && { signal });
  } catch (error) {
    // Node wraps the reason; whoever gave it wants it back.
    signal?.throwIfAborted();
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : Number.NaN;
  const message = error instanceof Error ? error.message : messageOf(error);
  return Number.isInteger(status) ? `${status}: ${message}` : message;
}

const messageOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
