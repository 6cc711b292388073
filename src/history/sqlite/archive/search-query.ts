/**
 * What someone typed, as an expression of FTS5's that means just that: words, all of which must be there;
 * "several words" in quotes, one after the other; `begin*`, the beginning of a word.
 *
 * What must stay true: every piece stands in quotes of ours, so nothing that is typed is ever syntax.
 */
import { hash } from "node:crypto";

const MOST_WORDS = 32;
const LONGEST_WORD = 200;
/** Shorter beginnings are those of half the words there are. */
const SHORTEST_BEGINNING = 2;

/** Undefined when there is no word in it: then nothing is found. */
export function searchExpression(typed: string, tags: readonly string[]): string | undefined {
  const words = wordsOf(typed);
  if (words.length === 0) return undefined;
  const tagged = tags.map((tag) => `tags : ${quoted(tag)} AND `).join("");
  return `${tagged}text : (${words.join(" AND ")})`;
}

/** A word that only we use, for what a search is narrowed to. */
export function tagOf(what: "session" | "tool" | "kind" | "role", value: string | number): string {
  return `${what}${hash("sha256", String(value)).slice(0, 20)}`;
}

function wordsOf(typed: string): readonly string[] {
  const pieces = typed.slice(0, MOST_WORDS * LONGEST_WORD).matchAll(/"([^"]*)(?:"|$)|(\S+)/gu);
  const words: string[] = [];
  for (const [, phrase, word = ""] of pieces) {
    const text = (phrase ?? word).replace(/\*+$/u, "").slice(0, LONGEST_WORD);
    // What has no letter or digit is no word to FTS5 either, and would never be found.
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    const isBeginning = phrase === undefined && word.endsWith("*") && text.length >= SHORTEST_BEGINNING;
    words.push(isBeginning ? `${quoted(text)} *` : quoted(text));
    if (words.length === MOST_WORDS) break;
  }
  return words;
}

function quoted(text: string): string {
  // NUL would end the expression, and half a surrogate pair is no UTF-8.
  return `"${text
    .replaceAll("\0", " ")
    .replace(/\p{Cs}/gu, " ")
    .replaceAll('"', '""')}"`;
}
