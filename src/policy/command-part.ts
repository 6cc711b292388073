/** A command of the reading with its effects, and the absolute paths that they meet. */
import type { OutsideLink, PathAccess } from "./intent.js";
import { isMadeByBuild, mayBeRun, onlyParses } from "./made-program.js";
import type { CommandPart, Touch } from "./part.js";
import { judgeArgv } from "./programs/judge-argv.js";
import type { ArgvJudgement } from "./programs/judge-argv.js";
import type { UserPrograms } from "./programs/known-programs.js";
import { mergeEffects } from "./programs/merge-effects.js";
import { ELSEWHERE_PLACE } from "./programs/path-effects.js";
import { plainChecker } from "./programs/plain-checker.js";
import type { ReadCommand } from "./shell/read-shell.js";
import {
  atHome,
  FILE_URL,
  filePath,
  fileOfUrl,
  fixedFolder,
  folderAfter,
  GLOB,
  globbedPart,
  HIDDEN_GLOB,
  isGlobPath,
  joined,
  pathOf,
  valuesIn,
} from "./word-paths.js";

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

export function commandPart(command: ReadCommand, { start, home, programs, links }: Start): CommandPart {
  const { argv } = command;
  const judgement = argv.length > MAX_WORDS ? unjudged() : judged(command, programs);
  const cwd = folderAfter(start, command.after, home);
  const way = command.after.reduce((here, change) => joined(here, atHome(change, home)), start);
  const place: Place = { command, judgement, cwd, way, home, links };
  const [program = ""] = argv;
  const mayMean = argv
    .slice(1)
    .flatMap(valuesIn)
    .flatMap((word) => absolute(word, place) ?? []);
  const made = isMadeByBuild(program) ? absolute(program, place) : undefined;
  const { writes, deletes } = judgement;
  return {
    type: "command",
    argv,
    judgement,
    ...(made !== undefined && { madeProgram: made }),
    cwd,
    way,
    touches: touchesOf(place),
    elsewhere: [
      ...(writes.includes(ELSEWHERE_PLACE) ? (["write"] as const) : []),
      ...(deletes.includes(ELSEWHERE_PLACE) ? (["delete"] as const) : []),
    ],
    redirects: accesses(command.writes, "write", place),
    runsFiles: runsFiles(place, mayMean),
    globs: globsOf(place),
    mayMean,
    read: command,
  };
}

/** A command, its effects, and where it runs. */
type Place = Pick<Start, "home" | "links"> & {
  readonly command: ReadCommand;
  readonly judgement: ArgvJudgement;
  readonly cwd: string | undefined;
  readonly way: string;
};

const absolute = (word: string, { cwd, home }: Place): string | undefined =>
  cwd === undefined ? undefined : pathOf(word, cwd, home);

function accesses(words: readonly string[], access: PathAccess["access"], place: Place): Touch[] {
  const { command, cwd, way, home, links } = place;
  return words
    .filter((word) => word !== ELSEWHERE_PLACE)
    .map((word): Touch => {
      const path = cwd === undefined ? undefined : filePath(word, cwd, home);
      // A path that cannot be read may be any.
      if (path === undefined) return { path: "/", access, below: true };
      // The shell's own cd takes `..` out of the words; programs leave that to the system.
      const written = command.argv[0] === "cd" ? path : joined(cwd ?? way, atHome(word, home));
      return written.includes("..") ? { path, access, written } : { path, access };
    })
    .flatMap((touch) => followed(touch, links));
}

/** The words that name files to read: a `file:` address is one, any other address is none. */
function readWords({ judgement: { reads, urls } }: Place): readonly string[] {
  const isAddress = (word: string): boolean => urls.includes(word) && !FILE_URL.test(word);
  return [...reads.filter((word) => !isAddress(word)), ...urls.flatMap(fileOfUrl)];
}

function touchesOf(place: Place): readonly Touch[] {
  const { writes, moves, editsBelow } = place.judgement;
  // A file without a name is no file: `rm -f "$x"` where x is empty.
  const isNamed = (word: string): boolean => word !== "" || place.command.argv[0] !== "rm";
  const deletes = place.judgement.deletes.filter(isNamed);
  const deletesBelow = place.judgement.deletesBelow.filter(isNamed);
  const below = (words: readonly string[], access: PathAccess["access"]): Touch[] =>
    accesses(words, access, place).map((touch) => ({ ...touch, below: true }));
  return [
    ...accesses([...readWords(place), ...place.command.reads], "read", place),
    ...accesses(writes, "write", place),
    ...accesses(deletes, "delete", place),
    ...accesses(moves, "move", place),
    ...below(editsBelow, "write"),
    ...below(deletesBelow, "delete"),
  ];
}

function runsFiles(place: Place, mayMean: readonly string[]): readonly string[] {
  const { argv, reads } = place.command;
  const { judgement } = place;
  const [program = ""] = argv;
  if (onlyParses(argv)) return [];
  const words = [
    ...(program.includes("/") && !isMadeByBuild(program) ? [program] : []),
    ...judgement.runsFiles,
    // A program that may run its input runs the file that it is fed.
    ...(judgement.runs || judgement.doubts.length > 0 || !judgement.isKnown ? reads : []),
  ];
  // An undescribed program may run any of its words, except a checker, which only reads them.
  const isLooking = judgement.isKnown || plainChecker(argv) !== undefined;
  return [
    ...words.flatMap((word) => absolute(word, place) ?? []),
    ...(isLooking ? [] : mayMean.filter((path) => mayBeRun(path, program))),
  ];
}

function globsOf(place: Place): CommandPart["globs"] {
  const { command, judgement, cwd, home } = place;
  const { writes, deletes, moves } = judgement;
  // A text with blanks in it, which the shell leaves alone, is no pattern of names.
  const isPattern = (word: string): boolean =>
    isGlobPath(word) && (!/\s/.test(word) || command.patterns.includes(word));
  return [...readWords(place), ...writes, ...deletes, ...moves, ...command.argv.slice(1).filter(isPattern)]
    .filter((word) => GLOB.test(word))
    .map((word) => {
      const folder = cwd === undefined ? undefined : filePath(fixedFolder(word), cwd, home);
      return { folder: folder ?? "/", mayBeHidden: HIDDEN_GLOB.test(globbedPart(word)) };
    })
    .concat(judgement.takesList ? [ANY_FILE] : []);
}

/** A list of names may hold any. */
const ANY_FILE = { folder: "/", mayBeHidden: false };
