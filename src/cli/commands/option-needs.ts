/**
 * Options that need another option. Alone they would have no effect, so the command line refuses them. For options that
 * exclude each other there is commander's own `conflicts`.
 */
import type { Command } from "commander";

/** Each of `names` needs one of `others`, all as typed. The check also runs when the command's action is replaced. */
export function optionNeeds(command: Command, names: readonly string[], others: readonly string[]): void {
  command.hook("preAction", () => {
    const lone = names.find((name) => isGiven(command, name));
    if (lone === undefined || others.some((other) => isGiven(command, other))) return;
    command.error(`error: option '${flagsOf(command, lone)}' needs option ${either(command, others)}`);
  });
}

/** True when the user typed the option; a default does not count. */
function isGiven(command: Command, name: string): boolean {
  const source = command.getOptionValueSource(optionOf(command, name).attributeName());
  return source !== undefined && source !== "default";
}

/** The option with its argument, as commander names it: '--auth <method>'. */
const flagsOf = (command: Command, name: string): string => optionOf(command, name).flags;

function optionOf(command: Command, name: string) {
  const option = command.options.find(({ long }) => long === name);
  if (!option) throw new Error(`The command ${command.name()} has no option ${name}.`);
  return option;
}

const either = (command: Command, names: readonly string[]): string =>
  names.map((name) => `'${flagsOf(command, name)}'`).join(" or ");
