/** Reads one command given as words: lists it, doubts what it does to its shell, and reads the commands inside it. */
import { judgeArgv } from "../programs/judge-argv.js";
import { readPython } from "../programs/scripts/read-python.js";
import { roleGlobs } from "../programs/role-globs.js";
import { builtinDoubts } from "./builtin-doubts.js";
import { asData, type Holes } from "./as-data.js";
import { excerpt } from "./excerpt.js";
import { takesFiles } from "./takes-files.js";
import { folderChange, type FolderChange } from "./folder-change.js";
import type { Found } from "./inner-command.js";
import { type InnerCommand, innerCommands } from "./inner-commands.js";
import { insideXargs } from "./inside-xargs.js";
import { interpreterDoubts, readsShellFromInput } from "./interpreters.js";
import { type Outcome, staying } from "./outcome.js";
import type { ShellContext, ShellLanguage, WalkText } from "./shell-context.js";
import { isAscii } from "./strange-characters.js";
import { changedVariables, variableChange } from "./variable-change.js";
import { NO_VARIABLES } from "./variables.js";
import { changesKey, entered, moved, type Way, type Ways } from "./ways.js";

export type Words = {
  readonly argv: readonly string[];
  /** The words that have a glob, and those of them that name no folder. */
  readonly globs: readonly string[];
  readonly bareGlobs: readonly string[];
  /** The words that the shell expands. */
  readonly patterns: readonly string[];
  /** The words among them whose names are split at blanks once more. */
  readonly splits: readonly string[];
  /** The words of which a piece is not known. */
  readonly holes: Holes;
  /** The process substitutions among the words. */
  readonly processes?: readonly string[];
  /** The words that stand for files which a wrapper finds. */
  readonly found?: Found | undefined;
  readonly writes: readonly string[];
  readonly reads: readonly string[];
};

/** Words that no shell expands. */
export const plainWords = (argv: readonly string[]): Words => ({
  argv,
  globs: [],
  bareGlobs: [],
  patterns: [],
  splits: [],
  holes: new Map(),
  writes: [],
  reads: [],
});

export function readWords(words: Words, context: ShellContext, walkText: WalkText): Outcome {
  const { draft, ways } = context;
  const { argv, holes } = words;
  const program = argv[0];
  const inside = insideXargs(argv, words.reads.length > 0 ? [] : context.feeds, context.language);
  const { insides, doubts, known, passesOn } = inside ?? innerCommands(argv);
  const data = holes.size === 0 || known ? undefined : asData(argv, holes, context.language);
  // A program of the folder is whatever the folder holds.
  const isSystem = /^(?:\/(?:usr\/)?bin\/)?[^/]+$/.test(program ?? "");
  const isWrapper = passesOn === true && isSystem && doubts.length === 0 && insides.length === 1;
  list(words, { data, passesOn: isWrapper }, context);
  if (program === undefined || !draft.affords(argv.length, context.depth)) return staying(ways);
  if (!isAscii(program)) draft.doubt(`the program name ${excerpt(program)} has unusual letters`);

  const change = folderChange(argv);
  const variables = variableChange(argv, context.language);
  const own = [
    ...doubts,
    // When a word is data, each of its sample values was checked for these doubts.
    ...(data || variables ? [] : builtinDoubts(argv, context.language)),
    ...(data || runsKnownInput(argv, context) ? [] : interpreterDoubts(argv)),
  ];
  for (const doubt of own) draft.doubt(doubt);
  if (change?.doubt) draft.doubt(change.doubt);
  doubtGlobs(words, { insides, known, isData: !change && own.length === 0 }, context);
  if (!data) doubtHoles(words, insides, context);
  if (!readsToTheEnd(argv))
    for (const process of words.processes ?? []) draft.doubt(`${process} runs a command beside it`);
  if (context.isFedUnknown && insides.length === 0 && !mayReadAnything(argv))
    draft.doubt(`the input of ${excerpt(program)} is not known`);

  let outcome = staying(ways);
  const inner = {
    ...context,
    writes: [...context.writes, ...words.writes],
    reads: [...context.reads, ...words.reads],
  };
  const read = (one: InnerCommand) => readInside(one, words, inner, walkText);
  for (const one of insides) {
    const within = read(one);
    if (one.sameShell) outcome = within;
  }
  if (context.fed !== undefined && readsShellFromInput(argv))
    read({ wrapper: program, text: context.fed, language: "same" });
  if (variables) {
    for (const name of variables.keys()) context.loop?.assigned.add(name);
    return staying(ways.map((way) => ({ ...way, variables: changedVariables(way.variables, variables) })));
  }
  return change && !change.doubt ? changed(change, argv, context) : outcome;
}

/** `python - <<'EOF'`: the code is in the text, and only reads data. The command still needs a rule. */
const runsKnownInput = (
  [program = "", flag, ...words]: readonly string[],
  { fedText, isFedUnknown, feeds, reads }: ShellContext,
): boolean =>
  /^python3?(?:\.\d+)?$/.test(program) &&
  (flag === undefined || flag === "-") &&
  words.length + feeds.length + reads.length === 0 &&
  fedText !== undefined &&
  isFedUnknown !== true &&
  readPython(fedText) !== undefined;

type Listed = { readonly data: readonly string[] | undefined; readonly passesOn: boolean };

/** Adds the command to the reading, once for each folder that it may run in. */
function list(words: Words, { data, passesOn }: Listed, context: ShellContext): void {
  const { argv, patterns, splits, holes, found } = words;
  const { draft, wrappers, feeds, fedText } = context;
  const writes = [...context.writes, ...words.writes];
  const reads = [...context.reads, ...words.reads];
  const folders = new Map(context.ways.map(({ changes }) => [changesKey(changes), changes]));
  for (const after of folders.values())
    draft.add({
      argv,
      patterns,
      writes,
      reads,
      wrappers,
      after,
      feeds,
      fedText,
      ...(context.isBackground && { isBackground: true as const }),
      ...(splits.length > 0 && { splits }),
      ...(holes.size > 0 && { unknown: [...holes.keys()] }),
      ...(data && { judged: data }),
      ...(found && { found }),
      ...(passesOn && { passesOn: true as const }),
    });
}

type Inner = { readonly insides: readonly InnerCommand[]; readonly known: boolean; readonly isData: boolean };

function doubtGlobs(
  { argv, globs, bareGlobs }: Words,
  { insides, known, isData }: Inner,
  context: ShellContext,
): void {
  const [program = ""] = argv;
  const displacing = roleGlobs(argv, globs);
  for (const glob of globs) {
    const isPassed = known && isPassedOn(glob, insides);
    const isFine = isData && (!known || isPassed) && glob !== program && !displacing.has(glob);
    if (!isFine) context.draft.doubt(`what ${excerpt(program)} does with ${excerpt(glob)} is not known`);
    // A name in the folder may begin with a dash. Toolgate checks the folder of its own shell before the command
    // runs.
    else if (bareGlobs.includes(glob) && !isPassed && (context.language === "sh" || !takesFiles(argv, glob)))
      context.draft.doubt(`${excerpt(glob)} becomes whatever files match it`);
  }
}

/** When a wrapper passes a hole on to its command, that command is checked for it. */
function doubtHoles({ argv, holes }: Words, insides: readonly InnerCommand[], { draft }: ShellContext): void {
  for (const word of holes.keys())
    if (word === argv[0] || !isPassedOn(word, insides))
      draft.doubt(`the value of ${excerpt(word)} is not known`);
}

/** Programs that read each of their files to its end, so that nothing beside them goes on after them. */
const READS_TO_THE_END: ReadonlySet<string> = new Set(["cat", "comm", "diff", "paste", "sort", "wc"]);

function readsToTheEnd(argv: readonly string[]): boolean {
  const isBrief = argv.some((word) => /^-[a-zA-Z]*q|^--(?:br|quiet|max)/.test(word));
  return READS_TO_THE_END.has(argv[0] ?? "") && !isBrief && mayReadAnything(argv);
}

/** Whether the command does the same with any input, except for its output. */
function mayReadAnything(argv: readonly string[]): boolean {
  if (argv[0] === "tee") return true;
  const { onlyReads, doubts, takesList } = judgeArgv(argv);
  return onlyReads && doubts.length === 0 && !takesList;
}

function languageOf(inside: InnerCommand, { language }: ShellContext): ShellLanguage {
  // Words are read by no shell; the text of an eval among them is read by the one around.
  if (inside.text === undefined) return inside.sameShell ? language : "sh";
  return inside.language === "same" ? language : (inside.language ?? "sh");
}

/** A glob that a wrapper hands to its command is that command's; one that it keeps could be anything. */
function isPassedOn(glob: string, insides: readonly InnerCommand[]): boolean {
  return insides.length > 0 && insides.every(({ argv }) => argv?.includes(glob));
}

function changed(
  change: FolderChange,
  argv: readonly string[],
  { ways, loop, draft }: ShellContext,
): Outcome {
  if (loop) loop.isMoving = true;
  const { target, back, pushes } = change;
  if (target !== undefined) {
    const there = entered(ways, target);
    const ok = pushes ? there.map((way, at) => pushed(way, ways[at])) : there;
    return { ok, fail: ways };
  }
  if (back === "pushed")
    // With nothing to go back to, it fails.
    return { ok: ways.map(popped), fail: ways };
  const isKnown = ways.every(({ previous }) => previous);
  if (!isKnown) draft.doubt(`where ${excerpt(argv.join(" "))} leads is not known`);
  return { ok: moved(ways, ({ previous, changes }) => previous ?? changes), fail: ways };
}

const pushed = (way: Way, before: Way | undefined): Way => ({
  ...way,
  stack: [...(before?.stack ?? []), before?.changes ?? []],
});

function popped(way: Way): Way {
  const to = way.stack?.at(-1);
  return to ? { ...way, changes: to, previous: way.changes, stack: way.stack?.slice(0, -1) } : way;
}

function readInside(inside: InnerCommand, words: Words, context: ShellContext, walkText: WalkText): Outcome {
  const { wrapper, folder, text, argv } = inside;
  const own = inside.sameShell ? context.ways : ownShell(context.ways);
  const { loop: _, ...outside } = context;
  const inner: ShellContext = {
    ...(inside.sameShell ? context : outside),
    language: languageOf(inside, context),
    wrappers: [...context.wrappers, wrapper],
    depth: context.depth + 1,
    ways: folder === undefined ? own : entered(own, folder),
    ...(inside.isBackground ? { isBackground: true } : {}),
  };
  if (text !== undefined) return walkText(text, inner);
  if (argv.length === 0) return staying(context.ways);
  const isThere = (word: string): boolean => argv.includes(word);
  const { found } = inside;
  return readWords(
    {
      argv,
      globs: words.globs.filter(isThere),
      bareGlobs: words.bareGlobs.filter(isThere),
      patterns: [...words.patterns.filter(isThere), ...(found?.patterns ?? [])],
      splits: [...words.splits.filter(isThere), ...(found?.splits ? found.patterns : [])],
      found,
      holes: new Map([...words.holes].filter(([word]) => isThere(word))),
      writes: [],
      reads: [],
    },
    inner,
    walkText,
  );
}

/** Another shell knows none of the variables. */
const ownShell = (ways: Ways): Ways => ways.map((way) => ({ ...way, variables: NO_VARIABLES }));
