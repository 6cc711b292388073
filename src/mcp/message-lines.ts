/** Cuts a stream of bytes into lines. One that is too long is left out, and what follows it is read again. */
const NEWLINE = 0x0a;

export class MessageLines {
  #parts: Buffer[] = [];
  #length = 0;
  #isTooLong = false;

  constructor(
    readonly maxBytes: number,
    readonly onLine: (line: string) => void,
    readonly onTooLong: () => void,
  ) {}

  add(bytes: Buffer): void {
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      this.#keep(bytes.subarray(from, end));
      this.#finish();
      from = end + 1;
    }
    this.#keep(bytes.subarray(from));
  }

  #keep(part: Buffer): void {
    if (part.length === 0 || this.#isTooLong) return;
    this.#length += part.length;
    if (this.#length <= this.maxBytes) {
      this.#parts.push(part);
      return;
    }
    this.#isTooLong = true;
    this.#parts = [];
  }

  #finish(): void {
    const line = Buffer.concat(this.#parts).toString("utf8");
    const wasTooLong = this.#isTooLong;
    this.#parts = [];
    this.#length = 0;
    this.#isTooLong = false;
    if (wasTooLong) this.onTooLong();
    else if (line.trim() !== "") this.onLine(line);
  }
}
