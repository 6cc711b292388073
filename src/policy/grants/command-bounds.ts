/** The bounds of a command that may be widened: its effects and words, beside the closed list of programs. */
import type { CommandPart } from "../parts.js";
import { namedActs } from "../programs/named-acts.js";
import { readOwnWords } from "../programs/plain-words.js";
import { isRisky } from "./plain-class.js";
import { mayLoseWork } from "./git-work.js";
import { mayFetch, mayReplaceFiles, standsAlone } from "./wide-commands.js";

/** The effects that builds, tests and checks have, and no others. */
export function isWithinBounds(
  part: CommandPart,
  { program, subcommand }: { readonly program: string; readonly subcommand: string },
): boolean {
  const { judgement } = part;
  const { doubts, sends, urls, deletes, moves, deletesBelow, isKnown, takesList } = judgement;
  if (!isKnown || takesList || part.elsewhere.length > 0) return false;
  // git refuses to move over a file, and has what it moves.
  const isMoving = moves.length > 0 && !(program === "git" && subcommand === "mv");
  if (doubts.length + sends.length + deletes.length > 0 || isMoving) return false;
  if (namedActs(judgement).length > 0) return false;
  if (part.argv.some((word) => OPENS_BROWSER.test(word)) || (program === "gh" && part.argv.includes("-w")))
    return false;
  if (program === "git" && mayLoseWork(subcommand, part.argv)) return false;
  if (RUNS.test(subcommand) && standsAlone(program, subcommand) && !isPlainRun(part.argv.slice(2)))
    return false;
  if (program === "go" && part.argv.some((word) => FOREIGN_PACKAGE.test(word))) return false;
  if (urls.some((url) => url !== "") || (urls.length > 0 && !mayFetch(program))) return false;
  if (deletesBelow.length > 0 && !mayReplaceFiles(program, subcommand)) return false;
  if (program === "git" && subcommand === "mv")
    return !part.argv.some((word) => /^-[a-zA-Z]*f|^--force/.test(word));
  return judgement.writes.every((path) => RESULT.test(path) && !BUILD_FILE.test(path));
}

/** Flags with which a program shows its result in another one. */
const OPENS_BROWSER = /^--?(?:open|web|browser|ui)(?:=|$)/;

/** Subcommands that start the project's program with the words behind them. */
const RUNS = /^(?:run|r)$/;

/** Which program it starts, and what that one is to do, stand among the first words; a file has an extension. */
function isPlainRun(words: readonly string[]): boolean {
  const names = words
    .filter((_, index) => !/^(?:-c|--configuration)$/.test(words[index - 1] ?? ""))
    .flatMap((word) => (word.startsWith("-") ? word.split("=").slice(1) : [word]))
    .filter((word) => !/[^.]\.(?!go$|cs$|rs$|swift$)\w+$/.test(word))
    .slice(0, MAX_NAMES);
  return readOwnWords(words).isPlain && !names.some(isRisky);
}

const MAX_NAMES = 3;

/** A package by its address: code of others, which the module cache has. */
const FOREIGN_PACKAGE = /^[\w-]+(?:\.[\w-]+)+\//;

/** Names that builds and tests give to their results; a source or a setting has another. */
const RESULT =
  /(?:^|\/)(?:[\w-]+|[\w.-]+\.(?:out|exe|o|a|so|dll|wasm|log|txt|xml|html|lcov|cov|prof|test|bin|jar|map|tsbuildinfo))$/;

/** Names without an extension that later builds read. */
const BUILD_FILE = /(?:^|\/)(?:\w*file|configure|gradlew|mvnw)$/i;
