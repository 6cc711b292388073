/**
 * A model that retries failed requests where a retry may help.
 *
 * Invariants: after the first emitted part a response is never retried, because its text and calls would come twice; a
 * stream that breaks after that emits an error part. A signal aborts everything at once, the waiting included.
 */
import { setTimeout as sleepFor } from "node:timers/promises";
import type {
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3StreamPart,
  LanguageModelV3StreamResult,
} from "@ai-sdk/provider";
import { AMOUNT, checkOptions, FUNCTION, having, required } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import { isRefusedHere, isRetryable } from "./is-retryable.js";
import { retryWait } from "./retry-wait.js";
import { wrapModel } from "./wrap-model.js";

export type RetryOptions = {
  /** The total number of attempts; 1 disables retries. */
  readonly attempts?: number;
  /** The wait before the second attempt, unless the provider names one. */
  readonly firstWaitMs?: number;
  /** The upper bound of a wait, whatever the provider asks for. */
  readonly maxWaitMs?: number;
  readonly onRetry?: (retry: Retry) => void;
  readonly sleep?: (milliseconds: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly now?: () => number;
  readonly random?: () => number;
};

const RETRY_OPTIONS: OptionChecks<RetryOptions> = {
  attempts: AMOUNT,
  firstWaitMs: AMOUNT,
  maxWaitMs: AMOUNT,
  onRetry: FUNCTION,
  sleep: FUNCTION,
  now: FUNCTION,
  random: FUNCTION,
};

/** A failed attempt, and the wait before the next one. */
export type Retry = { readonly attempt: number; readonly waitMs: number; readonly reason: string };

/** A retry, for the caller of a request: without the reason, which may name the provider's address or a key. */
export type RetryNotice = {
  readonly attempt: number;
  readonly waitMs: number;
  /** The HTTP status, if the provider responded. */
  readonly statusCode?: number;
};

/** A request whose caller wants to know of its retries. Models that do not retry ignore the field. */
export type NotifiedCall = LanguageModelV3CallOptions & { readonly onRetry?: (notice: RetryNotice) => void };

export function retrying(model: LanguageModelV3, options: RetryOptions = {}): LanguageModelV3 {
  checkOptions(
    "retrying",
    { model },
    { model: required(having("a model (openModel)", "doStream", "doGenerate")) },
  );
  checkOptions("retrying", options, RETRY_OPTIONS);
  return wrapModel(model, {
    doGenerate: (call) => withRetries(() => model.doGenerate(call), call, options),
    doStream: (call) =>
      withRetries(async () => untilContent(await model.doStream(call), call.abortSignal), call, options),
  });
}

/** Enough for a server of one's own that starts in the same moment. */
const MAX_ATTEMPTS_HERE = 2;

async function withRetries<Value>(
  ask: () => PromiseLike<Value>,
  { abortSignal: signal, onRetry: notify }: NotifiedCall,
  options: RetryOptions,
): Promise<Value> {
  const {
    attempts = 5,
    firstWaitMs = 1000,
    maxWaitMs = 60_000,
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
      const most = isRefusedHere(error) ? Math.min(attempts, MAX_ATTEMPTS_HERE) : attempts;
      if (attempt >= most || !isRetryable(error)) throw error;
      const waitMs = retryWait(error, attempt, { firstWaitMs, maxWaitMs, now, random });
      onRetry?.({ attempt, waitMs, reason: reasonOf(error) });
      const statusCode = statusOf(error);
      notify?.({ attempt, waitMs, ...(statusCode !== undefined && { statusCode }) });
      await sleep(waitMs, signal);
    }
  }
}

/** Reads up to the first part with content: a failure before it can be retried. */
async function untilContent(
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
    if (!WITHOUT_CONTENT.has(value.type)) break;
  }
  return { ...result, stream: joined(first, reader, signal) };
}

const WITHOUT_CONTENT: ReadonlySet<LanguageModelV3StreamPart["type"]> = new Set([
  "stream-start",
  "response-metadata",
  "raw",
]);

function joined(
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
    // Node wraps the abort reason; the caller expects the original.
    signal?.throwIfAborted();
    throw error;
  }
}

function reasonOf(error: unknown): string {
  const status = statusOf(error);
  const message = error instanceof Error ? error.message : messageOf(error);
  return status === undefined ? message : `${status}: ${message}`;
}

function statusOf(error: unknown): number | undefined {
  const status = error instanceof Error && "statusCode" in error ? Number(error.statusCode) : Number.NaN;
  return Number.isInteger(status) ? status : undefined;
}

const messageOf = (error: unknown): string =>
  typeof error === "object" && error !== null && "message" in error ? String(error.message) : String(error);
