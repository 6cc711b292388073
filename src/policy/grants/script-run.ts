/**
 * Programs that run a script or target of the project by its name: `npm run build`, `make test`. The widest "always"
 * for one is the same script with flags known to be harmless and paths of the workspace.
 */

/** The runner's words with the scripts' names; those names; the words behind them. */
export type ScriptRun = {
  readonly names: readonly string[];
  readonly scripts: readonly string[];
  readonly rest: readonly string[];
};

/** Undefined when the program is no such runner, or when it cannot be seen which script runs. */
export function scriptRun(argv: readonly string[]): ScriptRun | undefined {
  const [program = "", ...args] = argv;
  const name = program.replace(/^\.\//, "");
  const run = PACKAGE_RUNNERS.has(name)
    ? packageScript(name, args)
    : TARGET_RUNNERS.has(name)
      ? targets(name, /^(?:turbo|nx)$/.test(name) && args[0] === "run" ? args.slice(1) : args)
      : name === "deno"
        ? denoTask(args)
        : undefined;
  if (!run || run.names.some(isNoCheck)) return undefined;
  const { place = [], names, scripts, rest } = run;
  return { names: [program, ...place, ...names], scripts, rest };
}

const isNoCheck = (word: string): boolean =>
  !SCRIPT_NAME.test(word) || (mayReachOut(word) && !FORMATS.test(word));

const PACKAGE_RUNNERS: ReadonlySet<string> = new Set(["npm", "pnpm", "yarn", "bun"]);
const TARGET_RUNNERS: ReadonlySet<string> = new Set(
  "make gmake ninja just task rake gradle gradlew mvn mvnw ant turbo nx".split(" "),
);

/** A script whose name says that it publishes, removes or changes something that builds and tests do not. */
export const mayReachOut = (name: string): boolean =>
  /deploy|publish|release|push|upload|send|ship|prod|migrat|seed|drop|reset|destroy|delete|remove|purge|prune|wipe|install|upgrade|update|login|auth|token|secret|exec|eval|shell|sync|apply|docker|cloud|remote|backup|restore|post|pre|prepare/i.test(
    name,
  );

/** Tasks of gradle that write the sources again, with other blanks. */
const FORMATS = /^:?(?:[\w-]+:)*(?:spotlessApply|ktlintFormat|formatKotlin|googleJavaFormat)$/;

/** gradle names the tasks of a part of the project with colons: `:app:test`. */
const SCRIPT_NAME = /^:?[A-Za-z][\w:.-]*$/;

/** Names that pnpm and yarn take for a script without `run`; others are commands of their own. */
const USUAL_SCRIPT =
  /^(?:build|test|lint|type-?check|tsc|check|dev|start|format|fmt|e2e|compile|coverage|watch|verify)(?:[:-][\w:-]+)?$/;

/** Whether a script of this name builds, tests, checks or starts the project, as in nearly every project. */
export const isUsualScript = (name: string): boolean =>
  USUAL_SCRIPT.test(name) ||
  USUAL_TARGET.test(name) ||
  USUAL_TARGET.test(/^:(?:[\w-]+:)*(\w+)$/.exec(name)?.[1] ?? "");

const USUAL_TARGET =
  /^(?:t|all|clean|gen|generate|codegen|docs|unit|integration|spec|bench|vet|package|classes|(?:compile|test|check|assemble|lint|ktlint|detekt|spotless)\w*|build(?:Debug|All)?|(?:unit|integration)-?tests?|protos?|types|mocks?|coverage|cov|dependencies|dependency:tree|tasks|jar|tidy|style|(?:fmt|format)-check)$/i;

const PACKAGE_NAME = /^(?:@[\w-]+\/)?[\w-]+$/;

const RUN_WORDS: ReadonlySet<string> = new Set(["run", "run-script"]);

type Run = ScriptRun & {
  /** The words that choose a package of the workspace. */
  readonly place?: readonly string[];
};

function denoTask([verb = "", script = "", ...rest]: readonly string[]): Run | undefined {
  return verb === "task" ? { names: [verb, script], scripts: [script], rest } : undefined;
}

function packageScript(runner: string, args: readonly string[]): Run | undefined {
  const at = firstWord(args);
  const [verb = "", ...after] = args.slice(at);
  const flags = args.slice(0, at);
  // `yarn workspace @acme/ui test`
  if (runner === "yarn" && verb === "workspace" && flags.length === 0) {
    const [name = "", ...script] = after;
    const run = PACKAGE_NAME.test(name) ? packageScript(runner, script) : undefined;
    return run && { ...run, place: [verb, name] };
  }
  if (RUN_WORDS.has(verb)) {
    const script = firstWord(after);
    const name = after[script];
    if (name === undefined) return undefined;
    const rest = [...flags, ...after.slice(0, script), ...after.slice(script + 1)];
    return { names: [verb, name], scripts: [name], rest };
  }
  const isScript =
    runner === "npm" ? /^(?:test|t|start)$/.test(verb) : runner !== "bun" && USUAL_SCRIPT.test(verb);
  return isScript ? { names: [verb], scripts: [verb], rest: [...flags, ...after] } : undefined;
}

const MAX_TARGETS = 4;

const BUILDS_ALONE: ReadonlySet<string> = new Set(["make", "gmake", "ninja"]);

/** The targets in the words: all of them, or for nx one target and projects. A flag stands for itself. */
function targets(runner: string, all: readonly string[]): Run | undefined {
  const end = all.indexOf("--");
  const args = end === -1 ? all : all.slice(0, end);
  const words = args.filter(
    (word, index) =>
      !word.startsWith("-") && !CHOOSES.has(args[index - 1] ?? "") && !isJobs(word, args[index - 1]),
  );
  // Without a target, the first one of the file is meant, which builds.
  if (words.length === 0 && BUILDS_ALONE.has(runner) && end === -1)
    return { names: [], scripts: ["all"], rest: [] };
  if (words.length === 0 || words.length > MAX_TARGETS) return undefined;
  // The flags were read with the program's description, which doubts what it does not know; the words behind `--` are
  // for the script.
  const scripts = runner === "nx" ? words.slice(0, 1) : words;
  return { names: words, scripts, rest: end === -1 ? [] : all.slice(end) };
}

/** Flags of gradle and maven whose value chooses tests, tasks to leave out, or parts of the project. */
const CHOOSES: ReadonlySet<string> = new Set(
  "--tests -x --exclude-task -pl --projects --configuration".split(" "),
);

const isJobs = (word: string, before?: string): boolean => before === "-j" && /^\d+$/.test(word);

const TAKES_NAME: ReadonlySet<string> = new Set(["-w", "--workspace", "-F", "--filter"]);

function firstWord(args: readonly string[]): number {
  let at = 0;
  while (args[at]?.startsWith("-") === true) at += TAKES_NAME.has(args[at] ?? "") ? 2 : 1;
  return at;
}

/** Whether the words are flags known to be harmless to test runners and builders, and paths that stay below. */
export function arePlain(words: readonly string[]): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (TAKES_NAME.has(word) || TAKES_TEXT.has(word)) {
      at += 1;
      if (!PLAIN_TEXT.test(words[at] ?? "")) return false;
      continue;
    }
    const equals = word.indexOf("=");
    const flag = equals === -1 ? word : word.slice(0, equals);
    const isValued = equals !== -1 && (TAKES_NAME.has(flag) || TAKES_TEXT.has(flag));
    if (isValued ? PLAIN_TEXT.test(word.slice(equals + 1)) : HARMLESS.has(word) || isPathBelow(word))
      continue;
    return false;
  }
  return true;
}

/** Flags whose value selects tests by name. */
const TAKES_TEXT: ReadonlySet<string> = new Set(
  "-t -k --grep --testNamePattern --test-name-pattern --testPathPattern --project --mode".split(" "),
);

const HARMLESS: ReadonlySet<string> = new Set(
  [
    "-- -s --silent -q --quiet -v --verbose --run --runInBand -i --ci --bail -x --coverage --passWithNoTests",
    "--watch=false --watchAll=false --no-watch --no-coverage --no-color --color --if-present --list --noEmit --debug",
    "-r --recursive --workspace-root --stream --aggregate-output --no-bail --maxWorkers=1 --maxWorkers=2 --workspaces -ws --parallel --fix --check --max-warnings=0 --no-cache --reporter=verbose --reporter=dot --reporter=list",
  ]
    .join(" ")
    .split(" "),
);

const PLAIN_TEXT = /^[\p{L}\p{N}_@][\p{L}\p{N}_@ .:/#-]*$/u;

/** A word with a slash or an extension in it, so that no other script or mode is meant. */
function isPathBelow(word: string): boolean {
  if (!/^[\p{L}\p{N}_@.][\p{L}\p{N}_@.+/[\]():-]*$/u.test(word)) return false;
  const names = word.split("/");
  if (names.includes("..") || word.includes("//") || names.includes("node_modules")) return false;
  return names.length > 1 || /\.\w+$/.test(word);
}
