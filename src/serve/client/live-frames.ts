/**
 * The live stream, read by `fetch`. A connection that breaks or falls silent is resumed after the last event; the
 * iterator ends only when the signal aborts or the server refuses the device.
 */
import { AapError } from "../../aap/client/aap-error.js";
import type { Connection } from "../../aap/client/connection.js";
import { readSse } from "../../aap/client/read-sse.js";
import { sleep } from "../../aap/client/retries.js";
import { SseParser } from "../../aap/client/sse-parser.js";
import type { LiveFrame, LiveQuery } from "../api/live-frames.js";

/** `lost`: `retryAt` is when the next attempt starts, in milliseconds since 1970. */
export type LiveStatus =
  | { readonly type: "connecting" }
  | { readonly type: "connected" }
  | { readonly type: "lost"; readonly since: number; readonly retryAt: number };

export type LiveOptions = LiveQuery & {
  readonly signal?: AbortSignal;
  readonly onStatus?: (status: LiveStatus) => void;
  /**
   * Is given a function that tries the connection again at once, for signs that a network came or went; gives back one
   * that ends that.
   */
  readonly onRetry?: (retry: () => void) => () => void;
};

/** More than twice the heartbeat of the server. */
const LIVE_SILENCE_MS = 35_000;
/** How long an answer to the request may take; a network that takes everything and gives nothing back is lost. */
const CONNECT_MS = 10_000;

const FIRST_PAUSE_MS = 250;
const MAX_PAUSE_MS = 5_000;
/** Statuses that a retry does not change: not logged in, revoked, no such session. */
const FINAL: ReadonlySet<number | undefined> = new Set([400, 401, 403, 404]);

export async function* liveFrames(
  connection: Connection,
  { signal, onStatus = () => undefined, onRetry, ...query }: LiveOptions,
): AsyncGenerator<LiveFrame, void, undefined> {
  let lastEventId: string | undefined;
  let lostSince: number | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  const silence = Math.min(connection.silence, LIVE_SILENCE_MS);
  let attempt = new AbortController();
  const retry = (): void => attempt.abort(new Error("to be tried again"));
  const forget = onRetry?.(retry);
  try {
    for (;;) {
      attempt = new AbortController();
      const both = signal ? AbortSignal.any([signal, attempt.signal]) : attempt.signal;
      // A lost connection stays lost until it is there again.
      if (lostSince === undefined) onStatus({ type: "connecting" });
      const late = setTimeout(retry, Math.min(connection.silence, CONNECT_MS));
      try {
        const headers = { ...(lastEventId !== undefined && { "last-event-id": lastEventId }) };
        const path = withQuery("/api/live", query);
        const { body } = await connection.send("GET", path, { headers, signal: both });
        clearTimeout(late);
        onStatus({ type: "connected" });
        lostSince = undefined;
        pauseMs = FIRST_PAUSE_MS;
        const frames = body ? readSse(body, new SseParser(), { silence, isPinged: true, signal: both }) : [];
        for await (const { id, data } of frames) {
          if (id !== undefined) lastEventId = id;
          // The server is ours, and so are its frames.
          yield JSON.parse(data) as LiveFrame;
        }
      } catch (error) {
        signal?.throwIfAborted();
        if (error instanceof AapError && error.code === "REFUSED" && FINAL.has(error.status)) throw error;
      } finally {
        clearTimeout(late);
      }
      signal?.throwIfAborted();
      lostSince ??= Date.now();
      onStatus({ type: "lost", since: lostSince, retryAt: Date.now() + pauseMs });
      // A retry ends the pause.
      await sleep(pauseMs, both).catch(() => signal?.throwIfAborted());
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  } finally {
    forget?.();
  }
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** A path with a query; fields that are undefined are left out. */
export function withQuery(path: string, query: Query): string {
  const fields = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) fields.set(name, `${value}`);
  }
  const text = fields.toString();
  return text === "" ? path : `${path}?${text}`;
}
