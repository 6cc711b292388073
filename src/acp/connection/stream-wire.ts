/** A wire over the SDK's `Stream`, for its transports: Streamable HTTP and WebSocket, either side. */
import type { AnyMessage, Stream } from "@agentclientprotocol/sdk";
import { checkOptions, having, required } from "../../call/check-options.js";
import { isJsonObject } from "../json.js";
import { CODE } from "./message.js";
import type { Wire, WireListener } from "./wire.js";

export function streamWire(stream: Stream): Wire {
  checkOptions<Stream>("streamWire", stream, {
    readable: required(having("a ReadableStream", "getReader")),
    writable: required(having("a WritableStream", "getWriter")),
  });
  const { readable, writable } = stream;
  return new StreamWire(readable.getReader(), writable.getWriter());
}

/** The longest time to wait for the last messages. */
const CLOSE_TIMEOUT_MS = 5_000;

class StreamWire implements Wire {
  readonly #reader: ReadableStreamDefaultReader<AnyMessage>;
  readonly #writer: WritableStreamDefaultWriter<AnyMessage>;
  /** The last write; it comes when all before it have been taken. */
  #sent: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(
    reader: ReadableStreamDefaultReader<AnyMessage>,
    writer: WritableStreamDefaultWriter<AnyMessage>,
  ) {
    this.#reader = reader;
    this.#writer = writer;
    writer.closed.catch(() => undefined);
  }

  // A message that the transport cannot write would close the connection for good, so this throws first.
  send(message: object): void {
    const { length } = JSON.stringify(message);
    this.#waiting += length;
    // The peer writes JSON-RPC messages and nothing else.
    this.#sent = this.#writer
      .write(message as AnyMessage)
      .catch(() => undefined)
      .finally(() => {
        this.#waiting -= length;
      });
  }

  get unsent(): number {
    return this.#waiting;
  }

  drained(): Promise<void> {
    return this.#sent;
  }

  async listen(listener: WireListener): Promise<void> {
    for (;;) {
      const { done, value } = await this.#reader.read().catch(() => ({ done: true, value: undefined }));
      if (done) return;
      if (isJsonObject(value)) listener.message(value);
      else listener.unreadable(CODE.invalidRequest, "A message is one JSON object; there are no batches.");
    }
  }

  async close(): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
    await Promise.race([this.#sent, timeout]);
    await Promise.race([Promise.allSettled([this.#reader.cancel(), this.#writer.close()]), timeout]);
  }
}
