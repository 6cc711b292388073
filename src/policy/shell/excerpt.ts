/** A piece of the text as a doubt shows it: short, with invisible characters escaped. */
const MAX_LENGTH = 60;
const UNSEEN = /[^\p{L}\p{N}\p{P}\p{S} ]/gu;

export function excerpt(text: string): string {
  const short = text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text;
  return short.replaceAll(UNSEEN, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);
}
