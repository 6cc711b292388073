/** Reads the words of tar: mode, folders and old spelling together say what is read and written. */
import type { Effects, Reader, Seen } from "../program.js";

export const UNPACKS = "writes whatever files the archive names";

const LETTERS_WITH_VALUE = "bCfFgHIKLNTVX";

/** `tar xzf name` is `tar -x -z -f name`: values follow in the order of the letters that take one. */
function oldStyle(args: readonly string[]): readonly string[] {
  const [first = "", ...rest] = args;
  if (first.startsWith("-") || !/^[A-Za-z]+$/.test(first)) return args;
  const words: string[] = [];
  let used = 0;
  for (const letter of first) {
    words.push(`-${letter}`);
    if (!LETTERS_WITH_VALUE.includes(letter)) continue;
    words.push(rest[used] ?? "");
    used += 1;
  }
  return [...words, ...rest.slice(used)];
}

const COMPRESSORS =
  /^(?:gzip|pigz|bzip2|pbzip2|xz|pixz|zstd|lz4|lzip|lzop|lzma)(?: (?:-\d+|-T ?\d+|--threads=\d+|--long(?:=\d+)?|-k|--ultra|--fast))*$/;

const CREATE = "-c --create -r --append -u --update -A --catenate --concatenate --delete".split(" ");
const EXTRACT = ["-x", "--extract", "--get"];

/** Each `-C` is taken from the folder that the one before it led to. */
function folders(seen: Seen): readonly string[] {
  const found: string[] = [];
  for (const folder of seen.values("-C", "--directory")) found.push(below(found.at(-1) ?? ".", folder));
  return found;
}

function below(folder: string, word: string): string {
  return folder === "." || /^[/~]/.test(word) ? word : `${folder.replace(/\/+$/, "")}/${word}`;
}

function doubtsOf(archives: readonly string[], seen: Seen): string[] {
  const doubts = seen
    .values("-I", "--use-compress-program")
    .filter((program) => !COMPRESSORS.test(program))
    .map((program) => `runs "${program}"`);
  const remote = archives.filter((archive) => /^[^/]*:/.test(archive) && !seen.has("--force-local"));
  doubts.push(...remote.map((archive) => `"${archive}" is on another machine, reached by a program`));
  if (seen.has("--transform", "--xform") && seen.has(...EXTRACT)) doubts.push("renames what it unpacks");
  return doubts;
}

function effects(words: readonly string[], seen: Seen): Effects {
  const archives = seen.values("-f", "--file");
  const doubts = doubtsOf(archives, seen);
  const named = folders(seen);
  const within =
    named.length === 0 ? words : named.flatMap((folder) => words.map((word) => below(folder, word)));
  if (seen.has(...EXTRACT)) {
    const target = named.length === 0 ? ["."] : named;
    if (seen.has("-O", "--to-stdout")) return { reads: archives, doubts };
    return {
      reads: archives,
      writes: [...named, ...within],
      editsBelow: target,
      deletesBelow: seen.has("--recursive-unlink") ? target : [],
      doubts: [...doubts, UNPACKS],
    };
  }
  if (seen.has("-t", "--list")) return { reads: archives, doubts };
  if (seen.has("-d", "--diff", "--compare")) return { reads: [...archives, ...named, ...within], doubts };
  if (!seen.has(...CREATE, "--help", "--version")) doubts.push("no flag says whether tar packs or unpacks");
  return {
    // bsdtar takes over what is in the archive that follows an `@`.
    reads: [
      ...named,
      ...within,
      ...within.flatMap((word) => /^@(?<path>.+)/.exec(word)?.groups?.["path"] ?? []),
    ],
    writes: archives,
    deletes: seen.has("--remove-files") ? within : [],
    doubts,
  };
}

export const tar: Reader = { prepare: oldStyle, effects };
