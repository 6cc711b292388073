/** Programs that put files in another place: where they go, and what the old place loses. */
import { FOLLOWS } from "../folder-reads.js";
import { pathDoubts } from "../path-effects.js";
import type { Effects, Seen } from "../program.js";

const TARGET_FLAGS = ["-t", "--target-directory"];

type Places = {
  readonly sources: readonly string[];
  /** The last word; a target that a flag names counts as edited by its flag. */
  readonly writes: readonly string[];
  readonly targets: readonly string[];
  /** Where the sources land when the target is plainly a folder. */
  readonly landings: readonly string[];
};

/** The last word, or `-t`, is where the others go. */
function places(words: readonly string[], seen: Seen): Places {
  const named = seen.values(...TARGET_FLAGS);
  const sources = named.length > 0 ? words : words.slice(0, -1);
  const targets = named.length > 0 ? named : words.slice(-1);
  const isFolder =
    !seen.has("-T", "--no-target-directory") &&
    (named.length > 0 ||
      sources.length > 1 ||
      targets.some((target) => /(?:^|\/)\.{0,2}$|^~[^/]*$/.test(target)));
  // Everybody's folder gets a file, and stays as it is.
  const writes = named.length > 0 ? [] : targets.filter((target) => !isFolder || !/^\/tmp\/+$/.test(target));
  const landings = isFolder ? within(targets, sources) : [];
  return { sources, writes: [...writes, ...backups([...targets, ...landings], seen)], targets, landings };
}

/** The old file is kept under its name with the suffix: `cp -S .md a CLAUDE` writes `CLAUDE.md`. */
const backups = (paths: readonly string[], seen: Seen): string[] =>
  seen
    .values("-S", "--suffix")
    .flatMap((suffix) => paths.map((path) => `${path.replace(/\/+$/, "")}${suffix}`));

/** Under its own name each source lands in the folder: `cp evil/.npmrc .` writes `.npmrc`. */
export function within(folders: readonly string[], sources: readonly string[]): string[] {
  const names = sources.map(lastName).filter((name) => !/^\.{0,2}$/.test(name));
  return folders.flatMap((folder) => names.map((name) => `${folder.replace(/\/+$/, "")}/${name}`));
}

function lastName(path: string): string {
  const whole = path.replace(/\/+$/, "");
  return whole.slice(whole.lastIndexOf("/") + 1);
}

function sourceDoubts(sources: readonly string[]): string[] {
  return [
    ...(sources.includes("/dev/null") ? ["empties what is there"] : []),
    // Under another name, nobody sees that the files are git's.
    ...sources
      .filter((source) => /(?:^|\/|\w)\.git\/*$/.test(source))
      .map((source) => `"${source}" is a repository, whose settings run programs`),
  ];
}

export function copyInto(words: readonly string[], seen: Seen): Effects {
  const { sources, writes, targets, landings } = places(words, seen);
  const isRecursive = seen.has("-R", "-r", "--recursive", "-a", "--archive");
  const follows = isRecursive && seen.has("-H", "-L", "--dereference");
  const isLink = seen.has("-l", "--link", "-s", "--symbolic-link");
  return {
    reads: sources,
    writes: isLink ? [...writes, ...sources] : writes,
    editsBelow: isRecursive ? [...targets, ...landings, ...(isLink ? sources : [])] : landings,
    doubts: [...sourceDoubts(sources), ...pathDoubts({ writes: landings }), ...(follows ? [FOLLOWS] : [])],
  };
}

/** The old place loses them, so they are doubted as if they were deleted. */
export const moved = (sources: readonly string[]): Effects => ({
  reads: sources,
  moves: sources,
  doubts: pathDoubts({ deletes: sources }),
});

export function moveInto(words: readonly string[], seen: Seen): Effects {
  const { sources, writes, landings } = places(words, seen);
  const { doubts = [], ...others } = moved(sources);
  return {
    ...others,
    writes,
    editsBelow: landings,
    doubts: [...sourceDoubts(sources), ...doubts, ...pathDoubts({ writes: landings })],
  };
}

/**
 * A link makes its target reachable under a new name, so the target counts as read and as written. A symbolic one
 * starts from the folder that the link is in.
 */
export function linkWords(words: readonly string[], seen: Seen): Effects {
  const isAlone = words.length === 1 && !seen.has(...TARGET_FLAGS);
  const { sources, writes, targets, landings } = isAlone
    ? { sources: words, writes: [], targets: [], landings: words.map(lastName) }
    : places(words, seen);
  const reached = seen.has("-s", "--symbolic") ? [...sources, ...fromLinks(sources, targets)] : sources;
  const outside = sources.filter((source) => /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(source));
  return {
    reads: reached,
    writes: [...writes, ...reached],
    editsBelow: landings,
    doubts: [
      ...outside.map((source) => `links to "${source}", which may lie elsewhere`),
      ...pathDoubts({ writes: landings }),
    ],
  };
}

/** The target may be the link itself, or the folder that it is put into. */
function fromLinks(sources: readonly string[], targets: readonly string[]): string[] {
  const folders = targets.flatMap((target) => {
    const whole = target.replace(/\/+$/, "");
    const slash = whole.lastIndexOf("/");
    return [whole, ...(slash > 0 ? [whole.slice(0, slash)] : [])];
  });
  const relative = sources.filter((source) => !/^[/~]/.test(source));
  return folders.flatMap((folder) => relative.map((source) => `${folder}/${source}`));
}

/** Two programs have this name: one takes a perl program, the other an old and a new part of the names. */
export function renameWords(words: readonly string[], seen: Seen): Effects {
  const [first = "", second = ""] = words;
  const takesParts = /^[\w.\- ]*$/.test(first);
  const files = words.slice(takesParts ? 2 : 1);
  const renamed = takesParts ? (name: string) => name.replace(first, () => second) : substitution(first);
  const code = renamed ? [] : ["its first word is a perl program"];
  if (seen.has("-n", "--no-act", "--nono")) return { reads: files, doubts: code };
  const { doubts = [], ...others } = moved(files);
  const unseen = files.filter((file) => /[*?[]/.test(file)).map((file) => `renames whatever "${file}" finds`);
  const targets = renamed ? files.map((file) => renamed(file)) : [];
  return { ...others, writes: [...new Set([...files, ...targets])], doubts: [...doubts, ...code, ...unseen] };
}

/** `s/old/new/` where perl and we read the pattern alike, or `y/A-Z/a-z/`, after which a name is the same but for its case. */
function substitution(code: string): ((name: string) => string) | undefined {
  if (/^(?:y|tr)\/(?:A-Z\/a-z|a-z\/A-Z)\/$/.test(code)) return (name) => name;
  const parts = /^s\/(?<old>(?:[\w \-^+*.]|\\[.\-dws]|\$(?=\/))*)\/(?<new>[\w .-]*)\/(?<flags>[gi]*)$/.exec(
    code,
  )?.groups;
  const pattern = parts && readPattern(parts["old"] ?? "", parts["flags"] ?? "");
  return pattern && ((name) => name.replace(pattern, () => parts["new"] ?? ""));
}

function readPattern(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
