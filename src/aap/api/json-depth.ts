/**
 * How deep a text of JSON is nested, seen before it is read: what reads it can go as deep as it likes, but what later
 * writes it, compares it or shows it calls itself for each level.
 */
const DEEPEST = 128;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}`: each pair differs in this one bit. */
const WITHOUT_CURL = ~0x20;
const OPENING = 0x5b;
const CLOSING = 0x5d;

export function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInText = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (isInText) {
      if (code === BACKSLASH) index += 1;
      else if (code === QUOTE) isInText = false;
    } else if (code === QUOTE) isInText = true;
    else if ((code & WITHOUT_CURL) === OPENING) {
      depth += 1;
      if (depth > DEEPEST) return true;
    } else if ((code & WITHOUT_CURL) === CLOSING) depth -= 1;
  }
  return false;
}
