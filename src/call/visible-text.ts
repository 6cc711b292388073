/**
 * Text for a person who must decide on it: no character may hide, reorder or overwrite others.
 *
 * Every such character is written as ⟨U+202E⟩, line ends and tabs as \n, \r and \t. Emoji of several characters stay
 * whole where Unicode lists them; the same joiners and selectors are written out everywhere else, since they hide text
 * there. The result is for display and cannot be reversed: a text may itself contain a backslash and an n. A second pass
 * changes nothing.
 */
import { isEmoji, mayHaveEmojiSequence, textUnits } from "./text-units.js";

/*
 * Controls (Cc), format and bidirectional characters (Cf), lone surrogates (Cs), all spaces but the
 * plain one, and characters that a font may leave out: fillers, joiners, variation selectors, tags.
 * Then three that are blank: the Braille blank, the object mark, the empty note head.
 */
const HIDDEN =
  /(?! )[\p{Cc}\p{Cf}\p{Cs}\p{Zs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\u2800\uFFFC\u{1D159}]/gu;

const PLAIN = /^[ -~]*$/;

const SHORT = new Map([
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** With `keepNewlines`, line feeds and tabs stay, for a display of many lines. */
export function visibleText(text: string, options: { readonly keepNewlines?: boolean } = {}): string {
  // Most texts are plain already.
  if (PLAIN.test(text)) return text;
  const kept = options.keepNewlines === true ? "\n\t" : "";
  if (!mayHaveEmojiSequence(text)) return escaped(text, kept);
  return textUnits(text)
    .map((unit) => (unit.length > 1 && isEmoji(unit) ? unit : escaped(unit, kept)))
    .join("");
}

function escaped(text: string, kept: string): string {
  return text.replace(HIDDEN, (character) => (kept.includes(character) ? character : spelled(character)));
}

function spelled(character: string): string {
  const short = SHORT.get(character);
  if (short !== undefined) return short;
  const hex = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return `⟨U+${hex}⟩`;
}

/**
 * At most `maxLength` code points on one line, shortened in the middle since the ends of a command or a
 * path matter most. A line break is shown as \n, because a shell does not take it for a space.
 */
export function oneLine(text: string, maxLength: number): string {
  // Most texts are plain already: no run of spaces, nothing to escape, and short enough.
  if (text.length <= maxLength && PLAIN_LINE.test(text)) return text;
  // Only the ends are read: the work must not grow with the text, and a cut must not split a character.
  const reach = 4 * maxLength + 16;
  const isHuge = text.length > 2 * reach;
  const head = units(isHuge ? text.slice(0, reach).replace(/[\uD800-\uDBFF]$/, "") : text);
  const tail = isHuge ? units(text.slice(-reach).replace(/^[\uDC00-\uDFFF]/, "")) : head;
  if (!isHuge && lengthOf(head.join("")) <= maxLength) return head.join("");
  if (maxLength < 1) return "";

  const tailRoom = Math.floor((maxLength - 1) / 2);
  const end = fitting(tail.toReversed(), tailRoom).toReversed();
  return `${fitting(head, maxLength - 1 - tailRoom).join("")}…${end.join("")}`;
}

/** The first line of a prose text that has words, as a title: a line break inside a title would be spelled out. */
export function firstLine(text: string, maxLength: number): string {
  return oneLine(/\S[^\r\n]*/.exec(text)?.[0] ?? "", maxLength);
}

/** Printable ASCII, with single spaces inside. */
const PLAIN_LINE = /^(?:[!-~]+(?: [!-~]+)*)?$/;

/** The units that must not be cut in two: characters, and escaped characters. */
function units(text: string): readonly string[] {
  const collapsed = text.replace(/[ \t\r\n]+/g, (run) => (/[\r\n]/.test(run) ? "\n" : " "));
  // Not trim(): it would also drop the spaces that must be shown.
  return textUnits(collapsed.replace(/^[ \n]|[ \n]$/g, "")).flatMap((unit) =>
    isEmoji(unit) ? unit : Array.from(unit, (character) => visibleText(character)),
  );
}

function fitting(from: readonly string[], room: number): readonly string[] {
  let left = room;
  const end = from.findIndex((unit) => (left -= lengthOf(unit)) < 0);
  return end === -1 ? from : from.slice(0, end);
}

const lengthOf = (text: string) => Array.from(text).length;
