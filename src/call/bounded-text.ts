/**
 * Streamed output, of which the beginning and the end are kept.
 *
 * A command may print for hours, so only its head, its tail and its length are kept.
 * Invariants: the shown text does not depend on how the stream was cut into chunks, and an append does not
 * copy all earlier text: the tail may grow to twice its limit before it is cut, so that each character is
 * copied a constant number of times on average.
 * All numbers count UTF-16 units.
 */
import { pluralize } from "./amounts.js";

export type BoundedText = {
  /** The first units, up to HEAD_LIMIT. */
  readonly head: string;
  /** The last units after the head: at least TAIL_LIMIT of them, if there were as many, at most twice that. */
  readonly tail: string;
  /** The length of the whole stream. */
  readonly total: number;
};

export const HEAD_LIMIT = 16_384;
export const TAIL_LIMIT = 49_152;
export const EMPTY_TEXT: BoundedText = Object.freeze({ head: "", tail: "", total: 0 });

/** `skipped`: the number of units that are missing before the chunk. */
export function appendText(text: BoundedText, chunk: string, skipped = 0): BoundedText {
  if (skipped > 0) return afterGap(text, chunk, skipped);
  if (chunk === "") return text;
  const total = text.total + chunk.length;
  // The head no longer grows once text follows it.
  const room = text.total === text.head.length ? HEAD_LIMIT - text.head.length : 0;
  if (chunk.length < room) return { head: text.head + chunk, tail: "", total };
  const head = room > 0 ? ownCopy(text.head + chunk.slice(0, room)) : text.head;
  return { head, tail: appendTail(text.tail, chunk, room), total };
}

/** Text before a gap is no longer the end, so the tail starts again after it. */
function afterGap({ head, total }: BoundedText, chunk: string, skipped: number): BoundedText {
  return { head, tail: ownCopy(chunk.slice(-TAIL_LIMIT)), total: total + skipped + chunk.length };
}

export function boundText(whole: string): BoundedText {
  return appendText(EMPTY_TEXT, whole);
}

/** The text for people and models, with a line that says how much is left out, if any is. */
export function shownText(text: BoundedText): string {
  if (!isCut(text)) return text.head + text.tail;
  const count = pluralize(leftOut(text), "character").replace(/\B(?=(\d{3})+ )/g, ",");
  return `${shownHead(text)}\n… ${count} left out …\n${shownTail(text)}`;
}

/** The number of units that `shownText` leaves out. */
export function leftOut(text: BoundedText): number {
  return isCut(text) ? text.total - shownHead(text).length - shownTail(text).length : 0;
}

/**
 * The text after the first `total` units, for a reader that has those; it may begin in the middle of a
 * surrogate pair if the reader stopped there. Undefined when part of it was dropped, or when `total` was
 * never reached: then the reader must start again from `shownText`.
 */
export function textSince(text: BoundedText, total: number): string | undefined {
  if (total < 0 || total > text.total) return undefined;
  const tailStart = text.total - text.tail.length;
  if (total >= tailStart) return text.tail.slice(total - tailStart);
  const nothingDropped = tailStart === text.head.length;
  return nothingDropped ? text.head.slice(total) + text.tail : undefined;
}

function appendTail(tail: string, chunk: string, from: number): string {
  // A chunk longer than the whole tail pushes all of it out: no need to join them first.
  if (chunk.length - from >= TAIL_LIMIT) return ownCopy(chunk.slice(-TAIL_LIMIT));
  const joined = tail + chunk.slice(from);
  return joined.length > 2 * TAIL_LIMIT ? ownCopy(joined.slice(-TAIL_LIMIT)) : joined;
}

/** A slice keeps the string it was cut from alive, however large; joined to another string it is copied out. */
export function ownCopy(slice: string): string {
  return ` ${slice}`.slice(1);
}

const isCut = ({ head, tail, total }: BoundedText): boolean =>
  total > HEAD_LIMIT + TAIL_LIMIT || total > head.length + tail.length;

// At a cut, half a surrogate pair is dropped. Only the unit at the cut decides, since the chunks decide
// whether its other half is still stored.
function shownHead({ head }: BoundedText): string {
  return /[\uD800-\uDBFF]$/.test(head.slice(-1)) ? head.slice(0, -1) : head;
}

function shownTail(text: BoundedText): string {
  const tail = text.tail.slice(-TAIL_LIMIT);
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
}
