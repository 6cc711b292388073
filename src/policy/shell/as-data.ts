/**
 * Whether a word of which a piece is not known is only data to its program: text to print or a message, and neither a
 * flag, a path, a host nor code.
 *
 * Invariant: the program treats the word alike whatever the piece is. A closed list names the places for any text. For
 * numbers, and for parts of file names, the program's description must give the same effects for every sample.
 */
import { judgeArgv } from "../programs/judge-argv.js";
import { baseName } from "./base-name.js";
import { builtinDoubts } from "./builtin-doubts.js";
import type { Hole } from "./decode-word.js";
import { interpreterDoubts } from "./interpreters.js";
import type { ShellLanguage } from "./shell-context.js";
import { SUMS } from "./test-doubts.js";

type Pieces = readonly (string | Hole)[];
/** By the word as it is written. */
export type Holes = ReadonlyMap<string, Pieces>;

/** The samples stand for any text; in the places of the closed list they are all the same to the program. */
const TEXTS = ["text", "", "-x", "/x", "a b", "$(x)"];
const SAMPLES = {
  number: ["0", "1", "7", "42", "755", "4755", "65535"],
  glob: ["zq", "*", "z.q"],
  text: TEXTS,
} as const;

/** The words to judge in place of the ones with holes; undefined when some hole is more than data. */
export function asData(
  argv: readonly string[],
  given: Holes,
  language: ShellLanguage,
): readonly string[] | undefined {
  const [program = ""] = argv;
  if (program === "kill" && language === "bash" && areJobs(given))
    return argv.map((word) => (given.has(word) ? "%1" : word));
  if (given.has(program) || (hasSecrets(given) && !isEmptyTest(argv))) return undefined;
  // bash's own test compares numbers, and calculates with no other text.
  const holes = language === "bash" && isNumberTest(argv) ? asNumbers(given) : given;
  const isText = (word: string): boolean => hasKind(holes.get(word), "text");
  if (argv.some(isText) && !takesText(argv, isText)) return undefined;
  const samples = samplesOf(argv, holes);
  const [first = []] = samples;
  const isCalm = (words: readonly string[]): boolean =>
    builtinDoubts(words, language).length + interpreterDoubts(words).length === 0;
  if (!samples.every(isCalm)) return undefined;
  const judgements = samples.map((words) => judgeArgv(words));
  const same = new Set(judgements.map((judgement) => JSON.stringify(judgement)));
  const isSame = judgements.every(({ isKnown, doubts }) => isKnown && doubts.length === 0) && same.size === 1;
  return isSame ? first : undefined;
}

/** `kill $!`: each word is the process that this very shell started. */
const areJobs = (holes: Holes): boolean =>
  [...holes.values()].every(
    ([piece, ...others]) => others.length === 0 && typeof piece === "object" && piece.isJob === true,
  );

const hasSecrets = (holes: Holes): boolean =>
  [...holes.values()].some((pieces) => pieces.some((piece) => typeof piece !== "string" && piece.doubt));

/** `[ -n "$x" ]` shows whether there is a value, not which. */
const isEmptyTest = (argv: readonly string[]): boolean => {
  const [program = "", operator = ""] = argv;
  return (
    /^-[nz]$/.test(operator) && argv.length === (program === "[" ? 4 : 3) && /^(?:test|\[)$/.test(program)
  );
};

const isNumberTest = (argv: readonly string[]): boolean =>
  /^(?:test|\[)$/.test(argv[0] ?? "") && argv.length === (argv[0] === "[" ? 5 : 4) && SUMS.has(argv[2] ?? "");

const asNumbers = (holes: Holes): Holes =>
  new Map(
    [...holes].map(([word, pieces]) => [
      word,
      pieces.map((piece) => (typeof piece === "string" ? piece : ({ ...piece, holds: "number" } as const))),
    ]),
  );

const hasKind = (pieces: Pieces | undefined, kind: Hole["holds"]): boolean =>
  pieces?.some((piece) => typeof piece !== "string" && piece.holds === kind) === true;

function samplesOf(argv: readonly string[], holes: Holes): readonly (readonly string[])[] {
  const rounds = Math.max(...Object.values(SAMPLES).map((list) => list.length));
  const filled = Array.from({ length: rounds }, (_, round) =>
    argv.map((word, at) => fill(holes.get(word) ?? [word], round + at)),
  );
  const isGlob = (word: string): boolean => hasKind(holes.get(word), "glob");
  const mayVanish = (word: string): boolean =>
    holes.get(word)?.some((piece) => typeof piece !== "string" && piece.mayVanish) === true;
  const [first = []] = filled;
  const signed = argv.map((word) =>
    (holes.get(word) ?? [word]).map((piece) => (maySign(piece) ? "-3" : fill([piece], 0))).join(""),
  );
  return [
    ...filled,
    signed,
    // A pattern becomes several words, and an empty value none.
    ...(argv.some(isGlob) ? [argv.flatMap((word, at) => times(isGlob(word) ? 2 : 1, first[at] ?? ""))] : []),
    ...(argv.some(mayVanish) ? [first.filter((_, at) => !mayVanish(argv[at] ?? ""))] : []),
  ];
}

const maySign = (piece: string | Hole): boolean => typeof piece !== "string" && piece.maySign === true;

const times = (count: number, word: string): readonly string[] => Array.from({ length: count }, () => word);

const fill = (pieces: Pieces, round: number): string =>
  pieces
    .map((piece) =>
      typeof piece === "string" ? piece : SAMPLES[piece.holds][round % SAMPLES[piece.holds].length],
    )
    .join("");

function takesText(argv: readonly string[], isText: (word: string) => boolean): boolean {
  const [program = "", ...words] = argv;
  switch (baseName(program)) {
    case "echo":
    case ":":
    case "true":
    case "false":
      return true;
    case "printf":
      return !isText(words[0] ?? "") && isPlainFormat(words[0] ?? "");
    case "test":
      return isPlainTest(words, isText);
    case "[":
      return words.at(-1) === "]" && isPlainTest(words.slice(0, -1), isText);
    case "git":
      return areMessages(words, isText);
    default:
      return false;
  }
}

/** Prints words as text, and calculates with none. */
const isPlainFormat = (format: string): boolean =>
  !format.startsWith("-") && !format.replaceAll(/%[-0]*\d{0,3}s|%%/g, "").includes("%");

const UNARY = /^-[nzefdrwxsLh]$/;
const BINARY = /^(?:=|==|!=)$/;

/** With these many words, and a literal operator at its place, no other word is taken for one. */
function isPlainTest(words: readonly string[], isText: (word: string) => boolean): boolean {
  const [first = "", second = "", third = ""] = words;
  if (words.length === 2) return !isText(first) && UNARY.test(first);
  if (words.length === 3) return !isText(second) && BINARY.test(second) && !SUMS.has(third);
  return words.length === 4 && first === "!" && !isText(third) && BINARY.test(third);
}

/** `git commit -m TEXT`, `git tag v1 --message=TEXT`. */
function areMessages(words: readonly string[], isText: (word: string) => boolean): boolean {
  const [subcommand = ""] = words;
  if (!/^(?:commit|tag|stash)$/.test(subcommand)) return false;
  return words.every((word, at) => {
    if (!isText(word)) return true;
    const before = words[at - 1] ?? "";
    return (!isText(before) && /^(?:-a?m|--message)$/.test(before)) || word.startsWith("--message=");
  });
}
