/** A word as the program will receive it, and why it may receive another. */
import type { AnsiCQuotedPart, Word, WordPart } from "unbash";
import { isAscii, strangeCharacters } from "./strange-characters.js";
import { excerpt } from "./excerpt.js";

export type DecodedWord = {
  readonly value: string;
  /** The word has a glob that can only become paths below a folder it names: `src/*.ts`. */
  readonly globbed: boolean;
  /** The shell expands the word, which has a glob or begins with an unquoted `~`. */
  readonly expands: boolean;
  readonly doubts: readonly string[];
};

export function decodeWord(word: Word): DecodedWord {
  const parts: readonly WordPart[] = word.parts ?? [bare(word.text)];
  const doubts: string[] = [];
  const globAt = parts.findIndex((part) => part.type === "Glob" || hasBareGlob(part));
  if (globAt >= 0) doubts.push(...globDoubts(word, parts.slice(0, globAt)));
  if (bareText(parts).includes("{") && /,|\.\./.test(bareText(parts))) {
    doubts.push(`${excerpt(word.text)} may become several words`);
  }
  if (hasUnknownTilde(word.text, parts)) doubts.push(`which folder ${excerpt(word.text)} means is not known`);
  for (const part of parts) {
    if (part.type === "AnsiCQuoted") doubts.push(...ansiDoubts(part));
  }
  const isGlobbed = globAt >= 0;
  return { value: word.value, globbed: isGlobbed, expands: isGlobbed || hasTilde(word.text, parts), doubts };
}

/** The unquoted letters, with what a backslash protects left out. */
function bareText(parts: readonly WordPart[]): string {
  return parts.map((part) => (part.type === "Literal" ? unprotected(part.text) : "")).join("");
}

const unprotected = (text: string) => text.replaceAll(/\\[^]/g, "");

const bare = (text: string): WordPart => ({ type: "Literal", text, value: text, pos: 0, end: 0 });

// The parser marks globs; a star that it took for a letter still counts as one here.
function hasBareGlob(part: WordPart): boolean {
  return part.type === "Literal" && /[*?]|\[[^]*\]/.test(unprotected(part.text));
}

function globDoubts(word: Word, before: readonly WordPart[]): readonly string[] {
  const prefix = before.map((part) => ("value" in part ? part.value : part.text)).join("");
  if (prefix.includes("/") && !prefix.startsWith("-")) return [];
  return [`${excerpt(word.text)} becomes whatever files match it`];
}

function hasUnknownTilde(text: string, parts: readonly WordPart[]): boolean {
  // In `name=~/x` and `name=a:~/x` bash expands the tilde as well.
  if (/^[A-Za-z_][^=]*=[^]*~/.test(text)) return true;
  if (!text.startsWith("~")) return false;
  return text === "~" ? false : !text.startsWith("~/") || parts[0]?.type !== "Literal";
}

const hasTilde = (text: string, parts: readonly WordPart[]): boolean =>
  text.startsWith("~") && parts[0]?.type === "Literal";

// An escape that is none stays as it is in bash, a backslash before a line end too; the parser drops some.
const ESCAPE = /\\([abeEfnrtv\\'"?0-7]|[xuU][\da-fA-F])?/g;

function ansiDoubts({ text, value }: AnsiCQuotedPart): readonly string[] {
  const strange = [...text.matchAll(ESCAPE)].some(([, escape]) => escape === undefined);
  // Bytes above 127 are not the characters of the same number.
  if (strange || !isAscii(value)) return [`how the shell reads ${excerpt(text)} is not known`];
  return strangeCharacters(value);
}
