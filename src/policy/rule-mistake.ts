/**
 * Finds rules that cannot work: an unknown field, and with a valid shape a relative path, a `*` without a meaning, an
 * example that fails. Such a denial would deny nothing, so it is an error.
 */
import { checkExamples } from "./check-examples.js";
import { readHostPattern } from "./hosts/host-pattern.js";
import { patternSegments } from "./paths/match-path.js";
import { shapeMistake } from "./rule.js";
import type { Rule } from "./rule.js";

/** The mistake in a rule that a program wrote, or undefined. */
export function ruleMistake(rule: Rule): string | undefined {
  const shape = shapeMistake(rule);
  if (shape !== undefined) return shape;
  const mistake = contentMistake(rule);
  return mistake && `the rule ${JSON.stringify(rule)}: ${mistake.what}. ${mistake.toDo.replace(/\.$/, "")}`;
}

type RuleMistake = { readonly field: string; readonly what: string; readonly toDo: string };

/** The mistake in a rule of a valid shape. */
export function contentMistake(rule: Rule): RuleMistake | undefined {
  return commandMistake(rule) ?? pathMistake(rule) ?? hostMistake(rule) ?? exampleMistake(rule);
}

function commandMistake({ command }: Rule): RuleMistake | undefined {
  if (command === undefined) return undefined;
  if (typeof command !== "string") {
    if (command[0] !== "") return undefined;
    return {
      field: "command",
      what: `"command" has an empty program`,
      toDo: "Put the program's name first.",
    };
  }
  const words = command.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0)
    return {
      field: "command",
      what: `"command" has no word in it`,
      toDo: "Write the words, or leave it out.",
    };
  const starred = words.find((word) => word.slice(0, -1).includes("*"));
  if (starred === undefined) return undefined;
  return {
    field: "command",
    what: `"command" has "${starred}" in it, and a * counts only at the end of a word`,
    toDo: "Move the *, or write the command as a list of its exact words.",
  };
}

function pathMistake({ path }: Rule): RuleMistake | undefined {
  if (path === undefined || patternSegments(path.replace(/^~(?=\/|$)/, "/home")) !== undefined)
    return undefined;
  return {
    field: "path",
    what: `"path" is "${path}", which matches nothing: it is relative, or has "." or ".." in it`,
    toDo: "Start it with /, ~/ or **/.",
  };
}

function hostMistake({ host }: Rule): RuleMistake | undefined {
  if (host === undefined || readHostPattern(host) !== undefined) return undefined;
  return {
    field: "host",
    what: `"host" is "${host}", which is not a host`,
    toDo: "Write example.com, *.example.com or https://example.com:8443, without a path.",
  };
}

function exampleMistake(rule: Rule): RuleMistake | undefined {
  const what = checkExamples(rule);
  return what === undefined
    ? undefined
    : { field: "examples", what, toDo: "Change the rule or the example." };
}
