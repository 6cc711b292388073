/** Characters that a person cannot see as they are, or that shells and readers disagree on. */
import { excerpt } from "./excerpt.js";

// Emoji are joined and coloured with invisible characters; these are seen, so they are no trouble.
const EMOJI =
  /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?(?:\u200D\p{Extended_Pictographic}\p{Emoji_Modifier}?\uFE0F?)*/gu;
const CONTROL = /(?![\n\t])\p{Cc}/u;
/** Also every space but the common one, halves of characters, and the empty braille pattern. */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}|\p{Cf}|\p{Cs}|(?! )\p{Z}|\u2800/u;

export function strangeCharacters(text: string): readonly string[] {
  const doubts: string[] = [];
  const control = CONTROL.exec(text);
  if (control) doubts.push(`it has a control character (${excerpt(control[0])})`);
  if (isAscii(text)) return doubts;
  const invisible = INVISIBLE.exec(text.replaceAll(EMOJI, ""));
  if (invisible) doubts.push(`it has an invisible or misleading character (${excerpt(invisible[0])})`);
  return doubts;
}

export function isAscii(text: string): boolean {
  return !/\P{ASCII}/u.test(text);
}
