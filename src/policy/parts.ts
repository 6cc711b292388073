/**
 * Splits an intent into the parts that rules can name: commands with their effects, paths, hosts, or the tool alone.
 * The shell text is read here and nowhere else.
 */
import { isWithin } from "../call/absolute-path.js";
import { visibleText } from "../call/index.js";
import type { ToolKind } from "../call/index.js";
import type { Intent, OutsideLink, PathAccess } from "./intent.js";
import { isProcessPath } from "./paths/process-paths.js";
import { foldPath, normalisePath } from "./paths/match-path.js";
import { judgeArgv } from "./programs/judge-argv.js";
import type { ArgvJudgement } from "./programs/judge-argv.js";
import type { UserPrograms } from "./programs/known-programs.js";
import { ELSEWHERE_PLACE } from "./programs/path-effects.js";
import { mergeEffects } from "./programs/merge-effects.js";
import { plainChecker } from "./programs/plain-checkers.js";
import { installedTool } from "./programs/project-tools.js";
import { baseName } from "./shell/base-name.js";
import { readArgv, readShell } from "./shell/read-shell.js";
import type { ReadCommand, ShellReading } from "./shell/read-shell.js";
import { isHarmlessVariable } from "./shell/variable-names.js";

/** A path that a command touches; with `below`, anything below that folder may be touched. */
export type Touch = PathAccess & {
  readonly below?: true;
  /** The path without normalisation, where that differs: only the disk knows where `..` leads behind a link. */
  readonly written?: string;
};

export type CommandPart = {
  readonly type: "command";
  readonly argv: readonly string[];
  readonly judgement: ArgvJudgement;
  /** Where it runs, after the folder changes before it; undefined when that cannot be known. */
  readonly cwd: string | undefined;
  /** The same path without normalisation: only the disk knows where `..` leads behind a link. */
  readonly way: string;
  /** Paths that it is known to touch, absolute. */
  readonly touches: readonly Touch[];
  /** Changes of things that are no files here: on another machine, or among the system's packages. */
  readonly elsewhere: readonly PathAccess["access"][];
  /** Files that its redirects write. */
  readonly redirects: readonly PathAccess[];
  /** Files whose code it runs, absolute. */
  readonly runsFiles: readonly string[];
  /** Another part of the same text may change one of these files before it is run. */
  readonly isChangedBefore?: true;
  /** Folders below which its patterns, or a list that it reads, name files that are not known here. */
  readonly globs: readonly { readonly folder: string; readonly mayBeHidden: boolean }[];
  /** Absolute paths that its other words may stand for: a guess, good for asking only. */
  readonly mayMean: readonly string[];
  /** Its input, and which of its words the shell expands. */
  readonly read: Pick<
    ReadCommand,
    "feeds" | "fedText" | "reads" | "isBackground" | "patterns" | "unknown" | "wrappers"
  >;
};

export type PathPart = { readonly type: "path" } & PathAccess;
type HostPart = { readonly type: "host"; readonly url: string };
export type Part = CommandPart | PathPart | HostPart | { readonly type: "tool" };

export type IntentParts = {
  readonly parts: readonly Part[];
  /** Why the command may do more or other than its parts say. */
  readonly doubts: readonly string[];
};

export type Places = {
  readonly roots: readonly string[];
  readonly home: string;
  /** Descriptions of programs that the user added. */
  readonly programs?: UserPrograms;
};

export function partsOf(intent: Intent, { home, programs }: Places): IntentParts {
  const reading = readCommand(intent, home);
  const commands = withChangedFiles(
    reading.commands.map((command) =>
      commandPart(command, { start: intent.cwd, home, programs, links: intent.outsideLinks ?? [] }),
    ),
  );
  const paths = intent.paths.map((access): PathPart => ({ type: "path", ...access }));
  const hosts = intent.hosts.map((url): HostPart => ({ type: "host", url }));
  const parts = [...commands, ...paths, ...hosts];
  const env = Object.entries(intent.env ?? {})
    .filter(([name, value]) => !isHarmlessVariable(name, value))
    .map(([name]) => `the variable ${name} is set for it`);
  const otherNames = reading.commands.flatMap((command) => otherNamesIn(command, intent.cwd));
  return {
    parts: parts.length > 0 ? parts : [{ type: "tool" }],
    doubts: [
      ...new Set([
        ...reading.doubts,
        ...env,
        ...otherNames,
        ...linksInTheWay(commands, intent.paths),
        ...fedKeys(commands),
      ]),
    ],
  };
}

/** The hash of a file that is run was taken before any part has run, so it says nothing about a file that another part writes. */
function withChangedFiles(commands: readonly CommandPart[]): readonly CommandPart[] {
  if (commands.length === 1 || commands.every(({ runsFiles }) => runsFiles.length === 0)) return commands;
  return commands.map((part) => {
    if (part.runsFiles.length === 0) return part;
    const changed = commands.filter((other) => other !== part).flatMap(changedPlaces);
    const isChanged = part.runsFiles.some((path) => changed.some((place) => mayOverlap(place, path)));
    return isChanged ? { ...part, isChangedBefore: true } : part;
  });
}

/** The paths that a part changes, and those where it puts something. */
const changedPlaces = ({ touches, redirects }: CommandPart): readonly string[] =>
  [...touches.filter(({ access }) => access !== "read"), ...redirects].map(({ path }) => path);

/** Whether one path may be the other or lie below it; of a pattern only the fixed part is known. */
function mayOverlap(one: string, other: string): boolean {
  const [first, second] = [fixedPath(one), fixedPath(other)];
  return isWithin(first, second) || isWithin(second, first);
}

const fixedPath = (path: string): string => foldPath(GLOB.test(path) ? fixedFolder(path) : path);

/**
 * Paths are resolved before any part has run. A part that puts links, or files of unknown content, into a place may
 * redirect the paths of the parts after it that lead there.
 */
function linksInTheWay(commands: readonly CommandPart[], paths: readonly PathAccess[]): readonly string[] {
  return commands.flatMap((maker, at) => {
    if (!mayMakeLinks(maker)) return [];
    const made = changedPlaces(maker);
    const later = commands
      .slice(at + 1)
      .flatMap(({ touches, redirects, cwd }) =>
        [...touches, ...redirects].filter(({ path }) => path !== cwd),
      );
    const isMet = (path: string): boolean => made.some((place) => mayOverlap(place, path));
    // A link that is there already may lead to a place that changes now.
    const isLed = later.length > 0 && paths.some(({ path, named }) => named !== undefined && isMet(path));
    if (!isLed && !later.some(({ path }) => isMet(path))) return [];
    const program = visibleText(maker.argv[0] ?? "");
    return [`${program} may put a link where a later part of the command reads or writes`];
  });
}

/** An editor reads its input as keys, and keys can run programs. */
function fedKeys(commands: readonly CommandPart[]): readonly string[] {
  return commands
    .filter(({ read }) => read.feeds.length + read.reads.length > 0 || read.fedText !== undefined)
    .filter(({ argv: [program = ""] }) => TAKES_KEYS.test(baseName(program)))
    .map(
      ({ argv: [program = ""] }) => `${visibleText(program)} reads its input as keys, which can run programs`,
    );
}

const TAKES_KEYS =
  /^(?:vi|vim|nvim|view|vimdiff|ex|emacs|emacsclient|nano|pico|micro|joe|mg|less|more|most|top|htop|gdb|lldb|tmux|screen|mutt|mail|mailx|lynx|w3m|links|tig|man|info)$/;

/** Code that runs could go anywhere by itself; these can only lead others. */
function mayMakeLinks({ argv: [program = "", ...words], judgement }: CommandPart): boolean {
  const name = baseName(program);
  if (judgement.moves.length > 0 || /^(?:ln|link)$/.test(name)) return true;
  if (/^(?:cp|rsync|scp|install)$/.test(name))
    return words.some((word) =>
      /^-[a-zA-Z]*[adlPRrsS]|^--(?:archive|link|symbolic|recursive|no-deref|links)/.test(word),
    );
  return judgement.editsBelow.length > 0 && (name === "git" || !judgement.runs) && !EDITS_IN_PLACE.test(name);
}

/** Formatters and their like change files that are there, and make no links. */
const EDITS_IN_PLACE =
  /^(?:black|isort|ruff|autopep8|yapf|gofmt|goimports|go|rustfmt|cargo|clang-format|shfmt|oxfmt|oxlint|biome|terraform|tofu|tsc|dos2unix|unix2dos|sed|perl|mkdir|touch)$/;

/** Words by which a command may reach a file that rules know under another name. */
function otherNamesIn({ argv, reads, writes, after }: ReadCommand, cwd: string): readonly string[] {
  const folder = after.reduce((here, change) => joined(here, change), cwd);
  return [...argv.slice(1).flatMap(valuesIn), ...reads, ...writes]
    .filter((word) => isProcessPath(joined(folder, word)))
    .map((word) => `${word} reaches a file by another name than its own`);
}

/** Not shortened: where `..` leads depends on what stands before it. */
const joined = (folder: string, word: string): string => (word.startsWith("/") ? word : `${folder}/${word}`);

/** Every reader of a command's text reads it here, so that none sees other words than the rules do. */
export function readCommand(
  { command, executor, cwd }: Pick<Intent, "command" | "executor" | "cwd">,
  home: string,
): ShellReading {
  if (command === undefined) return { commands: [], doubts: [] };
  if (typeof command !== "string") return readArgv(command);
  const { language = "sh", known } = executor ?? {};
  return readShell(command, { language, cwd, inherited: { HOME: home, ...known } });
}

/** More words than anyone writes: not judged one by one, and so never allowed unasked. */
const MAX_WORDS = 2_000;

const unjudged = (): ArgvJudgement => ({
  ...mergeEffects([{ doubts: [`it has more than ${MAX_WORDS} words`] }]),
  onlyReads: false,
  isKnown: false,
});

/** A wrapper's own words do nothing: the command inside is a part of its own. */
const passedOn = (): ArgvJudgement => ({ ...mergeEffects([]), onlyReads: true, isKnown: true });

const judged = ({ argv, judged: words, passesOn }: ReadCommand, programs?: UserPrograms): ArgvJudgement =>
  passesOn ? passedOn() : judgeArgv(words ?? argv, programs);

type Start = {
  readonly start: string;
  readonly home: string;
  readonly programs: UserPrograms | undefined;
  readonly links: readonly OutsideLink[];
};

/** The touch by its real path, where a link leads elsewhere; with a pattern, one more for each link that it matches. */
function followed(touch: Touch, links: readonly OutsideLink[]): readonly Touch[] {
  const met = links.filter(({ named, pattern }) => (pattern ?? named) === touch.path);
  const real = met.map(({ path, named }): Touch => ({ ...touch, path, named }));
  return met.some(({ pattern }) => pattern === undefined) ? real : [touch, ...real];
}

function commandPart(command: ReadCommand, { start, home, programs, links }: Start): CommandPart {
  const { argv } = command;
  const judgement = argv.length > MAX_WORDS ? unjudged() : judged(command, programs);
  const cwd = folderAfter(start, command.after, home);
  const way = command.after.reduce((here, change) => joined(here, atHome(change, home)), start);
  const absolute = (word: string): string | undefined =>
    cwd === undefined ? undefined : pathOf(word, cwd, home);
  const accesses = (words: readonly string[], access: PathAccess["access"]): Touch[] =>
    words
      .filter((word) => word !== ELSEWHERE_PLACE)
      .map((word): Touch => {
        const path = cwd === undefined ? undefined : filePath(word, cwd, home);
        // A path that cannot be read may be any.
        if (path === undefined) return { path: "/", access, below: true };
        // The shell's own cd takes `..` out of the words; programs leave that to the system.
        const written = argv[0] === "cd" ? path : joined(cwd ?? way, atHome(word, home));
        return written.includes("..") ? { path, access, written } : { path, access };
      })
      .flatMap((touch) => followed(touch, links));
  const below = (words: readonly string[], access: PathAccess["access"]): Touch[] =>
    accesses(words, access).map((touch) => ({ ...touch, below: true }));
  const { writes, deletes, moves, editsBelow, deletesBelow, urls } = judgement;
  const isAddress = (word: string): boolean => urls.includes(word) && !FILE_URL.test(word);
  const reads = [...judgement.reads.filter((word) => !isAddress(word)), ...urls.flatMap(fileOfUrl)];
  const [program = ""] = argv;
  const mayMean = argv
    .slice(1)
    .flatMap(valuesIn)
    .flatMap((word) => absolute(word) ?? []);
  return {
    type: "command",
    argv,
    judgement,
    cwd,
    way,
    touches: [
      ...accesses([...reads, ...command.reads], "read"),
      ...accesses(writes, "write"),
      ...accesses(deletes, "delete"),
      ...accesses(moves, "move"),
      ...below(editsBelow, "write"),
      ...below(deletesBelow, "delete"),
    ],
    elsewhere: [
      ...(writes.includes(ELSEWHERE_PLACE) ? (["write"] as const) : []),
      ...(deletes.includes(ELSEWHERE_PLACE) ? (["delete"] as const) : []),
    ],
    redirects: accesses(command.writes, "write"),
    runsFiles: [
      ...[
        ...(program.includes("/") && installedTool(program) === undefined ? [program] : []),
        ...judgement.runsFiles,
        // A program that may run its input runs the file that it is fed.
        ...(judgement.runs || judgement.doubts.length > 0 || !judgement.isKnown ? command.reads : []),
      ].flatMap((word) => absolute(word) ?? []),
      // Nobody knows which of its words an undescribed program runs; a checker looks at them.
      ...(judgement.isKnown || plainChecker(argv) !== undefined ? [] : mayMean),
    ],
    globs: [
      ...reads,
      ...writes,
      ...deletes,
      ...moves,
      // A text with blanks in it, which the shell leaves alone, is no pattern of names.
      ...argv
        .slice(1)
        .filter((word) => isGlobPath(word) && (!/\s/.test(word) || command.patterns.includes(word))),
    ]
      .flatMap((word) => {
        if (!GLOB.test(word)) return [];
        const folder = cwd === undefined ? undefined : filePath(fixedFolder(word), cwd, home);
        return [{ folder: folder ?? "/", mayBeHidden: HIDDEN_GLOB.test(globbedPart(word)) }];
      })
      .concat(judgement.takesList ? [ANY_FILE] : []),
    mayMean,
    read: command,
  };
}

/** A list of names may hold any. */
const ANY_FILE = { folder: "/", mayBeHidden: false };

const GLOB = /[*?[]/;

/** A folder or file name in the pattern that begins with a dot: only such a pattern names hidden files. */
const HIDDEN_GLOB = /(?:^|\/)\.(?!\.?(?:\/|$))/;

/** From the first name with a star in it: a hidden folder before that is named, and judged by its name. */
const globbedPart = (word: string): string => word.slice(word.lastIndexOf("/", word.search(GLOB)) + 1);

const isGlobPath = (word: string): boolean => word.includes("/") && GLOB.test(word) && !word.startsWith("-");

/** The part of a pattern's path that is written out. */
function fixedFolder(word: string): string {
  const slash = word.slice(0, word.search(GLOB)).lastIndexOf("/");
  return slash === -1 ? "." : slash === 0 ? "/" : word.slice(0, slash);
}

/** A word, and what stands behind an equals sign, a colon, an `@` or a flag's letter in it. */
function valuesIn(word: string): readonly string[] {
  const attached = /^-[a-zA-Z](?<value>.+)/.exec(word)?.groups?.["value"];
  return [word, ...word.split(/[=:,@]/).slice(1), attached ?? ""].filter((value) => value !== "");
}

const FILE_URL = /^file:/i;

/** The file that a `file:` address names, as the program reads it; any file where that is unknown. */
function fileOfUrl(text: string): readonly string[] {
  if (!FILE_URL.test(text)) return [];
  const encoded = text.replace(/^file:(?:\/\/[^/]*)?/i, "");
  try {
    return [decodeURIComponent(encoded)];
  } catch {
    return [NO_PATH];
  }
}

/** No path has this in it, so that it is read as any path. */
const NO_PATH = "\0";

function folderAfter(start: string, changes: readonly string[], home: string): string | undefined {
  let folder: string | undefined = start;
  for (const change of changes) folder = folder === undefined ? undefined : filePath(change, folder, home);
  return folder;
}

/** A word that is surely a file: to the system `a://b` and `C:\\x` are names like any other. */
function filePath(word: string, cwd: string, home: string): string | undefined {
  return pathOf(word, cwd, home) ?? (isRooted(word) ? undefined : pathOf(`./${word}`, cwd, home));
}

const isRooted = (word: string): boolean => word === "" || /^[/~]/.test(word);

function pathOf(word: string, cwd: string, home: string): string | undefined {
  return normalisePath(cwd, atHome(word, home));
}

const atHome = (word: string, home: string): string =>
  word === "~" || word.startsWith("~/") ? home + word.slice(1) : word;

/** Changing the folder does nothing by itself: the parts after it are judged by where they then act. */
export function isFolderChange({ argv, redirects, mayMean }: CommandPart): boolean {
  return argv[0] === "cd" && argv.length === 2 && redirects.length === 0 && mayMean.length > 0;
}

/** git runs programs that a repository's settings name, also when it only shows something. */
export const isGit = ({ argv }: CommandPart): boolean => baseName(argv[0] ?? "") === "git";

/** Programs that look for something in files or among their names. */
const SEARCHES: ReadonlySet<string> = new Set("grep egrep fgrep rg ag ack find fd".split(" "));

/** The access by which rules name what a command reads. */
export const readAccess = ({ argv }: CommandPart): "read" | "search" =>
  SEARCHES.has(baseName(argv[0] ?? "")) ? "search" : "read";

/** The kinds by which an allowing rule may name a part. */
export function kindsOf(part: Part, intent: Intent): readonly ToolKind[] {
  if (part.type === "path") return kindsAllowing(part.access, intent.kind);
  if (part.type === "host") return [intent.kind, "fetch"];
  return part.type === "tool" ? [intent.kind] : [intent.kind, "execute"];
}

/** Whether a command only reads, its program being what its name says. */
export function onlyReads(part: CommandPart): boolean {
  return (
    part.judgement.onlyReads &&
    part.judgement.doubts.length === 0 &&
    // A background command still reads after names have changed.
    part.read.isBackground !== true &&
    part.redirects.length === 0 &&
    part.cwd !== undefined
  );
}

/** A kind of tool that changes nothing does not stand for a change, and reading a file is not taking it away. */
function kindsAllowing(access: PathAccess["access"], kind: ToolKind): readonly ToolKind[] {
  const kinds = KINDS_OF_ACCESS[access];
  if (access === "read" || access === "search") return [kind, ...kinds];
  return [kind, ...kinds].filter((one) => !CHANGES_NOTHING.has(one));
}

const CHANGES_NOTHING: ReadonlySet<ToolKind> = new Set(["read", "search", "think", "fetch"]);

export const KINDS_OF_ACCESS: { readonly [Access in PathAccess["access"]]: readonly ToolKind[] } = {
  read: ["read"],
  search: ["read", "search"],
  write: ["edit"],
  delete: ["delete"],
  // Moving a file removes it from its old place, and makes it readable at the new one.
  move: ["move", "read", "edit", "delete"],
};
