/**
 * The class of a command: the pattern that a widened "always" stores for it, such as `go test *`. A rule with the width
 * "subcommand" covers exactly the commands of its class. The function that proposes the rule and the function that
 * applies it are the same, so the rule covers no command that could not have been widened itself.
 */
import type { CommandPart } from "../parts.js";
import { matchPath } from "../paths/match-path.js";
import { namedActs } from "../programs/named-acts.js";
import { subcommandWords } from "../programs/subcommand-words.js";
import { arePlain, scriptRun } from "./script-runner.js";
import { isWideModule, isWideProgram, isWideSubcommand, mayFetch, mayReplaceFiles } from "./wide-commands.js";

/** Undefined when only the exact words can be remembered. */
export function commandClass(part: CommandPart, roots: readonly string[]): string | undefined {
  if (!runsInOwnFolder(part.cwd, roots)) return undefined;
  const found = classOf(part.argv);
  if (!found) return undefined;
  return isWithinBounds(part, found) ? `${found.names.join(" ")} *` : undefined;
}

type Class = {
  readonly names: readonly string[];
  /** The program that does the work, without the runner before it. */
  readonly program: string;
  readonly subcommand: string;
  /** The description of the outermost program objects to running another one; that one is a part of its own. */
  readonly isWrapped: boolean;
};

/** Programs that run the command behind these words. That command is a part of its own, and is judged as such. */
const PREFIXES: readonly (readonly string[])[] = [
  "npx, bunx, pnpm exec, npm exec, yarn exec, uv run, poetry run, pipenv run, pdm run, hatch run, rye run, bundle exec"
    .split(", ")
    .map((words) => words.split(" ")),
].flat();

function classOf(argv: readonly string[]): Class | undefined {
  const prefix = PREFIXES.find((words) => words.every((word, index) => argv[index] === word));
  if (prefix) {
    const inner = argv.slice(prefix.length);
    const found = inner[0]?.startsWith("-") === false ? classOf(inner) : undefined;
    return found && !found.isWrapped
      ? { ...found, names: [...prefix, ...found.names], isWrapped: true }
      : undefined;
  }
  const [program = "", flag, module = ""] = argv;
  if (/^python3?(?:\.\d+)?$/.test(baseName(program)))
    return flag === "-m" && isWideModule(module)
      ? { names: [program, "-m", module], program: module, subcommand: "", isWrapped: false }
      : undefined;
  const run = scriptRun(argv);
  if (run)
    return arePlain(run.rest) ? { names: run.names, program, subcommand: "", isWrapped: false } : undefined;
  const name = baseName(program);
  const subcommand = subcommandWords([name, ...argv.slice(1)])
    .slice(1)
    .join(" ");
  if (!isWideProgram(name) && !isWideSubcommand(name, subcommand)) return undefined;
  const names = [program, ...(subcommand === "" ? [] : [subcommand])];
  return { names, program: name, subcommand, isWrapped: false };
}

/** A tool that the project has installed for itself counts by its name. */
const baseName = (program: string): string =>
  /^(?:\.\/)?(?:node_modules\/\.bin|\.?venv\/bin)\/(?<name>[\w.-]+)$/.exec(program)?.groups?.["name"] ??
  program;

/** The effects that builds, tests and checks have, and no others. */
function isWithinBounds(part: CommandPart, { program, subcommand }: Class): boolean {
  const { judgement } = part;
  const { doubts, sends, urls, deletes, moves, deletesBelow, isKnown, takesList } = judgement;
  if (!isKnown || takesList || part.elsewhere.length > 0) return false;
  if (doubts.length + sends.length + deletes.length + moves.length > 0) return false;
  if (namedActs(judgement).length > 0) return false;
  if (program === "go" && part.argv.some((word) => FOREIGN_PACKAGE.test(word))) return false;
  if (urls.some((url) => url !== "") || (urls.length > 0 && !mayFetch(program))) return false;
  if (deletesBelow.length > 0 && !mayReplaceFiles(program, subcommand)) return false;
  return judgement.writes.every((path) => RESULT.test(path) && !BUILD_FILE.test(path));
}

/** A package by its address: code of others, which the module cache has. */
const FOREIGN_PACKAGE = /^[\w-]+(?:\.[\w-]+)+\//;

/** Names that builds and tests give to their results; a source or a setting has another. */
const RESULT =
  /(?:^|\/)(?:[\w-]+|[\w.-]+\.(?:out|exe|o|a|so|dll|wasm|log|txt|xml|html|lcov|cov|prof|test|bin|jar|map|tsbuildinfo))$/;

/** Names without an extension that later builds read. */
const BUILD_FILE = /(?:^|\/)(?:\w*file|configure|gradlew|mvnw)$/i;

/** Code that was installed, or that git keeps, is not the project's own. */
function runsInOwnFolder(cwd: string | undefined, roots: readonly string[]): boolean {
  const root = cwd === undefined ? undefined : roots.find((one) => matchPath(`${one}/**`, cwd));
  if (root === undefined || cwd === undefined) return false;
  return !cwd
    .slice(root.length)
    .split("/")
    .some((name) => name.startsWith(".") || INSTALLED.has(name));
}

const INSTALLED: ReadonlySet<string> = new Set(["node_modules", "site-packages", "vendor", "third_party"]);
