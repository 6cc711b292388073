/**
 * The terms of a search that someone typed: words, all of which must be there; "several words" in quotes, one after the
 * other; `begin*`, the beginning of a word.
 */
export type SearchTerm = {
  /** A word, or several that must follow each other. */
  readonly text: string;
  readonly isPrefix: boolean;
};

const MAX_TERMS = 32;
const MAX_TERM_LENGTH = 200;
/** A shorter prefix would match too many words. */
const MIN_PREFIX_LENGTH = 2;

export function searchTerms(typed: string): readonly SearchTerm[] {
  const pieces = typed.slice(0, MAX_TERMS * MAX_TERM_LENGTH).matchAll(/"([^"]*)(?:"|$)|(\S+)/gu);
  const terms: SearchTerm[] = [];
  for (const [, phrase, word = ""] of pieces) {
    const text = (phrase ?? word).replace(/\*+$/u, "").slice(0, MAX_TERM_LENGTH);
    // Without a letter or digit the term has no word, and nothing would ever be found.
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    const isPrefix = phrase === undefined && word.endsWith("*") && text.length >= MIN_PREFIX_LENGTH;
    terms.push({ text, isPrefix });
    if (terms.length === MAX_TERMS) break;
  }
  return terms;
}
