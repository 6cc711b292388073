/**
 * The class of a command: the pattern that a widened "always" stores for it, such as `go test *`. A rule with the width
 * "subcommand" covers exactly the commands of its class. The function that proposes the rule and the function that
 * applies it are the same, so the rule covers no command that could not have been widened itself.
 */
import type { CommandPart } from "../part.js";
import { matchPath } from "../paths/match-path.js";
import { namedActs } from "../programs/named-acts.js";
import { plainChecker } from "../programs/plain-checker.js";
import { judgeArgv } from "../programs/judge-argv.js";
import { installedTool, isProjectTool } from "../programs/project-tools.js";
import { readPython } from "../programs/scripts/read-python.js";
import { subcommandWords } from "../programs/subcommand-words.js";
import { onlyParses } from "../made-program.js";
import { isActivation } from "../shell/builtin-doubts.js";
import { isWithinCheckerBounds } from "./is-within-checker-bounds.js";
import { composeFamily } from "./compose-family.js";
import { familyText } from "./families.js";
import { frameworkCheck } from "./framework-checks.js";
import { isWithinBounds } from "./is-within-bounds.js";
import { isLocalGit } from "./git-work.js";
import { cloudLook, databaseLook, serviceLook } from "./looks-elsewhere.js";
import { removesResults, runsBuiltTest } from "./own-code.js";
import { isOwnFolder } from "./is-own-folder.js";
import { DOWNLOADS, isRisky } from "./plain-class.js";
import { runnerPrefix } from "./runner-prefix.js";
import { arePlain, isUsualScript, scriptRun } from "./script-run.js";
import {
  asksRegistry,
  isWideModule,
  isWideProgram,
  isWideSubcommand,
  looksElsewhere,
  maySeeData,
  standsAlone,
} from "./wide-commands.js";

/** Undefined when only the exact words can be remembered. */
export function commandClass(part: CommandPart, roots: readonly string[]): string | undefined {
  const found = boundedClass(part, roots);
  return found && `${found.names.join(" ")} *`;
}

/** The pattern of the family that the command belongs to (families.ts); undefined when it stands for itself. */
export function commandFamily(part: CommandPart, roots: readonly string[]): string | undefined {
  if (isOwnFolder(part.cwd, roots) && runsLook(part)) return "*";
  if (runsBuiltTest(part, roots) || removesResults(part, roots)) return "*";
  const compose = composeFamily(part, roots);
  if (compose !== undefined) return compose;
  if (isOwnFolder(part.cwd, roots) && serviceLook(part)) return "systemctl *";
  const cloud = isOwnFolder(part.cwd, roots) ? cloudLook(part) : undefined;
  if (cloud !== undefined) return `${cloud} *`;
  const found = boundedClass(part, roots);
  if (!found) return undefined;
  const { program, subcommand, script } = found;
  if (program === "git") return isLocalGit(subcommand) ? "git *" : undefined;
  // A kustomization may name addresses: to build one is no look at the cluster, and no more than to run the checks.
  if (program === "kubectl" && subcommand === "kustomize") return "*";
  const isElsewhere = looksElsewhere(program, subcommand) || ONLY_LOOKS.has(program);
  if (isElsewhere && familyText(`${program} *`) !== undefined) return `${program} *`;
  if (asksRegistry(program, subcommand)) return "registry *";
  if (standsAlone(program, subcommand)) return undefined;
  return script === undefined || script.every(isUsualScript) ? "*" : undefined;
}

/** Programs of which only the subcommands that read a server's state may be widened. */
const ONLY_LOOKS: ReadonlySet<string> = new Set(["gh", "glab", "docker", "kubectl", "helm"]);

function boundedClass(part: CommandPart, roots: readonly string[]): Class | undefined {
  if (!isOwnFolder(part.cwd, roots) || runsForeignCode(part, roots)) return undefined;
  // The address of a database on this machine is no address that a package manager fetches from.
  if (databaseLook(part) !== undefined) return lookClass(part);
  if (!ONLY_LOOKS.has(part.argv[0] ?? "") && part.argv.slice(1).some(isAddress)) return undefined;
  if (onlyLooks(part)) return lookClass(part);
  const checker = plainChecker(part.argv);
  if (checker !== undefined && !part.judgement.isKnown) return checkerClass(part, checker);
  const found = runnerOfChecker(part.argv) ?? classOf(part.argv, part.read.judged);
  if (found?.isChecker) return found;
  return found && isWithinBounds(part, found) ? found : undefined;
}

/** Package managers fetch what such a word names: `npm outdated x@https://…`, `github:owner/name`. */
const isAddress = (word: string): boolean =>
  word.includes("://") ||
  /(?:^|@)(?:git|github|gitlab|bitbucket|gist|file|link|npm|[\w.-]+@[\w.-]+):/i.test(word);

/** `unzip -l app.jar`, `terraform --version`: nothing but reading files, or the version of a described program. */
function onlyLooks(part: CommandPart): boolean {
  const { argv, judgement, elsewhere } = part;
  const [program = ""] = argv;
  if (asksUnknown(part)) return true;
  const isVersion = argv.length === 2 && !program.includes("/") && showsVersion(argv);
  if (!isVersion && !maySeeData(program)) return false;
  const { isKnown, doubts, runs, takesList, urls, sends, runsFiles } = judgement;
  const { writes, deletes, moves, editsBelow, deletesBelow } = judgement;
  const changed = [writes, deletes, moves, editsBelow, deletesBelow, elsewhere].flat();
  const others = [changed, urls, sends, runsFiles, doubts, namedActs(judgement)].flat();
  return isKnown && !runs && !takesList && others.length === 0;
}

/** `foo --version`, `foo sub --help` of a program that nobody described, and whose words name no act. */
function asksUnknown({ argv, judgement, read, elsewhere }: CommandPart): boolean {
  const [program = "", ...words] = argv;
  if (judgement.isKnown || judgement.isPlain !== true || read.wrappers.length > 0) return false;
  if (read.feeds.length > 0 || read.fedText !== undefined || elsewhere.length > 0) return false;
  const names = [program, ...words.slice(0, -1)];
  const isQuestion = /^--(?:version|help)$/.test(words.at(-1) ?? "") && words.length <= MAX_QUESTION;
  return isQuestion && names.every((name) => QUESTIONED.test(name) && !isRisky(name));
}

/** `foo sub --help`; behind some words stands another program. */
const MAX_QUESTION = 2;
const QUESTIONED = /^(?!(?:run|start|do|with|each|all|x)$)[a-z][\w-]*$/;

/** The word alone may be a name: `createdb version`, `pkill version`. */
const showsVersion = (argv: readonly string[]): boolean =>
  argv[1] === "--version" || (argv[1] === "version" && subcommandWords(argv)[1] === "version");

/**
 * `python -c` and `python - <<EOF` with code that only looks at data. A rule for the project's checks covers it, since
 * modules may be the project's; its own "always" is for the very code.
 */
function runsLook({ argv, read, elsewhere }: CommandPart): boolean {
  const [program = "", flag, code, ...words] = argv;
  if (!/^python3?(?:\.\d+)?$/.test(program) || elsewhere.length > 0) return false;
  if (flag === "-c") return code !== undefined && readPython(code) !== undefined && arePlainNames(words);
  const isInput = flag === undefined || (flag === "-" && code === undefined);
  return isInput && read.feeds.length === 0 && readPython(read.fedText ?? "") !== undefined;
}

const arePlainNames = (words: readonly string[]): boolean => words.every((word) => /^[\w.]+$/.test(word));

/** A command that a person who lets the project's code run lets run as well, though nobody would call it a check. */
export const isLook = (part: CommandPart, roots: readonly string[]): boolean =>
  databaseLook(part) !== undefined ||
  onlyLooks(part) ||
  runsLook(part) ||
  runsBuiltTest(part, roots) ||
  removesResults(part, roots);

const lookClass = ({ argv: [program = ""] }: CommandPart): Class => ({
  names: [program],
  program,
  subcommand: "",
  isWrapped: false,
});

/** `npx prisma generate`: the checker behind the runner is a part of its own, which says what its words do. */
function runnerOfChecker(argv: readonly string[]): Class | undefined {
  const { prefix = [], inner = [] } = runnerPrefix(argv) ?? {};
  const [program = ""] = inner;
  const subcommand = plainChecker(inner);
  const mayDownload = DOWNLOADS.test(prefix[0] ?? "") && !isProjectTool(program);
  if (subcommand === undefined || mayDownload || judgeArgv(inner).isPlain !== true) return undefined;
  if (!isWithinCheckerBounds(inner)) return undefined;
  const names = [...prefix, program, ...(subcommand === "" ? [] : [subcommand])];
  return { names, program, subcommand, isWrapped: true, isChecker: true };
}

/** A rule that opens a folder outside opens it to look at: the tests and settings in it are another project's code. */
const runsForeignCode = ({ judgement, touches }: CommandPart, roots: readonly string[]): boolean =>
  (judgement.runs || !judgement.isKnown) &&
  touches.some(
    ({ path, access }) =>
      (access === "read" || access === "search") && !roots.some((root) => matchPath(`${root}/**`, path)),
  );

/** A checker that nobody described, as long as its words are plain. */
function checkerClass(
  { argv, judgement, read, elsewhere }: CommandPart,
  subcommand: string,
): Class | undefined {
  const [program = ""] = argv;
  if (judgement.isPlain !== true || judgement.writes.length + elsewhere.length > 0) return undefined;
  if (namedActs(judgement).length > 0 || read.fedText !== undefined) return undefined;
  if (!isWithinCheckerBounds([baseName(program), ...argv.slice(1)])) return undefined;
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
  /** The program is undescribed and its words are plain. */
  readonly isChecker?: true;
};

function classOf(argv: readonly string[], judged: readonly string[] = argv): Class | undefined {
  const wrapped = runnerPrefix(argv);
  if (wrapped) {
    const { prefix, inner } = wrapped;
    const found = inner[0]?.startsWith("-") === false ? classOf(inner) : undefined;
    return found && !found.isWrapped
      ? { ...found, names: [...prefix, ...found.names], isWrapped: true }
      : undefined;
  }
  const check = frameworkCheck(argv);
  if (check) return { names: check, program: check[1] ?? "", subcommand: check[2] ?? "", isWrapped: false };
  const [program = "", flag, module = ""] = argv;
  if (/^python3?(?:\.\d+)?$/.test(baseName(program)))
    return flag === "-m" && isWideModule(module)
      ? { names: [program, "-m", module], program: module, subcommand: "", isWrapped: false }
      : undefined;
  if (program === "node" && flag === "--test")
    return { names: [program, flag], program, subcommand: "", isWrapped: false };
  if (isActivation(argv)) return { names: [program, flag ?? ""], program, subcommand: "", isWrapped: false };
  if (onlyParses(argv)) return { names: [program, flag ?? ""], program, subcommand: "", isWrapped: false };
  if (/^(?:ba)?sh$/.test(program) && flag === "-n")
    return { names: [program, flag], program, subcommand: "", isWrapped: false };
  if (program === "kill")
    return endsOwnJobs(judged) ? { names: [program], program, subcommand: "", isWrapped: false } : undefined;
  if (argv.length === 2 && SHOWS_VERSION.test(argv.join(" ")))
    return { names: argv, program, subcommand: "", isWrapped: false };
  const run = scriptRun(argv);
  if (run)
    return arePlain(run.rest)
      ? { names: run.names, program, subcommand: "", script: run.scripts, isWrapped: false }
      : undefined;
  const name = baseName(program);
  const described = subcommandWords([name, ...argv.slice(1)]).slice(1);
  // The list may tell apart what a description does not: `terraform state list`.
  const longer = argv.slice(1, described.length + 2).join(" ");
  const isLonger = longer.startsWith(`${described.join(" ")} `) && isWideSubcommand(name, longer);
  const subcommand = isLonger ? longer : described.join(" ");
  if (!isWideProgram(name) && !isWideSubcommand(name, subcommand)) return undefined;
  const names = [program, ...(subcommand === "" ? [] : [subcommand])];
  return { names, program: name, subcommand, isWrapped: false };
}

/** Compilers and runtimes that only print which one they are. */
const SHOWS_VERSION =
  /^(?:java (?:--?version)|(?:cargo|rustc|elixir|ruby|php|perl|node|composer|mix|gradle|mvn|swift|go|kotlinc|scala|ghc|lua|julia|dotnet) --version|(?:ruby|php|perl|node|lua|mvn|bundle) -v|python3? -V|dotnet --(?:info|list-sdks|list-runtimes))$/;

/** Jobs have numbers in the shell that started them, and each text has a shell of its own. */
const endsOwnJobs = (argv: readonly string[]): boolean =>
  argv.length > 1 && argv.slice(1).every((word) => /^(?:%\d{1,3}|-(?:9|TERM|INT|KILL))$/.test(word));

/** A tool that the project has installed for itself counts by its name. */
const baseName = (program: string): string => installedTool(program) ?? program;
