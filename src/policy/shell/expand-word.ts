/**
 * The words that one word of the text becomes: braces, variables whose values are known, then splitting at blanks. A
 * piece that only the shell can know is a hole, or a doubt where it could become any number of words.
 */
import type { Word, WordPart } from "unbash";
import {
  type DecodedWord,
  decodeWord,
  globIn,
  hasGlob,
  hasTilde,
  type Hole,
  NO_GLOB,
  wordDoubts,
} from "./decode-word.js";
import { excerpt } from "./excerpt.js";
import { expandBraces } from "./expand-braces.js";
import {
  expansionValue,
  type Found,
  isExpansion,
  partsIn,
  type Scope,
  STRANGE_PARTS,
} from "./parameter-value.js";

/** Whether a word is the same in every state of the shell. */
export const isFixed = (word: Word): boolean =>
  partsIn(word.parts ?? []).every((part) => !isExpansion(part) && !STRANGE_PARTS.has(part.type));

export function expandWord(word: Word, scope: Scope): readonly DecodedWord[] {
  if (isFixed(word)) return [decodeWord(word)];
  const parts = word.parts ?? [];
  const hasBraces = parts.some(({ type }) => type === "BraceExpansion");
  const choices = hasBraces ? expandBraces(parts) : [parts];
  if (!choices) return [doubtful(word, `${excerpt(word.text)} becomes several words`)];
  const words = choices.flatMap((choice) => fieldsOf(word, choice, scope));
  // Other shells leave braces as they are.
  if (!hasBraces || scope.language === "bash") return words;
  const doubt = `${excerpt(word.text)} becomes several words`;
  return words.map((one) => ({ ...one, doubts: [...one.doubts, doubt] }));
}

const doubtful = (word: Word, doubt: string): DecodedWord => ({
  value: word.value,
  globbed: false,
  expands: true,
  doubts: [doubt],
});

type Piece = string | Hole;

/** A word under construction. */
type Field = {
  pieces: Piece[];
  /** The letters before the first glob. */
  before: string | undefined;
  pattern: string | undefined;
  process: string | undefined;
  splits: boolean;
  /** Quotes make a word also where nothing is in them. */
  isThere: boolean;
};

const newField = (): Field => ({
  pieces: [],
  before: undefined,
  pattern: undefined,
  process: undefined,
  splits: false,
  isThere: false,
});

/** Lives for one word. */
class Fields {
  readonly done: Field[] = [];
  readonly doubts: string[] = [];
  readonly countDoubts: string[] = [];
  #field = newField();

  add(piece: Piece, { isQuoted = false, isGlob = false } = {}): void {
    const field = this.#field;
    if (isGlob && typeof piece === "string")
      field.before ??= shown(field.pieces) + piece.slice(0, Math.max(0, piece.search(/[*?[]/)));
    if (piece === "" && !isQuoted) return;
    if (piece !== "") field.pieces.push(piece);
    field.isThere = true;
  }

  /** The name of a file that a pattern matches. */
  addName(pattern: string, { splits }: { readonly splits: boolean }): void {
    this.#field.pattern = pattern;
    this.#field.splits = splits;
    this.add(pattern);
  }

  /** The name of a pipe that another command of the text writes to. */
  addProcess(text: string): void {
    this.#field.process = text;
    this.add("/dev/fd/63");
  }

  end(): void {
    if (this.#field.isThere) this.done.push(this.#field);
    this.#field = newField();
  }

  isEmpty(): boolean {
    return !this.#field.isThere;
  }
}

const shown = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");

function fieldsOf(word: Word, parts: readonly WordPart[], scope: Scope): readonly DecodedWord[] {
  const fields = new Fields();
  for (const part of parts) addPart(part, { fields, scope, isAlone: parts.length === 1 });
  fields.end();
  const doubts = [...wordDoubts(word, parts), ...fields.doubts];
  const { countDoubts } = fields;
  const startsAtHome = hasTilde(word.text, parts);
  // A word that vanishes takes its doubts along, so it is kept.
  if (fields.done.length === 0 && doubts.length > 0)
    return [{ value: word.value, globbed: false, expands: true, doubts }];
  const words = fields.done.map((field) => decoded(field, word, doubts, startsAtHome));
  return countDoubts.length === 0 ? words : words.map((one) => ({ ...one, countDoubts }));
}

function decoded(
  { pieces, before, pattern, process, splits }: Field,
  word: Word,
  doubts: readonly string[],
  startsAtHome: boolean,
): DecodedWord {
  const value = shown(pieces);
  const hasHoles = pieces.some((piece) => typeof piece !== "string");
  const strange = value.startsWith("~") && !startsAtHome ? [`${excerpt(word.text)} begins with a ~`] : [];
  const glob =
    pattern === undefined
      ? before === undefined
        ? NO_GLOB
        : globIn(value, before, word.text)
      : globIn(pattern, pattern.slice(0, pattern.search(/[*?[]/)), word.text);
  // A word with a hole and a glob is neither a plain value nor a pattern: `"$x"/*.ts`.
  const mixed =
    hasHoles && before !== undefined ? [`${excerpt(word.text)} becomes whatever files match it`] : [];
  return {
    value,
    ...glob,
    ...(hasHoles && { pieces }),
    ...(splits && { splits }),
    ...(process !== undefined && { process }),
    expands: hasHoles || glob.globbed || startsAtHome || glob.pieces !== undefined,
    doubts: [...doubts, ...glob.doubts, ...strange, ...mixed],
  };
}

type Adding = { readonly fields: Fields; readonly scope: Scope; readonly isAlone: boolean };

function addPart(part: WordPart, { fields, scope, isAlone }: Adding): void {
  if (isExpansion(part)) {
    addValue(expansionValue(part, scope), { fields, scope, isAlone, isQuoted: false, text: part.text });
    return;
  }
  switch (part.type) {
    case "SingleQuoted":
    case "AnsiCQuoted":
      fields.add(part.value, { isQuoted: true });
      return;
    case "DoubleQuoted":
      fields.add("", { isQuoted: true });
      for (const inner of part.parts) {
        if (isExpansion(inner)) {
          const isWhole = isAlone && part.parts.length === 1;
          const value = expansionValue(inner, scope);
          addValue(value, { fields, scope, isAlone: isWhole, isQuoted: true, text: inner.text });
        } else fields.add(inner.value, { isQuoted: true });
      }
      return;
    case "Literal":
    case "Glob":
      fields.add(part.value, { isGlob: hasGlob(part) });
      return;
    default:
      if (isAlone && scope.language === "bash" && isInput(part)) return fields.addProcess(excerpt(part.text));
      fields.doubts.push(STRANGE_DOUBTS[part.type](excerpt(part.text)));
      fields.add(part.text);
  }
}

/** `<(sort a)`: the name of a pipe from which the output of the command is read. */
const isInput = (part: WordPart): boolean =>
  part.type === "ProcessSubstitution" && part.text.startsWith("<(");

const STRANGE_DOUBTS = {
  LocaleString: (text: string) => `${text} is translated by the shell`,
  ProcessSubstitution: (text: string) => `${text} runs a command beside it`,
  ExtendedGlob: (text: string) => `what ${text} matches is not known`,
  BraceExpansion: (text: string) => `${text} becomes several words`,
} as const;

type AddingValue = Adding & { readonly isQuoted: boolean; readonly text: string };

function addValue(value: Found, { fields, scope, isAlone, isQuoted, text }: AddingValue): void {
  switch (value.type) {
    case "text":
      if (isQuoted) fields.add(value.text, { isQuoted });
      else addSplit(value.text, { fields, scope, text });
      return;
    case "number":
      fields.add({
        holds: "number",
        text,
        ...(value.maySign && { maySign: true }),
        ...(value.isJob && { isJob: true }),
        ...(!isQuoted && text.includes("!") && { mayVanish: true }),
      });
      return;
    case "name":
      if (isAlone) {
        fields.addName(value.pattern, { splits: !isQuoted });
        if (scope.language === "sh" && !isQuoted) fields.doubts.push(splitDoubt(text));
        return;
      }
      break;
    case "doubt":
      if (isQuoted && /^\$(?:\w+|\{\w+\})$/.test(text))
        fields.add({ holds: "text", text, doubt: value.reason });
      else {
        fields.doubts.push(value.reason);
        fields.add({ holds: "text", text });
      }
      return;
    case "unknown":
      break;
    default:
      value satisfies never;
  }
  if (!isQuoted) fields.countDoubts.push(splitDoubt(text));
  fields.add({ holds: "text", text });
}

/** Where the words of the output or of the value are not known, neither is how many there are. */
const splitDoubt = (text: string): string =>
  /^\$\(|^`/.test(text)
    ? `the output of ${excerpt(text)} is not known`
    : `the value of ${excerpt(text)} is not known`;

/** Letters that every shell leaves as they are in an unquoted value. */
const PLAIN = /^[\w./:@%+,=-]*$/;

/** An unquoted value: bash splits it at blanks, then takes its stars for patterns. */
function addSplit(value: string, { fields, scope, text }: Omit<AddingValue, "isQuoted" | "isAlone">): void {
  if (PLAIN.test(value)) return fields.add(value);
  // A tilde inside of a word, as in HEAD~1, stands for itself.
  if (scope.language === "sh" || /\\|(?:^|[\s:=])~/.test(value) || /(?![ \t\n])\s/.test(value))
    fields.doubts.push(splitDoubt(text));
  for (const [index, piece] of value.split(/[ \t\n]+/).entries()) {
    if (index > 0) fields.end();
    fields.add(piece, { isGlob: /[*?[]/.test(piece) });
  }
}
