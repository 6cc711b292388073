/**
 * The live stream, read by `fetch`. A connection that breaks is resumed after the last event; the iterator ends only when
 * the signal aborts or the server refuses the device.
 */
import { AapError } from "../../aap/client/aap-error.js";
import type { Connection } from "../../aap/client/connection.js";
import { readSse } from "../../aap/client/read-sse.js";
import { sleep } from "../../aap/client/retries.js";
import { SseParser } from "../../aap/client/sse-parser.js";
import type { LiveFrame, LiveQuery } from "../api/live-frames.js";
import { withQuery } from "./with-query.js";

/** `lost`: `retryAt` is when the next attempt starts, in milliseconds since 1970. */
export type LiveStatus =
  | { readonly type: "connecting" }
  | { readonly type: "connected" }
  | { readonly type: "lost"; readonly since: number; readonly retryAt: number };

export type LiveOptions = LiveQuery & {
  readonly signal?: AbortSignal;
  readonly onStatus?: (status: LiveStatus) => void;
};

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Statuses that a retry does not change: not logged in, revoked, no such session. */
const FINAL: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404]);

export async function* liveFrames(
  connection: Connection,
  { signal, onStatus = () => undefined, ...query }: LiveOptions,
): AsyncGenerator<LiveFrame, void, undefined> {
  let lastEventId: string | undefined;
  let lostSince: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  for (;;) {
    onStatus({ type: "connecting" });
    try {
      const headers = { ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
      const { body } = await connection.send("GET", withQuery("/api/live", query), { headers, signal });
      onStatus({ type: "connected" });
      lostSince = undefined;
      pauseMs = FIRST_PAUSE_MS;
      const frames = body ? readSse(body, new SseParser(), { silence: connection.silence, signal }) : [];
      for await (const { id, data } of frames) {
        if (id !== undefined) lastEventId = id;
        // The server is ours, and so are its frames.
        yield JSON.parse(data) as LiveFrame;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AapError && error.code === "REFUSED" && FINAL.has(error.status)) throw error;
    }
    signal?.throwIfAborted();
    lostSince ??= Date.now();
    onStatus({ type: "lost", since: lostSince, retryAt: Date.now() + pauseMs });
    await sleep(pauseMs, signal);
    pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
  }
}
