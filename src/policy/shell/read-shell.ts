/**
 * Reads what a shell text would run: every command in it, at any depth, and why there may be more.
 *
 * Invariants: no command that a shell of the language would start is missing from `commands` while `doubts` is empty.
 * Anything uncertain is a doubt, so that a person is asked; everything that can be known is listed all the same, so
 * that a rule that denies still finds it. Reading never throws, and its work is bounded. The fuzz test checks this
 * against the real shells.
 */
import { checkOptions, required, STRING } from "../../call/check-options.js";
import { Draft } from "./draft.js";
import type { ShellLanguage } from "./shell-context.js";
import { strangeCharacters } from "./strange-characters.js";
import { plainWords, readWords } from "./walk-words.js";
import { walkText } from "./walk-text.js";
import { START } from "./ways.js";
import type { Found } from "./inner-command.js";

export type ReadCommand = {
  /**
   * Decoded words; word 0 is the program. A word with an unquoted glob keeps its text, and `~` stays `~`; a variable
   * whose value the text says is replaced by it. Empty for redirects without a program (`> file`).
   */
  readonly argv: readonly string[];
  /** The words among them of which a piece is not known, which are data to the program: `echo "exit: $?"`. */
  readonly unknown?: readonly string[];
  /** The words to judge in their place: the effects are the same for every value. */
  readonly judged?: readonly string[];
  /** The words among them that the shell expands: quoted, the same letters mean one file. */
  readonly patterns: readonly string[];
  /** The words that stand for files which the wrapper around it finds below folders: `src/**`. */
  readonly found?: Found;
  /** The program does no more than to run the command inside it, which is listed on its own. */
  readonly passesOn?: true;
  /** Patterns whose names are split at blanks once more: a name with a blank in it becomes other names. */
  readonly splits?: readonly string[];
  /** Files that redirects write (">", ">>", ">|", "&>", "<>"); not /dev/null, not fd duplications. */
  readonly writes: readonly string[];
  /** Files that redirects read. */
  readonly reads: readonly string[];
  /** The wrappers around it, outermost first: ["sudo", "env"]. */
  readonly wrappers: readonly string[];
  /**
   * The folder changes that came before it in the same shell, in order. A command that may run in
   * several folders (`cd a; ls`: the cd may fail) is listed once for each.
   */
  readonly after: readonly string[];
  /** The commands whose output it reads: those before it in its pipe. */
  readonly feeds: readonly ReadCommand[];
  /** The text of a here-document or here-string that it reads. */
  readonly fedText: string | undefined;
  /**
   * The command may still run after the text has ended: nothing waits for it, or for a group, pipe or substitution
   * around it.
   */
  readonly isBackground?: true;
};

export type ShellReading = {
  /** Every simple command, in order: the wrappers' own argv, and the command inside them. */
  readonly commands: readonly ReadCommand[];
  /** Why the text may do more or other than `commands` says, in words for a person; empty = plain. */
  readonly doubts: readonly string[];
};

export type ReadOptions = {
  /** Without one, any shell of the family may read the text. */
  readonly language?: ShellLanguage;
  /** The folder that the text starts in, and inherited variables whose values are known. */
  readonly cwd?: string | undefined;
  readonly inherited?: { readonly [name: string]: string };
};

export function readShell(
  text: string,
  { language = "sh", cwd, inherited = {} }: ReadOptions = {},
): ShellReading {
  if (typeof text !== "string") checkOptions("readShell", { text }, { text: required(STRING) });
  const key = JSON.stringify([text, language, cwd, inherited]);
  const seen = recent.get(key);
  if (seen) return seen;
  const reading = read((draft) => {
    for (const doubt of strangeCharacters(text)) draft.doubt(doubt);
    walkText(text, { draft, ...OUTSIDE, language, cwd, inherited });
  });
  if (key.length <= MAX_RECENT_LENGTH) remember(key, reading);
  return reading;
}

/** The check of one call reads its text several times: for links, for the rules, and for each "always". */
const recent = new Map<string, ShellReading>();
const MAX_RECENT = 16;
const MAX_RECENT_LENGTH = 4_000;

function remember(key: string, reading: ShellReading): void {
  const [oldest] = recent.keys();
  if (recent.size >= MAX_RECENT && oldest !== undefined) recent.delete(oldest);
  recent.set(key, reading);
}

/** Reads a command given as words: no shell syntax, but the commands inside wrappers are read. */
export function readArgv(argv: readonly string[]): ShellReading {
  return read((draft) => {
    if (argv.length === 0) return;
    for (const doubt of argv.flatMap(strangeCharacters)) draft.doubt(doubt);
    readWords(plainWords(argv), { draft, ...OUTSIDE }, walkText);
  });
}

const OUTSIDE = {
  // The words of a command are read by no shell; a text among them is by one that is not known.
  language: "sh",
  wrappers: [],
  depth: 0,
  ways: [START],
  cwd: undefined,
  inherited: {},
  writes: [],
  reads: [],
  fed: undefined,
  fedText: undefined,
  feeds: [],
} as const;

function read(fill: (draft: Draft) => void): ShellReading {
  const draft = new Draft();
  try {
    fill(draft);
    if (draft.commands.length === 0) draft.doubt("there is no command in it");
  } catch {
    // A fault in the parser must not become a fault in the policy: what was found so far still counts.
    draft.doubt("it could not be read to its end");
  }
  return { commands: draft.commands, doubts: draft.doubts() };
}
