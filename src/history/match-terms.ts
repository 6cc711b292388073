/** Whether a text has all the terms of a search, and the piece of it around the first match. */
import type { SearchHit } from "../call/index.js";
import type { SearchTerm } from "./search-terms.js";

/** The number of words in an excerpt, and of those before the first match. */
const EXCERPT_WORDS = 32;
const WORDS_BEFORE = 8;

type Word = { readonly key: string; readonly from: number; readonly to: number };

export function matchTerms(text: string, terms: readonly SearchTerm[]): SearchHit["excerpt"] | undefined {
  const words = wordsOf(text);
  const matched = new Set<number>();
  for (const term of terms) {
    const found = placesOf(term, words);
    if (found.length === 0) return undefined;
    for (const place of found) matched.add(place);
  }
  return matched.size === 0 ? undefined : excerpt(text, words, matched);
}

/** Words without case and accents. */
export function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)].map(({ 0: word, index }) => ({
    key: word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase(),
    from: index,
    to: index + word.length,
  }));
}

/** The indexes of all words that belong to a match. */
function placesOf({ text, isPrefix }: SearchTerm, words: readonly Word[]): readonly number[] {
  const wanted = wordsOf(text).map(({ key }) => key);
  const isAt = (place: number) =>
    wanted.every((key, offset) => {
      const word = words[place + offset]?.key;
      return isPrefix && offset === wanted.length - 1 ? word?.startsWith(key) : word === key;
    });
  return words.flatMap((_, place) => (isAt(place) ? wanted.map((_key, offset) => place + offset) : []));
}

function excerpt(text: string, words: readonly Word[], matched: ReadonlySet<number>): SearchHit["excerpt"] {
  const first = Math.max(0, Math.min(...matched) - WORDS_BEFORE);
  const shown = words.slice(first, first + EXCERPT_WORDS);
  const isCut = words.length > first + EXCERPT_WORDS;
  const parts: { text: string; isMatch: boolean }[] = [];
  const add = (piece: string, isMatch: boolean) => {
    const last = parts.at(-1);
    if (last?.isMatch === isMatch) last.text += piece;
    else if (piece !== "") parts.push({ text: piece, isMatch });
  };
  let at = first === 0 ? 0 : (shown[0]?.from ?? 0);
  if (first > 0) add("…", false);
  for (const [offset, { from, to }] of shown.entries()) {
    add(text.slice(at, from), matched.has(first + offset) && matched.has(first + offset - 1));
    add(text.slice(from, to), matched.has(first + offset));
    at = to;
  }
  add(isCut ? "…" : text.slice(at), false);
  return parts;
}
