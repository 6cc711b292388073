/** Readers for the programs of data/archive.json. */
import { UNSEEN } from "../folder-reads.js";
import type { Effects, Reader, Seen } from "../program.js";
import { tar, UNPACKS } from "./tar.js";

const RUNS = "runs another program";

const unknownLetter = (letter: string): Effects => ({
  doubts: [`"${letter}" is not known to be harmless`],
});

const fromLists = (words: readonly string[]): Effects => ({
  takesList: words.some((word) => word.startsWith("@")),
  doubts: words
    .filter((word) => word.startsWith("@"))
    .map((word) => `"${word}" names files that are not shown here`),
});

/** The archive chooses the names, also those of settings that run programs. */
const unpacked = (rest: readonly string[], effects: Effects): Effects => {
  const { takesList = false, doubts = [] } = fromLists(rest);
  return { ...effects, takesList, doubts: [...doubts, UNPACKS] };
};

const sevenZip: Reader = {
  prepare: (args) => args.map((word) => (word.startsWith("-o") ? `--into=${word.slice(2)}` : word)),
  effects: (words, seen) => {
    const [letter = "", archive = "", ...rest] = words;
    const into = seen.values("--into");
    if (/^[ltih]$/.test(letter) || words.length === 0) return { ...fromLists(rest), reads: [archive] };
    if (/^[xe]$/.test(letter))
      return unpacked(rest, { reads: [archive], editsBelow: into.length > 0 ? into : ["."] });
    return /^[au]$/.test(letter)
      ? { ...fromLists(rest), reads: rest, writes: [archive] }
      : unknownLetter(letter);
  },
};

/** A last word that ends with a slash is the folder to unpack into. */
function unpackRar(archive: string, rest: readonly string[]): Effects {
  const into = rest.filter((word) => word.endsWith("/"));
  return unpacked(rest, { reads: [archive], editsBelow: [...(into.length > 0 ? into : ["."]), ...rest] });
}

const unrar: Reader = {
  effects: ([letter = "", archive = "", ...rest]) => {
    if (/^(?:l|lt|lb|t|v|vt|p)$/.test(letter)) return { ...fromLists(rest), reads: [archive] };
    return /^[xe]$/.test(letter) ? unpackRar(archive, rest) : unknownLetter(letter);
  },
};

const rar: Reader = {
  effects: ([letter = "", archive = "", ...files]) => {
    if (/^[au]$/.test(letter)) return { ...fromLists(files), reads: files, writes: [archive] };
    if (/^(?:l|lt|t|v)$/.test(letter)) return { ...fromLists(files), reads: [archive] };
    return /^[xe]$/.test(letter) ? unpackRar(archive, files) : unknownLetter(letter);
  },
};

const ar: Reader = {
  prepare: (args) => ["--", ...args.map((word, index) => (index === 0 ? word.replace(/^-/, "") : word))],
  effects: ([letters = "", archive = "", ...files]) => {
    if (!/^[mpqrtxabcDfilNoPsSTuUvV]+$/.test(letters)) return unknownLetter(letters);
    // `ar t lib.a --plugin x.so` loads code, and `@file` holds further words.
    const odd = [archive, ...files].filter((word) => /^[-@]./.test(word));
    const doubts = odd.map((word) => `"${word}" is not known to be harmless`);
    if (/[tp]/.test(letters)) return { reads: [archive], doubts };
    return /x/.test(letters)
      ? { reads: [archive], editsBelow: ["."], doubts: [...doubts, UNPACKS] }
      : { reads: files, writes: [archive], doubts };
  },
};

function cpioEffects(words: readonly string[], seen: Seen): Effects {
  const archives = seen.values("-F");
  const isRemote = [...archives, ...seen.values("-I", "-O")].some((name) => name.includes(":"));
  const doubts = isRemote ? [RUNS] : [];
  if (seen.has("-p", "--pass-through"))
    return {
      writes: words,
      editsBelow: words,
      takesList: true,
      doubts: [...doubts, "copies files whose names come from standard input"],
    };
  if (seen.has("-o", "--create")) return { writes: archives, takesList: true, doubts: [UNSEEN, ...doubts] };
  if (seen.has("-t", "--list")) return { reads: archives, doubts };
  const into = seen.values("-D");
  return { reads: archives, editsBelow: into.length > 0 ? into : ["."], doubts: [...doubts, UNPACKS] };
}

const zip: Reader = {
  prepare: (args) =>
    args.flatMap((word) =>
      /^-[rqjuv9yeXo]{2,}$/.test(word) ? Array.from(word.slice(1), (letter) => `-${letter}`) : [word],
    ),
  effects: ([archive, ...files], seen) => ({
    reads: files,
    writes: archive === undefined ? [] : [archive],
    deletes: seen.has("-m", "--move") ? files : [],
  }),
};

/** Members are named as they are in the archive, so they lie below the folder that it is unpacked into. */
const unzip: Reader = {
  effects: ([archive, ...members], seen) => {
    const reads = archive === undefined ? [] : [archive];
    if (archive === undefined || seen.has("-l", "-t", "-v", "-z", "-p", "-c", "-Z")) return { reads };
    const folders = seen.values("-d");
    const into = folders.length > 0 ? folders : ["."];
    const writes = into.flatMap((folder) =>
      members.map((member) => (folder === "." ? member : `${folder}/${member}`)),
    );
    return {
      reads,
      editsBelow: into,
      writes: seen.has("-T") ? [archive, ...writes] : writes,
      doubts: [UNPACKS],
    };
  },
};

const ENDINGS = /(?:\.(?:gz|bz2?|xz|lzma|zst|lz4|lzo|br|[zZ])|[-_]g?z)$/i;
const SHORT_ENDINGS = /\.t(?:gz|az|bz2?|xz|lz|zst|zo)$/i;

/** Without its ending, or with the one that a flag names, each file is written beside the old one. */
const squeezed: Reader = {
  effects: (words, seen) => {
    if (seen.has("-c", "--stdout", "--to-stdout", "-t", "--test", "-l", "--list")) return {};
    const endings = seen.values("-S", "--suffix");
    const packed = words.flatMap((word) =>
      endings.flatMap((ending) => [`${word}${ending}`, `${word}.${ending}`]),
    );
    const named = words.flatMap((word) =>
      endings.filter((ending) => word.endsWith(ending)).map((ending) => word.slice(0, -ending.length)),
    );
    const plain = words
      .filter((word) => ENDINGS.test(word) || SHORT_ENDINGS.test(word))
      .map((word) => word.replace(SHORT_ENDINGS, ".tar").replace(ENDINGS, ""));
    const isNamedWithin = seen.has("-N", "--name") && (seen.has("-d", "--decompress") || plain.length > 0);
    return {
      writes: [...packed, ...named, ...plain],
      doubts: isNamedWithin ? ["writes the file that the archive names"] : [],
    };
  },
};

export const archiveReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["tar", tar],
  ["7z", sevenZip],
  ["unrar", unrar],
  ["rar", rar],
  ["ar", ar],
  ["cpio", { effects: cpioEffects }],
  ["zip", zip],
  ["squeezed", squeezed],
  ["unzip", unzip],
];
