/** Readers for the programs of data/git.json. */
import { orHere } from "../folder-reads.js";
import type { Effects, Reader } from "../program.js";
import { moved } from "./copy-and-move.js";
import { addresses, cloneWords, fetchPlaces, hiddenFolder, outsideReads, pushPlaces } from "./git-places.js";
import { configWords, settingDoubts } from "./git-settings.js";
import { changesElsewhere, checkout, pathspecs, restore } from "./git-tree.js";

/** A hook runs when a name is given to a commit, or taken from it. */
const REFS_CHANGE: Effects = { runs: true };

const together = (one: Effects, other: Effects): Effects => ({
  ...one,
  ...other,
  doubts: [...(one.doubts ?? []), ...(other.doubts ?? [])],
});

const git: Reader = { effects: (_words, seen) => ({ ...settingDoubts(seen), ...changesElsewhere(seen) }) };

const grep: Reader = {
  effects: (words, seen) => {
    const named = seen.has("-e", "-f") ? words : words.slice(1);
    const { doubts = [] } = outsideReads(words);
    return { doubts, reads: [".", ...named, ...(outsideReads(words).reads ?? [])] };
  },
};

const LIST_FLAGS = "--contains --no-contains --merged --no-merged --points-at -l --list".split(" ");

/** A word is a pattern when names are listed; otherwise it is the name of a new one. */
const branch: Reader = {
  effects: (words, seen) => ({
    ...outsideReads(words),
    ...(words.length > 0 && !seen.has(...LIST_FLAGS, "-a", "--all", "-r", "--remotes") && REFS_CHANGE),
  }),
};

const tag: Reader = {
  effects: (words, seen) => ({
    ...outsideReads(words),
    ...(words.length > 0 && !seen.has(...LIST_FLAGS, "-n") && REFS_CHANGE),
  }),
};

const push: Reader = {
  effects: (words) => {
    const lost = words
      .slice(1)
      .filter((ref) => /^[+:]/.test(ref))
      .map((ref) => `"${ref}" overwrites or deletes what others may hold`);
    return together(pushPlaces(words), { doubts: lost, runs: true });
  },
};

const fetch: Reader = {
  effects: (words, seen) => {
    if (!seen.has("-m", "--multiple")) return fetchPlaces(words, "fetches from");
    const away = addresses(words);
    return { ...away, urls: [...(away.urls ?? []), ""] };
  },
};

const pull: Reader = {
  effects: (words) => ({ ...fetchPlaces(words, "merges code from"), editsBelow: ["."], runs: true }),
};

const remoteAddress = (doubt?: string): Reader => ({
  effects: (words) => together(addresses(words.slice(1)), { doubts: doubt === undefined ? [] : [doubt] }),
});

const mv: Reader = {
  effects: (words, seen) =>
    seen.has("-n", "--dry-run")
      ? { reads: words }
      : { ...moved(words.slice(0, -1)), writes: words.slice(-1) },
};

const clean: Reader = {
  effects: (words, seen) =>
    together(outsideReads(words), {
      deletesBelow: seen.has("-n", "--dry-run") ? [] : orHere(pathspecs(words)),
    }),
};

/** `git stash -u` is `git stash push -u`. */
const stash: Reader = {
  prepare: (args) => {
    const [first = "-"] = args;
    return first.startsWith("-") && !args.includes("--help") ? ["push", ...args] : args;
  },
};

/** A folder that is named is one that programs may obey. */
const newFolder: Reader = {
  effects: ([folder = "."]) => ({ doubts: hiddenFolder(folder) }),
};

/** Without a second word, the folder is called like the repository. */
const ghClone: Reader = {
  effects: ([repository = "", named]) => {
    const folder = named ?? repository.replace(/(?:\.git)?\/*$/, "").replace(/^.*[/:]/, "");
    return { editsBelow: [folder], doubts: hiddenFolder(folder) };
  },
};

export const gitReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["git", git],
  ["git-names", { effects: outsideReads }],
  ["git-grep", grep],
  ["git-branch", branch],
  ["git-tag", tag],
  ["git-addresses", { effects: (words) => fetchPlaces(words, undefined) }],
  ["git-push", push],
  ["git-fetch", fetch],
  ["git-pull", pull],
  ["git-clone", { effects: cloneWords }],
  ["git-remote-add", remoteAddress("names a place that later pushes may go to")],
  ["git-remote-set-url", remoteAddress("sends later pushes elsewhere")],
  ["git-submodule-set-url", remoteAddress()],
  ["git-config", { effects: configWords }],
  ["git-checkout", checkout],
  ["git-restore", restore],
  ["git-mv", mv],
  ["git-clean", clean],
  ["git-stash", stash],
  ["git-new-folder", newFolder],
  ["gh-clone", ghClone],
];
