/** Readers for the programs of data/files.json. */
import { FOLLOWS, orHere } from "../folder-reads.js";
import { findCommands } from "../scripts/find-commands.js";
import type { Effects, NestedCommands, Reader, Seen } from "../program.js";
import { copyInto, linkWords, moveInto, renameWords } from "./copy-and-move.js";
import { ffmpegWords, imageMagickWords, mediaWords } from "./media.js";
import { dd, modeWords } from "./modes-and-devices.js";

const RECURSIVE = ["-R", "-r", "--recursive"];

/** Without the recursion, a link that is met is one that was written out, and those are looked at elsewhere. */
const followsBelow = (seen: Seen, ...flags: string[]): Effects => ({
  doubts: seen.has(...flags) && seen.has(...RECURSIVE) ? [FOLLOWS] : [],
});

const belowWhenRecursive = (paths: readonly string[], seen: Seen): Effects => ({
  writes: paths,
  editsBelow: seen.has(...RECURSIVE) ? paths : [],
});

const find: Reader = {
  nested: findCommands,
  effects: (words, seen) => {
    const starts = orHere(words.filter((word) => !/^[()!,]$/.test(word)));
    if (!seen.has("-delete")) return { reads: starts };
    // The deletion is a pattern below each folder, since some of its content goes and the folder itself stays.
    return { reads: starts, deletes: starts.map((start) => `${start}/[found]`), deletesBelow: starts };
  },
};

/** The words after `-x` are a command, up to a `;`. */
function fdCommands(args: readonly string[]): NestedCommands {
  const at = args.findIndex((word) => /^(?:-x|-X|--exec|--exec-batch)$/.test(word));
  if (at === -1) return { words: args, commands: [], mustOnlyRead: true };
  const rest = args.slice(at + 1);
  const end = rest.indexOf(";");
  return {
    words: [...args.slice(0, at), ...(end === -1 ? [] : rest.slice(end + 1))],
    commands: [end === -1 ? rest : rest.slice(0, end)],
    mustOnlyRead: true,
  };
}

const fd: Reader = { nested: fdCommands, effects: (words) => ({ reads: orHere(words.slice(1)) }) };

const install: Reader = {
  effects: (words, seen) => {
    const modes = seen.values("-m", "--mode").filter((mode) => /s|^[2-7]\d{3}$/.test(mode));
    const doubts = modes.map((mode) => `"${mode}" lets others run it as its owner`);
    if (seen.has("-d", "--directory")) return { writes: words, doubts };
    const copied = copyInto(words, seen);
    return { ...copied, doubts: [...(copied.doubts ?? []), ...doubts] };
  },
};

const truncate: Reader = {
  effects: (words, seen) => ({
    writes: words,
    doubts:
      seen.values("-s", "--size").some((size) => size.startsWith("0")) &&
      !words.every((word) => word.endsWith(".log"))
        ? ["empties what is there"]
        : [],
  }),
};

const chmod: Reader = {
  prepare: (args) => args.map((word) => (/^-[rwxXst]+$/.test(word) ? `a${word}` : word)),
  effects: (words, seen) => {
    const { paths, doubts } = modeWords(words, seen);
    const followed = followsBelow(seen, "-H", "-L");
    return { ...belowWhenRecursive(paths, seen), doubts: [...doubts, ...(followed.doubts ?? [])] };
  },
};

const chown: Reader = {
  effects: (words, seen) => ({
    ...followsBelow(seen, "-H", "-L"),
    ...belowWhenRecursive(seen.has("--reference") ? words : words.slice(1), seen),
  }),
};

export const filesReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["find", find],
  ["fd", fd],
  ["ls", { effects: (_words, seen) => followsBelow(seen, "-L", "--dereference") }],
  ["cp", { effects: copyInto }],
  ["mv", { effects: moveInto }],
  ["install", install],
  ["ln", { effects: linkWords }],
  ["rename", { effects: renameWords }],
  ["truncate", truncate],
  ["chmod", chmod],
  ["chown", chown],
  [
    "setfacl",
    { effects: (words, seen) => ({ ...followsBelow(seen, "-L"), ...belowWhenRecursive(words, seen) }) },
  ],
  ["getfacl", { effects: (_words, seen) => followsBelow(seen, "-L", "--logical") }],
  ["dd", dd],
  ["ffprobe", { effects: (words, seen) => mediaWords([...words, ...seen.values("-i")]) }],
  ["ffmpeg", { effects: ffmpegWords }],
  ["imagemagick", { effects: imageMagickWords }],
];
