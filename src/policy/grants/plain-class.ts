/**
 * The class of a script or program of the project, and of a program that nobody described: the same one, and the same
 * subcommand, with other plain words (programs/plain-words.ts). A rule with the width "plain" covers exactly the
 * commands of its class.
 *
 * A rule for a script is bound to the script's content (wide-rules.ts), and covers no input that is fed to it.
 */
import type { CommandPart } from "../part.js";
import { normalisePath } from "../paths/match-path.js";
import { judgeArgv } from "../programs/judge-argv.js";
import { namedActs } from "../programs/named-acts.js";
import { mayRunWhatFollows, readOwnWords } from "../programs/plain-words.js";
import { isProjectTool } from "../programs/project-tools.js";
import { isOwnFolder } from "./is-own-folder.js";
import { mayReachOut } from "./script-run.js";

type Run = Pick<CommandPart, "argv" | "judgement" | "read"> & {
  /** Whether a word is the path of a file of the project. */
  readonly isOwn: (word: string) => boolean;
};

/** Undefined when the command is no such one, or its words are not plain. */
export function plainClass(part: CommandPart, roots: readonly string[]): string | undefined {
  const { argv, judgement, read, cwd } = part;
  if (!isOwnFolder(cwd, roots) || read.patterns.length > 0 || part.elsewhere.length > 0) return undefined;
  if (read.feeds.length > 0 || read.fedText !== undefined || read.reads.length > 0) return undefined;
  if (judgement.takesList || namedActs(judgement).length > 0) return undefined;
  const isOwn = (word: string): boolean => {
    const path = normalisePath(cwd, word) ?? "/";
    return isOwnFolder(path.slice(0, path.lastIndexOf("/")), roots);
  };
  const run = { argv, judgement, read, isOwn };
  const words = runnerClass(run) ?? scriptClass(run) ?? programClass(run);
  return words?.every((word) => NAME.test(word)) === true ? `${words.join(" ")} *` : undefined;
}

/** No blank and no star, so that the pattern can be read back. */
const NAME = /^[\w@.+/:-]+$/;

/** Programs that run the script whose path is the first word. */
const INTERPRETERS = /^(?:python[\d.]*|node|ruby|php|tsx|ts-node|bun|bash|sh|zsh|Rscript|julia|lua)$/;

const SCRIPT =
  /^(?:\.\/|\/)?[\w@+-][\w@.+/-]*\.(?:py|[cm]?[jt]sx?|rb|php|sh|bash|R|jl|lua)$|^(?:\.\/)?(?:artisan|bin\/[\w-]+)$/;

function scriptClass({ argv, judgement, isOwn }: Run): readonly string[] | undefined {
  const [program = "", ...words] = argv;
  if (!INTERPRETERS.test(program) || !judgement.isKnown) return undefined;
  const isModule = words[0] === "-m" && program.startsWith("python");
  // A project's own modules have no description.
  const doubts = judgement.doubts.filter((doubt) => !isModule || !UNKNOWN_MODULE.test(doubt));
  if (doubts.length > 0) return undefined;
  const [script = "", ...args] = isModule ? words.slice(1) : words;
  const isProject = isModule
    ? MODULE.test(script) && !STANDARD.test(script)
    : SCRIPT.test(script) && isOwn(script);
  const [first = "", second = ""] = args;
  if (!isProject || [script, first, second].some(isRisky) || args.some(isRiskyFlag)) return undefined;
  if (!readOwnWords(args).isPlain) return undefined;
  const names = [program, ...(isModule ? ["-m"] : []), script];
  return SUBCOMMAND.test(first) ? [...names, first] : names;
}

const UNKNOWN_MODULE = /^python[\d.]*: the module "[\w.]+" is not known to be harmless$/;

/** A module below a package: `app.cli`. */
const MODULE = /^[a-z_]\w*(?:\.[a-z_]\w*)+$/;

/** Packages that Python brings along, or that install others. */
const STANDARD =
  /^(?:asyncio|concurrent|ctypes|curses|dbm|distutils|email|encodings|ensurepip|html|http|idlelib|importlib|json|lib2to3|logging|multiprocessing|os|pip|pydoc_data|setuptools|sqlite3|tkinter|unittest|urllib|venv|wsgiref|xml|xmlrpc|zoneinfo)\./;

/** A program of the project by its path, or one that nobody described by its name. */
function programClass({ argv, judgement, read, isOwn }: Run): readonly string[] | undefined {
  const [program = "", first = "", second = ""] = argv;
  if (judgement.isKnown) return undefined;
  if (read.wrappers.some((name) => DOWNLOADS.test(name))) return undefined;
  const isFile = program.includes("/");
  if (isFile ? !isOwn(program) : !/^[A-Za-z][\w.-]*$/.test(program)) return undefined;
  const isPlain = isFile ? readOwnWords(argv.slice(1)).isPlain : judgement.isPlain === true;
  if (!isPlain || judgement.writes.length > 0 || [program, first, second].some(isRisky)) return undefined;
  if (argv.slice(1).some(isRiskyFlag)) return undefined;
  // A program of the project may be changed by those who may run it, whichever of its subcommands that was for.
  return SUBCOMMAND.test(first) && !isFile ? [program, first] : [program];
}

/** A first word that is neither an option nor a file. */
const SUBCOMMAND = /^[A-Za-z][\w:-]*$/;

/** Names of what reaches out, removes or starts something lasting. Only of plain names: a path may hold any word. */
export const isRisky = (name: string): boolean => {
  const word = name.slice(name.lastIndexOf("/") + 1);
  return mayReachOut(word) || mayRunWhatFollows(word) || RISKY.test(word);
};

/** A flag that makes the same program remove, publish or force something. */
export const isRiskyFlag = (word: string): boolean =>
  /^--?[a-z]/i.test(word) &&
  (word.split("=", 1)[0] ?? "")
    .replaceAll(/([a-z\d])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .split(/[^a-z]+/)
    .some((piece) => RISKY_PIECE.test(piece));

const RISKY_PIECE =
  /^(?:delete|remove|rm|drop|purge|wipe|destroy|erase|truncate|reset|overwrite|force|deploy|publish|push|upload|install|uninstall|apply|prod|production|live|yes)$/;

/** Runners that may download the program first. */
export const DOWNLOADS = /^(?:npx|bunx|pnpx|uvx|pipx|npm|pnpm|yarn|bun|corepack)$/;

const RISKY = /^(?:rm|del|kill\w*|stop|serve\w*|daemon|clean\w*|clear|flush|db|runner)\b/i;

/** Runners of locally installed programs; others may download one first. */
const RUNNERS: readonly (readonly string[])[] =
  "uv run, poetry run, pipenv run, pdm run, hatch run, rye run, bundle exec"
    .split(", ")
    .map((words) => words.split(" "));

/** The runner's own words; the command that it runs is a part of its own, and is judged as such. */
function runnerClass({ argv, read, isOwn }: Run): readonly string[] | undefined {
  const isTool = argv[0] === "npx" && isProjectTool(argv[1] ?? "");
  const runner = isTool
    ? ["npx"]
    : RUNNERS.find((words) => words.every((word, index) => argv[index] === word));
  const inner = argv.slice(runner?.length ?? 0);
  if (!runner || inner.length === 0) return undefined;
  const run = { argv: inner, judgement: judgeArgv(inner), read, isOwn };
  const words = scriptClass(run) ?? programClass(run);
  return words && [...runner, ...words];
}
