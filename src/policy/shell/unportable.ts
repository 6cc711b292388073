/**
 * Whether every shell reads a text as bash does: dash, busybox ash, ksh and zsh among them.
 *
 * The pass goes over the text from left to right and knows only spellings that all of them read alike. As long
 * as each spelling so far was one of these, every shell is in the same state as bash, so the first one that is
 * not on the list is where they may part: that is a doubt, and nothing behind it is looked at. Spellings that
 * are missing here ask needlessly; none is accepted because nobody thought of it. Reserved words that only some
 * shells have are found in the syntax tree instead (walk-text.ts), where it is known what is an argument.
 */
import { excerpt } from "./excerpt.js";

/** `expands`: bash sees an expansion there, which is a doubt of its own. */
export type Unportable = { readonly type: "differs" | "expands"; readonly doubt: string };

export function unportable(text: string): Unportable | undefined {
  const scan: Scan = { text, at: 0, isWordStart: true, before: " ", hereDocuments: [] };
  while (scan.at < text.length) {
    const found = step(scan);
    if (found === "expands")
      return { type: "expands", doubt: `what the shell makes of ${excerpt(rest(scan))} is not known` };
    if (found === "differs")
      return { type: "differs", doubt: `bash and other shells read ${excerpt(rest(scan))} differently` };
  }
  return undefined;
}

type HereDocument = { readonly end: string; readonly isQuoted: boolean; readonly dropsTabs: boolean };

type Scan = {
  readonly text: string;
  at: number;
  isWordStart: boolean;
  /** The operator, or nothing but blanks, that stands before this place; empty inside a word. */
  before: string;
  /** Here-documents that begin after the next line end. */
  hereDocuments: HereDocument[];
};

type Step = "expands" | "differs" | undefined;

const rest = ({ text, at }: Scan): string => text.slice(at, at + 20);

function step(scan: Scan): Step {
  const { text, at } = scan;
  const letter = text[at] ?? "";
  if (letter === "\n") return lineEnd(scan);
  if (letter === " " || letter === "\t") return passed(scan, 1, scan.before === "" ? " " : scan.before);
  if (letter === "#" && scan.isWordStart) return comment(scan);
  if (/[;&|()<>]/.test(letter)) return operator(scan);
  return wordPart(scan, letter);
}

/** Moves behind `length` letters. `before` says what the next place has before it. */
function passed(scan: Scan, length: number, before: string): undefined {
  scan.at += length;
  scan.before = before;
  scan.isWordStart = before !== "";
  return undefined;
}

function comment(scan: Scan): Step {
  // `>#file`: behind a redirect, and right behind other signs, shells disagree about what begins a word.
  if (!/^[ \n;]$/.test(scan.before)) return "differs";
  const end = scan.text.indexOf("\n", scan.at);
  scan.at = end < 0 ? scan.text.length : end;
  return undefined;
}

function lineEnd(scan: Scan): Step {
  passed(scan, 1, "\n");
  const waiting = scan.hereDocuments;
  scan.hereDocuments = [];
  for (const one of waiting) {
    const found = hereBody(scan, one);
    if (found) return found;
  }
  return undefined;
}

/** The lines up to the one that ends it; without such a line, the reader doubts anyway. */
function hereBody(scan: Scan, { end, isQuoted, dropsTabs }: HereDocument): Step {
  while (scan.at < scan.text.length) {
    const stop = scan.text.indexOf("\n", scan.at);
    const line = scan.text.slice(scan.at, stop < 0 ? undefined : stop);
    // Whether a backslash joins a line with the one that ends the document, shells see differently.
    if (!isQuoted && line.endsWith("\\")) return "differs";
    if (!isQuoted && STRANGE_IN_HERE.test(line)) return "differs";
    scan.at = stop < 0 ? scan.text.length : stop + 1;
    if ((dropsTabs ? line.replace(/^\t+/, "") : line) === end) return undefined;
  }
  return "differs";
}

/** Any expansion but a plain variable. */
const STRANGE_IN_HERE =
  /(?<!\\)(?:\\\\)*(?:`|\$(?![A-Za-z_]\w*(?![\w[:])|\{[A-Za-z_]\w*\}|[?$!]|[\s/,%"';|&).]|$))/;

/** The operators that all shells have, longest first; what must not follow each is part of it. */
const OPERATORS =
  /&&|\|\||;;(?![&|;])|;(?![&|;])|\|(?![&|])|&(?![>|!&])|\((?!\()|\)|(?<here><<)(?<tabs>-?)(?![<-])|(?:>>|>\||<>|>|<)(?![>|<(&;!=])|[<>]&(?:\d|-)(?![^\s;|&<>()])/y;

function operator(scan: Scan): Step {
  OPERATORS.lastIndex = scan.at;
  const match = OPERATORS.exec(scan.text);
  if (!match) return "differs";
  const [sign] = match;
  if (sign === "(" && scan.before === "") return "differs";
  if (/^[<>]/.test(sign) && !isPlainDescriptor(scan)) return "differs";
  if (match.groups?.["here"] !== undefined) return hereDocument(scan, sign.endsWith("-"));
  const isDuplication = /&[\d-]$/.test(sign);
  if (/^[<>]/.test(sign) && !isDuplication && !hasPlainTarget(scan, sign.length)) return "differs";
  return passed(scan, sign.length, isDuplication ? " " : sign);
}

/** dash takes one digit only for a descriptor; more are a word. A variable in braces is one for bash alone. */
function isPlainDescriptor({ text, at }: Scan): boolean {
  const word = /[^\s;|&<>()]*$/.exec(text.slice(Math.max(0, at - 100), at))?.[0] ?? "";
  return !/^\d{2,}$/.test(word) && !word.endsWith("}");
}

/** `>! file` and `> =name` are other files for zsh. */
function hasPlainTarget({ text, at }: Scan, length: number): boolean {
  const target = text.slice(at + length, at + length + 200).replace(/^[ \t]+/, "");
  return /^(?:[\w./:@%+,\-'"\\]|~(?:\/|\s|$)|[^\0-\x7F])/.test(target);
}

const HERE_END =
  /[ \t]*(?:'(?<single>\w+)'|"(?<double>\w+)"|\\(?<escaped>\w+)|(?<bare>\w+))(?=[\s;|&<>()]|$)/y;

function hereDocument(scan: Scan, dropsTabs: boolean): Step {
  HERE_END.lastIndex = scan.at + (dropsTabs ? 3 : 2);
  const match = HERE_END.exec(scan.text);
  if (!match) return "differs";
  const { single, double, escaped, bare } = match.groups ?? {};
  const end = single ?? double ?? escaped ?? bare ?? "";
  scan.hereDocuments.push({ end, isQuoted: bare === undefined, dropsTabs });
  return passed(scan, HERE_END.lastIndex - scan.at, "");
}

function wordPart(scan: Scan, letter: string): Step {
  if (letter === "'") return singleQuoted(scan);
  if (letter === '"') return doubleQuoted(scan);
  if (letter === "\\") return backslash(scan);
  if (letter === "`") return "expands";
  if (letter === "$") return dollar(scan, DOLLAR_AT_END);
  if (letter === "=" && scan.isWordStart && /^=[^\s=]/.test(rest(scan))) return "differs";
  if (letter === "~" && scan.isWordStart && !/^~(?:[\s/;|&)]|$)/.test(rest(scan))) return "differs";
  if (letter === "*" && scan.text[scan.at + 1] === "*") return "differs";
  if (letter === "[" && (scan.text[scan.at + 1] === "^" || isDoubleBracket(scan))) return "differs";
  PLAIN.lastIndex = scan.at;
  const plain = PLAIN.exec(scan.text)?.[0].length ?? 1;
  return passed(scan, plain, "");
}

/** Letters that mean themselves wherever they stand. */
const PLAIN = /[\w./:@%+,-]+|[^\0-\x7F]+/y;

/** `[[` as a word; `[[:alpha:]]` is a set of letters in every shell. */
const isDoubleBracket = (scan: Scan): boolean => scan.isWordStart && /^\[\[(?!:)/.test(rest(scan));

function singleQuoted(scan: Scan): Step {
  const end = scan.text.indexOf("'", scan.at + 1);
  return end < 0 ? "differs" : quoted(scan, end + 1);
}

/** A line end inside quotes comes before or after a here-document that waits for one. */
function quoted(scan: Scan, end: number): Step {
  if (scan.hereDocuments.length > 0 && scan.text.slice(scan.at, end).includes("\n")) return "differs";
  return passed(scan, end - scan.at, "");
}

const IN_DOUBLE = /[^"\\$`]+/y;

function doubleQuoted(scan: Scan): Step {
  let at = scan.at + 1;
  for (; at < scan.text.length;) {
    IN_DOUBLE.lastIndex = at;
    at += IN_DOUBLE.exec(scan.text)?.[0].length ?? 0;
    const letter = scan.text[at];
    if (letter === '"') return quoted(scan, at + 1);
    if (letter === "`") return "expands";
    if (letter === "\\") at += 2;
    else if (letter === "$") {
      const inner: Scan = { ...scan, at };
      const found = dollar(inner, DOLLAR_IN_QUOTES);
      if (found) return found;
      at = inner.at;
    }
  }
  return "differs";
}

function backslash(scan: Scan): Step {
  const next = scan.text[scan.at + 1];
  if (next === undefined) return "differs";
  // A joined line: what stands before it still does, unless a here-document waits for the line's end.
  if (next === "\n") return scan.hereDocuments.length > 0 ? "differs" : passed(scan, 2, scan.before);
  // Letters beyond the first plane have two halves here.
  return passed(scan, (scan.text.codePointAt(scan.at + 1) ?? 0) > 0xffff ? 3 : 2, "");
}

/** Where a dollar sign means itself in every shell. */
const DOLLAR_AT_END = /\$(?=[\s;|&)/,%]|$)/y;
const DOLLAR_IN_QUOTES = /\$(?=[\s;|&)/,%"'\\]|$)/y;

/** zsh takes `$x[1]` and `$x:h` for more than a variable, and `$#x` for a length. */
const PLAIN_VARIABLE = /\$(?:[A-Za-z_]\w*(?![\w[:])|\{[A-Za-z_]\w*\}(?![[:])|[?$!](?![[:]))/y;

function dollar(scan: Scan, isLiteral: RegExp): Step {
  isLiteral.lastIndex = scan.at;
  if (isLiteral.test(scan.text)) return passed(scan, 1, "");
  PLAIN_VARIABLE.lastIndex = scan.at;
  const variable = PLAIN_VARIABLE.exec(scan.text)?.[0];
  if (variable !== undefined) return passed(scan, variable.length, "");
  return /[\w({@*#?$!-]/.test(scan.text[scan.at + 1] ?? "") ? "expands" : "differs";
}
