/**
 * The class of a command: the pattern that a widened "always" stores for it, such as `go test *`. A rule with the width
 * "subcommand" covers exactly the commands of its class. The function that proposes the rule and the function that
 * applies it are the same, so the rule covers no command that could not have been widened itself.
 */
import type { CommandPart } from "../parts.js";
import { namedActs } from "../programs/named-acts.js";
import { toolPlace } from "../programs/project-tools.js";
import { readOwnWords } from "../programs/plain-words.js";
import { subcommandWords } from "../programs/subcommand-words.js";
import { isActivation } from "../shell/builtin-doubts.js";
import { familyText } from "./families.js";
import { isLocalGit, mayLoseWork } from "./git-work.js";
import { isOwnFolder } from "./own-folder.js";
import { arePlain, isUsualScript, scriptRun } from "./script-runner.js";
import {
  isWideModule,
  isWideProgram,
  isWideSubcommand,
  mayFetch,
  mayReplaceFiles,
  plainChecker,
  standsAlone,
} from "./wide-commands.js";

/** Undefined when only the exact words can be remembered. */
export function commandClass(part: CommandPart, roots: readonly string[]): string | undefined {
  const found = boundedClass(part, roots);
  return found && `${found.names.join(" ")} *`;
}

/** The pattern of the family that the command belongs to (families.ts); undefined when it stands for itself. */
export function commandFamily(part: CommandPart, roots: readonly string[]): string | undefined {
  const found = boundedClass(part, roots);
  if (!found) return undefined;
  const { program, subcommand, script } = found;
  if (program === "git") return isLocalGit(subcommand) ? "git *" : undefined;
  if (familyText(`${program} *`) !== undefined) return `${program} *`;
  if (standsAlone(program, subcommand)) return undefined;
  return script === undefined || script.every(isUsualScript) ? "*" : undefined;
}

function boundedClass(part: CommandPart, roots: readonly string[]): Class | undefined {
  if (!isOwnFolder(part.cwd, roots)) return undefined;
  const checker = plainChecker(part.argv);
  if (checker !== undefined && !part.judgement.isKnown) return checkerClass(part, checker);
  const found = classOf(part.argv);
  return found && isWithinBounds(part, found) ? found : undefined;
}

/** A checker that nobody described, as long as its words are plain. */
function checkerClass(
  { argv, judgement, read, elsewhere }: CommandPart,
  subcommand: string,
): Class | undefined {
  const [program = ""] = argv;
  if (judgement.isPlain !== true || judgement.writes.length + elsewhere.length > 0) return undefined;
  if (namedActs(judgement).length > 0 || read.fedText !== undefined) return undefined;
  const names = [program, ...(subcommand === "" ? [] : [subcommand])];
  return { names, program, subcommand, isWrapped: false };
}

type Class = {
  readonly names: readonly string[];
  /** The program that does the work, without the runner before it. */
  readonly program: string;
  readonly subcommand: string;
  /** The names of the project's scripts or targets that it runs, where it is a runner of these. */
  readonly script?: readonly string[];
  /** The description of the outermost program objects to running another one; that one is a part of its own. */
  readonly isWrapped: boolean;
};

/** Programs that run the command behind these words. That command is a part of its own, and is judged as such. */
const PREFIXES: readonly (readonly string[])[] = [
  "npx, bunx, pnpm exec, npm exec, yarn exec, uv run, poetry run, pipenv run, pdm run, hatch run, rye run, bundle exec"
    .split(", ")
    .map((words) => words.split(" ")),
].flat();

/** The runner's words and the command that it runs; flags that choose packages of the workspace do not matter. */
function prefixOf(
  argv: readonly string[],
): { readonly prefix: readonly string[]; readonly inner: readonly string[] } | undefined {
  const [runner = "", ...args] = argv;
  const tool = toolPlace(runner, args);
  if (tool !== undefined) return { prefix: [runner], inner: args.slice(tool) };
  const chosen = runner === "pnpm" ? [runner, ...withoutFilters(args)] : argv;
  const prefix = PREFIXES.find((words) => words.every((word, index) => chosen[index] === word));
  return prefix && { prefix, inner: chosen.slice(prefix.length) };
}

function withoutFilters(args: readonly string[]): readonly string[] {
  const at = args.findIndex(
    (word, index) =>
      !/^(?:-r|--recursive|-F|--filter)/.test(word) && !/^(?:-F|--filter)$/.test(args[index - 1] ?? ""),
  );
  return at === -1 ? args : args.slice(at);
}

function classOf(argv: readonly string[]): Class | undefined {
  const wrapped = prefixOf(argv);
  if (wrapped) {
    const { prefix, inner } = wrapped;
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
  if (program === "node" && flag === "--test")
    return { names: [program, flag], program, subcommand: "", isWrapped: false };
  if (isActivation(argv)) return { names: [program, flag ?? ""], program, subcommand: "", isWrapped: false };
  if (/^(?:ba)?sh$/.test(program) && flag === "-n")
    return { names: [program, flag], program, subcommand: "", isWrapped: false };
  // Jobs have numbers in the shell that started them, and each text has a shell of its own.
  if (
    program === "kill" &&
    argv.length > 1 &&
    argv.slice(1).every((word) => /^(?:%\d{1,3}|-(?:9|TERM|INT|KILL))$/.test(word))
  )
    return { names: [program], program, subcommand: "", isWrapped: false };
  const run = scriptRun(argv);
  if (run)
    return arePlain(run.rest)
      ? { names: run.names, program, subcommand: "", script: run.scripts, isWrapped: false }
      : undefined;
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
  // git refuses to move over a file, and has what it moves.
  const isMoving = moves.length > 0 && !(program === "git" && subcommand === "mv");
  if (doubts.length + sends.length + deletes.length > 0 || isMoving) return false;
  if (namedActs(judgement).length > 0) return false;
  if (part.argv.some((word) => OPENS_BROWSER.test(word)) || (program === "gh" && part.argv.includes("-w")))
    return false;
  if (program === "git" && mayLoseWork(subcommand, part.argv)) return false;
  if (RUNS.test(subcommand) && !readOwnWords(part.argv.slice(2)).isPlain) return false;
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

/** A package by its address: code of others, which the module cache has. */
const FOREIGN_PACKAGE = /^[\w-]+(?:\.[\w-]+)+\//;

/** Names that builds and tests give to their results; a source or a setting has another. */
const RESULT =
  /(?:^|\/)(?:[\w-]+|[\w.-]+\.(?:out|exe|o|a|so|dll|wasm|log|txt|xml|html|lcov|cov|prof|test|bin|jar|map|tsbuildinfo))$/;

/** Names without an extension that later builds read. */
const BUILD_FILE = /(?:^|\/)(?:\w*file|configure|gradlew|mvnw)$/i;
