/** Whether the files that a pattern becomes would take the places of other words. */
import { judgeArgv } from "./judge-argv.js";

/** Their first word is a program of their own language, and flags take values. */
const SCRIPTED = /^(?:[gmn]?awk|g?sed|jq|gojq|jaq|yq)$/;

/**
 * `awk src/*` runs the name of the first file, and `awk -F src/* x` that of the second: a pattern is harmless to these
 * only where it is one of the files to read.
 */
export function isRoleGlob(argv: readonly string[], glob: string): boolean {
  const [program = "", ...words] = argv;
  if (!SCRIPTED.test(program.slice(program.lastIndexOf("/") + 1))) return false;
  const count = (list: readonly string[]) => list.filter((word) => word === glob).length;
  return count(words) > count(judgeArgv(argv).reads);
}
