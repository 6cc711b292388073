/**
 * printf of a shell: its format is a language. `%n` sets a variable, `-v` too, and some shells evaluate the argument
 * of `%d`, or a width, as arithmetic, which can run commands. Only plain conversions are known.
 */
import type { Effects, Reader } from "../program.js";

const CONVERSION = /%(?:%|[-+ #0']*\d*(?:\.\d*)?(?<letter>[^]?))/g;
const TEXTS = /^[sbqc]$/;
const NUMBERS = /^[diouxXeEfFgG]$/;
/** Also a single character after a quote, whose number is meant. */
const NUMBER = /^(?:[-+]?(?:0[xX][\da-fA-F]+|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|['"][^]?)?$/;

export const printf: Reader = {
  // printf's own `--` stays among the words: behind it, no word is a flag.
  prepare: (args) => ["--", ...args],
  effects: ([first = "", ...rest]) => {
    if (first === "--") return printfEffects(rest[0] ?? "", rest.slice(1));
    const doubts = first.startsWith("-") ? [`"${first}" may be a flag that sets a variable`] : [];
    return doubts.length > 0 ? { doubts } : printfEffects(first, rest);
  },
};

/** A percent sign by its number: some shells read the format again after that. */
const HIDDEN_PERCENT = /\\(?:0*45|[xuU]0*25)/;
/** A shell puts the names of files in the place of such a word. */
const PATTERN = /\/[^]*[*?[]/;

function printfEffects(format: string, values: readonly string[]): Effects {
  if (PATTERN.test(format) || HIDDEN_PERCENT.test(format))
    return { doubts: [`"${format}" may become another format`] };
  const letters = [...format.matchAll(CONVERSION)].flatMap(({ groups }) => groups?.["letter"] ?? []);
  const odd = letters.filter((letter) => !TEXTS.test(letter) && !NUMBERS.test(letter));
  const takesNumbers = letters.some((letter) => NUMBERS.test(letter));
  return {
    doubts: [
      ...odd.map((letter) => `"%${letter}" is not a conversion known to be harmless`),
      ...values
        .filter((value, at) => takesNumbers && (PATTERN.test(value) || !isPlain(value, letters, at)))
        .map((value) => `some shells evaluate "${value}" as arithmetic`),
    ],
  };
}

/** The format is used again until no argument is left. */
function isPlain(value: string, letters: readonly string[], at: number): boolean {
  return !NUMBERS.test(letters[at % letters.length] ?? "d") || NUMBER.test(value);
}
