/** What a sed script does beyond printing: `e` runs a command, `w` and `W` write a file, `r` reads one. */
import type { Effects } from "../vocabulary.js";

/** Reads as GNU sed does; where other seds would read the same text differently, it is doubted. */
export function readSed(script: string): Effects {
  const reads: string[] = [];
  const doubts: string[] = [];
  let at = 0;
  const peek = () => script.charAt(at);
  const skip = (pattern: RegExp) => {
    while (at < script.length && pattern.test(peek())) at += 1;
  };
  const restOfLine = () => {
    const end = script.indexOf("\n", at);
    const rest = script.slice(at, end === -1 ? script.length : end);
    at += rest.length;
    return rest.trim();
  };
  const delimited = (delimiter: string): string | undefined => {
    const start = at;
    while (at < script.length) {
      const character = peek();
      at += character === "\\" ? 2 : 1;
      if (character === delimiter) return script.slice(start, at - 1);
    }
    return undefined;
  };
  const pattern = (delimiter: string): boolean => {
    if (delimiter === "" || delimiter === "\n" || delimiter === "\\") return false;
    const text = delimited(delimiter);
    return text !== undefined && !hasOpenBracket(text);
  };
  const address = (): boolean => {
    if (/[0-9$+~]/.test(peek())) {
      at += 1;
      skip(/[0-9~]/);
      return true;
    }
    if (peek() === "/" || peek() === "\\") {
      if (peek() === "\\") at += 1;
      const delimiter = peek();
      at += 1;
      if (!pattern(delimiter)) return false;
      skip(/[IM]/);
    }
    return true;
  };
  const command = (): boolean => {
    const name = peek();
    at += 1;
    if (/[{}=dDgGhHnNpPxzF]/.test(name)) return true;
    if (/[lLqQ]/.test(name)) {
      skip(/[ \t0-9]/);
      return true;
    }
    if (/[:btTv]/.test(name)) {
      skip(/[^;\n}]/);
      return true;
    }
    if (/[aic]/.test(name)) {
      do {
        restOfLine();
        at += 1;
      } while (script.charAt(at - 2) === "\\" && at < script.length);
      return true;
    }
    if (/[rR]/.test(name)) {
      reads.push(restOfLine());
      return true;
    }
    if (name === "y") {
      const delimiter = peek();
      at += 1;
      return pattern(delimiter) && delimited(delimiter) !== undefined;
    }
    if (name === "s") {
      const delimiter = peek();
      at += 1;
      if (!pattern(delimiter) || delimited(delimiter) === undefined) return false;
      skip(/[gpiIMm0-9]/);
      return true;
    }
    return false;
  };
  const unreadable = (): Effects => {
    const rest = script.slice(Math.max(0, at - 1));
    const reason = rest.startsWith("e")
      ? "the script runs a command"
      : /^[wW]/.test(rest)
        ? "the script writes a file"
        : `the script is not known to be harmless from "${rest.slice(0, 20)}"`;
    return { reads, doubts: [...doubts, reason] };
  };
  while (at < script.length) {
    skip(/[\s;]/);
    if (at >= script.length) break;
    if (peek() === "#") {
      restOfLine();
      continue;
    }
    if (!address()) return unreadable();
    skip(/[ \t]/);
    if (peek() === ",") {
      at += 1;
      skip(/[ \t]/);
      if (!address()) return unreadable();
    }
    skip(/[ \t!]/);
    if (!command()) return unreadable();
    skip(/[ \t]/);
    if (
      at < script.length &&
      !/[;\n}#]/.test(peek()) &&
      !/[{}]/.test(script.charAt(at - 1)) &&
      script.charAt(at - 1) !== "\n"
    ) {
      at += 1;
      return unreadable();
    }
  }
  return { reads, doubts };
}

/** Whether a delimiter ended the text inside `[...]`: GNU and BSD sed disagree on where it ends then. */
function hasOpenBracket(text: string): boolean {
  const plain = text.replaceAll(/\\[^]/g, "").replaceAll(/\[\^?\]?(?:\[:\w+:\]|[^\]])*\]/g, "");
  return plain.includes("[");
}
