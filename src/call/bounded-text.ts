/**
 * Streamed output, folded into its beginning and its end.
 *
 * A command may print for hours; we keep the first and the last of it and how much there was.
 * What is shown must not depend on how the stream was cut into chunks, and an append must not copy
 * what came before: the tail may grow to twice its limit, so cutting it back costs, over time, a
 * fixed number of copies per character that arrived.
 * All numbers count UTF-16 units.
 */
import { pluralize } from "./pluralize.js";

export type BoundedText = {
  /** The first units, up to HEAD_LIMIT. */
  readonly head: string;
  /** The last units after the head: at least TAIL_LIMIT of them, if there were as many, at most twice that. */
  readonly tail: string;
  /** All that ever arrived. */
  readonly total: number;
};

export const HEAD_LIMIT = 16_384;
export const TAIL_LIMIT = 49_152;
export const EMPTY_TEXT: BoundedText = Object.freeze({ head: "", tail: "", total: 0 });

/** `skipped`: how many units before the chunk are not there to be appended. */
export function appendText(text: BoundedText, chunk: string, skipped = 0): BoundedText {
  if (skipped > 0) return afterGap(text, chunk, skipped);
  if (chunk === "") return text;
  const total = text.total + chunk.length;
  // Once something follows the head, it grows no more.
  const room = text.total === text.head.length ? HEAD_LIMIT - text.head.length : 0;
  if (chunk.length < room) return { head: text.head + chunk, tail: "", total };
  const head = room > 0 ? ownCopy(text.head + chunk.slice(0, room)) : text.head;
  return { head, tail: appendTail(text.tail, chunk, room), total };
}

/** What came before a gap is no longer the end: the tail begins anew. */
function afterGap({ head, total }: BoundedText, chunk: string, skipped: number): BoundedText {
  return { head, tail: ownCopy(chunk.slice(-TAIL_LIMIT)), total: total + skipped + chunk.length };
}

export function boundText(whole: string): BoundedText {
  return appendText(EMPTY_TEXT, whole);
}

/** The text as people and models see it, with a line that says how much was left out, if any was. */
export function shownText(text: BoundedText): string {
  if (!isCut(text)) return text.head + text.tail;
  const count = pluralize(leftOut(text), "character").replace(/\B(?=(\d{3})+ )/g, ",");
  return `${shownHead(text)}\n… ${count} left out …\n${shownTail(text)}`;
}

/** How many units `shownText` does not show. */
export function leftOut(text: BoundedText): number {
  return isCut(text) ? text.total - shownHead(text).length - shownTail(text).length : 0;
}

/**
 * What arrived after the first `total` units, for a reader who has seen those; it may begin in the
 * middle of a surrogate pair if that is where the reader stopped. Undefined when part of it is no longer
 * held, or when `total` was never reached: then the reader has to start again from `shownText`.
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
function ownCopy(slice: string): string {
  return ` ${slice}`.slice(1);
}

const isCut = ({ head, tail, total }: BoundedText): boolean =>
  total > HEAD_LIMIT + TAIL_LIMIT || total > head.length + tail.length;

// At a cut, half a surrogate pair is dropped. Only the unit at the cut decides: whether its other half
// is still held depends on the chunks.
function shownHead({ head }: BoundedText): string {
  return /[\uD800-\uDBFF]$/.test(head.slice(-1)) ? head.slice(0, -1) : head;
}

function shownTail(text: BoundedText): string {
  const tail = text.tail.slice(-TAIL_LIMIT);
  return /^[\uDC00-\uDFFF]/.test(tail) ? tail.slice(1) : tail;
}
