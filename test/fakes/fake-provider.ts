/**
 * A provider on the loopback: an HTTP server that plays a script in a vendor's own wire format and keeps the requests. The
 * dialect defines the vendor's format; `vendors.test.ts` reads it with each vendor's own SDK. Like the real ones, it
 * refuses a wrong key and a history with a call that has no result.
 */
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { setTimeout } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { fieldsOf } from "./dialect.js";
import type { Dialect, FakeAnswer, Fields, Seen } from "./dialect.js";

export const KEY = "test-key-0123456789";

type FakeFailure = { readonly status: number; readonly headers?: Readonly<Record<string, string>> };

export type FakeStep = FakeAnswer | FakeFailure;

type FakeRequest = {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Fields;
  readonly seen: Seen;
};

export type FakeProvider = {
  readonly url: string;
  readonly requests: readonly FakeRequest[];
  /** The lengths of the requests that were refused, in tokens. */
  readonly refused: readonly number[];
};

const FAKE_CHARACTERS_PER_TOKEN = 4;

/** A model with a small window: it refuses longer requests in a vendor's own words, and answers requests for summaries. */
export type FakeWindow = {
  readonly tokens: number;
  readonly refusal: (promptTokens: number, tokens: number) => FakeRefusal;
  /** Its summary, or the failure in place of one. */
  readonly summary: FakeStep;
};

/** `stream`: the refusal comes inside a stream that has started. */
type FakeRefusal =
  | { readonly status: number; readonly body: unknown }
  | { readonly stream: readonly string[] };

export async function startFake(
  dialect: Dialect,
  steps: readonly FakeStep[],
  window?: FakeWindow,
): Promise<FakeProvider> {
  const requests: FakeRequest[] = [];
  const refused: number[] = [];
  let played = 0;
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const path = request.url ?? "";
    const fail = (status: number, message: string, headers = {}) => {
      const failure = dialect.failure(status, message);
      response.writeHead(failure.status, { "content-type": "application/json", ...headers });
      response.end(JSON.stringify(failure.body));
    };
    if (request.method !== "POST" || !dialect.path.test(path)) return fail(404, `there is no ${path}`);
    if (dialect.keyOf(request.headers) !== KEY) return fail(401, "the key is not valid");
    const body = fieldsOf(JSON.parse(Buffer.concat(chunks).toString()));
    const seen = dialect.see(body);
    const text = JSON.stringify(body);
    const promptTokens = Math.ceil(text.length / FAKE_CHARACTERS_PER_TOKEN);
    if (window && promptTokens > window.tokens) {
      refused.push(promptTokens);
      const refusal = window.refusal(promptTokens, window.tokens);
      if ("body" in refusal) {
        response.writeHead(refusal.status, { "content-type": "application/json" });
        return void response.end(JSON.stringify(refusal.body));
      }
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.end(refusal.stream.join(""));
    }
    const isSummary = window !== undefined && text.includes("Sum up this conversation");
    const step = isSummary ? window.summary : steps[played++];
    requests.push({ path, headers: request.headers, body, seen });
    const open = seen.calls.find(({ id }) => !seen.results.some((result) => result.id === id));
    if (open) return fail(400, `the call ${open.id} has no result`);
    if (step === undefined) return fail(400, "the script is over");
    if ("status" in step) return fail(step.status, `failing with ${step.status}`, step.headers);
    await stream(step, dialect, response);
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The fake has no port.");
  return { url: `http://127.0.0.1:${address.port}`, requests, refused };
}

async function stream(answer: FakeAnswer, dialect: Dialect, response: ServerResponse): Promise<void> {
  const { head, body, tail } = dialect.frames(answer);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  if (answer.bytes !== undefined) {
    response.end(Buffer.from([...head, ...body, ...tail].join("")).subarray(0, answer.bytes));
    return;
  }
  const send = async (frames: readonly string[]) => {
    for (const frame of frames) {
      await setTimeout(answer.pause ?? 0);
      if (response.destroyed) return;
      await new Promise((resolve) => response.write(frame, resolve));
    }
  };
  await send([...head, ...body]);
  switch (answer.end) {
    case "cut":
      // Rounds of the loop, not time alone, for the reader to read what was written: breaking takes the rest with it.
      for (let round = 0; round < 10; round += 1) await setTimeout(3);
      response.destroy();
      return;
    case "closed":
      break;
    case "overloaded":
      await send([dialect.overloaded]);
      break;
    case "malformed":
      await send([dialect.malformed, ...tail]);
      break;
    case "max_tokens":
    case "refusal":
    case undefined:
      await send(tail);
  }
  response.end();
}
