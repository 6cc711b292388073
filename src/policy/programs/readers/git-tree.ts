/** Reads which part of the working tree a git command changes. */
import type { Effects, Reader, Seen } from "../program.js";
import { outsideReads } from "./git-places.js";

const LOSES = "can lose work that nothing else holds";

/** The ways to write "all of it". */
const isEverything = (word: string): boolean => [".", "./", ":/", ":", "*"].includes(word);

/** The folders or files that the words name; a pattern may match anything in the folder. */
export const pathspecs = (words: readonly string[]): readonly string[] =>
  words.map((word) => (/^:|[*?[\\]/.test(word) ? "." : word));

/** Stands before `--` with the number of words that follow it, which are paths and no names of commits. */
const PATHS = "--paths-after-dashes";

function countPaths(args: readonly string[]): readonly string[] {
  const at = args.indexOf("--");
  return at === -1 ? args : [...args.slice(0, at), `${PATHS}=${args.length - at - 1}`, ...args.slice(at)];
}

export const checkout: Reader = {
  prepare: countPaths,
  effects: (words, seen) => {
    const { reads = [], doubts = [] } = outsideReads(words);
    const paths = Number(seen.values(PATHS).at(-1) ?? "0");
    const chooses = seen.has("-p", "--patch", "-f", "--force", "-m", "--merge", "--pathspec-from-file");
    const everywhere = words.length > 0 || chooses ? ["."] : [];
    const named = paths > 0 && paths <= words.length ? pathspecs(words.slice(-paths)) : [];
    return {
      reads,
      doubts: [...doubts, ...(words.some(isEverything) ? [LOSES] : [])],
      editsBelow: named.length > 0 ? named : everywhere,
      // Another branch lacks files of this one; files that are restored by name stay.
      deletesBelow: named.length > 0 ? (seen.has("--no-overlay") ? named : []) : everywhere,
      runs: true,
    };
  },
};

/** Only the index changes with `--staged` alone. */
export const restore: Reader = {
  effects: (words, seen) => {
    const { reads = [], doubts = [] } = outsideReads(words);
    const isStaged = seen.has("-S", "--staged");
    const loses = words.some(isEverything) && !isStaged;
    const paths = words.length > 0 ? pathspecs(words) : ["."];
    return {
      reads,
      doubts: [...doubts, ...(loses ? [LOSES] : [])],
      editsBelow: isStaged && !seen.has("-W", "--worktree") ? [] : paths,
    };
  },
};

const CHANGES_TREE =
  /^(?:am|apply|bisect (?!log|terms)\S+|checkout|cherry-pick|clone|format-patch|init|lfs (?:pull|checkout|migrate|track|untrack|install)|merge|mv|pull|read-tree|rebase|reset|restore|revert|sparse-checkout (?!list|check-rules)\S+|stash(?! (?:list|show|create|store|drop|clear)\b)|submodule (?!status|summary)\S+|switch|worktree (?!list|lock|unlock|prune)\S+)\b/;

/** With `-C` all that follows happens in that folder, which the subcommand does not see. */
export function changesElsewhere(seen: Seen): Effects {
  const folders = seen.values("-C");
  const command = seen.words.slice(0, 2).join(" ");
  return {
    editsBelow: CHANGES_TREE.test(command) ? folders : [],
    deletesBelow: /^(?:clean|rm|worktree remove)\b/.test(command) ? folders : [],
  };
}
