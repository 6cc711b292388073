/** Reads one command given as words: lists it, doubts what it does to its shell, and reads the commands inside it. */
import { roleGlobs } from "../programs/role-globs.js";
import { builtinDoubts } from "./builtin-doubts.js";
import { folderChange } from "./folder-change.js";
import { entered, type Folders } from "./folders.js";
import { interpreterDoubts, readsShellFromInput } from "./interpreters.js";
import { type Outcome, staying } from "./outcome.js";
import { type InnerCommand, innerCommands } from "./inner-commands.js";
import type { ShellContext, ShellLanguage, WalkText } from "./shell-context.js";
import { excerpt } from "./excerpt.js";
import { isAscii } from "./strange-characters.js";

export type Words = {
  readonly argv: readonly string[];
  /** The words that have a glob. */
  readonly globs: readonly string[];
  /** The words that the shell expands. */
  readonly patterns: readonly string[];
  readonly writes: readonly string[];
  readonly reads: readonly string[];
};

export function readWords(words: Words, context: ShellContext, walkText: WalkText): Outcome {
  const { draft, wrappers, folders } = context;
  const { argv, globs, patterns } = words;
  const writes = [...context.writes, ...words.writes];
  const reads = [...context.reads, ...words.reads];
  const { feeds, fedText } = context;
  const background = context.isBackground ? { isBackground: true as const } : {};
  for (const after of folders)
    draft.add({ argv, patterns, writes, reads, wrappers, after, feeds, fedText, ...background });
  const program = argv[0];
  if (program === undefined || !draft.affords(argv.length, context.depth)) return staying(folders);
  if (!isAscii(program)) draft.doubt(`the program name ${excerpt(program)} has unusual letters`);

  const { insides, doubts, known } = innerCommands(argv);
  const own = [...doubts, ...builtinDoubts(argv, context.language), ...interpreterDoubts(argv)];
  for (const doubt of own) draft.doubt(doubt);
  const change = folderChange(argv);
  if (change?.doubt) draft.doubt(change.doubt);
  const displacing = roleGlobs(argv, globs);
  for (const glob of globs) {
    const isData = !change && own.length === 0 && (!known || isPassedOn(glob, insides));
    if (glob === program || !isData || displacing.has(glob))
      draft.doubt(`what ${excerpt(program)} does with ${excerpt(glob)} is not known`);
  }

  let outcome = staying(folders);
  const read = (inside: InnerCommand) => readInside(inside, words, { ...context, writes, reads }, walkText);
  for (const inside of insides) {
    const within = read(inside);
    if (inside.sameShell) outcome = within;
  }
  if (context.fed !== undefined && readsShellFromInput(argv))
    read({ wrapper: program, text: context.fed, language: "same" });
  return change ? changed(folders, change.target) : outcome;
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

function changed(folders: Folders, target: string | undefined): Outcome {
  return { ok: target === undefined ? folders : entered(folders, target), fail: folders };
}

function readInside(
  inside: InnerCommand,
  { globs, patterns }: Words,
  context: ShellContext,
  walkText: WalkText,
): Outcome {
  const { wrapper, folder, text, argv } = inside;
  const inner: ShellContext = {
    ...context,
    language: languageOf(inside, context),
    wrappers: [...context.wrappers, wrapper],
    depth: context.depth + 1,
    folders: folder === undefined ? context.folders : entered(context.folders, folder),
    ...(inside.isBackground ? { isBackground: true } : {}),
  };
  if (text !== undefined) return walkText(text, inner);
  if (argv.length === 0) return staying(context.folders);
  const isThere = (word: string): boolean => argv.includes(word);
  const passedOn = { globs: globs.filter(isThere), patterns: patterns.filter(isThere) };
  return readWords({ argv, ...passedOn, writes: [], reads: [] }, inner, walkText);
}
