/** The names of the flags that a command line has, by the program's description; none for one that nobody described. */
import { findProgram } from "./known-programs.js";
import { readFlags } from "./read-flags.js";

/** `grep -rel x` has the flags -r and -e, and "l" is the value of -e. */
export function flagNames([program = "", ...words]: readonly string[]): readonly string[] {
  const described = findProgram(program);
  if (!described) return [];
  return readFlags([described], described.prepare?.(words) ?? words).flags.map(({ name }) => name);
}
