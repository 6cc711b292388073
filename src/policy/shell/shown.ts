/** A piece of the text as a doubt shows it: short, and with nothing in it that could not be seen. */
const LONGEST = 60;
const UNSEEN = /[^\p{L}\p{N}\p{P}\p{S} ]/gu;

export function shown(text: string): string {
  const short = text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
  return short.replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
