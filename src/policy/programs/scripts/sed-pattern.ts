/**
 * Where the pattern of a sed command ends.
 *
 * Seds of today read on over a delimiter inside `[...]`, but disagree on what closes those brackets; older ones end
 * the pattern at the first delimiter without a backslash. The end is known only where today's find the same one,
 * and where the older ones find it too or must refuse the script before they run any of it.
 */

/** A delimiter that no sed takes for part of a command; letters, digits, blanks and brackets are left out. */
const DELIMITERS = new Set("/|,#:!@%_+=~-.'\"<>?;^&*");

export const isDelimiter = (character: string): boolean =>
  character.length === 1 && DELIMITERS.has(character);

export type Pattern = {
  readonly script: string;
  readonly start: number;
  readonly delimiter: string;
  readonly of: "address" | "s" | "y";
};

/** The place of the delimiter that ends the pattern, or undefined when the seds do not agree on one. */
export function patternEnd(pattern: Pattern): number | undefined {
  const { script, start, delimiter } = pattern;
  const end = busyboxEnd(script, start, delimiter);
  if (end === undefined || end !== posixEnd(script, start, delimiter)) return undefined;
  if (script.slice(start, end).includes("\n")) return undefined;
  const plain = plainEnd(script, start, delimiter);
  return plain === end || (plain !== undefined && mustRefuse(pattern, plain)) ? end : undefined;
}

/** Whether a sed that ends the pattern here finds an error in what follows. */
function mustRefuse({ script, delimiter, of }: Pattern, end: number): boolean {
  if (of !== "s") return of === "address" && script.charAt(end + 1) === "]";
  const replacement = replacementEnd(script, end + 1, delimiter);
  return replacement === undefined || /[^gpiIMmew\d;\s}#]/.test(script.charAt(replacement + 1));
}

/** The same for a replacement, in which brackets mean nothing. A line may end in it only after a backslash. */
export function replacementEnd(script: string, start: number, delimiter: string): number | undefined {
  const end = plainEnd(script, start, delimiter);
  if (end === undefined) return undefined;
  const withoutEscapes = script.slice(start, end).replaceAll(/\\[^]/g, "");
  return withoutEscapes.includes("\n") ? undefined : end;
}

function plainEnd(script: string, start: number, delimiter: string): number | undefined {
  for (let at = start; at < script.length; at += 1) {
    if (script.charAt(at) === "\\") at += 1;
    else if (script.charAt(at) === delimiter) return at;
  }
  return undefined;
}

/** Brackets close at the first `]` that is not their first character, whatever stands in between. */
function busyboxEnd(script: string, start: number, delimiter: string): number | undefined {
  let open = -1;
  for (let at = start; at < script.length; at += 1) {
    const character = script.charAt(at);
    if (open >= 0) {
      const isFirst = open === at - 1 || (open === at - 2 && script.charAt(at - 1) === "^");
      if (character === "]" && !isFirst) open = -1;
    } else if (character === "\\") at += 1;
    else if (character === "[") open = at;
    else if (character === delimiter) return at;
  }
  return undefined;
}

const BRACKETS = /\[\^?\]?(?:\[(?<kind>[:.=])[^\n]{1,20}?\k<kind>\]|[^\]])*\]/y;

/** Brackets may hold `[:class:]`, and a backslash in them is a plain character. */
function posixEnd(script: string, start: number, delimiter: string): number | undefined {
  for (let at = start; at < script.length; at += 1) {
    const character = script.charAt(at);
    if (character === "\\") at += 1;
    else if (character === "[") {
      BRACKETS.lastIndex = at;
      const brackets = BRACKETS.exec(script);
      if (!brackets) return undefined;
      at += brackets[0].length - 1;
    } else if (character === delimiter) return at;
  }
  return undefined;
}
