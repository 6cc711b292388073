/** A command line split into its words without a shell: quotes and backslashes are understood, and nothing else is. */
import { checkOptions, required, STRING } from "../../call/check-options.js";

/** Throws when a quote is not closed, or there is no word at all. */
export function commandWords(text: string): readonly [string, ...string[]] {
  checkOptions("commandWords", { text }, { text: required(STRING) });
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (character === "\\" && quote !== "'" && isEscape(text.charAt(at + 1), quote)) {
      at += 1;
      word = (word ?? "") + text.charAt(at);
    } else if (quote === "" && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (character === quote) {
      quote = "";
    } else if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + character;
  }
  if (quote !== "") throw new BadCommand(`a ${quote} in it is not closed`);
  if (word !== undefined) words.push(word);
  const [program, ...rest] = words;
  if (program === undefined || program === "") throw new BadCommand("it names no program");
  return [program, ...rest];
}

/** As in a shell: between double quotes a backslash is one, unless what follows means something there. */
const isEscape = (next: string, quote: string): boolean =>
  next !== "" && (quote === "" || next === '"' || next === "\\");

class BadCommand extends Error {
  readonly code = "BAD_COMMAND";

  constructor(why: string) {
    super(`The agent's command cannot be read: ${why}. Nothing was started.`);
    this.name = "BadCommand";
  }
}
