/** The words of a command that may be paths, as the system receives them. */
import { homedir } from "node:os";
import { posix } from "node:path";
import type { Executor, ReadCommand } from "../../policy/index.js";
import { followsLinks } from "../../policy/shell/folder-change.js";
import { isPattern } from "./glob-names.js";
import { isWithinAny } from "../../call/absolute-path.js";

/** `cwd`: the real path of the folder that the command starts in. */
export type Place = {
  readonly command: string;
  readonly cwd: string;
  readonly executor: Executor;
  readonly roots: readonly string[];
};

/** A path as the system receives it: made absolute, but neither normalised nor resolved. */
export type Written = {
  readonly path: string;
  readonly access: "read" | "write";
  /** The pattern that it was found for. */
  readonly pattern?: string;
  /** The pattern names no folder, so that a name may begin with a dash. */
  readonly mayBeFlag?: boolean;
  /** The names are split at blanks. */
  readonly splits?: boolean;
  /** The word is a path outside the workspace. The system's own links there are harmless, unless they lead inside. */
  readonly isElsewhere?: boolean;
};

/** The folder in which a command runs. A shell resolves `..` by name, whatever links the path has. */
export const folderOf = ({ after }: ReadCommand, cwd: string): string =>
  after.reduce((here, change) => posix.resolve(here, atHome(change)), cwd);

const atHome = (word: string): string => (/^~(?:\/|$)/.test(word) ? homedir() + word.slice(1) : word);

/** The paths that a command may touch. */
export function pathsOf(read: ReadCommand, place: Place): readonly Written[] {
  const { argv, reads, writes } = read;
  const folder = folderOf(read, place.cwd);
  const goesByName = argv[0] === "cd" && !followsLinks(argv);
  const accesses = (words: readonly string[], access: Written["access"]): readonly Written[] =>
    words
      .filter((word) => word !== "")
      .map(atHome)
      .map((word) => {
        const path = word.startsWith("/") ? word : `${folder}/${word}`;
        const isElsewhere = word.startsWith("/") && !isWithinAny(posix.resolve(word), place.roots);
        return { path: goesByName ? posix.resolve(path) : path, access, isElsewhere };
      });
  // A shell takes a whole word for a pattern. One that it expands counts also without a folder in it.
  const isExpanded = (word: string): boolean =>
    (word.includes("/") || read.patterns.includes(word)) && !read.found?.patterns.includes(word);
  const patterns = argv.slice(1).filter((word) => isPattern(word) && isExpanded(word));
  return [
    ...accesses(argv.slice(1).flatMap(valuesIn), "read"),
    ...accesses(reads, "read"),
    ...accesses(writes, "write"),
    ...patterns.flatMap((word) =>
      accesses([word], "read").map((one) => ({
        ...one,
        pattern: posix.resolve(one.path),
        mayBeFlag: !word.slice(0, word.search(/[*?[]/)).includes("/"),
        splits: read.splits?.includes(word) === true,
      })),
    ),
  ];
}

/** A word, and the parts of it that may be paths: `if=link`, `-flink`, `--data=@link`, `link:/mnt`. */
function valuesIn(word: string): readonly string[] {
  const attached = /^-[A-Za-z]./.test(word) ? [word.slice(2)] : [];
  const values = [word, ...word.split(/[=:,]/), ...attached];
  return values.flatMap((value) => (value.startsWith("@") ? [value, value.slice(1)] : [value]));
}
