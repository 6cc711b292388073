/**
 * Writes responses to those who asked. One that is whole goes out in one piece; a stream goes out as fast as its reader
 * takes it, and is cut where it breaks off: a reader then sees that it has not all of it.
 */
import { once } from "node:events";
import type { ServerResponse } from "node:http";

/** How long a stream may be silent before it is over, once the server ends. */
const LAST_WORD_MILLISECONDS = 250;

type Reader = ReadableStreamDefaultReader<Uint8Array>;

export class ResponseWriter {
  /** Cuts off streams that have nothing to say at the moment. */
  readonly #silent = new Set<() => void>();
  #isEnding = false;

  async write(response: Response, to: ServerResponse): Promise<void> {
    const headers = Object.fromEntries(response.headers);
    if (headers["content-type"] === "text/event-stream" && response.body) {
      to.writeHead(response.status, headers).flushHeaders();
      return this.#stream(response.body.getReader(), to);
    }
    const body = Buffer.from(await response.arrayBuffer());
    // To a look at the head alone the length would be a lie.
    const length = to.req.method === "HEAD" ? {} : { "content-length": String(body.length) };
    to.writeHead(response.status, response.status === 204 ? headers : { ...headers, ...length }).end(body);
  }

  /**
   * Streams that would go on for ever are cut; those that have more to say are brought to their readers. None is ended
   * as if it were whole: only the stream itself knows that.
   */
  end(): void {
    this.#isEnding = true;
    for (const cutOff of this.#silent)
      setTimeout(() => this.#silent.has(cutOff) && cutOff(), LAST_WORD_MILLISECONDS);
  }

  async #stream(reader: Reader, to: ServerResponse): Promise<void> {
    const hungUp = new AbortController();
    to.once("close", () => {
      hungUp.abort();
      // It may have ended by itself.
      void reader.cancel().catch(() => undefined);
    });
    // At once, and not when its reader has taken what came before: there may be none.
    reader.closed.catch(() => to.destroy());
    try {
      for (;;) {
        const { done, value } = await this.#next(reader, to);
        if (hungUp.signal.aborted) return;
        if (done) break;
        if (!to.write(value)) await once(to, "drain", { signal: hungUp.signal });
      }
      to.end();
    } catch {
      // The stream broke off, or nobody is there any more.
      to.destroy();
    }
  }

  async #next(reader: Reader, to: ServerResponse): ReturnType<Reader["read"]> {
    const cutOff = () => void to.destroy();
    const patience = this.#isEnding ? setTimeout(cutOff, LAST_WORD_MILLISECONDS) : undefined;
    this.#silent.add(cutOff);
    try {
      return await reader.read();
    } finally {
      clearTimeout(patience);
      this.#silent.delete(cutOff);
    }
  }
}
