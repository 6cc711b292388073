/** The names that a command prints when it lists files below known folders: `find src -name '*.ts'`, `grep -rl x src`. */
import { judgeArgv } from "../programs/judge-argv.js";
import { isSecretFile, SECRET_NAMES } from "../programs/path-effects.js";
import { baseName } from "./base-name.js";
import type { ReadCommand } from "./read-shell.js";

export type FoundNames = {
  /** One for each folder: `src/**`, everything below src. */
  readonly patterns: readonly string[];
  /** No name is a link. */
  readonly isFiles: boolean;
  /** Nothing below a folder of packages is among them. */
  readonly leavesPackages: boolean;
  /** The last part of each name matches one of these; empty when it may be any. */
  readonly only: readonly string[];
  /** A NUL stands behind each name, and none begins with a dash. */
  readonly isExact: boolean;
};

/** Undefined where other lines may be among them. */
export function foundNames(feeds: readonly ReadCommand[]): FoundNames | undefined {
  const [feed, ...others] = feeds;
  if (!feed || feed.unknown || others.some(({ argv }) => argv.join("\0") !== feed.argv.join("\0")))
    return undefined;
  if (isFilter(feed.argv)) return foundNames(feed.feeds);
  return listedBy(feed.argv);
}

/** Passes on some of its lines as they are. */
function isFilter([program = "", ...words]: readonly string[]): boolean {
  const line = words.join(" ");
  switch (program) {
    case "head":
    case "tail":
      return /^(?:-n ?)?-?\d*$/.test(line);
    case "sort":
    case "uniq":
      return /^(?:-[urn]+)?$/.test(line);
    case "grep":
      return (
        words.filter((word) => !/^-[viEFPwx]+$/.test(word)).length === 1 && !words.at(-1)?.startsWith("-")
      );
    default:
      return false;
  }
}

function listedBy(argv: readonly string[]): FoundNames | undefined {
  const [program = "", ...words] = argv;
  const { reads, onlyReads, doubts } = judgeArgv(argv);
  const lister = LISTERS.get(baseName(program));
  if (!lister?.(words) || !onlyReads || doubts.length > 0) return undefined;
  const isFind = program === "find";
  return {
    patterns: (reads.length === 0 ? ["."] : reads).map(below),
    only: isFind ? namesIn(words) : [],
    leavesPackages: isFind ? leavesPackages(words) : program === "git",
    isFiles: isFind ? words.join(" ").includes("-type f") : program !== "git",
    isExact: isFind && words.includes("-print0"),
  };
}

/** Everything below a folder. */
export const below = (folder: string): string => `${folder.replace(/(?<=[^/])\/+$/, "")}/**`;

const LISTERS: ReadonlyMap<string, (words: readonly string[]) => boolean> = new Map([
  ["find", isPlainFind],
  ["grep", (words) => words.some((word) => /^-[a-zA-Z]*[lL]/.test(word) || word.startsWith("--files-with"))],
  [
    "rg",
    (words) => words.some((word) => /^-[a-zA-Z]*l/.test(word) || /^--files(?:-with-matches)?$/.test(word)),
  ],
  ["git", ([subcommand = "", ...words]) => subcommand === "ls-files" && words.every(isPlainName)],
]);

/** Prints names and nothing else, and asks for none that are hidden or hold secrets. */
export function isPlainFind(words: readonly string[]): boolean {
  return (
    !words.some((word) => /^-(?:printf|fprint|fls|ls|delete|exec|ok|files0)/.test(word)) &&
    words.filter((word) => !/^\.{1,2}\/?$/.test(word)).every(isPlainName)
  );
}

const isEither = (word: string): boolean => /^(?:-o|-or|,)$/.test(word);

/** The patterns behind `-name`, when every file that is found matches one. */
export function namesIn(words: readonly string[]): readonly string[] {
  const isName = (at: number): boolean => words[at] === "-name" && !/^(?:!|-not)$/.test(words[at - 1] ?? "");
  const isBound = words.every((word, at) => !isEither(word) || (isName(at - 2) && isName(at + 1)));
  return isBound ? words.filter((_, at) => isName(at - 1)) : [];
}

export const leavesPackages = (words: readonly string[]): boolean =>
  /(?:^| )(?:!|-not) -path \S*node_modules/.test(words.join(" "));

const HIDDEN = /(?:^|\/)\.[^/]*[*?[]/;

const isPlainName = (word: string): boolean =>
  !SECRET_NAMES.test(word) && !HIDDEN.test(word) && !isSecretFile(word);
