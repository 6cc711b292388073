/** `find -exec … ;`, `fd -x …`. */
import { judgeArgv } from "../programs/judge-argv.js";
import { FOUND_FILE, findCommands } from "../programs/scripts/find-commands.js";
import { below, isPlainFind, namesTests } from "./found-names.js";
import type { InnerCommand, InnerCommands } from "./inner-command.js";
import { readsFiles } from "./inside-xargs.js";

/** More commands than a find has: each is checked several times. */
const MAX_COMMANDS = 8;

const RUNS = new Map([
  ["find", /^-(?:exec|execdir|ok|okdir)$/],
  ["fd", /^(?:-[xX]|--exec|--exec-batch)$/],
  ["fdfind", /^(?:-[xX]|--exec|--exec-batch)$/],
]);

export function insideFind(name: string, words: readonly string[]): InnerCommands | undefined {
  const runs = RUNS.get(name);
  if (!runs) return undefined;
  const count = words.filter((word) => runs.test(word)).length;
  const readers = name === "find" && count > 0 && count <= MAX_COMMANDS ? readersIn(words, count) : undefined;
  if (readers) return { insides: readers, doubts: [], known: true };
  const insides = [];
  const doubts = [];
  for (let index = 0; index < words.length; index++) {
    if (!runs.test(words[index] ?? "")) continue;
    const ends = words.findIndex(
      (word, at) => at > index && (word === ";" || (word === "+" && words[at - 1] === "{}")),
    );
    const argv = words.slice(index + 1, ends < 0 ? undefined : ends);
    insides.push({ wrapper: name, argv });
    // fd adds the file to every command; find only where the command says so.
    if (name !== "find" || ends < 0 || argv.some((word) => word.includes("{}"))) {
      doubts.push(`${name} adds the files that it finds to the command`);
    }
    if (ends < 0) break;
    index = ends;
  }
  return { insides, doubts, known: insides.length > 0 };
}

/** The commands of a find when each of them only reads the files that are found; undefined when one may do more. */
function readersIn(args: readonly string[], count: number): readonly InnerCommand[] | undefined {
  if (args.some((word) => /^-(?:execdir|ok|okdir)$/.test(word))) return undefined;
  const { words, commands } = findCommands(args);
  if (commands.length !== count || !isPlainFind(words)) return undefined;
  const { reads, doubts } = judgeArgv(["find", ...words]);
  if (doubts.length > 0 || reads.length === 0) return undefined;
  const patterns = reads.map(below);
  const tests = namesTests(words, args.indexOf("-exec"));
  const found = { patterns, ...tests, splits: false };
  const insides = commands.map((command): InnerCommand | undefined => {
    const argv = command.flatMap((word) => (word === FOUND_FILE ? patterns : [word]));
    const isHeld = command.includes(FOUND_FILE);
    if (isHeld ? !readsFiles(argv, patterns) : !judgeArgv(argv).onlyReads) return undefined;
    return { wrapper: "find", argv, ...(isHeld && { found }) };
  });
  return insides.every((inside) => inside !== undefined) ? insides : undefined;
}
