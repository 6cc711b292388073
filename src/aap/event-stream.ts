/**
 * Server-sent events. What is ready in one tick goes out in one piece. A client that hangs up ends the stream and
 * nothing else; one that does not read is hung up on, since what is told to it would pile up here. The comments in
 * between keep proxies from closing a stream while a tool takes its time.
 */

const PING_MILLISECONDS = 15_000;
const PING = ": ping\n\n";
/** Bytes that may wait for a client to read them. It can take the stream up again from where it was. */
const MOST_UNREAD = 16 * 1024 * 1024;

/** Made once: an abort that is given no reason makes an error of its own each time, which is slow. */
const HUNG_UP = new Error("Nobody listens any more.");

export type SseSink = {
  /** One or more whole frames. */
  readonly write: (frames: string) => void;
  /** Comes when the client has read what was written, or hangs up. */
  readonly drained: () => Promise<void>;
  /** Aborts when nobody listens any more. */
  readonly signal: AbortSignal;
};

/** Streams what `run` writes until it comes back. */
export function eventStream(run: (sink: SseSink) => Promise<void>): Response {
  const encoder = new TextEncoder();
  const hungUp = new AbortController();
  let ready = "";
  let isScheduled = false;
  let ping: NodeJS.Timeout | undefined;
  let onDrained: (() => void) | undefined;
  const drain = () => {
    onDrained?.();
    onDrained = undefined;
  };
  const end = () => {
    clearInterval(ping);
    hungUp.abort(HUNG_UP);
    drain();
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const flush = () => {
          isScheduled = false;
          if (hungUp.signal.aborted || ready === "") return;
          const unread = -(controller.desiredSize ?? 0);
          const piece = encoder.encode(ready);
          ready = "";
          // One frame may be longer than that; whoever has read all before it is told it.
          if (unread === 0 || unread + piece.byteLength <= MOST_UNREAD) return controller.enqueue(piece);
          end();
          controller.error(new Error("The client does not read."));
        };
        const write = (frames: string) => {
          if (hungUp.signal.aborted) return;
          if (ready.length + frames.length > MOST_UNREAD) flush();
          ready += frames;
          if (isScheduled) return;
          isScheduled = true;
          setImmediate(flush);
        };
        const drained = () =>
          new Promise<void>((resolve) => {
            flush();
            if (hungUp.signal.aborted || (controller.desiredSize ?? 0) >= 0) resolve();
            else onDrained = resolve;
          });
        ping = setInterval(() => write(PING), PING_MILLISECONDS).unref();
        const close = () => {
          flush();
          if (!hungUp.signal.aborted) controller.close();
          end();
        };
        // Not returned: the stream would take nothing before all of it was there.
        void run({ write, drained, signal: hungUp.signal }).then(close, close);
      },
      // Asked for when all that was enqueued is read.
      pull: drain,
      cancel: end,
    },
    { highWaterMark: 0, size: (piece) => piece.byteLength },
  );
  return new Response(body, {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}

export const frame = (id: string, event: string, data: unknown): string =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
