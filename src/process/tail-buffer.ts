/** Keeps the last bytes of a stream, in bounded memory. */
export class TailBuffer {
  readonly #maxBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  add(bytes: Buffer): void {
    // A copy, so that a small tail does not keep a large buffer alive.
    const kept = Buffer.from(bytes.subarray(-this.#maxBytes));
    this.#chunks.push(kept);
    this.#bytes += kept.length;
    while (this.#bytes - (this.#chunks[0]?.length ?? 0) >= this.#maxBytes)
      this.#bytes -= this.#chunks.shift()?.length ?? 0;
  }

  get text(): string {
    return Buffer.concat(this.#chunks).subarray(-this.#maxBytes).toString("utf8");
  }
}
