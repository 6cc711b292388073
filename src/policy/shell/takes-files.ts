/** Whether a program takes any number of files at the place of a pattern, and does the same to each. */
import { judgeArgv } from "../programs/judge-argv.js";
import { baseName } from "./base-name.js";

const ONE = "./zq1";
const OTHER = "./zq2";

export function takesFiles(argv: readonly string[], pattern: string): boolean {
  if (/^(?:echo|:)$/.test(baseName(argv[0] ?? ""))) return true;
  const single = judgeArgv(argv.map((word) => (word === pattern ? ONE : word)));
  const several = judgeArgv(argv.flatMap((word) => (word === pattern ? [ONE, OTHER] : [word])));
  if (!single.isKnown || single.doubts.length + several.doubts.length > 0) return false;
  const { reads, writes, deletes, moves, editsBelow, deletesBelow } = several;
  const lists = [
    [single.reads, reads],
    [single.writes, writes],
    [single.deletes, deletes],
    [single.moves, moves],
    [single.editsBelow, editsBelow],
    [single.deletesBelow, deletesBelow],
  ] as const;
  const isTaken = lists.some(([one]) => count(one, ONE) > 0);
  return (
    isTaken &&
    lists.every(
      ([one, more]) => count(more, ONE) === count(one, ONE) && count(more, OTHER) === count(one, ONE),
    )
  );
}

const count = (list: readonly string[], word: string): number => list.filter((one) => one === word).length;
