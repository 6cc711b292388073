/**
 * Text as units that must not be cut in two: a character with its combining marks, and an emoji of several characters.
 * Only the sequences that Unicode lists as emoji count as one: the same joiners and selectors elsewhere hide text.
 */

/** Characters that only sequences contain. Most texts have none, and the list of emoji is long. */
// oxlint-disable-next-line no-misleading-character-class -- parts of emoji are what it looks for
const JOINS = /[\u200D\uFE0F\u20E3\u{1F1E6}-\u{1F1FF}\u{1F3FB}-\u{1F3FF}\u{E0020}-\u{E007F}]/u;
const PLAIN_UNIT = /\P{M}\p{M}*|\p{M}+/gu;
// Made on first use, since it is large. The compiler's target has no literal with this flag.
const withEmoji = (): RegExp => new RegExp(String.raw`\p{RGI_Emoji}|\P{M}\p{M}*|\p{M}+`, "gv");
const onlyEmoji = (): RegExp => new RegExp(String.raw`^\p{RGI_Emoji}$`, "v");

let unitWithEmoji: RegExp | undefined;
let emoji: RegExp | undefined;

export const mayHaveEmojiSequence = (text: string): boolean => JOINS.test(text);

export function textUnits(text: string): readonly string[] {
  if (!mayHaveEmojiSequence(text)) return text.match(PLAIN_UNIT) ?? [];
  unitWithEmoji ??= withEmoji();
  return text.match(unitWithEmoji) ?? [];
}

/** Whether the unit is an emoji that Unicode lists, whole. */
export function isEmoji(unit: string): boolean {
  emoji ??= onlyEmoji();
  return emoji.test(unit);
}
