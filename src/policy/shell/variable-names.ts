/**
 * Which variables a text may set without a question. An assignment changes a variable of the environment where one of
 * that name was inherited, and such a variable may steer the shell or load code into a program. Both lists here are
 * closed: names that no program obeys, and variables that change how a program prints and not what it runs.
 */
import type { ShellLanguage } from "./shell-context.js";

/** Whether a variable of this name is the text's own: a name in small letters, one letter, or a usual one in capitals. */
export function isOwnName(name: string, language: ShellLanguage): boolean {
  if (/^[A-Z]\d?$/.test(name)) return true;
  if (/^[a-z]\w*$/.test(name))
    return !OBEYED.test(name) && (language === "bash" || !SPECIAL_IN_ZSH.has(name));
  return USUAL.has(name);
}

/** Small names that programs obey. */
const OBEYED =
  /proxy|^(?:npm|pnpm|yarn|bun|pip|uv|nix|git|ld|dyld|auto_resume|histchars|prefix|cc|cxx)(?:_|$)/i;

const USUAL: ReadonlySet<string> = new Set(
  (
    "API APP AFTER BASE BASE_URL BEFORE BODY BRANCH CODE COMMIT COUNT DATA DATE DEST DIR DIRS DOC DOCS DST ELAPSED END " +
    "EXIT EXIT_CODE EXPECTED FILE FILES FOUND FROM HASH HEAD ID IDS INPUT ISSUE ITEM KEY LEFT LIST LOG LOGFILE LOGS " +
    "MATCH MESSAGE MSG NAME NAMES NEW NOW NUM OLD OUT OUTDIR OUTFILE OUTPUT PATTERN PID PIDS PKG PORT PR PROJ PROJECT " +
    "QUERY RC REPO REPO_DIR RES RESP RESPONSE RESULT RESULTS RET RIGHT ROOT SCRATCH SHA SIZE SRC START STATUS TAG " +
    "TARGET TITLE TODAY TOTAL TS URL VERSION WHEN WORD WORK WORKDIR"
  ).split(" "),
);

/** zsh ties these to its settings: `path=x` changes PATH there. */
const SPECIAL_IN_ZSH: ReadonlySet<string> = new Set(
  (
    "aliases argv builtins cdpath commands compstate dirstack dis_aliases dis_builtins dis_functions dis_galiases " +
    "dis_patchars dis_reswords dis_saliases epochtime errnos fignore fpath funcfiletrace funcsourcetrace funcstack " +
    "functions functions_source functrace galiases histchars history historywords jobdirs jobstates jobtexts keymaps " +
    "langinfo mailpath manpath mapfile module_path modules nameddirs options parameters patchars path pipestatus " +
    "prompt psvar reswords saliases signals status sysparams termcap terminfo ttyidle userdirs usergroups watch " +
    "widgets words zle_bracketed_paste zle_highlight zsh_eval_context zsh_scheduled_events"
  ).split(" "),
);

/**
 * Whether a program may get this variable: one that changes how it prints, with a value that says no more than that, or
 * the password of a database that the words themselves show.
 */
export function isHarmlessVariable(name: string, value: string): boolean {
  if (PAGERS.has(name)) return value === "cat";
  if (/^(?:LANG|LC_[A-Z]+)$/.test(name)) return LOCALE.test(value);
  if (name === "TZ") return /^(?:[A-Za-z][\w+-]*(?:\/[A-Za-z][\w+-]*){0,2})?$/.test(value);
  if (name === "NODE_OPTIONS") return /^--max[-_]old[-_]space[-_]size=\d{1,6}$/.test(value);
  if (/^(?:[ALMTU]|UB)SAN_OPTIONS$/.test(name)) return /^(?:\w+=\d{1,6}(?::|$))+$/.test(value);
  if (name === "JAVA_HOME") return SYSTEM_JAVA.test(value);
  if (name === "XDEBUG_MODE") return /^(?:off|coverage)$/.test(value);
  if (HARMLESS.has(name)) return /^[\w.:@%+,*-]*$/.test(value);
  if (isSteered(name)) return false;
  return (SWITCH.test(name) && SWITCHED.test(value)) || (ADDRESS.test(name) && isLocalAddress(value));
}

/** Where the system's packages put their Java; nobody but an administrator writes there. */
const SYSTEM_JAVA =
  /^\/(?:usr\/lib\/jvm|Library\/Java\/JavaVirtualMachines|opt\/homebrew\/opt)\/(?!\.)[\w.-]+(?:\/(?:Contents\/Home|libexec\/openjdk\.jdk\/Contents\/Home))?\/?$/;

/** A project's own setting by its name: it says how much, how long or whether. */
const SWITCH =
  /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)*_(?:DEBUG|VERBOSE|TRACE|QUIET|ENABLED?|DISABLED?|LEVEL|TIMEOUT(?:_MS)?|RETRIES|COUNT|WORKERS|JOBS|THREADS|PORT|SEED|SKIP|LIMIT|SIZE|RUNS|ITERATIONS|TESTS?|DRY_RUN|CI)$/;
const SWITCHED = /^(?:\d{1,9}(?:ms|s|m|h)?|true|false|yes|no|on|off)?$/i;

/** A project's own setting that says which server or database it uses. */
const ADDRESS = /^(?:[A-Z][A-Z\d]*_)*(?:URL|URI|DSN)$/;

/** A port of this machine, or a database in a file of the folder. */
function isLocalAddress(value: string): boolean {
  const server =
    /^(?:https?|wss?|postgres(?:ql)?|mysql|mongodb|redis|amqp):\/\/(?:[\w-]+(?::[\w-]*)?@)?(?:localhost|127\.0\.0\.1):\d{2,5}(?:\/[\w-]*)*(?:\?[\w=&-]*)?$/;
  return (
    server.test(value) || /^sqlite:(?:\/\/\/)?(?:\.\/)?(?::memory:|[\w-]+\.(?:db|sqlite3?))$/.test(value)
  );
}

/** Names of tools that take code, settings or packages from their variables. */
const isSteered = (name: string): boolean =>
  /^(?:LD|DYLD|GIT|BASH|SHELL|NODE|PYTHON|JAVA|JDK|MAVEN|GRADLE|NPM|YARN|PNPM|BUN|PIP|UV|POETRY|CONDA|CARGO|RUSTC?|RUSTUP|GO|PERL|RUBY|GEM|BUNDLE|PHP|COMPOSER|SSH|DOCKER|KUBE|HELM|AWS|GCLOUD|AZURE|TF|NIX|MAKE|CMAKE|GCC|CLANG|CC|CXX|XDG|ELECTRON|HTTPS?|FTP|ALL|NO|SSL|CURL|WGET|SUDO|PROXY|DOTNET|NUGET|CORECLR|COR|COMPLUS)_/.test(
    name,
  );

/** The usual folder of the project's sources, for programs that run the project's Python code anyway. */
export const isProjectPath = (name: string, value: string, program: string): boolean =>
  name === "PYTHONPATH" &&
  /^(?:\.|(?:\.\/)?(?:src|lib|app|backend|server|api|python))\/?$/.test(value) &&
  /^(?:python[\d.]*|pytest|coverage)$/.test(program);

/** Another set of characters would change how the shell reads the rest of the text. */
const LOCALE = /^(?:C|POSIX|(?:C|[a-z]{2}_[A-Z]{2})\.(?:UTF-8|utf8))?$/;

const HARMLESS: ReadonlySet<string> = new Set(
  (
    "APP_ENV ASPNETCORE_ENVIRONMENT CARGO_TERM_COLOR CGO_ENABLED CI CLICOLOR CLICOLOR_FORCE COLOR COLUMNS " +
    "CUDA_VISIBLE_DEVICES DEBUG DEBUG_COLORS DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_ENVIRONMENT DOTNET_NOLOGO DO_NOT_TRACK " +
    "DRY_RUN FLASK_DEBUG FLASK_ENV FORCE_COLOR GIN_MODE GOARCH GOMAXPROCS GOOS HEADLESS HF_HUB_OFFLINE HUSKY LINES " +
    "LOGLEVEL LOG_LEVEL MIX_ENV MYSQL_PWD NEXT_TELEMETRY_DISABLED NODE_ENV NODE_NO_WARNINGS NO_COLOR NUXT_TELEMETRY_DISABLED " +
    "OMP_NUM_THREADS PGPASSWORD PGUSER PIP_DISABLE_PIP_VERSION_CHECK PORT PYTHONDONTWRITEBYTECODE PYTHONHASHSEED PYTHONUNBUFFERED " +
    "PYTHONUTF8 PY_COLORS RACK_ENV RAILS_ENV RUST_BACKTRACE RUST_LOG RUST_TEST_THREADS SEED SKIP_SLOW TERM TEST_ENV " +
    "TOKENIZERS_PARALLELISM TURBO_TELEMETRY_DISABLED UPDATE_GOLDEN UPDATE_SNAPSHOT UPDATE_SNAPSHOTS VERBOSE"
  ).split(" "),
);

/** Variables that name a program, which is harmless only when it prints what it reads. */
const PAGERS: ReadonlySet<string> = new Set(["PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER"]);

/** Inherited variables that hold no secret. */
export const PRINTABLE: ReadonlySet<string> = new Set(
  "BASH_VERSION HOME HOSTNAME HOSTTYPE LANG LC_ALL LOGNAME MACHTYPE OLDPWD OSTYPE PATH PWD SHELL TERM TMPDIR TZ USER".split(
    " ",
  ),
);

/** Variables that always hold a number: those of every shell, and those that bash keeps. */
export const isNumber = (name: string, language: ShellLanguage): boolean =>
  /^(?:[?#$!]|PPID)$/.test(name) || (language === "bash" && NUMBERS.has(name));

const NUMBERS: ReadonlySet<string> = new Set(
  "BASHPID BASH_SUBSHELL EPOCHSECONDS EUID LINENO PIPESTATUS RANDOM SECONDS SHLVL UID".split(" "),
);
