/**
 * Writes responses to their connections. A whole one goes out in one piece; a stream is written straight to the
 * connection. A stream that fails is cut off, so that its reader sees that it is not complete.
 */
import type { ServerResponse } from "node:http";
import type { OpenSink } from "../stream/event-stream.js";

/** How long a stream may be silent once the server ends, before it is cut off. */
const FINAL_SILENCE_MS = 250;

export class ResponseWriter {
  /** Marks a response that was streamed. */
  readonly #sent: Response;
  /** The open streams, each with its timer once the server ends. */
  readonly #open = new Map<ServerResponse, NodeJS.Timeout | undefined>();
  #isEnding = false;

  constructor(sent: Response) {
    this.#sent = sent;
  }

  async write(response: Response, to: ServerResponse): Promise<void> {
    if (response === this.#sent) return;
    const headers = Object.fromEntries(response.headers);
    const body = Buffer.from(await response.arrayBuffer());
    // A HEAD request has no body, so its length is not known here.
    const length = to.req.method === "HEAD" ? {} : { "content-length": String(body.length) };
    to.writeHead(response.status, response.status === 204 ? headers : { ...headers, ...length }).end(body);
  }

  /** A sink that writes a stream to this connection. */
  streamTo(to: ServerResponse): OpenSink {
    return (headers, { onRead, onGone }) => {
      const { socket } = to.req;
      to.writeHead(200, headers);
      this.#listen(to);
      to.on("drain", onRead);
      const gone = () => {
        socket.off("close", gone);
        clearTimeout(this.#open.get(to));
        this.#open.delete(to);
        onGone();
      };
      to.once("close", gone);
      // A pipelined response that waits for the one before it gets no `close` of its own.
      socket.once("close", gone);
      // A socket that closed before this emits no second `close`.
      if (socket.destroyed) setImmediate(gone);
      let isStarted = false;
      const sink = {
        write: (text: string) => {
          if (text === "") return to.flushHeaders();
          this.#open.get(to)?.refresh();
          if (isStarted && hasRoomFor(text, to)) socket.write(chunkOf(text));
          else to.write(text);
          isStarted = true;
        },
        unread: () => (to.writableNeedDrain ? to.writableLength : 0),
        end: (last: string) => void to.end(last),
        fail: () => void to.destroy(),
      };
      return { sink, response: this.#sent };
    };
  }

  /**
   * Cuts off streams that would never end. Streams that still write, or have unread text, are delivered for as long as
   * the HTTP door waits. None is ended as if it were complete: only the stream itself knows that.
   */
  end(): void {
    this.#isEnding = true;
    for (const to of this.#open.keys()) this.#listen(to);
  }

  #listen(to: ServerResponse): void {
    const cutOff = () => {
      if (to.writableLength > 0) this.#open.get(to)?.refresh();
      else to.destroy();
    };
    this.#open.set(to, this.#isEnding ? setTimeout(cutOff, FINAL_SILENCE_MS) : undefined);
  }
}

/**
 * Whether a chunk can bypass the response and go to its socket: the socket is open and serves this response, nothing of
 * the response is buffered, and there is room. Only the response knows how far a reader is behind and emits `drain`, so a
 * chunk without room goes through it. The response writes each chunk in three pieces at the end of the tick, which costs a
 * busy server as much as all its other work for that chunk.
 */
function hasRoomFor(text: string, to: ServerResponse): boolean {
  const { socket } = to;
  if (!to.chunkedEncoding || !socket?.writable) return false;
  const waiting = socket.writableLength;
  return to.writableLength === waiting && waiting + text.length < socket.writableHighWaterMark;
}

const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
