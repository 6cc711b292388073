/** A description made ready for use: flags in a table, patterns compiled, its reader found. */
import { compileClause, wordsByName } from "./compile-clause.js";
import { flagTable } from "./flag-table.js";
import { mergeEffects } from "./merge-effects.js";
import type { ProgramData, ProgramFile } from "./program-data.js";
import type { Program } from "./program.js";
import { readers } from "./readers/index.js";

export function compileProgram(data: ProgramData, shared: ProgramFile["shared"] = {}): Program {
  const { style, numbers, plus, onlyReads = false, inherits, bare, answers } = data;
  const reader = data.reader === undefined ? undefined : readers.get(data.reader);
  if (data.reader !== undefined && !reader)
    throw new Error(`There is no reader "${data.reader}" for program descriptions.`);
  const layers = [data, ...(data.uses ?? []).map((name) => sharedData(name, shared))];
  // Where a reader looks at the words, the data need not.
  const words = wordsByName(data.words ?? (reader?.effects ? "verbatim" : "none"));
  const clauses = layers.flatMap(({ does = [] }) => does).map(compileClause);
  const checks = [words, ...clauses, ...(reader?.effects ? [reader.effects] : [])];
  return {
    ...(reader?.prepare && { prepare: reader.prepare }),
    ...(reader?.nested && { nested: reader.nested }),
    flags: flagTable(layers),
    ...(style && { style }),
    ...(numbers && { numbers }),
    ...(plus !== undefined && { plus: new RegExp(plus) }),
    onlyReads,
    ...(answers && { answers }),
    ...(data.subcommands && { subcommand: lateProgram(data.subcommands, shared) }),
    ...(inherits && { inherits }),
    ...(bare !== undefined && { bare }),
    wordEffects: (seenWords, seen) => mergeEffects(checks.map((check) => check(seenWords, seen))),
  };
}

/** Looks a program up by one of the names in the keys. Compiled when first asked for: most never are. */
export function lateProgram(
  entries: { readonly [names: string]: ProgramData },
  shared: ProgramFile["shared"],
): (name: string) => Program | undefined {
  const compiled = new Map<string, Program>();
  const byName = new Map(
    Object.entries(entries).flatMap(([names, data]) => names.split(" ").map((name) => [name, data] as const)),
  );
  return (name) => {
    const known = compiled.get(name);
    const data = known ? undefined : byName.get(name);
    if (!data) return known;
    const program = compileProgram(data, shared);
    compiled.set(name, program);
    return program;
  };
}

function sharedData(name: string, shared: ProgramFile["shared"] = {}): ProgramData {
  const data = Object.hasOwn(shared, name) ? shared[name] : undefined;
  if (!data) throw new Error(`Program descriptions use "${name}", which their file does not share.`);
  return data;
}
