/**
 * Server-sent events. The first of a moment goes out at once, and what else comes in it in one piece. A client that
 * hangs up ends the stream and nothing else. What is written piles up here until the client has read it, so whoever
 * writes looks whether it is behind, and waits then; the door ends who takes nothing for too long. The comments in
 * between keep proxies from closing a stream while a tool takes its time.
 */
import { bodySink } from "./body-sink.js";

const PING_MILLISECONDS = 15_000;
const PING = ": ping\n\n";
/** How much may wait for a client to read it before it counts as behind. */
const MOST_UNREAD = 1024 * 1024;

const HEADERS = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-accel-buffering": "no",
} as const;

/** What comes in so short a time goes out together, when the turn of the event loop ends; in a long turn, sooner. */
const MOMENT_MILLISECONDS = 2;

/** Made once: an abort that is given no reason makes an error of its own each time, which is slow. */
const HUNG_UP = new Error("Nobody listens any more.");

export type SseWriter = {
  /** One or more whole frames. */
  readonly write: (frames: string) => void;
  /** Whether so much waits to be read that no more should be written. */
  readonly isBehind: () => boolean;
  /** Comes when the client has read what was written, or hangs up. */
  readonly drained: () => Promise<void>;
  /** Aborts when nobody listens any more. */
  readonly signal: AbortSignal;
};

/** Where a stream's text goes. */
type Sink = {
  /** An empty text, the first time, only says that more will come. */
  readonly write: (text: string) => void;
  /** How much was written and not yet read. */
  readonly unread: () => number;
  readonly end: (last: string) => void;
  /** Cuts the stream off: it is not whole. */
  readonly fail: (error: unknown) => void;
};

/** Opens the way to whoever asked. What comes back is their response. */
export type OpenSink = (
  headers: Readonly<Record<string, string>>,
  /** What the sink has to say: that all was read, that nobody listens any more. */
  hears: { readonly onRead: () => void; readonly onGone: () => void },
) => { readonly sink: Sink; readonly response: Response };

/** Streams what `run` writes until it comes back. Where that fails the stream is cut, and `onError` hears of it. */
export function eventStream(
  run: (sink: SseWriter) => Promise<void>,
  onError: (error: unknown) => void,
  open: OpenSink = bodySink,
): Response {
  const hungUp = new AbortController();
  const { signal } = hungUp;
  let ready = "";
  let isScheduled = true;
  let flushedAt = performance.now();
  let isBegun = false;
  /** What the signal says, which takes longer to ask. */
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
    if (isOver || (isBegun && ready === "")) return;
    isBegun = true;
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
    if (now - flushedAt > MOMENT_MILLISECONDS) {
      flushedAt = now;
      flush();
    } else if (!isScheduled) {
      isScheduled = true;
      setImmediate(flushLater);
    }
  };
  const isBehind = () => ready.length + sink.unread() > MOST_UNREAD;
  const drained = () =>
    new Promise<void>((resolve) => {
      flush();
      if (signal.aborted || sink.unread() === 0) resolve();
      else onDrained = resolve;
    });
  const ping = setInterval(() => write(PING), PING_MILLISECONDS).unref();
  const close = () => {
    if (!signal.aborted) sink.end(ready);
    over();
  };
  const fail = (error: unknown) => {
    onError(error);
    if (!signal.aborted) sink.fail(error);
    over();
  };
  // Whoever asked sees at once that they are heard, also when there is nothing to tell yet.
  setImmediate(flushLater);
  void run({ write, isBehind, drained, signal }).then(close, fail);
  return response;
}

export const frame = (id: string, event: string, data: unknown): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
