/** How the parts of one text affect each other: a part may change what a later one runs, reads or writes. */
import { isWithin } from "../call/absolute-path.js";
import { visibleText } from "../call/index.js";
import type { PathAccess } from "./intent.js";
import type { CommandPart } from "./part.js";
import { foldPath } from "./paths/match-path.js";
import { baseName } from "./shell/base-name.js";
import { fixedFolder, GLOB } from "./word-paths.js";

/**
 * The hash of a file that is run was taken before any part has run, so it says nothing about a file that another part
 * writes. A program that a build makes is bound to no hash; but nothing else may put another one there.
 *
 * A part that runs code counts only by the paths that it names: its code could do anything later code could. So could
 * the code of another commit, which `git stash && npm test` runs as well.
 */
export function withChangedFiles(commands: readonly CommandPart[]): readonly CommandPart[] {
  if (commands.length === 1) return commands;
  return commands.map((part) => {
    const { runsFiles, madeProgram } = part;
    if (runsFiles.length === 0 && madeProgram === undefined) return part;
    const others = commands.filter((other) => other !== part);
    const changed = others.flatMap(changedFor);
    const put = others.filter((other) => !other.judgement.runs && !isGit(other)).flatMap(changedPlaces);
    const named = others.filter(isGit).flatMap(namedByGit);
    const isChanged =
      runsFiles.some((path) => changed.some((place) => mayOverlap(place, path))) ||
      (madeProgram !== undefined && [...put, ...named].some((place) => mayOverlap(place, madeProgram)));
    return isChanged ? { ...part, isChangedBefore: true } : part;
  });
}

const isGit = ({ argv: [program = ""] }: CommandPart): boolean => baseName(program) === "git";

const changedFor = (part: CommandPart): readonly string[] =>
  part.judgement.runs && !isGit(part) ? namedPlaces(part) : changedPlaces(part);

/** The changed paths that stand in the words, without those that only lie below a folder. */
const namedPlaces = ({ touches, redirects }: CommandPart): readonly string[] =>
  [...touches.filter(({ access, below }) => access !== "read" && !below), ...redirects].map(
    ({ path }) => path,
  );

/** All but the whole folder, whose files `git switch` and `git stash` replace by those of another commit. */
const namedByGit = (part: CommandPart): readonly string[] =>
  changedPlaces(part).filter((path) => path !== part.cwd);

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
export function linksInTheWay(
  commands: readonly CommandPart[],
  paths: readonly PathAccess[],
): readonly string[] {
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
