/**
 * Whether a rule's command pattern covers the words of one command. Word by word: a last `*` stands for
 * any further words and for none, a `*` at the end of a word for the rest of that word, and without a
 * star it is exactly these words.
 */
import { checkOptions, either, LIST, required, STRING } from "../call/check-options.js";

export type CommandPattern = string | readonly string[];

const PATTERN = either(STRING, LIST);
const MATCHED = { pattern: required(PATTERN), argv: required(LIST) };

/** For allowing: the program must be named as it is, or lie where the system keeps its programs. */
export function allowsCommand(pattern: CommandPattern, argv: readonly string[]): boolean {
  if (!LIST.isRight(argv) || !PATTERN.isRight(pattern))
    checkOptions("allowsCommand", { pattern, argv }, MATCHED);
  return matchWords(
    pattern,
    argv,
    (wanted, program) => wanted === program || wanted === systemProgram(program),
  );
}

/** For asking and denying: a program of that name counts wherever it lies, and however its case is written. */
export function namesCommand(pattern: CommandPattern, argv: readonly string[]): boolean {
  if (!LIST.isRight(argv) || !PATTERN.isRight(pattern))
    checkOptions("namesCommand", { pattern, argv }, MATCHED);
  if (typeof pattern === "string" && beginsOtherwise(pattern, argv[0] ?? "")) return false;
  return matchWords(pattern, argv, (wanted, program) => {
    const name = program.slice(program.lastIndexOf("/") + 1);
    return wanted === program || wanted === name || wanted.toLowerCase() === name.toLowerCase();
  });
}

/** For asking and denying, where some words are not known: whether they may be what the pattern names. */
export function mayNameCommand(
  pattern: CommandPattern,
  argv: readonly string[],
  unknown: readonly string[],
): boolean {
  // A program that is not known is in doubt for itself.
  if (unknown.length === 0 || unknown.includes(argv[0] ?? "")) return false;
  const wanted = typeof pattern === "string" ? words(pattern) : pattern;
  const likely = argv.map((word, at) =>
    unknown.includes(word) ? (wanted[at]?.replace(/(?<=.)\*$/, "") ?? word) : word,
  );
  return namesCommand(pattern, likely);
}

/** Whether the pattern leaves words open to the caller: then their flags must be known to be harmless. */
export function hasWildcard(pattern: CommandPattern): boolean {
  return typeof pattern === "string" && words(pattern).some((word) => word.endsWith("*"));
}

/** Compares the first letter alone: of thousands of rules nearly all are for another program. */
function beginsOtherwise(pattern: string, program: string): boolean {
  const first = pattern.charAt(0).toLowerCase();
  if (!/[a-z0-9]/.test(first)) return false;
  const name = program.slice(program.lastIndexOf("/") + 1);
  return first !== name.charAt(0).toLowerCase() && first !== program.charAt(0).toLowerCase();
}

/** The words of a pattern that are written out. */
export function fixedWords(pattern: CommandPattern): readonly string[] {
  return typeof pattern === "string" ? words(pattern).filter((word) => !word.endsWith("*")) : pattern;
}

type SameProgram = (wanted: string, program: string) => boolean;

function matchWords(pattern: CommandPattern, argv: readonly string[], isSameProgram: SameProgram): boolean {
  if (typeof pattern !== "string") {
    const [program = "", ...rest] = pattern;
    return (
      argv.length === pattern.length &&
      isSameProgram(program, argv[0] ?? "") &&
      rest.every((word, index) => word === argv[index + 1])
    );
  }
  const wanted = words(pattern);
  const isOpen = wanted.at(-1) === "*";
  const fixed = isOpen ? wanted.slice(0, -1) : wanted;
  if (isOpen ? argv.length < fixed.length : argv.length !== fixed.length) return false;
  return fixed.every((word, index) => {
    const actual = argv[index] ?? "";
    return index === 0 ? isSameProgram(word, actual) || matchWord(word, actual) : matchWord(word, actual);
  });
}

function matchWord(pattern: string, word: string): boolean {
  return pattern.endsWith("*") ? word.startsWith(pattern.slice(0, -1)) : word === pattern;
}

/** Rules are many and decisions more: each pattern is split once. Bounded, since patterns come from files. */
const splits = new Map<string, readonly string[]>();
const MAX_SPLITS = 20_000;

function words(pattern: string): readonly string[] {
  const known = splits.get(pattern);
  if (known) return known;
  const split = pattern.split(/\s+/).filter((word) => word !== "");
  if (splits.size < MAX_SPLITS) splits.set(pattern, split);
  return split;
}

const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(["/bin", "/usr/bin", "/usr/local/bin"]);

function systemProgram(program: string): string | undefined {
  const slash = program.lastIndexOf("/");
  return SYSTEM_FOLDERS.has(program.slice(0, slash)) ? program.slice(slash + 1) : undefined;
}
