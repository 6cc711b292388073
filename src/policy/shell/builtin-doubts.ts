/**
 * Builtins of the shell: the ones that leave what later words of the same shell mean as it is, and that evaluate
 * no word, are a closed list here. Every other builtin is a doubt: `test -v 'a[$(date)]'` runs date although
 * the word is quoted, and so does `exit 'a[$(date)]'` in zsh.
 */
import { printfDoubt } from "./printf-doubt.js";
import type { ShellLanguage } from "./shell-context.js";
import { excerpt } from "./excerpt.js";
import { testWordsDoubt } from "./test-doubts.js";

export function builtinDoubts(argv: readonly string[], language: ShellLanguage): readonly string[] {
  const [program = "", ...words] = argv;
  if (isActivation(argv)) return [];
  const reason = HARMFUL.get(program) ?? (language === "sh" ? ELSEWHERE.get(program) : undefined);
  if (reason !== undefined) return [`${program} ${reason}`];
  if (program === "set" && !SET_ERRORS.test(words.join(" "))) return ["set changes how the shell reads"];
  if (program === "exec" && words.length === 0) return ["exec changes what the shell reads and writes"];
  const doubt = wordsDoubt(program, words, language);
  return doubt === undefined ? [] : [doubt];
}

/**
 * `source .venv/bin/activate`: the project's own environment of Python. The command is one that runs code of the
 * project, and needs a rule as such; behind it, names mean the programs that the project has installed.
 */
export const isActivation = ([program, path = "", ...others]: readonly string[]): boolean =>
  (program === "source" || program === ".") &&
  others.length === 0 &&
  /^(?:\.\/)?(?:[A-Za-z][\w-]*\/){0,3}\.?v?env[\w-]*\/bin\/activate$/.test(path);

/** `set -e`, `set -euo pipefail`: the shell ends at an error, and reads its text as before. */
const SET_ERRORS =
  /^[-+](?:[eu]+|[eu]*o (?:errexit|nounset|pipefail))(?: [-+](?:[eu]+|o (?:errexit|nounset|pipefail)))*$/;

function wordsDoubt(program: string, words: readonly string[], language: ShellLanguage): string | undefined {
  if (program === "printf") return printfDoubt(words, language);
  const harmless = HARMLESS.get(program);
  const strange = harmless && words.find((word) => !harmless.test(word));
  if (strange !== undefined) return `what ${program} does with ${excerpt(strange)} is not known`;
  return program === "test" || program === "[" ? testWordsDoubt(program, words, language) : undefined;
}

/** No subscript with an expansion in it: `a[$(date)]` is evaluated wherever a shell calculates or takes a name. */
const NO_SUBSCRIPT = /^(?![^[]*\[[^$`]*[$`])/;
const NUMBER = /^-?\d+$/;

/** The words that each may have; any for those that are not in a list. */
const HARMLESS: ReadonlyMap<string, RegExp> = new Map([
  ...each("pwd times dirs type test [ cd pushd popd command", NO_SUBSCRIPT),
  // Not builtins of bash, but of a shell that calculates with the words.
  ...each("sleep realpath which where whence", NO_SUBSCRIPT),
  ...each("jobs", /^(?:-[lnprs]+|%[-+%\w]*|\d+)$/),
  ...each("exit return break continue shift", NUMBER),
  ...each("kill", /^[-+%\w]+$/),
  ...each("wait", /^(?:-[nf]+|\d+|%[-+%\w]*)$/),
  // With options alone these two only show something.
  ...each("umask", /^-[Sp]+$/),
  ...each("ulimit", /^-[A-Za-z]+$/),
]);

const HARMFUL: ReadonlyMap<string, string> = new Map([
  ...each("export declare typeset local readonly unset", "sets or unsets variables"),
  ...each("read mapfile readarray getopts let", "sets variables and evaluates their names"),
  ...each("alias unalias enable hash", "changes which program a name means"),
  ...each("shopt bind complete compgen compopt", "changes how the shell reads or completes"),
  ...each("source . fc history", "runs commands that are not in the text"),
  ...each("trap", "runs its text later"),
  ...each("bg fg disown suspend", "changes which commands go on in the background"),
  ...each("caller help logout", "is a builtin that is not read here"),
]);

/** Builtins that other shells have, and names that they replace by such from the start. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map([
  ...each("chdir", "changes the folder in some shells"),
  ...each("integer float nameref compound enum private global array vared", "sets variables in some shells"),
  ...each("print getln pushln zparseopts zformat zregexparse zstyle", "evaluates names in some shells"),
  ...each("disable rehash unhash functions unfunction autoload", "changes what names mean in some shells"),
  ...each("setopt unsetopt emulate zmodload limit unlimit ttyctl", "changes the shell in some shells"),
  ...each("bindkey zle compadd compcall compctl compset echotc echoti", "changes the shell in some shells"),
  ...each("compfiles comptags comptry compvalues compquote compgroups", "changes the shell in some shells"),
  ...each("comparguments compdescribe", "changes the shell in some shells"),
  ...each("r hist sched login redirect zcompile", "runs or writes more than the text has in some shells"),
  ...each("stop bye rename", "is a builtin of some shells and a program for others"),
]);

function each<Value>(names: string, value: Value): readonly (readonly [string, Value])[] {
  return names.split(" ").map((name) => [name, value] as const);
}
