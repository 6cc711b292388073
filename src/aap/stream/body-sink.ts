/** Writes a stream into the body of a `Response`, for callers that use the server as a function. */
import type { OpenSink } from "./event-stream.js";

export const bodySink: OpenSink = (headers, { onRead, onGone }) => {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start: (given) => {
        controller = given;
      },
      // Called when everything that was enqueued is read.
      pull: onRead,
      cancel: onGone,
    },
    { highWaterMark: 0, size: (piece) => piece.byteLength },
  );
  const write = (text: string) => {
    if (text !== "") controller?.enqueue(encoder.encode(text));
  };
  const sink = {
    write,
    unread: () => -(controller?.desiredSize ?? 0),
    end: (last: string) => {
      write(last);
      controller?.close();
    },
    fail: (error: unknown) => controller?.error(error),
  };
  return { sink, response: new Response(body, { headers }) };
};
