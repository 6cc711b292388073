/**
 * Writes responses to those who asked. One that is whole goes out in one piece; a stream is written straight to its
 * reader's connection. Where a stream breaks off it is cut: a reader then sees that it has not all of it.
 */
import type { ServerResponse } from "node:http";
import type { OpenSink } from "../stream/event-stream.js";

/** How long a stream may be silent before it is over, once the server ends. */
const LAST_WORD_MILLISECONDS = 250;

export class ResponseWriter {
  /** What stands for a response that was streamed. */
  readonly #sent: Response;
  /** The streams that are open, each with the end of its silence once the server ends. */
  readonly #open = new Map<ServerResponse, NodeJS.Timeout | undefined>();
  #isEnding = false;

  constructor(sent: Response) {
    this.#sent = sent;
  }

  async write(response: Response, to: ServerResponse): Promise<void> {
    if (response === this.#sent) return;
    const headers = Object.fromEntries(response.headers);
    const body = Buffer.from(await response.arrayBuffer());
    // To a look at the head alone the length would be a lie.
    const length = to.req.method === "HEAD" ? {} : { "content-length": String(body.length) };
    to.writeHead(response.status, response.status === 204 ? headers : { ...headers, ...length }).end(body);
  }

  /** The way for a stream to this connection. */
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
      // A response that waits for the one before it on its connection does not hear that this was closed.
      socket.once("close", gone);
      // Who hung up before this will not do so again.
      if (socket.destroyed) setImmediate(gone);
      let isBegun = false;
      const sink = {
        write: (text: string) => {
          if (text === "") return to.flushHeaders();
          this.#open.get(to)?.refresh();
          if (isBegun && hasRoomFor(text, to)) socket.write(chunkOf(text));
          else to.write(text);
          isBegun = true;
        },
        unread: () => (to.writableNeedDrain ? to.writableLength : 0),
        end: (last: string) => void to.end(last),
        fail: () => void to.destroy(),
      };
      return { sink, response: this.#sent };
    };
  }

  /**
   * Streams that would go on for ever are cut; those that have more to say, or said what was not read yet, are brought
   * to their readers, for as long as the door waits. None is ended as if it were whole: only the stream itself knows that.
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
    this.#open.set(to, this.#isEnding ? setTimeout(cutOff, LAST_WORD_MILLISECONDS) : undefined);
  }
}

/**
 * Whether a chunk can be written past the response: to a connection that is its own and that nobody has ended, with
 * nothing of it that waits, and with room left. How far a reader is behind, and when it has read all, the response alone
 * says: so what has no room goes through it. It would write each chunk in three pieces, at the end of the tick, which
 * takes a busy server as long as all that it does for a word.
 */
function hasRoomFor(text: string, to: ServerResponse): boolean {
  const { socket } = to;
  if (!to.chunkedEncoding || !socket?.writable) return false;
  const waiting = socket.writableLength;
  return to.writableLength === waiting && waiting + text.length < socket.writableHighWaterMark;
}

const chunkOf = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
