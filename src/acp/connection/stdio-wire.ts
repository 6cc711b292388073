/**
 * One JSON message a line, over a pair of pipes. A line that is no JSON, or too long, is reported and dropped, and
 * the next one is read. The messages of one turn of the event loop go out in one write, or in a few when they are
 * long.
 */
import type { Readable, Writable } from "node:stream";
// Not the whole room: this file is loaded before the first message is answered.
import { checkOptions, having, required } from "../../call/check-options.js";
import { LineSplitter } from "../../process/line-splitter.js";
import { isJsonObject } from "../json.js";
import { CODE } from "./message.js";
import type { Wire, WireListener } from "./wire.js";

/** A legal message of 31 MiB passes. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

/** Characters that may wait for a side that does not read. By far more than the longest message. */
const MAX_UNSENT_CHARACTERS = 64 * 1024 * 1024;

/** A longer text goes to the pipe in chunks of this size. */
const CHUNK_BYTES = 1024 * 1024;

/** A longer batch is written at once, so that the other side can begin to read. */
const MAX_BATCH_CHARACTERS = 32 * 1024;

/** The longest time to wait for a side that reads nothing. */
const STALL_TIMEOUT_MS = 5_000;

export function stdioWire(input: Readable, output: Writable): Wire {
  checkOptions("stdioWire", { input, output }, { input: required(READABLE), output: required(WRITABLE) });
  return new StdioWire(input, output);
}

const READABLE = having("a stream to read from", "on");
const WRITABLE = having("a stream to write to", "write");

class StdioWire implements Wire {
  readonly #input: Readable;
  readonly #output: Writable;
  #lines: string[] = [];
  #waiting = 0;
  #isScheduled = false;
  /** While a long text is written in chunks: no other text may come between them. */
  #isInChunks = false;
  #isGone = false;
  /** Writes that the other side has read. */
  #taken = 0;
  #isWatched = false;
  #emptied: (() => void)[] = [];

  constructor(input: Readable, output: Writable) {
    this.#input = input;
    this.#output = output;
    const gone = () => {
      this.#isGone = true;
      this.#settle();
    };
    // Without a listener a closed pipe would end the process.
    output.on("error", gone);
    output.on("close", gone);
  }

  send(message: object): void {
    this.sendText(JSON.stringify(message));
  }

  sendText(line: string): void {
    if (this.#isGone) return;
    this.#lines.push(line);
    this.#waiting += line.length + 1;
    if (this.#waiting >= MAX_BATCH_CHARACTERS && !this.#isInChunks) return this.#flush();
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#flushLater);
  }

  get unsent(): number {
    return this.#waiting + this.#output.writableLength;
  }

  drained(): Promise<void> {
    if (this.#isGone || this.unsent === 0) return Promise.resolve();
    return new Promise((resolve) => this.#emptied.push(resolve));
  }

  async listen(listener: WireListener): Promise<void> {
    const lines = messageLines(listener);
    try {
      for await (const chunk of this.#input) lines.add(chunk as Buffer); // a pipe without an encoding
    } catch {
      // A broken pipe has ended: half a line does not count.
      return;
    }
    lines.end();
  }

  async close(): Promise<void> {
    // A side that does not read must not block the close.
    const timeout = AbortSignal.timeout(STALL_TIMEOUT_MS);
    const isOver = new Promise((resolve) => timeout.addEventListener("abort", resolve, { once: true }));
    do {
      await Promise.race([this.drained(), isOver]);
      // A sender that waited for room may send more.
      await new Promise(setImmediate);
    } while (!this.#isGone && this.unsent > 0 && !timeout.aborted);
    this.#isGone = true;
    this.#input.destroy();
    if (!this.#output.writableEnded && this.#output !== process.stdout) this.#output.end();
  }

  readonly #flushLater = (): void => {
    this.#isScheduled = false;
    if (this.#lines.length > 0) this.#flush();
  };

  #flush(): void {
    // The last line ends too.
    this.#lines.push("");
    const text = this.#lines.join("\n");
    this.#lines = [];
    this.#waiting = 0;
    if (this.#isGone) return this.#settle();
    if (text.length <= CHUNK_BYTES) this.#output.write(text, this.#onTaken);
    else {
      // In chunks, so that progress can be seen. The chunks are bytes: a cut text could lose the character at the cut.
      const bytes = Buffer.from(text);
      this.#isInChunks = true;
      for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
        this.#output.write(bytes.subarray(start, start + CHUNK_BYTES), this.#onTaken);
      this.#isInChunks = false;
    }
    if (this.unsent > MAX_UNSENT_CHARACTERS) this.#watch();
  }

  readonly #onTaken = (): void => {
    this.#taken += 1;
    if (this.unsent === 0) this.#settle();
  };

  /** Gives up when the other side reads nothing for the whole timeout. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const before = this.#taken;
    setTimeout(() => {
      this.#isWatched = false;
      if (this.#isGone || this.unsent <= MAX_UNSENT_CHARACTERS) return;
      if (this.#taken === before) this.#giveUp();
      else this.#watch();
    }, STALL_TIMEOUT_MS).unref();
  }

  /** Drops the unsent messages: for this side the connection has ended. */
  #giveUp(): void {
    this.#isGone = true;
    this.#lines = [];
    this.#waiting = 0;
    this.#input.destroy();
    this.#settle();
  }

  #settle(): void {
    const emptied = this.#emptied;
    this.#emptied = [];
    for (const resolve of emptied) resolve();
  }
}

/** Reads one JSON object a line. A line that is no JSON, or too long, is reported and dropped. */
function messageLines(listener: WireListener): LineSplitter {
  return new LineSplitter({
    maxBytes: MAX_LINE_BYTES,
    onLine: (line) => readLine(line.toString("utf8"), listener),
    onTooLong: () =>
      listener.unreadable(CODE.invalidRequest, `The message is longer than ${MAX_LINE_BYTES} bytes.`),
  });
}

function readLine(line: string, listener: WireListener): void {
  let message: unknown;
  try {
    message = JSON.parse(line);
  } catch {
    const text = line.replace(/^\uFEFF/, "").trim();
    if (text === "") return;
    // A mark at the beginning of a text is not part of it.
    if (text !== line) return readLine(text, listener);
    return listener.unreadable(CODE.parseError, "The line is not JSON.");
  }
  if (isJsonObject(message)) return listener.message(message);
  listener.unreadable(CODE.invalidRequest, "A message is one JSON object; there are no batches.");
}
