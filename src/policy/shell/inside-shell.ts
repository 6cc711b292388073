/** `bash -c TEXT`, `eval TEXT`, `trap TEXT SIGNAL`. */
import type { Seen } from "./seen.js";
import { isLikeBash, isShell, readShellOptions } from "./shell-options.js";

/** What bash reads otherwise than a plain sh does. */
const BASH_ONLY =
  /\$['"[]|&>|>&|\|&|<<<|[<>]\(|\[\[|\(\(|;&|\b(?:function|coproc|time|select)\b|\{[^]*,[^]*\}|=\(/;

export function insideShell(name: string, words: readonly string[]): Seen | undefined {
  if (name === "eval") {
    const said = words[0] === "--" ? words.slice(1) : words;
    return { insides: [{ wrapper: name, text: said.join(" "), sameShell: true }], doubts: [], known: true };
  }
  if (name === "trap") {
    const text = words.find((word) => !word.startsWith("-"));
    return { insides: text === undefined ? [] : [{ wrapper: name, text }], doubts: [], known: true };
  }
  if (!isShell(name)) return undefined;
  const { texts, operands, doubts } = readShellOptions(words);
  const also: string[] = [];
  if (texts.length > 0 && !isLikeBash(name)) also.push(`${name} reads some texts otherwise than bash`);
  if (name !== "bash" && texts.some((text) => BASH_ONLY.test(text))) {
    also.push(`${name} may read its text otherwise than bash`);
  }
  if (texts.length > 0 && operands.length > 0) also.push(`${name} gets further words as its variables`);
  const insides = texts.map((text) => ({ wrapper: name, text }));
  return { insides, doubts: [...doubts, ...also], known: true };
}
