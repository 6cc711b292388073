/** The names that a command prints when it lists files below known folders: `find src -name '*.ts'`, `grep -rl x src`. */
import { judgeArgv } from "../programs/judge-argv.js";
import { isSecretFile, SECRET_NAMES } from "../programs/path-effects.js";
import { flagNames } from "../programs/flag-names.js";
import { baseName } from "./base-name.js";
import type { NamesBelow } from "./inner-command.js";
import type { ReadCommand } from "./read-shell.js";

export type FoundNames = NamesBelow & {
  /** A NUL stands behind each name, and none begins with a dash. */
  readonly isExact: boolean;
  /** All are names of files as the disk has them, so that a look at the disk sees each. */
  readonly isOnDisk: boolean;
};

/** Undefined where other lines may be among them. */
export function foundNames(feeds: readonly ReadCommand[]): FoundNames | undefined {
  const [feed, ...others] = feeds;
  if (!feed || feed.unknown || others.some(({ argv }) => argv.join("\0") !== feed.argv.join("\0")))
    return undefined;
  if (isFilter(feed.argv)) {
    // A filter takes lines for names, and a name may hold the end of a line: the rest of it may be another path.
    const found = foundNames(feed.feeds);
    return found && { ...found, isExact: false };
  }
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
  const isGit = program === "git";
  const tests = isFind ? namesTests(words) : { only: [], leavesPackages: false, isFiles: !isGit };
  return {
    patterns: (reads.length === 0 ? ["."] : reads).map(below),
    ...tests,
    isExact: isFind ? words.includes("-print0") : isGit && listsBelow(words.slice(1)),
    // The index may hold names that the disk does not: `a /etc/passwd`, `--pre=x`.
    isOnDisk: !isGit,
  };
}

/** `git ls-files -z src`: each name begins as a word does. */
function listsBelow(words: readonly string[]): boolean {
  const places = words.filter((word) => !word.startsWith("-"));
  return (
    words.includes("-z") && places.length > 0 && places.every((word) => /^\w(?!.*\.\.)[\w./*-]*$/.test(word))
  );
}

/** Everything below a folder. */
export const below = (folder: string): string => `${folder.replace(/(?<=[^/])\/+$/, "")}/**`;

const LISTERS: ReadonlyMap<string, (words: readonly string[]) => boolean> = new Map([
  ["find", isPlainFind],
  ["grep", (words) => listsOnly("grep", words, GREP_LISTS, GREP_BESIDE)],
  ["rg", (words) => listsOnly("rg", words, RG_LISTS, RG_BESIDE)],
  [
    "git",
    ([subcommand = "", ...words]) =>
      subcommand === "ls-files" && words.every((word) => isPlainName(word) && LISTS.test(word)),
  ],
]);

/** Whether it lists files by name and prints nothing else: `grep -rel src` prints lines, since "l" is its pattern there. */
function listsOnly(
  program: string,
  words: readonly string[],
  lists: ReadonlySet<string>,
  beside: ReadonlySet<string>,
): boolean {
  const names = flagNames([program, ...words]);
  return names.some((name) => lists.has(name)) && names.every((name) => lists.has(name) || beside.has(name));
}

const flags = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const GREP_LISTS = flags("-l --files-with-matches -L --files-without-match");
const GREP_BESIDE = flags(
  "-r --recursive -e --regexp -E -F -G -P --extended-regexp --fixed-strings --basic-regexp --perl-regexp -i -y " +
    "--ignore-case -w --word-regexp -x --line-regexp -s --no-messages -v --invert-match -I -a --text --include --exclude " +
    "--exclude-dir -n --line-number -H -h --with-filename --no-filename -Z --null -m --max-count",
);

const RG_LISTS = flags("-l --files-with-matches --files-without-match --files");
/** Not those with which it prints lines, counts or types after all: the last one of them counts. */
const RG_BESIDE = flags(
  "-e --regexp -F --fixed-strings -i --ignore-case -s --case-sensitive -S --smart-case -w --word-regexp -x --line-regexp " +
    "-v --invert-match -g --glob --iglob -t --type -T --type-not --hidden -. -u --unrestricted --no-ignore --no-ignore-vcs " +
    "-0 --null --sort --sortr --sort-files -U --multiline -P --pcre2 -d --max-depth --maxdepth -j --threads -n --line-number " +
    "-N --no-line-number -a --text --no-messages --no-config --no-heading",
);

/** Flags with which `git ls-files` prints names and nothing else, relative to the folder. */
const LISTS = /^(?!-)|^(?:-[zcomd]+|--(?:cached|others|modified|deleted|exclude-standard)|--)$/;

/** Prints names and nothing else, and asks for none that are hidden or hold secrets. */
export function isPlainFind(words: readonly string[]): boolean {
  return (
    !words.some((word) => /^-(?:printf|fprint|fls|ls|delete|exec|ok|files0)/.test(word)) &&
    words.filter((word) => !/^\.{1,2}\/?$/.test(word)).every(isPlainName)
  );
}

const isEither = (word: string): boolean => /^(?:-o|-or|,)$/.test(word);
const isNot = (word: string | undefined): boolean => word === "!" || word === "-not";

/**
 * The facts that the tests of `find` give about every name that it prints or hands on. Only tests before its first action
 * hold for all of them, and only where no "or", no bracket and no second "not" may change that.
 * `words`: without the commands of -exec, the first of which stands at `end`.
 */
export function namesTests(
  words: readonly string[],
  end: number = words.length,
): Pick<FoundNames, "only" | "isFiles" | "leavesPackages"> {
  const first = words.findIndex((word) => /^-print0?$/.test(word));
  const at = first === -1 ? end : Math.min(first, end);
  const [before, after] = [words.slice(0, at), words.slice(at)];
  const isSimple = !words.some((word) => isEither(word) || word === "(" || word === ")");
  const isTest = (index: number, name: string, value: RegExp): boolean =>
    before[index] === name && value.test(before[index + 1] ?? "");
  return {
    only: after.some(isEither) ? [] : namesIn(before),
    isFiles:
      isSimple && before.some((_, index) => isTest(index, "-type", /^f$/) && !isNot(before[index - 1])),
    leavesPackages:
      isSimple &&
      before.some(
        (_, index) =>
          isTest(index, "-path", /^\*\/?node_modules\/?\*$/) &&
          isNot(before[index - 1]) &&
          !isNot(before[index - 2]),
      ),
  };
}

/** The patterns behind `-name`, when every file that is found matches one. */
function namesIn(words: readonly string[]): readonly string[] {
  const isName = (at: number): boolean => words[at] === "-name" && !isNot(words[at - 1]);
  const isBound = words.every((word, at) => !isEither(word) || (isName(at - 2) && isName(at + 1)));
  const isTurned = words.some((word, at) => word === "(" && isNot(words[at - 1]));
  return isBound && !isTurned ? words.filter((_, at) => isName(at - 1)) : [];
}

const HIDDEN = /(?:^|\/)\.[^/]*[*?[]/;

const isPlainName = (word: string): boolean =>
  !SECRET_NAMES.test(word) && !HIDDEN.test(word) && !isSecretFile(word);
