/**
 * The terms of a search as an expression of FTS5.
 *
 * Invariant: every term is quoted here, so typed text is never syntax.
 */
import { hash } from "node:crypto";
import { searchTerms } from "../../search-terms.js";

/** Undefined when the text has no word: then nothing is found. */
export function searchExpression(typed: string, tags: readonly string[]): string | undefined {
  const terms = searchTerms(typed);
  if (terms.length === 0) return undefined;
  const words = terms.map(({ text, isPrefix }) => (isPrefix ? `${quoted(text)} *` : quoted(text)));
  const tagged = tags.map((tag) => `tags : ${quoted(tag)} AND `).join("");
  return `${tagged}text : (${words.join(" AND ")})`;
}

/** A reserved word for a filter of the search. */
export function tagOf(what: "session" | "tool" | "kind" | "role", value: string | number): string {
  return `${what}${hash("sha256", String(value)).slice(0, 20)}`;
}

function quoted(text: string): string {
  // NUL would end the expression, and half a surrogate pair is not UTF-8.
  return `"${text
    .replaceAll("\0", " ")
    .replace(/\p{Cs}/gu, " ")
    .replaceAll('"', '""')}"`;
}
