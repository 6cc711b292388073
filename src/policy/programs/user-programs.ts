/**
 * Descriptions that a user adds. A program that we do not describe is added as it is; one that we do is
 * narrowed or gets further flags: a doubt of either side holds, and only both together say that it only reads.
 */
import { checkOptions, listOf, OBJECT, required } from "../../call/check-options.js";
import { compileProgram } from "./compile-program.js";
import { programData } from "./known-programs.js";
import type { UserPrograms } from "./known-programs.js";
import type { ProgramData, ProgramFile } from "./program-data.js";
import type { Program } from "./program.js";

/** When several files describe a program, all of them count. */
export function userPrograms(files: readonly ProgramFile[]): UserPrograms {
  checkOptions("userPrograms", { files }, { files: required(listOf(OBJECT)) });
  const compiled = new Map<string, Program | undefined>();
  return (name) => {
    if (!compiled.has(name)) compiled.set(name, compiledFor(name, files));
    return compiled.get(name);
  };
}

function compiledFor(name: string, files: readonly ProgramFile[]): Program | undefined {
  const theirs = files.flatMap((file) => {
    const data = entry(file.programs, name);
    return data ? [{ data, shared: file.shared ?? {} }] : [];
  });
  if (theirs.length === 0) return undefined;
  const [first, ...more] = [...ours(name), ...theirs];
  if (!first) return undefined;
  return compileProgram(
    more.reduce((data, one) => merged(data, one.data), first.data),
    Object.assign({}, ...theirs.map(({ shared }) => shared), first.shared),
  );
}

function ours(name: string): readonly { readonly data: ProgramData; readonly shared: object }[] {
  const known = programData(name);
  return known ? [known] : [];
}

function entry<T>(entries: { readonly [names: string]: T }, name: string): T | undefined {
  return Object.entries(entries).find(([names]) => names.split(" ").includes(name))?.[1];
}

function merged(one: ProgramData, other: ProgramData): ProgramData {
  const texts = (["takes", "reads", "edits", "fetches", "changes"] as const).map((field) => [
    field,
    [one[field] ?? [], other[field] ?? []].flat(),
  ]);
  const subcommands = { ...spread(one.subcommands), ...spread(other.subcommands) };
  for (const name of Object.keys(subcommands)) {
    const [ourSub, theirSub] = [entry(one.subcommands ?? {}, name), entry(other.subcommands ?? {}, name)];
    if (ourSub && theirSub) subcommands[name] = merged(ourSub, theirSub);
  }
  return {
    ...one,
    ...Object.fromEntries(texts),
    uses: [...(one.uses ?? []), ...(other.uses ?? [])],
    doubts: { ...one.doubts, ...other.doubts },
    choices: mergedChoices(one.choices, other.choices),
    does: [...(one.does ?? []), ...(other.does ?? [])],
    onlyReads: one.onlyReads === true && other.onlyReads !== false,
    ...(Object.keys(subcommands).length > 0 && { subcommands }),
  };
}

/** A value must be known to both. */
function mergedChoices(
  one: NonNullable<ProgramData["choices"]> = {},
  other: NonNullable<ProgramData["choices"]> = {},
): NonNullable<ProgramData["choices"]> {
  const both = Object.entries(other).map(([flags, values]) => {
    const known = one[flags];
    return [flags, known === undefined ? values : `(?=(?:${known})$)(?:${values})`];
  });
  return { ...one, ...Object.fromEntries(both) };
}

/** One entry for each name, so that one of them can be changed alone. */
function spread(entries: ProgramData["subcommands"] = {}): { [name: string]: ProgramData } {
  return Object.fromEntries(
    Object.entries(entries).flatMap(([names, data]) => names.split(" ").map((name) => [name, data])),
  );
}
