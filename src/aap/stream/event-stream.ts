/**
 * Server-sent events. The first frame goes out at once, and frames that follow within a moment in one batch. A client
 * that hangs up ends the stream and nothing else. Frames are buffered until the client has read them, so a producer checks
 * `isBehind` and awaits `drained`; the HTTP door disconnects a client that reads nothing for too long. Comments between the
 * events keep proxies from closing a stream during a long tool call.
 */
import { bodySink } from "./body-sink.js";

const PING_MS = 15_000;
const PING = ": ping\n\n";
/** Bytes that may be buffered for a client before it counts as behind. */
const MAX_UNREAD_BYTES = 1024 * 1024;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
} as const;

/** Frames within this time go out in one batch, at the end of the event loop's turn; in a long turn, sooner. */
const BATCH_MS = 2;

/** Made once: an abort without a reason creates an error each time, which is slow. */
const HUNG_UP = new Error("The client hung up.");

export type SseWriter = {
  /** Writes one or more whole frames. */
  readonly write: (frames: string) => void;
  /** True when the buffer is full: then no more should be written. */
  readonly isBehind: () => boolean;
  /** Resolves when the client has read all written data, or hangs up. */
  readonly drained: () => Promise<void>;
  /** Aborts when the client hangs up. */
  readonly signal: AbortSignal;
};

/** The output of a stream's text. */
type Sink = {
  /** The first text may be empty: then only the headers are sent. */
  readonly write: (text: string) => void;
  /** How many bytes were written and not yet read. */
  readonly unread: () => number;
  readonly end: (last: string) => void;
  /** Cuts the stream off: it is not complete. */
  readonly fail: (error: unknown) => void;
};

/** Opens a sink to the client. `response` is the HTTP response for it. */
export type OpenSink = (
  headers: Readonly<Record<string, string>>,
  /** Called when all was read, and when the client hung up. */
  listeners: { readonly onRead: () => void; readonly onGone: () => void },
) => { readonly sink: Sink; readonly response: Response };

/** Streams what `run` writes until it resolves. When it rejects, the stream is cut off and `onError` gets the error. */
export function eventStream(
  run: (writer: SseWriter) => Promise<void>,
  onError: (error: unknown) => void,
  open: OpenSink = bodySink,
): Response {
  const hungUp = new AbortController();
  const { signal } = hungUp;
  let ready = "";
  let isScheduled = true;
  let flushedAt = performance.now();
  let isStarted = false;
  /** The same as `signal.aborted`, which takes longer to read. */
  let isOver = false;
  let onDrained: (() => void) | undefined;
  const drain = () => {
    onDrained?.();
    onDrained = undefined;
  };
  const over = () => {
    clearInterval(ping);
    isOver = true;
    hungUp.abort(HUNG_UP);
    drain();
  };
  const { sink, response } = open(HEADERS, { onRead: drain, onGone: over });
  const flush = () => {
    if (isOver || (isStarted && ready === "")) return;
    isStarted = true;
    const piece = ready;
    ready = "";
    sink.write(piece);
  };
  const flushLater = () => {
    isScheduled = false;
    flush();
  };
  const write = (frames: string) => {
    if (isOver) return;
    ready += frames;
    const now = performance.now();
    if (now - flushedAt > BATCH_MS) {
      flushedAt = now;
      flush();
    } else if (!isScheduled) {
      isScheduled = true;
      setImmediate(flushLater);
    }
  };
  const isBehind = () => ready.length + sink.unread() > MAX_UNREAD_BYTES;
  const drained = () =>
    new Promise<void>((resolve) => {
      flush();
      if (signal.aborted || sink.unread() === 0) resolve();
      else onDrained = resolve;
    });
  const ping = setInterval(() => write(PING), PING_MS).unref();
  const close = () => {
    if (!signal.aborted) sink.end(ready);
    over();
  };
  const fail = (error: unknown) => {
    onError(error);
    if (!signal.aborted) sink.fail(error);
    over();
  };
  // The headers go out at once, also when there is no event yet.
  setImmediate(flushLater);
  void run({ write, isBehind, drained, signal }).then(close, fail);
  return response;
}

export const frame = (id: string, event: string, data: unknown): string =>
  `id: ${id}\n${frameWithoutId(event, data)}`;

/** A client that resumes asks for the events after the last id, so this one is not sent again. */
export const frameWithoutId = (event: string, data: unknown): string =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
