/** `xargs grep x` behind a command that lists files: a command that only reads them. */
import { judgeArgv } from "../programs/judge-argv.js";
import { takesFiles } from "./takes-files.js";
import { foundNames } from "./found-names.js";
import type { InnerCommands } from "./inner-command.js";
import { readOptions } from "./read-options.js";
import type { ReadCommand } from "./read-shell.js";
import type { ShellLanguage } from "./shell-context.js";

const OPTIONS =
  "-0 --null -r --no-run-if-empty -t --verbose -n= --max-args= -L= -P= --max-procs= -d= --delimiter= -I=";

/** Undefined where the names or the command are not known to be harmless. */
export function insideXargs(
  [program, ...words]: readonly string[],
  feeds: readonly ReadCommand[],
  language: ShellLanguage,
): InnerCommands | undefined {
  if (program !== "xargs") return undefined;
  const { options, rests, doubts } = readOptions(words, OPTIONS);
  const found = foundNames(feeds);
  const [rest = []] = rests;
  if (!found || doubts.length > 0) return undefined;
  const isNull = options.some(([name]) => name === "-0" || name === "--null");
  const isByLine = options.every(
    ([name, value]) => !/^-(?:d|-delimiter)$/.test(name) || value === String.raw`\n`,
  );
  const isExact = isNull && found.isExact;
  // xargs splits names at blanks. Toolgate checks the folder of its own shell for such names before the command runs.
  if (!isByLine || (!isExact && (language === "sh" || !found.isOnDisk))) return undefined;
  const replaced = options.find(([name]) => name === "-I")?.[1];
  const argv = rest.length === 0 ? ["echo"] : rest;
  const filled = fill(argv, replaced, found.patterns);
  if (!filled || !readsFiles(filled.argv, filled.places)) return undefined;
  return {
    insides: [
      {
        wrapper: "xargs",
        argv: filled.argv,
        found: { ...found, splits: !isExact },
      },
    ],
    doubts: [],
    known: true,
    passesOn: true,
  };
}

type Filled = { readonly argv: readonly string[]; readonly places: readonly string[] };

function fill(
  argv: readonly string[],
  mark: string | undefined,
  patterns: readonly string[],
): Filled | undefined {
  if (mark === undefined) return { argv: [...argv, ...patterns], places: patterns };
  const holders = argv.filter((word) => word.includes(mark));
  if (mark === "" || holders.length !== 1 || holders[0] !== mark || argv[0] === mark) return undefined;
  return { argv: argv.flatMap((word) => (word === mark ? patterns : [word])), places: patterns };
}

/** Whether the command only reads, and reads each of these. */
export function readsFiles(argv: readonly string[], places: readonly string[]): boolean {
  const [place = ""] = places;
  const others = new Set(places.slice(1));
  const single = argv.filter((word) => !others.has(word));
  const { onlyReads, doubts } = judgeArgv(argv);
  return onlyReads && doubts.length === 0 && takesFiles(single, place);
}
