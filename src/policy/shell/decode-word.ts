/** A word without expansions, as the program will receive it, and why it may receive another. */
import type { AnsiCQuotedPart, Word, WordPart } from "unbash";
import { isAscii, strangeCharacters } from "./strange-characters.js";
import { excerpt } from "./excerpt.js";

/** A piece of a word that only the shell can know. */
export type Hole = {
  /** `glob`: a part of a file name, without a slash. */
  readonly holds: "number" | "text" | "glob";
  /** Unquoted and perhaps empty: then the word is not there. */
  readonly mayVanish?: boolean;
  /** The number may have a minus before it. */
  readonly maySign?: boolean;
  /** The process that the shell itself started last in the background. */
  readonly isJob?: boolean;
  /** The value is inherited and may be a secret. */
  readonly doubt?: string;
  /** The text as written. */
  readonly text: string;
};

export type DecodedWord = {
  /** With holes as they are written. */
  readonly value: string;
  /** The pieces of a word that has holes. */
  readonly pieces?: readonly (string | Hole)[];
  /** The word has a glob that can only become paths below a folder it names: `src/*.ts`. */
  readonly globbed: boolean;
  /** … or names in the folder that the shell is in: `*.ts`. */
  readonly isBareGlob?: boolean;
  /** The names that it becomes are split at blanks once more. */
  readonly splits?: boolean;
  /** The process substitution that the word is: its value stands for the name of a pipe. */
  readonly process?: string;
  /** The shell expands the word, which has a glob or begins with an unquoted `~`, or holes. */
  readonly expands: boolean;
  readonly doubts: readonly string[];
  /** Why there may be any number of such words. */
  readonly countDoubts?: readonly string[];
};

export function decodeWord(word: Word): DecodedWord {
  const parts: readonly WordPart[] = word.parts ?? [bare(word.text)];
  const globAt = parts.findIndex(hasGlob);
  const doubts = wordDoubts(word, parts);
  const before = parts.slice(0, Math.max(0, globAt)).map(textOf).join("");
  const glob = globAt < 0 ? NO_GLOB : globIn(word.value, before, word.text);
  return {
    value: word.value,
    ...glob,
    expands: globAt >= 0 || hasTilde(word.text, parts),
    doubts: [...glob.doubts, ...doubts],
  };
}

/** Doubts about the spelling of a word, beside its globs and expansions. */
export function wordDoubts(word: Word, parts: readonly WordPart[]): readonly string[] {
  const doubts: string[] = [];
  if (bareText(parts).includes("{") && /,|\.\./.test(bareText(parts))) {
    doubts.push(`${excerpt(word.text)} may become several words`);
  }
  if (hasUnknownTilde(word.text, parts)) doubts.push(`which folder ${excerpt(word.text)} means is not known`);
  for (const part of parts) {
    if (part.type === "AnsiCQuoted") doubts.push(...ansiDoubts(part));
  }
  return doubts;
}

/** The letters of a part without its quotes. */
function textOf(part: WordPart): string {
  if (part.type === "DoubleQuoted") return part.parts.map(textOf).join("");
  return "value" in part ? part.value : part.text;
}

/** The unquoted letters, with what a backslash protects left out. */
function bareText(parts: readonly WordPart[]): string {
  return parts.map((part) => (part.type === "Literal" ? unprotected(part.text) : "")).join("");
}

const unprotected = (text: string) => text.replaceAll(/\\[^]/g, "");

const bare = (text: string): WordPart => ({ type: "Literal", text, value: text, pos: 0, end: 0 });

/** The parser marks globs; a star that it took for a letter still counts as one here. */
export function hasGlob(part: WordPart): boolean {
  return part.type === "Glob" || (part.type === "Literal" && /[*?]|\[[^]*\]/.test(unprotected(part.text)));
}

type Glob = Pick<DecodedWord, "globbed" | "isBareGlob" | "pieces" | "doubts">;

export const NO_GLOB: Glob = { globbed: false, doubts: [] };

/** The words that a glob can become. `before` stands before it, `shown` is the word as it is written. */
export function globIn(value: string, before: string, shown: string): Glob {
  if (before.includes("/") && !before.startsWith("-")) return { globbed: true, doubts: [] };
  // `--include=*.go` stays as it is, or becomes a file of such a name in the folder.
  if (/^--?\w[\w-]*=/.test(before) && !value.includes("/")) {
    const hole: Hole = { holds: "glob", text: value.slice(before.length) };
    return { globbed: false, pieces: [before, hole], doubts: [] };
  }
  if (before.startsWith("-"))
    return { globbed: true, doubts: [`${excerpt(shown)} becomes whatever files match it`] };
  return { globbed: true, isBareGlob: true, doubts: [] };
}

function hasUnknownTilde(text: string, parts: readonly WordPart[]): boolean {
  // In `name=~/x` and `name=a:~/x` bash expands the tilde as well.
  if (/^[A-Za-z_][^=]*=[^]*~/.test(text)) return true;
  if (!text.startsWith("~")) return false;
  return text === "~" ? false : !text.startsWith("~/") || parts[0]?.type !== "Literal";
}

export const hasTilde = (text: string, parts: readonly WordPart[]): boolean =>
  text.startsWith("~") && parts[0]?.type === "Literal";

// An escape that is none stays as it is in bash, a backslash before a line end too; the parser drops some.
const ESCAPE = /\\([abeEfnrtv\\'"?0-7]|[xuU][\da-fA-F])?/g;

function ansiDoubts({ text, value }: AnsiCQuotedPart): readonly string[] {
  const strange = [...text.matchAll(ESCAPE)].some(([, escape]) => escape === undefined);
  // Bytes above 127 are not the characters of the same number.
  if (strange || !isAscii(value)) return [`how the shell reads ${excerpt(text)} is not known`];
  return strangeCharacters(value);
}
