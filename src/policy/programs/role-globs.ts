/** Patterns of which the files that they become would take the places of other words. */
import { judgeArgv } from "./judge-argv.js";

/** The first word of these programs is a program in their own language, and their flags take values. */
const SCRIPTED = /^(?:[gmn]?awk|g?sed|jq|gojq|jaq|yq)$/;

/**
 * `awk src/*` runs the name of the first file, and `awk -F src/* x` that of the second: a pattern is harmless to these
 * only where it is one of the files to read.
 */
export function roleGlobs(argv: readonly string[], globs: readonly string[]): ReadonlySet<string> {
  const [program = "", ...words] = argv;
  if (globs.length === 0 || !SCRIPTED.test(program.slice(program.lastIndexOf("/") + 1))) return new Set();
  const uses = new Map<string, number>(globs.map((glob) => [glob, 0]));
  const count = (list: readonly string[], step: number) => {
    for (const word of list) {
      const sum = uses.get(word);
      if (sum !== undefined) uses.set(word, sum + step);
    }
  };
  count(words, 1);
  count(judgeArgv(argv).reads, -1);
  return new Set([...uses].filter(([, sum]) => sum > 0).map(([glob]) => glob));
}
