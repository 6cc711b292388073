/**
 * Builtins that change what later words of the same shell mean, or that evaluate a word even when it
 * is quoted: `test -v 'a[$(date)]'` runs date.
 */
import { shown } from "./shown.js";

const CHANGES_SHELL = new Map([
  ...each("export declare typeset local readonly unset", "sets or unsets variables"),
  ...each("read mapfile readarray getopts let", "sets variables and evaluates their names"),
  ...each("alias unalias enable hash", "changes which program a name means"),
  ...each("set shopt bind complete compgen compopt", "changes how the shell reads or completes"),
  ...each("source . fc history", "runs commands that are not in the text"),
  ...each("trap", "runs its text later"),
]);

/** Options after which a name is evaluated, by builtin. */
const EVALUATES = new Map([
  ["test", /^-[vR]$/],
  ["[", /^-[vR]$/],
  ["printf", /^-v/],
  ["wait", /^-\w*p/],
  ["jobs", /^-\w*x/],
]);

export function builtinDoubts(argv: readonly string[]): readonly string[] {
  const [program = "", ...words] = argv;
  const change = CHANGES_SHELL.get(program);
  if (change !== undefined) return [`${program} ${change}`];
  if (program === "exec" && words.length === 0) return ["exec changes what the shell reads and writes"];
  const evaluated = EVALUATES.get(program);
  const option = evaluated && words.find((word) => evaluated.test(word));
  return option === undefined ? [] : [`${program} ${shown(option)} evaluates the word after it`];
}

function each(names: string, does: string): readonly (readonly [string, string])[] {
  return names.split(" ").map((name) => [name, does] as const);
}
