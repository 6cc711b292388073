/**
 * The effects of one simple command, and whether they are what a person expects who allowed `git *` or `sort *`.
 *
 * Invariant: fail closed. A program, subcommand, flag or script that is not described as harmless is a doubt; nothing
 * counts as harmless because nobody thought of it. The words are taken as the shell will pass them: dynamic words were
 * refused before.
 */
import { UNSEEN } from "./folder-reads.js";
import { findProgram, type UserPrograms } from "./known-programs.js";
import { type AllEffects, mergeEffects } from "./merge-effects.js";
import { namedActs } from "./named-acts.js";
import { mayLeadOut, pathDoubts, plainPaths } from "./path-effects.js";
import type { Effects, NestedCommands, Program, SeenFlag } from "./program.js";
import { readArguments } from "./read-flags.js";
import type { FlagsRead } from "./read-flags.js";
import { readPlainWords } from "./plain-words.js";
import { installedTool } from "./project-tools.js";

/** Paths and hosts as written. */
export type ArgvJudgement = AllEffects & {
  /** The words only read (files, process list, repository state) and do nothing else. */
  readonly onlyReads: boolean;
  /** The program is described: its effects with these words are known, except for the doubts. */
  readonly isKnown: boolean;
  /** The program is undescribed and its words are plain: a rule that names the program may cover them. */
  readonly isPlain?: true;
};

/** Longer ones are not written by people, and each word is read by patterns. */
const MAX_CHARACTERS = 32_768;

export function judgeArgv(argv: readonly string[], user?: UserPrograms): ArgvJudgement {
  const [name = "", ...args] = argv;
  if (argv.reduce((sum, word) => sum + word.length, 0) > MAX_CHARACTERS) return tooLong();
  const program = findProgram(name, user);
  if (!program) return installedProgram(name, args, user) ?? unknownProgram(name, args);
  // A program of the folder is called by a path, and is whatever the folder holds.
  const isOfFolder = name.includes("/") && !name.startsWith("/");
  const answers = isOfFolder ? undefined : (program.answers ?? (program.onlyReads ? "alone" : undefined));
  const judged = judge({ title: name, programs: [program], args, user, answers });
  const passed = PASSES_WORDS_ON.has(name) ? passedWords(args) : undefined;
  return passed ? { ...judged, ...mergeEffects([judged, passed]) } : judged;
}

/** Judged like the described program of its name, and as code of the project. */
function installedProgram(
  path: string,
  args: readonly string[],
  user: UserPrograms | undefined,
): ArgvJudgement | undefined {
  const name = installedTool(path);
  const judged = name === undefined ? undefined : judgeArgv([name, ...args], user);
  if (!judged?.isKnown) return undefined;
  return { ...judged, ...mergeEffects([judged, { runs: true }]), onlyReads: false };
}

/** Programs that pass the words behind "--" on to a script of the project. */
const PASSES_WORDS_ON: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);

/** Judges the words behind `--` for an undescribed script: a wide rule covers plain words. */
function passedWords(args: readonly string[]): Effects | undefined {
  const at = args.indexOf("--");
  if (at === -1) return undefined;
  const {
    doubts,
    reads = [],
    writes = [],
  } = readPlainWords(args.slice(at + 1).filter((word) => word !== "--run"));
  const whys = doubts.map((doubt) => `${doubt}, and a script gets it`);
  return { doubts: whys, reads: [...reads, ...writes] };
}

function unknownProgram(name: string, args: readonly string[]): ArgvJudgement {
  const { doubts, ...effects } = readPlainWords(args);
  const unknown = `"${name}" is not a program known here`;
  const why =
    doubts.length > 0
      ? doubts.map((doubt) => `${doubt}, and ${unknown}`)
      : [args.length === 0 ? unknown : `${unknown}, so neither is what its words do`];
  return {
    ...mergeEffects([{ ...effects, doubts: why }]),
    onlyReads: false,
    isKnown: false,
    ...(doubts.length === 0 && name !== "" && { isPlain: true }),
  };
}

const tooLong = (): ArgvJudgement => ({
  ...mergeEffects([{ doubts: ["the command is too long to be judged word by word"] }]),
  onlyReads: false,
  isKnown: false,
});

type Command = {
  readonly title: string;
  /** The program or subcommand, then those whose flags it inherits. */
  readonly programs: readonly Program[];
  readonly args: readonly string[];
  readonly user: UserPrograms | undefined;
  readonly answers: Program["answers"];
};

function judge({ title, programs, args, user, answers }: Command): ArgvJudgement {
  const [program, ...parents] = programs;
  if (!program) return unknownProgram(title, args);
  // Without a subcommand, such a program shows its help.
  const isBare =
    args.length === 0 && answers !== undefined && program.subcommand && program.bare === undefined;
  if (isBare || asksForHelp(args))
    return summary({ effects: [{ runs: answers === undefined }], onlyReads: true });
  const { nested, seen, first, rest, sub } = readArguments(program, parents, args);
  const effects: Effects[] = [flagEffects(seen)];
  if (program.bare !== undefined && first === undefined) effects.push({ doubts: [program.bare] });
  if (program.subcommand && first !== undefined && !sub)
    effects.push({
      doubts: [`"${first}" is not a subcommand known to be harmless`],
      // The description does not say which words the program runs as files: `dotnet a.dll`, `git difftool -x ./s.sh`.
      runsFiles: seen.words.flatMap((word) => [word, word.slice(word.indexOf("=") + 1)]).filter(mayBeCode),
    });
  effects.push(
    // With subcommands, the words are theirs. The clauses about the flags before them still count.
    program.wordEffects(program.subcommand ? [] : seen.words, seen),
  );
  const inherited = program.inherits ? programs : [];
  const below =
    sub &&
    judge({
      title: `${title} ${first ?? ""}`,
      programs: [sub, ...inherited],
      args: rest,
      user,
      answers: answers === "everywhere" ? answers : undefined,
    });
  const changes = seen.flags.some(({ flag }) => flag.meaning === "changes");
  const lastWord = title.slice(title.lastIndexOf(" ") + 1);
  return summary({
    effects: [
      ...effects.map((effect) => ({
        ...effect,
        doubts: (effect.doubts ?? []).map((doubt) => `${title}: ${doubt}`),
        installs: (effect.installs ?? []).map(() => lastWord),
        publishes: (effect.publishes ?? []).map((word) => word || lastWord),
        deploys: (effect.deploys ?? []).map((word) => word || lastWord),
        reveals: (effect.reveals ?? []).map((word) => word || lastWord),
      })),
      ...(nested ? nestedEffects(title, nested, user) : []),
      ...(below ? [below] : []),
    ],
    onlyReads: below ? below.onlyReads : program.onlyReads && !changes,
  });
}

function nestedEffects(
  title: string,
  { commands, mustOnlyRead, elsewhere }: NestedCommands,
  user: UserPrograms | undefined,
): Effects[] {
  return commands.map((argv) => {
    const inner = judgeArgv(argv, user);
    const reads = inner.reads.filter((path) => !path.includes("{}"));
    const doubts = mustOnlyRead && !inner.onlyReads ? [`${title}: runs "${argv.join(" ")}"`] : inner.doubts;
    return elsewhere ? { doubts } : { ...inner, reads, doubts };
  });
}

const asksForHelp = (args: readonly string[]) =>
  args.length === 1 && /^(?:--help|--version)$/.test(args[0] ?? "");

type Found = { readonly effects: readonly Effects[]; readonly onlyReads: boolean };

function summary({ effects, onlyReads }: Found): ArgvJudgement {
  const all = mergeEffects(effects);
  const paths = {
    reads: plainPaths(all.reads),
    writes: plainPaths(all.writes),
    deletes: plainPaths(all.deletes),
    moves: plainPaths(all.moves),
  };
  // Code that comes from another program or a person is in none of the words.
  const isFed = all.runs && [...all.reads, ...all.runsFiles].some((path) => OPEN_INPUT.test(path));
  const fed = isFed ? ["runs code that it reads from its input"] : [];
  const doubts = [
    ...new Set([...all.doubts, ...fed, ...pathDoubts({ ...paths, editsBelow: all.editsBelow })]),
  ];
  const judgement = { ...all, ...paths, doubts };
  return { ...judgement, isKnown: true, onlyReads: onlyReads && doesNothingElse(judgement) };
}

const OPEN_INPUT = /^(?:-|\/dev\/(?:stdin|tty|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;

function doesNothingElse(effects: AllEffects): boolean {
  const { doubts, writes, deletes, moves, editsBelow, deletesBelow, urls, sends } = effects;
  const others = [doubts, writes, deletes, moves, editsBelow, deletesBelow, urls, sends, namedActs(effects)];
  return !effects.runs && others.every((list) => list.length === 0);
}

function flagEffects({ flags, doubts }: FlagsRead): Effects {
  const valued = (...meanings: string[]) =>
    flags.flatMap(({ flag, value }) =>
      meanings.includes(flag.meaning) && value !== undefined ? [value] : [],
    );
  const plain = flags.filter(
    ({ flag }) => (flag.meaning === "harmless" || flag.meaning === "changes") && !flag.dashes,
  );
  return {
    doubts: [...doubts, ...plain.flatMap(codeDoubts)],
    reads: [...valued("reads"), ...plain.flatMap(({ value }) => pathsWithin(value ?? ""))],
    writes: valued("writes"),
    urls: valued("url"),
    takesList: flags.some(({ flag }) => flag.reason === UNSEEN),
    runsFiles: flags.flatMap(loadedFile),
  };
}

/** Reasons for which the value of a flag may be a file of code; where there is no such file, nothing is bound to it. */
const LOADS =
  /\b(?:runs?|loads?|takes its program|reads rules|reads keys|code|commands|settings|more flags)\b/;

/** Flags whose value is code as often as a file. */
const TAKES_CODE = /^--?(?:[ecpxE]|pe|eval|print|command|cmd|execute|exec|call|init-command)$/;

function loadedFile({ name, flag, value }: SeenFlag): string[] {
  if (flag.meaning !== "doubt" || value === undefined || !LOADS.test(flag.reason ?? "")) return [];
  // A flag that takes any attached text leaves the sign between them to its value: `-fplugin=./a.so`.
  const file = value.replace(/^[=,:]/, "");
  return TAKES_CODE.test(name) && !/^[\w@.+~/-]{1,255}$/.test(file) ? [] : [file];
}

const mayBeCode = (word: string): boolean => !word.startsWith("-") && /\/|\.\w{1,8}$/.test(word);

/**
 * Checks values that are described as plain text again: `--emit=dep-info=/home/u/.bashrc` names a path all the same.
 */
function pathsWithin(value: string): string[] {
  return value
    .split(/[=,@:!\s]/)
    .filter((part) => part.length > 1 && mayLeadOut(part) && !part.startsWith("//"))
    .filter((part) => !/^\/.*\/[gimsuy]*$/.test(part));
}

/** A reporter, formatter or plugin that is a file is code, whatever the flag is called. */
function codeDoubts({ name, value = "" }: SeenFlag): string[] {
  const isCode = /^(?:\.{0,2}\/|~)\S*\.(?:[cm]?[jt]sx?|py|rb|so|dylib|dll|sh|lua|pl|php)$/.test(value);
  return isCode && !/exclude|ignore|include|filter|skip|files?$/i.test(name)
    ? [`"${name}" is given "${value}", which is code`]
    : [];
}
