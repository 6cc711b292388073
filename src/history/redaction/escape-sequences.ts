/**
 * Text with escape sequences (ANSI, OSC) as a person reads it. A secret is searched in that text, since a colour may begin
 * or end anywhere in it; the found places are then changed in the text as it came, so that other sequences stay.
 */

/** An escape character as JSON and programs write it. */
const WRITTEN = String.raw`\\{1,8}(?:u001[bB]|x1[bB]|033|e)`;
/** CAN and SUB end any sequence, which then does nothing; so does the start of the next one. */
const CANCEL = String.raw`[\u0018\u001a]`;
const CSI = String.raw`(?:(?:\u001b|${WRITTEN})\[|\u009b)[0-?]{0,256}[ -/]{0,16}(?:[@-~]|${CANCEL}|(?=\u001b))`;
/** OSC, DCS, SOS, PM and APC: a text between an introducer and a terminator. None has a line end in it. */
const STRING = String.raw`(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u0018\u001a\u001b\u009c\n]*(?:\u0007|\u001b\\|\u009c|${CANCEL})`;
const SHORT = String.raw`\u001b[ -/]{0,16}(?:[0-~]|${CANCEL})`;
/** Characters that a terminal or a page does not show: control bytes, and those of zero width. Tabs and line ends are text. */
const SILENT = String.raw`[\u0000-\u0008\u000e-\u001f\u007f-\u009f\u00ad\u034f\u061c\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\u{e0000}-\u{e0fff}]`;
/** Some of these characters, as escapes in JSON. */
const WRITTEN_SILENT = String.raw`\\{1,8}u(?:200[b-fB-F]|2060|[fF][eE][fF]{2}|00[aA][dD]|0000)`;
/** Characters that backspaces take back, as in the bold text of manual pages. */
const OVERSTRUCK = [4, 3, 2, 1]
  .map((count) => String.raw`[^\u0008\n\r\u001b\u009b]{${count}}\u0008{${count}}`)
  .join("|");
/** A return to the start of the line in the middle of a word. */
const RETURN = String.raw`(?<=[\w-])\r(?=[\w-])`;

const HAS_ESCAPES = new RegExp(`${SILENT}|${RETURN}|${WRITTEN}\\[|${WRITTEN_SILENT}`, "u");
const ESCAPES = new RegExp(
  `(?:${CSI}|${STRING}|${SHORT}|${OVERSTRUCK}|${SILENT}|${RETURN}|${WRITTEN_SILENT})+`,
  "gu",
);
/** Only these sequences contain text. A hostile output has a million of the others, too many to search in each. */
const STRINGS = new RegExp(STRING, "gu");
/** Colours and other attributes. */
const ATTRIBUTES = new RegExp(String.raw`(?:(?:\u001b|${WRITTEN})\[|\u009b)[\d;:]{0,256}m`, "gu");
/** A sequence that may continue in the next piece. */
const UNFINISHED = new RegExp(
  String.raw`(?:\u001b|(?:\u001b\[|\u009b)[0-?]{0,256}[ -/]{0,16}|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u0018\u001a\u001b\u009c\n]*\u001b?|\u001b[ -/]{1,16}|\\{1,8}(?:u[\dA-Fa-f]{0,4}|x1?|0(?:33?)?)?|${WRITTEN}(?:\[[0-?]{0,256}[ -/]{0,16})?)$`,
  "u",
);

export const hasEscapes = (text: string): boolean => HAS_ESCAPES.test(text);

/** `joiner` stands for each run of sequences. */
export function withoutEscapes(text: string, joiner = ""): string {
  return hasEscapes(text) ? text.replace(ESCAPES, joiner) : text;
}

/** The start of an unfinished sequence at the end of the text; the text's length without one. */
export function unfinishedAt(text: string, maxLength: number): number {
  const from = Math.max(0, text.length - maxLength);
  const found = UNFINISHED.exec(text.slice(from));
  return found ? from + found.index : text.length;
}

/**
 * Applies `redactPlain` to the text without its sequences: once with nothing in their place, for a secret that they split,
 * and once with a blank, for one that only a sequence separates from the word before it. Texts inside of sequences (a
 * link, a title) are redacted too.
 */
export function redactAround(text: string, redactPlain: (plain: string) => string): string {
  const inside = text.replace(STRINGS, (sequence) => redactPlain(sequence));
  return ["", " "].reduce((shown, joiner) => redactJoined(shown, joiner, redactPlain), inside);
}

function redactJoined(text: string, joiner: string, redactPlain: (plain: string) => string): string {
  const plain = withoutEscapes(text, joiner);
  const redacted = redactPlain(plain);
  if (redacted === plain) return text;
  const [raws, plains, shown] = [text, plain, redacted].map((one) => one.split("\n"));
  // A secret of several lines becomes one.
  if (!raws || !plains || !shown || plains.length !== shown.length)
    return merged(text, plain, redacted, joiner);
  return raws.map((raw, index) => merged(raw, plains[index] ?? "", shown[index] ?? "", joiner)).join("\n");
}

/** The raw text with its changed part replaced. Attributes that were set in that part are set after it. */
function merged(raw: string, plain: string, redacted: string, joiner: string): string {
  if (plain === redacted) return raw;
  const max = Math.min(plain.length, redacted.length);
  let before = 0;
  while (before < max && plain[before] === redacted[before]) before += 1;
  let after = 0;
  while (after < max - before && plain.at(-1 - after) === redacted.at(-1 - after)) after += 1;
  const start = rawIndex(raw, before, joiner, { afterEscapes: true });
  const end = Math.max(start, rawIndex(raw, plain.length - after, joiner));
  const attributes = raw.slice(start, end).match(ATTRIBUTES) ?? [];
  const changed = redacted.slice(before, redacted.length - after) + attributes.join("");
  return raw.slice(0, start) + changed + raw.slice(end);
}

/** The place in the raw text after so many characters of the plain one, and after the sequences that follow there. */
export function rawIndex(
  raw: string,
  plainIndex: number,
  joiner = "",
  { afterEscapes = false }: { readonly afterEscapes?: boolean } = {},
): number {
  if (!hasEscapes(raw)) return plainIndex;
  let [plainDone, rawDone] = [0, 0];
  for (const { index, 0: run } of raw.matchAll(ESCAPES)) {
    const beforeRun = plainDone + index - rawDone;
    if (beforeRun > plainIndex || (beforeRun === plainIndex && !afterEscapes)) break;
    plainDone = beforeRun + joiner.length;
    rawDone = index + run.length;
    if (plainDone > plainIndex) return index;
  }
  return rawDone + plainIndex - plainDone;
}
