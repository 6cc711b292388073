/** Builtins that set variables, in the spellings in which they do no more than that. */
import type { ShellLanguage } from "./shell-context.js";
import { isHarmlessVariable, isOwnName } from "./variable-names.js";
import { UNKNOWN, type Value, type Variables } from "./variables.js";

/** The variables that a command sets. */
export type VariableChange = ReadonlyMap<string, Value>;

/** Undefined for a command that sets none, or does more. */
export function variableChange(argv: readonly string[], language: ShellLanguage): VariableChange | undefined {
  const [program, ...words] = argv;
  if (program === "read") return readNames(words, language);
  if (program === "unset") return unsetNames(words, language);
  return program === "export" ? exported(words) : undefined;
}

export const changedVariables = (variables: Variables, change: VariableChange): Variables =>
  new Map([...variables, ...change]);

/** `read -r a b`: the names get lines of the input. */
function readNames(words: readonly string[], language: ShellLanguage): VariableChange | undefined {
  const names = words[0] === "-r" ? words.slice(1) : words;
  return areOwn(names, language) ? new Map(names.map((name) => [name, UNKNOWN])) : undefined;
}

function unsetNames(words: readonly string[], language: ShellLanguage): VariableChange | undefined {
  const names = words[0] === "-v" ? words.slice(1) : words;
  return areOwn(names, language) ? new Map(names.map((name) => [name, UNKNOWN])) : undefined;
}

const areOwn = (names: readonly string[], language: ShellLanguage): boolean =>
  names.length > 0 && names.every((name) => isOwnName(name, language));

/** Programs get these variables. */
function exported(words: readonly string[]): VariableChange | undefined {
  const change = new Map<string, Value>();
  for (const word of words) {
    const { name = "", value } = /^(?<name>\w+)=(?<value>[^]*)$/.exec(word)?.groups ?? {};
    if (value === undefined || !isHarmlessVariable(name, value)) return undefined;
    change.set(name, { type: "text", text: value });
  }
  return words.length > 0 ? change : undefined;
}
