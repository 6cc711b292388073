/**
 * The text that a person edits, with a cursor. Pure: each edit returns a new value. The cursor stands between two units
 * (characters with their marks, whole emoji), never inside one.
 */
import { textUnits } from "../../call/text-units.js";
import type { KeyName } from "./key-decoder.js";

export type TextInput = { readonly text: string; readonly cursor: number; readonly killed?: string };

export const EMPTY_INPUT: TextInput = { text: "", cursor: 0 };

export const inputWith = (text: string): TextInput => ({ text, cursor: text.length });

export function inserted(input: TextInput, piece: string): TextInput {
  const { text, cursor } = input;
  return { ...input, text: before(input) + piece + text.slice(cursor), cursor: cursor + piece.length };
}

/** Replaces the text from `start` to the cursor. */
export function replaced(input: TextInput, start: number, piece: string): TextInput {
  const { text, cursor } = input;
  return { ...input, text: text.slice(0, start) + piece + text.slice(cursor), cursor: start + piece.length };
}

/** Undefined when the key edits nothing. */
export function edited(input: TextInput, name: KeyName): TextInput | undefined {
  return EDITS.get(name)?.(input);
}

/** The line that the cursor is in, as offsets. */
function lineAt({ text, cursor }: TextInput): { readonly start: number; readonly end: number } {
  const end = text.indexOf("\n", cursor);
  return { start: text.lastIndexOf("\n", cursor - 1) + 1, end: end < 0 ? text.length : end };
}

const before = ({ text, cursor }: TextInput): string => text.slice(0, cursor);
const at = (input: TextInput, cursor: number): TextInput => ({ ...input, cursor });

const unitBefore = (input: TextInput): number =>
  input.cursor - (textUnits(lastPart(before(input))).at(-1)?.length ?? 0);
const unitAfter = ({ text, cursor }: TextInput): number =>
  cursor + (textUnits(text.slice(cursor, cursor + MAX_UNIT))[0]?.length ?? 0);

/** No emoji is longer. */
const MAX_UNIT = 40;

/** Enough to find the last unit; from a line start where there is one, so that no unit is cut. */
function lastPart(text: string): string {
  const line = text.slice(text.lastIndexOf("\n") + 1);
  return line === "" ? text.slice(-1) : line;
}

const wordBefore = (input: TextInput): number => before(input).replace(/\S*\s*$/u, "").length;
const wordAfter = ({ text, cursor }: TextInput): number =>
  cursor + (/^\s*\S*/u.exec(text.slice(cursor))?.[0].length ?? 0);

function cut(input: TextInput, start: number, end: number, isKept = false): TextInput {
  const { text } = input;
  const killed = isKept && end > start ? { killed: text.slice(start, end) } : {};
  return { ...input, text: text.slice(0, start) + text.slice(end), cursor: start, ...killed };
}

function vertical(input: TextInput, step: -1 | 1): TextInput | undefined {
  const { start, end } = lineAt(input);
  const isOutside = step < 0 ? start === 0 : end === input.text.length;
  if (isOutside) return undefined;
  const column = textUnits(input.text.slice(start, input.cursor)).length;
  const other = lineAt(at(input, step < 0 ? start - 1 : end + 1));
  const units = textUnits(input.text.slice(other.start, other.end)).slice(0, column);
  return at(input, other.start + units.join("").length);
}

const EDITS: ReadonlyMap<KeyName, (input: TextInput) => TextInput | undefined> = new Map<
  KeyName,
  (input: TextInput) => TextInput | undefined
>([
  ["newline", (input) => inserted(input, "\n")],
  ["left", (input) => at(input, unitBefore(input))],
  ["right", (input) => at(input, unitAfter(input))],
  ["up", (input) => vertical(input, -1)],
  ["down", (input) => vertical(input, 1)],
  ["home", (input) => at(input, lineAt(input).start)],
  ["end", (input) => at(input, lineAt(input).end)],
  ["ctrl-a", (input) => at(input, lineAt(input).start)],
  ["ctrl-e", (input) => at(input, lineAt(input).end)],
  ["ctrl-b", (input) => at(input, unitBefore(input))],
  ["ctrl-f", (input) => at(input, unitAfter(input))],
  ["word-left", (input) => at(input, wordBefore(input))],
  ["word-right", (input) => at(input, wordAfter(input))],
  ["backspace", (input) => cut(input, unitBefore(input), input.cursor)],
  ["delete", (input) => cut(input, input.cursor, unitAfter(input))],
  ["delete-word", (input) => cut(input, wordBefore(input), input.cursor, true)],
  ["ctrl-w", (input) => cut(input, wordBefore(input), input.cursor, true)],
  ["ctrl-u", (input) => cut(input, lineAt(input).start, input.cursor, true)],
  [
    "ctrl-k",
    (input) => {
      const { end } = lineAt(input);
      return cut(input, input.cursor, end === input.cursor ? unitAfter(input) : end, true);
    },
  ],
  ["ctrl-y", (input) => (input.killed === undefined ? undefined : inserted(input, input.killed))],
]);
