/** Copies between this machine and another: scp, rsync, rclone. */
import type { Effects, Reader, Seen } from "../program.js";
import { within } from "./copy-and-move.js";
import { CHOSEN_THERE } from "./web-address.js";

/** `host:path` is over there, everything else is here. */
const isRemote = (word: string) => /^(?:rsync|scp|sftp):\/\//.test(word) || /^[^/]*:/.test(word);

function copies(words: readonly string[]): Effects {
  const target = words.at(-1);
  const isCopy = target !== undefined && words.length > 1;
  const leaves = isCopy && isRemote(target);
  return {
    urls: words.filter(isRemote),
    sends: leaves ? [target] : [],
    reads: words.slice(0, -1).filter((word) => !isRemote(word)),
    writes: isCopy && !leaves ? [target, ...within([target], words.slice(0, -1).map(withoutHost))] : [],
    editsBelow: isCopy && !leaves ? [target] : [],
    doubts: words.filter((word) => word.startsWith("-")).map((word) => `"${word}" looks like a flag`),
  };
}

/** The path behind the host or scheme; only its last name counts. */
const withoutHost = (word: string) => (isRemote(word) ? word.slice(word.lastIndexOf(":") + 1) : word);

/** Whether the copy brings names that the words do not show: a remote folder or pattern can have any. */
const bringsNames = (words: readonly string[], isRecursive: boolean): boolean =>
  words.length > 1 &&
  !isRemote(words.at(-1) ?? "") &&
  words.slice(0, -1).some((word) => isRemote(word) && (isRecursive || /[*?[]|\/\.?$/.test(word)));

function copied(words: readonly string[], isRecursive: boolean): Effects {
  const { doubts = [], ...effects } = copies(words);
  return { ...effects, doubts: [...doubts, ...(bringsNames(words, isRecursive) ? [CHOSEN_THERE] : [])] };
}

const scp: Reader = { effects: (words, seen) => copied(words, seen.has("-r")) };

const isTrial = (seen: Seen) => seen.has("-n", "--dry-run", "--list-only");

/** rclone's `sync` deletes in the target, its `move` takes the sources away. */
function losses(words: readonly string[], loses: "target" | "sources"): Effects {
  const picked = loses === "target" ? words.slice(-1) : words.slice(0, -1);
  const here = picked.filter((word) => !isRemote(word));
  return loses === "target" ? { deletesBelow: here } : { moves: here };
}

const trial = (words: readonly string[]): Effects => ({
  urls: words.filter(isRemote),
  reads: words.filter((word) => !isRemote(word)),
});

const rclone = (loses?: "target" | "sources"): Reader => ({
  effects: (words, seen) =>
    isTrial(seen) ? trial(words) : { ...copied(words, true), ...(loses && losses(words, loses)) },
});

function rsyncWords(words: readonly string[], seen: Seen): Effects {
  const target = words.at(-1) ?? "";
  const isHere = words.length > 1 && !isRemote(target);
  const deletes = isHere && seen.flags.some(({ name }) => name.startsWith("--del"));
  const both = isTrial(seen) ? trial(words) : words.length === 1 ? oneWord(target) : copies(words);
  return {
    ...both,
    writes: [
      ...(both.writes ?? []),
      // A suffix may make a backup's name one that programs obey.
      ...(isHere ? words.slice(0, -1).flatMap((word) => suffixed(target, word, seen)) : []),
    ],
    deletesBelow: deletes && !isTrial(seen) ? [target] : [],
    runsFiles: seen
      .values("-e", "--rsh")
      .flatMap((shell) => shell.split(/\s+/).filter((word) => word.includes("/"))),
    moves: seen.has("--remove-source-files") ? (both.reads ?? []) : [],
    doubts: [
      ...(copies(words).doubts ?? []),
      ...(deletes && !isTrial(seen) ? [`deletes what "${target}" holds beyond its source`] : []),
      ...(words.length > 1 && /^rsync:\/\/|::/.test(target)
        ? ["sends files to a server that asks no key"]
        : []),
      ...(!isTrial(seen) && bringsNames(words, seen.has("-r", "--recursive", "-a", "--archive"))
        ? [CHOSEN_THERE]
        : []),
      ...rsyncFlagDoubts(seen),
    ],
  };
}

const suffixed = (target: string, word: string, seen: Seen): readonly string[] =>
  seen
    .values("--suffix")
    .flatMap((suffix) =>
      [target, ...within([target], [withoutHost(word)])].map((path) => `${path}${suffix}`),
    );

/** With one word, rsync lists it. */
const oneWord = (word: string): Effects => (isRemote(word) ? { urls: [word] } : { reads: [word] });

function rsyncFlagDoubts(seen: Seen): string[] {
  const shells = seen
    .values("-e", "--rsh")
    .filter((shell) => !/^ssh(?: -p ?\d+| -i [\w./~-]+| -[46qvCTx])*$/.test(shell));
  const rules = seen.values("-f", "--filter").filter((rule) => /^(?:merge|dir-merge|[.:])/.test(rule));
  return [
    ...shells.map((shell) => `runs "${shell}"`),
    ...rules.map((rule) => `"${rule}" takes rules from a file`),
  ];
}

export const remoteCopyReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["remote-copy", scp],
  ["rclone-copy", rclone()],
  ["rclone-sync", rclone("target")],
  ["rclone-move", rclone("sources")],
  ["rsync", { effects: rsyncWords }],
];
