/** The bounds of checkers and builders that nobody described, beside plain words (programs/plain-words.ts). */
import { isResultName } from "./own-code.js";
import { isRisky, isRiskyFlag } from "./plain-class.js";

/** `argv`: the checker's name and its words. */
export function isWithinCheckerBounds([program = "", ...words]: readonly string[]): boolean {
  // A word that is no path may be a subcommand: `ktlint installGitPreCommitHook`.
  if (words.some((word) => /^[\w-]+$/.test(word) && !word.startsWith("-") && isRisky(word))) return false;
  if (SETS_UP.test(words[0] ?? "") || words.some(isRiskyFlag) || words.some(isOtherFlag)) return false;
  if (words.some((word) => TAKES_CODE.get(program)?.test(word) === true)) return false;
  return !EMPTIES.has(program) || words.every((word, index) => writesResult(word, words[index + 1]));
}

/** First words that make a project, fetch its parts or serve it. */
const SETS_UP = /^(?:init|new|examples?|dev|gen|mod|start|preview)$/;

/** A flag that makes a checker clear a folder, open a port or a window, fetch rules, or take words from a file. */
const isOtherFlag = (word: string): boolean =>
  /^--?[a-z]/i.test(word) &&
  (word.split(/[=:]/, 1)[0] ?? "")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((piece) => OTHER_PIECE.test(piece));

const OTHER_PIECE =
  /^(?:clean|clear|empty|serve|open|init|update|download|external|from|api|argumentfile|sconstruct|site)$/;

/** Flags by which a checker runs another file or program than the project's usual ones. */
const TAKES_CODE: ReadonlyMap<string, RegExp> = new Map([
  ["scons", /^-[a-zA-Z]*[fCDuU]/],
  ["robot", /^-A/],
  ["nim", /^-r/],
  ["golines", /^--base-formatter/],
]);

/** Builders that empty the folder into which they write. */
const EMPTIES: ReadonlySet<string> = new Set(
  "hugo mdbook docusaurus vitepress vuepress storybook rsbuild rspack eleventy tsup tsdown unbuild typedoc".split(
    " ",
  ),
);

function writesResult(word: string, next = ""): boolean {
  const [name = "", value = next] = word.split("=", 2);
  return !WRITES.test(name) || isResultName(value || next);
}

const WRITES = /^(?:-[do].*|--[\w-]*(?:out|dest|dist)[\w-]*)$/i;
