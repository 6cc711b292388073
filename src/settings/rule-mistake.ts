/**
 * Finds rules with a valid shape that cannot work: a relative path, a `*` without a meaning, an example that fails. Such
 * a denial would deny nothing, so it is an error.
 */
import type { Rule } from "../policy/index.js";
import { readHostPattern } from "../policy/hosts/host-pattern.js";
import { patternSegments } from "../policy/paths/match-path.js";
import { checkExamples } from "./check-examples.js";

export type RuleMistake = { readonly field: string; readonly what: string; readonly toDo: string };

export function ruleMistake(rule: Rule): RuleMistake | undefined {
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
