/** `a{b,c}` and `{1..3}` as bash expands them: first of all, and by their letters alone. */
import type { LiteralPart, WordPart } from "unbash";

const MAX_WORDS = 200;

/** The parts of each word that the word becomes; undefined when that is not certain. */
export function expandBraces(parts: readonly WordPart[]): readonly (readonly WordPart[])[] | undefined {
  let words: readonly (readonly WordPart[])[] = [[]];
  for (const [at, part] of parts.entries()) {
    if (part.type !== "BraceExpansion") {
      words = words.map((word) => [...word, part]);
      continue;
    }
    const choices = choicesIn(part.text);
    const before = parts[at - 1];
    // `$x{a,b}` is `$xa $xb`.
    const isName = before?.type === "SimpleExpansion" && choices?.some((choice) => /^\w/.test(choice));
    if (!choices || isName || words.length * choices.length > MAX_WORDS) return undefined;
    words = words.flatMap((word) => choices.map((choice) => [...word, literal(choice)]));
  }
  return words;
}

const literal = (text: string): LiteralPart => ({ type: "Literal", text, value: text, pos: 0, end: 0 });

function choicesIn(text: string): readonly string[] | undefined {
  const range = /^\{(?<first>0|[1-9]\d{0,5})\.\.(?<last>0|[1-9]\d{0,5})\}$/.exec(text)?.groups;
  if (range) return numbersBetween(Number(range["first"]), Number(range["last"]));
  return /^\{[\w./@%+:-]*(?:,[\w./@%+:-]*)+\}$/.test(text) ? text.slice(1, -1).split(",") : undefined;
}

function numbersBetween(first: number, last: number): readonly string[] | undefined {
  const count = Math.abs(last - first) + 1;
  if (count > MAX_WORDS) return undefined;
  return Array.from({ length: count }, (_, index) => `${last < first ? first - index : first + index}`);
}
