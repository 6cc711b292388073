/**
 * Where the pattern of a sed command ends.
 *
 * GNU sed ends it at the first delimiter without a backslash, also inside `[...]`; busybox and BSD sed read on
 * inside brackets, and disagree on what closes those. The end is known only where all of them find the same one.
 */

/** A delimiter that no sed takes for part of a command; letters, digits and blanks are left out. */
const DELIMITERS = new Set("/|,#:!@%_+=~");

export const isDelimiter = (character: string): boolean =>
  character.length === 1 && DELIMITERS.has(character);

/** The place of the delimiter that ends the pattern, or undefined when the seds do not agree on one. */
export function patternEnd(script: string, start: number, delimiter: string): number | undefined {
  const end = plainEnd(script, start, delimiter);
  if (end === undefined || script.slice(start, end).includes("\n")) return undefined;
  const agrees = [busyboxEnd, posixEnd].every((find) => find(script, start, delimiter) === end);
  return agrees ? end : undefined;
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
