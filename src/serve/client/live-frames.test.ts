import { expect, onTestFinished, test } from "vitest";
import { ServeClient } from "./serve-client.js";

/** A server whose streams send one frame each and then nothing, not even a heartbeat. */
function silentServer(silence: number, { isFirstAnswered = true } = {}) {
  const asked: (string | null)[] = [];
  const client = new ServeClient({
    baseUrl: "http://127.0.0.1:1",
    silence,
    keys: { get: () => undefined, set: () => undefined },
    fetch: async (request) => {
      asked.push(request.headers.get("last-event-id"));
      if (!isFirstAnswered && asked.length === 1)
        await new Promise((_resolve, reject) => request.signal.addEventListener("abort", reject));
      const frame = `id: ${asked.length}\ndata: {"type":"rules-changed"}\n\n`;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(new TextEncoder().encode(frame)),
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
  });
  return { asked, client };
}

function read(client: ServeClient) {
  const stop = new AbortController();
  let retry = (): void => undefined;
  const states: string[] = [];
  const frames: unknown[] = [];
  const reading = (async () => {
    const onRetry = (again: () => void) => {
      retry = again;
      return () => undefined;
    };
    const onStatus = ({ type }: { readonly type: string }) => void states.push(type);
    for await (const frame of client.live({ signal: stop.signal, onRetry, onStatus })) frames.push(frame);
  })().catch(() => undefined);
  onTestFinished(async () => {
    stop.abort(new Error("the test is over"));
    await reading;
  });
  return { states, frames, retry: () => retry() };
}

test("takes silence from the start for a lost connection, and goes on after the last event", async () => {
  const { asked, client } = silentServer(30);
  const { states } = read(client);
  await expect.poll(() => asked.length).toBeGreaterThanOrEqual(3);
  expect(asked.slice(0, 3)).toEqual([null, "1", "2"]);
  expect(states.slice(0, 4)).toEqual(["connecting", "connected", "lost", "connected"]);
});

test("tries again at once at a sign of the network, and goes on after the last event", async () => {
  const { asked, client } = silentServer(600_000);
  const { frames, retry } = read(client);
  await expect.poll(() => frames.length).toBe(1);
  retry();
  await expect.poll(() => frames.length).toBe(2);
  expect(asked).toEqual([null, "1"]);
});

test("tries again when a request is not answered", async () => {
  const { asked, client } = silentServer(30, { isFirstAnswered: false });
  const { states, frames } = read(client);
  await expect.poll(() => frames.length).toBeGreaterThan(0);
  expect(states.slice(0, 3)).toEqual(["connecting", "lost", "connected"]);
  expect(asked.slice(0, 2)).toEqual([null, null]);
});
