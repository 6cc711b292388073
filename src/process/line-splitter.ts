/**
 * Splits a stream of bytes into lines, in bounded memory. A line that is too long is dropped and reported once,
 * and the line after it is read again. Only new bytes are searched, so a long line costs no more than its length.
 */
const NEWLINE = 0x0a;

export type LineSplitterOptions = {
  readonly maxBytes: number;
  /** The bytes of one line without its separator; they share memory with the chunk they came in. */
  readonly onLine: (line: Buffer) => void;
  readonly onTooLong?: () => void;
  /** One byte; a newline by default. */
  readonly separator?: number;
};

export class LineSplitter {
  readonly #options: LineSplitterOptions;
  #parts: Buffer[] = [];
  #bytes = 0;

  constructor(options: LineSplitterOptions) {
    this.#options = options;
  }

  add(chunk: Buffer): void {
    const { separator = NEWLINE } = this.#options;
    let from = 0;
    for (let end = chunk.indexOf(separator); end !== -1; end = chunk.indexOf(separator, from)) {
      this.#keep(chunk.subarray(from, end));
      this.#emit();
      from = end + 1;
    }
    if (from < chunk.length) this.#keep(from === 0 ? chunk : chunk.subarray(from));
  }

  /** Emits a last line that has no separator. */
  end(): void {
    if (this.#bytes > 0) this.#emit();
  }

  /** The length of the line that has not ended yet, dropped bytes included. */
  get pendingBytes(): number {
    return this.#bytes;
  }

  #keep(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes > this.#options.maxBytes) this.#parts = [];
    else this.#parts.push(part);
  }

  #emit(): void {
    const { maxBytes, onLine, onTooLong } = this.#options;
    const parts = this.#parts;
    const isTooLong = this.#bytes > maxBytes;
    this.#parts = [];
    this.#bytes = 0;
    if (isTooLong) onTooLong?.();
    else onLine(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts));
  }
}
