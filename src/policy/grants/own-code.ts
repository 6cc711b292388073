/**
 * Commands that a rule for the project's checks covers because they give no more power than its tests do: test programs
 * that the project's build made, and the removal of what a build leaves behind.
 */
import type { CommandPart } from "../part.js";
import { normalisePath } from "../paths/match-path.js";
import { isRunner } from "../programs/plain-words.js";
import { isOwnFolder } from "./is-own-folder.js";
import { plainClass } from "./plain-class.js";
import { mayReachOut } from "./script-run.js";

/** `build/unit_tests` with plain words. A script is bound to its content, and stands for itself. */
export function runsBuiltTest(part: CommandPart, roots: readonly string[]): boolean {
  const { argv, madeProgram, runsFiles } = part;
  // A copy of a shell or an interpreter takes code like this.
  if (madeProgram === undefined || runsFiles.length > 0 || argv.some((word) => /^-\w*[ceEr]$/.test(word)))
    return false;
  const names = (argv[0] ?? "").split("/");
  const own = names.at(-1) ?? "";
  // Scripts that people wrote lie in `bin`, too.
  if (isRunner(own) || !names.slice(0, -1).some((name) => BUILT.test(name))) return false;
  const pieces = own.toLowerCase().split(/[-_.]/);
  const isTest = [pieces[0], pieces.at(-1)].some((piece) => TEST.test(piece ?? ""));
  const isAmongTests = names.slice(0, -1).some((name) => TEST.test(name));
  return (isTest || isAmongTests) && !mayReachOut(own) && plainClass(part, roots) !== undefined;
}

const BUILT = /^(?:build|target|out|dist|obj|_build|zig-out|cmake-build-\w+)$/;

const TEST = /^(?:tests?|specs?|bench|benches|benchmarks?)$/;

/** `rm -rf dist coverage`: by their names, what builds and tests make again. */
export function removesResults(
  { argv, judgement, read, cwd }: CommandPart,
  roots: readonly string[],
): boolean {
  const [program, ...words] = argv;
  if (program !== "rm" || cwd === undefined || judgement.doubts.length > 0) return false;
  if (read.patterns.length > 0 || read.unknown !== undefined) return false;
  const names = words.filter((word) => !/^-[rRfv]+$|^--(?:recursive|force|verbose)$/.test(word));
  return names.length > 0 && names.every((name) => isResult(normalisePath(cwd, name), roots));
}

function isResult(path: string | undefined, roots: readonly string[]): boolean {
  const root = roots.find((one) => path?.startsWith(`${one}/`) === true);
  if (path === undefined || root === undefined) return false;
  const names = path.slice(root.length + 1).split("/");
  const at = names.findIndex((name) => RESULT.test(name));
  return at !== -1 && isOwnFolder([root, ...names.slice(0, at)].join("/"), roots);
}

/** Whether a word names what builds and tests make again, below the folder where the command runs. */
export function isResultName(word: string): boolean {
  const names = word.replace(/^\.\//, "").split("/");
  return !names.includes("..") && names.some((name) => RESULT.test(name));
}

const RESULT =
  /^(?:dist|build|target|out|coverage|htmlcov|site|_site|_build|obj|node_modules|__pycache__|TestResults|test-results|playwright-report|cmake-build-\w+|zig-out|\.(?:next|nuxt|turbo|svelte-kit|parcel-cache|pytest_cache|mypy_cache|ruff_cache|tox|nox|nyc_output|build)|\.coverage|\.eslintcache|[\w.-]+\.tsbuildinfo|coverage\.(?:out|xml|json)|cover\.out|lcov\.info)$/;
