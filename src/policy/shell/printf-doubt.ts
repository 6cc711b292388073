/** `printf` sets a variable with `%n` and `-v`, and some shells calculate with what they print as a number. */
import type { ShellLanguage } from "./shell-context.js";
import { excerpt } from "./excerpt.js";

/** Every directive that prints one word, in all shells alike; any other percent sign is a doubt. */
const DIRECTIVE = /%(?:%|[-+ #0]*(?:[1-9]\d*)?(?:\.\d+)?(?<letter>[diouxXeEfFgGaAcsbq]))/g;
const NUMERIC = /[diouxXeEfFgGaA]/;
/** Some shells decode the format before they look for percent signs: `\045d` is `%d` to them. */
const ESCAPE = /\\(?:[abeEfnrtv\\"']|(?:0?33|x1[bB])(?=\[))/g;
const NUMBER = /^[-+]?(?:\d+(?:\.\d+)?|0[xX][\da-fA-F]+)$/;
const SUBSCRIPT = /^[^[]*\[[^$`]*[$`]/;

export function printfDoubt(words: readonly string[], language: ShellLanguage): string | undefined {
  const [format, ...values] = words[0] === "--" ? words.slice(1) : words;
  if (format === undefined) return undefined;
  if (format.startsWith("-")) return `printf ${excerpt(format)} evaluates the word after it`;
  const letters = [...format.matchAll(DIRECTIVE)].map(({ groups }) => groups?.["letter"] ?? "");
  const rest = format.replaceAll(DIRECTIVE, "");
  const isDecodedFirst = language === "sh" && rest.replaceAll(ESCAPE, "").includes("\\");
  if (rest.includes("%") || isDecodedFirst) return `what printf does with ${excerpt(format)} is not known`;
  if (!letters.some((letter) => NUMERIC.test(letter))) return undefined;
  const evaluated = values.find((value) => (language === "sh" ? !NUMBER.test(value) : SUBSCRIPT.test(value)));
  return evaluated === undefined ? undefined : `printf may evaluate ${excerpt(evaluated)}`;
}
