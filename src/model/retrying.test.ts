import { APICallError } from "@ai-sdk/provider";
import type { LanguageModelV3, LanguageModelV3StreamPart } from "@ai-sdk/provider";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { retrying } from "./retrying.js";
import type { Retry, RetryOptions } from "./retrying.js";
import { retryWait } from "./retry-wait.js";

type Part = LanguageModelV3StreamPart;

const start: Part = { type: "stream-start", warnings: [] };
const begin: Part = { type: "text-start", id: "t" };
const word: Part = { type: "text-delta", id: "t", delta: "hi" };
const finish: Part = {
  type: "finish",
  finishReason: { unified: "stop", raw: "stop" },
  usage: {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  },
};

const failure = (statusCode: number, more: Partial<ConstructorParameters<typeof APICallError>[0]> = {}) =>
  new APICallError({
    message: `failed ${statusCode}`,
    url: "http://h",
    requestBodyValues: {},
    statusCode,
    ...more,
  });

const reset = () => Object.assign(new TypeError("terminated"), { cause: { code: "UND_ERR_SOCKET" } });

/** One response: it fails at once, or it streams parts and may break after them. */
type Answer = Error | { readonly parts: readonly Part[]; readonly breaks?: unknown };

/** A model that gives these responses, one after the other. */
function modelWith(answers: readonly Answer[]) {
  const fake: { asked: number; cancelled?: unknown } = { asked: 0 };
  const model: LanguageModelV3 = {
    specificationVersion: "v3",
    provider: "test",
    modelId: "test",
    supportedUrls: {},
    doGenerate: () => Promise.reject(failure(503)),
    doStream: () => {
      const answer = answers[fake.asked++];
      if (answer === undefined) return Promise.reject(new Error("nothing more to say"));
      if (answer instanceof Error) return Promise.reject(answer);
      const parts = answer.parts.values();
      const stream = new ReadableStream<Part>({
        pull(controller) {
          const { done, value } = parts.next();
          if (!done) controller.enqueue(value);
          else if (answer.breaks === undefined) controller.close();
          else controller.error(answer.breaks);
        },
        cancel(reason) {
          fake.cancelled = reason;
        },
      });
      return Promise.resolve({ stream });
    },
  };
  return Object.assign(fake, { model });
}

async function ask(answers: readonly Answer[], options: RetryOptions & { signal?: AbortSignal } = {}) {
  const waits: number[] = [];
  const retries: Retry[] = [];
  const fake = modelWith(answers);
  const { signal: abortSignal, ...retry } = options;
  const model = retrying(fake.model, {
    sleep: (milliseconds) => {
      waits.push(milliseconds);
      return Promise.resolve();
    },
    onRetry: (happened) => void retries.push(happened),
    random: () => 1,
    ...retry,
  });
  const parts: Part[] = [];
  let error: unknown;
  try {
    const { stream } = await model.doStream({ prompt: [], ...(abortSignal && { abortSignal }) });
    for await (const part of stream) parts.push(part);
  } catch (thrown) {
    error = thrown;
  }
  return { parts, error, waits, retries, asked: fake.asked };
}

const WHOLE: Answer = { parts: [start, begin, word, finish] };

describe("a retrying model", () => {
  test.each<[string, Answer]>([
    ["too many requests", failure(429)],
    ["an overload", failure(529)],
    ["a broken server", failure(500)],
    ["a time-out", failure(408)],
    ["what the provider's package calls worth it", failure(418, { isRetryable: true })],
    ["a server that says so itself", failure(400, { responseHeaders: { "x-should-retry": "true" } })],
    ["a broken connection", reset()],
    [
      "a name that is not found",
      Object.assign(new Error("x"), { cause: Object.assign(new Error(), { code: "ENOTFOUND" }) }),
    ],
    ["a stream that breaks before a word", { parts: [start], breaks: reset() }],
    [
      "trouble reported before a word",
      { parts: [start, { type: "error", error: { type: "overloaded_error" } }] },
    ],
    ["trouble with a status before a word", { parts: [start, { type: "error", error: failure(503) }] }],
  ])("responds after %s", async (_, trouble) => {
    const { parts, asked, retries } = await ask([trouble, WHOLE]);
    expect(parts).toEqual([start, begin, word, finish]);
    expect([asked, retries.length]).toEqual([2, 1]);
  });

  test.each([
    ["http://127.0.0.1:9/v1", 2],
    ["http://localhost:9/v1", 2],
    ["http://[::1]:9/v1", 2],
    ["http://example.com/v1", 3],
  ])("asks %s %i times when it refuses the connection", async (url, times) => {
    const cause = Object.assign(new Error("refused"), { code: "ECONNREFUSED" });
    const refused = new APICallError({
      message: "Cannot connect to API",
      url,
      requestBodyValues: {},
      cause,
      isRetryable: true,
    });
    const { asked } = await ask([refused, refused, WHOLE]);
    expect(asked).toBe(times);
  });

  test.each([
    [
      "a port that no request is sent to",
      new APICallError({
        message: "Cannot connect to API: bad port",
        url: "http://127.0.0.1:1",
        requestBodyValues: {},
        cause: new Error("bad port"),
        isRetryable: true,
      }),
    ],
    ["a bad request", failure(400)],
    ["a bad key", failure(401)],
    ["an unknown model", failure(404)],
    ["an empty purse", failure(429, { responseBody: '{"error":{"code":"insufficient_quota"}}' })],
    ["a server that says it is no use", failure(500, { responseHeaders: { "x-should-retry": "false" } })],
    ["an error of our own", new Error("a bug")],
  ])("does not retry after %s", async (_, trouble) => {
    const { error, asked, waits } = await ask([trouble, WHOLE]);
    expect(error).toBe(trouble);
    expect([asked, waits.length]).toEqual([1, 0]);
  });

  test.each([
    [500, "request (10412 tokens) exceeds the available context size (8192 tokens), try increasing it"],
    [429, "Request too large for x on tokens per min (TPM): Limit 30000, Requested 50000."],
  ])("never retries a prompt that is too long, whatever its status: %s", async (status, message) => {
    const error = failure(status, { responseBody: JSON.stringify({ error: { message } }) });
    expect(await ask([error, WHOLE])).toMatchObject({ asked: 1, error });
  });

  test("does not retry after the first chunk; emits an error part", async () => {
    const broken = reset();
    const { parts, error, asked } = await ask([{ parts: [start, begin, word], breaks: broken }, WHOLE]);
    expect(parts).toEqual([start, begin, word, { type: "error", error: broken }]);
    expect([asked, error]).toEqual([1, undefined]);
    const reported: Part = { type: "error", error: failure(529) };
    expect((await ask([{ parts: [start, begin, reported] }, WHOLE])).parts).toEqual([start, begin, reported]);
  });

  test("makes five attempts by default and then fails with the last error", async () => {
    const troubles = [500, 501, 502, 503, 504, 505].map((status) => failure(status));
    const five = await ask([...troubles, WHOLE]);
    expect([five.asked, five.error]).toEqual([5, troubles[4]]);
    const once = await ask([...troubles, WHOLE], { attempts: 1 });
    expect([once.asked, once.error]).toEqual([1, troubles[0]]);
  });

  test("doubles the wait each time and reports the reason", async () => {
    const { waits, retries } = await ask(
      [500, 500, 500, 500].map((status) => failure(status)),
      {
        firstWaitMs: 100,
        maxWaitMs: 350,
        attempts: 5,
      },
    );
    expect(waits).toEqual([100, 200, 350, 350]);
    expect(retries[1]).toEqual({ attempt: 2, waitMs: 200, reason: "500: failed 500" });
  });

  test("stops at once when cancelled, also during a long wait", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const fake = modelWith([failure(429, { responseHeaders: { "retry-after": "40" } }), WHOLE]);
    const model = retrying(fake.model, { onRetry: () => void setImmediate(() => stop.abort(reason)) });
    await expect(model.doStream({ prompt: [], abortSignal: stop.signal })).rejects.toBe(reason);
    expect(fake.asked).toBe(1);
    expect(await ask([WHOLE], { signal: AbortSignal.abort(reason) })).toMatchObject({
      error: reason,
      asked: 0,
    });
  });

  test("passes on a cancel in the middle of a response as a cancel, not as an error", async () => {
    const stop = new AbortController();
    const reason = new Error("enough");
    const model = retrying(modelWith([{ parts: [begin], breaks: reset() }]).model);
    const { stream } = await model.doStream({ prompt: [], abortSignal: stop.signal });
    const reader = stream.getReader();
    expect(await reader.read()).toEqual({ done: false, value: begin });
    stop.abort(reason);
    const next = await reader.read().catch((error: unknown) => error);
    // The break may be read before the cancel; a second response must not come.
    expect([reason, { done: false, value: { type: "error", error: expect.anything() } }]).toContainEqual(
      next,
    );
  });

  test("cancels the source when the reader stops early", async () => {
    const fake = modelWith([WHOLE]);
    const { stream } = await retrying(fake.model).doStream({ prompt: [] });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel("enough");
    expect(fake.cancelled).toBe("enough");
  });

  test("retries also without streaming", async () => {
    let asked = 0;
    const { model } = modelWith([]);
    const counted = { ...model, doGenerate: () => ((asked += 1), Promise.reject(failure(503))) };
    const patient = retrying(counted, { attempts: 3, sleep: () => Promise.resolve() });
    await expect(patient.doGenerate({ prompt: [] })).rejects.toThrow("failed 503");
    expect(asked).toBe(3);
  });
});

describe("the wait", () => {
  const now = Date.parse("2026-11-15T10:00:00Z");
  const wait = { firstWaitMs: 1000, maxWaitMs: 60_000, now: () => now, random: () => 1 };
  const after = (responseHeaders: Record<string, string>) =>
    retryWait(failure(429, { responseHeaders }), 1, wait);

  test.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "0.5" }, 500],
    [{ "retry-after": "0" }, 0],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1500],
    [{ "retry-after": "Sun, 15 Nov 2026 10:00:20 GMT" }, 20_000],
    [{ "retry-after": "Sun, 15 Nov 2026 09:00:00 GMT" }, 0],
    [{ "retry-after": "3600" }, 60_000],
    [{ "retry-after": "Sun, 15 Nov 2099 10:00:00 GMT" }, 60_000],
    [{ "retry-after": "soon" }, 1000],
    [{ "retry-after": "-5" }, 1000],
    [{ "retry-after": "1e9" }, 1000],
    [{ "retry-after": "" }, 1000],
    [{}, 1000],
  ])("after %j is %d milliseconds", (headers, milliseconds) => {
    expect(after(headers)).toBe(milliseconds);
  });

  test("is between half and all of the full wait, whatever the provider writes", () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.integer({ min: 1, max: 200 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (text, attempt, chance) => {
          const random = () => chance;
          const waited = retryWait(failure(429, { responseHeaders: { "retry-after": text } }), attempt, {
            ...wait,
            random,
          });
          expect(waited).toBeGreaterThanOrEqual(0);
          expect(waited).toBeLessThanOrEqual(60_000);
          const unasked = retryWait(failure(500), attempt, { ...wait, random });
          const full = Math.min(1000 * 2 ** (attempt - 1), 60_000);
          expect(unasked).toBeGreaterThanOrEqual(full / 2);
          expect(unasked).toBeLessThanOrEqual(full);
        },
      ),
    );
  });
});
