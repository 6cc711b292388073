/**
 * The last `limit` bytes of a command's output. The cut is made at the start and between characters, so that the text
 * stays valid; memory stays close to the bound.
 */

/** The extra length before a cut, so that a small limit does not cut at every chunk. */
const MAX_TAIL_LENGTH = 65_536;

export class OutputTail {
  readonly #limit: number;
  #text = "";
  #bytes = 0;
  #isCut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(text: string): void {
    this.#text += text;
    this.#bytes += Buffer.byteLength(text);
    if (this.#bytes <= this.#limit) return;
    this.#isCut = true;
    // Not each time: every byte is copied a fixed number of times.
    if (this.#bytes > 2 * this.#limit + MAX_TAIL_LENGTH) this.#cut();
  }

  read(): { readonly output: string; readonly truncated: boolean } {
    if (this.#bytes > this.#limit) this.#cut();
    return { output: this.#text, truncated: this.#isCut };
  }

  #cut(): void {
    const all = Buffer.from(this.#text);
    let start = all.length - this.#limit;
    while (isInsideCharacter(all[start])) start += 1;
    this.#text = all.toString("utf8", start);
    this.#bytes = all.length - start;
  }
}

const isInsideCharacter = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
