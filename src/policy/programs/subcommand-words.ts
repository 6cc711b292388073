/** The program and subcommands that a command line names, by the program's description. */
import { findProgram } from "./known-programs.js";
import type { UserPrograms } from "./known-programs.js";
import type { Program } from "./program.js";
import { readFlags } from "./read-flags.js";

/** `git -C a commit -m x` is `["git", "commit"]`. Empty for a program that nobody described. */
export function subcommandWords(argv: readonly string[], user?: UserPrograms): readonly string[] {
  const [name = "", ...rest] = argv;
  const names: string[] = [];
  let programs: readonly Program[] = [findProgram(name, user)].filter((one) => one !== undefined);
  let args: readonly string[] = rest;
  let word = name;
  for (;;) {
    const [program] = programs;
    if (!program) return names;
    names.push(word);
    const own = program.nested?.(args).words ?? args;
    const [first, ...after] = readFlags(programs, program.prepare ? program.prepare(own) : own).words;
    const sub = first === undefined ? undefined : program.subcommand?.(first);
    if (first === undefined || !sub) return names;
    programs = [sub, ...(program.inherits ? programs : [])];
    args = after;
    word = first;
  }
}
