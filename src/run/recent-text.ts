/**
 * The last of a text that arrives in chunks, and how much of it was let go.
 *
 * Taking in a chunk copies nothing and takes the same time however much came before: chunks go into one
 * list, and when that holds enough, the list before it is let go whole. So it holds no more than a few
 * times its limit. No chunk may begin or end inside a surrogate pair. All numbers count UTF-16 units.
 */
import { ownCopy } from "../call/bounded-text.js";

export class RecentText {
  readonly #limit: number;
  #older: readonly string[] = [];
  #newer: string[] = [];
  #newerLength = 0;
  #arrived = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** How much has come since the last `take`. */
  get arrived(): number {
    return this.#arrived;
  }

  push(chunk: string): void {
    this.#arrived += chunk.length;
    // A chunk as long as this pushes out all the others.
    if (chunk.length > 2 * this.#limit) return this.#startList([endOf(chunk, this.#limit)]);
    this.#newer.push(chunk);
    this.#newerLength += chunk.length;
    if (this.#newerLength >= this.#limit) this.#startList(this.#newer);
  }

  /** The last `limit` units, one more where a pair would be cut, or all if there are no more; and forgets them. */
  take(): { readonly skipped: number; readonly text: string } {
    const held = [...this.#older, ...this.#newer].join("");
    const text = held.length > this.#limit ? endOf(held, this.#limit) : held;
    const skipped = this.#arrived - text.length;
    this.#startList([]);
    this.#arrived = 0;
    return { skipped, text };
  }

  /** Lets all go but these. */
  #startList(older: readonly string[]): void {
    this.#older = older;
    this.#newer = [];
    this.#newerLength = 0;
  }
}

function endOf(text: string, length: number): string {
  const start = text.length - length;
  return ownCopy(text.slice(isInsidePair(text, start) ? start - 1 : start));
}

export function isInsidePair(text: string, index: number): boolean {
  return isFirstHalf(text.charCodeAt(index - 1)) && (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

export function isFirstHalf(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}
