/**
 * The nesting depth of a JSON text, checked before it is parsed: `JSON.parse` takes any depth, but the code that later
 * writes, compares or shows the value recurses for each level.
 */
const MAX_DEPTH = 128;

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
      if (depth > MAX_DEPTH) return true;
    } else if ((code & WITHOUT_CURL) === CLOSING) depth -= 1;
  }
  return false;
}
