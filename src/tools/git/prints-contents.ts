/**
 * Whether a git command that only reads may print what is in files, and not only names, commits and states. A
 * closed list of those that do not: every other one, and every flag that is not known here, may.
 */
const SAFE_ALWAYS: ReadonlySet<string> = new Set(
  (
    "branch tag remote rev-parse describe merge-base for-each-ref show-ref symbolic-ref name-rev ls-files ls-tree " +
    "worktree count-objects check-ignore check-attr check-ref-format check-mailmap var version help shortlog cherry " +
    "show-branch verify-pack fsck"
  ).split(" "),
);

const LOOK_FLAG =
  /^(?:-\d+|-n\d*|-i|-z|-s|-g|--(?:oneline|graph|all|reverse|merges|no-merges|first-parent|no-patch|follow|date-order|topo-order|abbrev-commit|no-abbrev-commit|no-color|no-decorate|name-only|name-status|shortstat|numstat|summary|dirstat|cached|staged|no-renames|count|left-right|cherry-pick|no-walk|source|walk-reflogs|full-history|simplify-by-decoration|boundary|parents|children|branches|tags|remotes|exit-code|quiet|merge-base|(?:stat|decorate|pretty|color|abbrev|compact-summary|relative|find-renames|ignore-submodules)(?:=.*)?|(?:format|date|since|until|after|before|author|committer|grep|max-count|skip|diff-filter|branches|tags|remotes|glob|exclude|encoding|diff-algorithm|stat-width)=.*))$/;

const STATUS_FLAG =
  /^(?:-[sbzu]+|-u(?:no|normal|all)|--(?:short|branch|show-stash|long|null|porcelain|ignored|untracked-files|ignore-submodules|column|no-column|renames|no-renames|ahead-behind|no-ahead-behind)(?:=.*)?)$/;

const NAMES_ONLY = /^--(?:stat|shortstat|numstat|name-only|name-status|summary|dirstat)(?:=.*)?$/;

export function printsContents(argv: readonly string[]): boolean {
  const words = afterGlobalFlags(argv);
  const [subcommand, ...rest] = words ?? [];
  if (!words || subcommand === undefined) return true;
  const end = rest.indexOf("--");
  const flags = (end < 0 ? rest : rest.slice(0, end)).filter((word) => word.startsWith("-"));
  const haveOnly = (known: RegExp) => flags.every((flag) => known.test(flag));
  if (SAFE_ALWAYS.has(subcommand)) return false;
  if (subcommand === "status") return !haveOnly(STATUS_FLAG);
  if (["log", "rev-list", "reflog", "whatchanged"].includes(subcommand)) return !haveOnly(LOOK_FLAG);
  if (subcommand === "stash") return rest[0] !== "list" || !haveOnly(LOOK_FLAG);
  // Without such a flag they print the changes; `git show` prints a file in spite of it.
  if (subcommand === "diff") return !haveOnly(LOOK_FLAG) || !flags.some((flag) => NAMES_ONLY.test(flag));
  return true;
}

/** Undefined when a flag before the subcommand is not known. */
function afterGlobalFlags(argv: readonly string[]): readonly string[] | undefined {
  let at = 1;
  for (;;) {
    const word = argv[at];
    if (word === "-C") at += 2;
    else if (word === "--no-pager" || word === "-P" || word === "--no-optional-locks") at += 1;
    else return word?.startsWith("-") === true ? undefined : argv.slice(at);
  }
}
