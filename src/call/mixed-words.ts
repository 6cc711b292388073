/** Words whose letters come from several alphabets: one of them may look like another letter ("lѕ" with a Cyrillic ѕ). */

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const LATIN = /\p{Script=Latin}/u;
/** Alphabets with letters that look like Latin ones. */
const LIKE_LATIN = /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}]/gu;

const MAX_WORDS = 20;

/** "“lѕ” has letters of several alphabets: ѕ is U+0455", one sentence for each such word. */
export function mixedWords(text: string): readonly string[] {
  const found = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    if (!LATIN.test(word)) continue;
    const letters = [...new Set(word.match(LIKE_LATIN) ?? [])];
    if (letters.length === 0) continue;
    const codes = letters.map((letter) => `${letter} is ${codeOf(letter)}`).join(", ");
    found.add(`“${word}” has letters of several alphabets: ${codes}`);
    if (found.size === MAX_WORDS) break;
  }
  return [...found];
}

const codeOf = (letter: string): string =>
  `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
