/** The work of git that stays in the repository and loses nothing: the only one that a widened "always" covers. */

/** Subcommands that record and look; the others that may be widened rewrite what is recorded, and stand alone. */
const LOCAL: ReadonlySet<string> = new Set(
  [
    "add, mv, commit, status, log, diff, show, blame, branch, switch, checkout, stash, stash push, stash pop, stash list",
    "stash show, stash apply, tag, rev-parse, ls-files, shortlog, describe, grep, reflog, rev-list, merge-base",
    "for-each-ref, cat-file, ls-tree, diff-tree, restore, config",
  ]
    .join(", ")
    .split(", "),
);

export const isLocalGit = (subcommand: string): boolean => LOCAL.has(subcommand);

/** Words with which a subcommand moves or removes a name, or takes files away that git does not have. */
const LOSES: ReadonlyMap<string, RegExp> = new Map([
  ["branch", /^(?:-[a-zA-Z]*[dDmMcCf]|--(?:del|mov|cop|forc))/],
  ["tag", /^(?:-[a-zA-Z]*[df]|--(?:del|forc))/],
  ["switch", /^(?:-[a-zA-Z]*[Cf]|--(?:forc|disc|orphan))/],
  ["checkout", /^(?:--?$|-[a-zA-Z]*[Bfp]|--(?:forc|patch|ours|theirs|orphan|pathspec|over))/],
  ["stash", /^(?:-[a-zA-Z]*a|--all)/],
  ["stash push", /^(?:-[a-zA-Z]*a|--all)/],
  ["restore", /^(?:-[a-zA-Z]*[Wp]|--(?:work|patch|ours|theirs|over))/],
  // Aborting or skipping a merge resets the files, and loses the resolved conflicts in them.
  ...["merge", "rebase", "cherry-pick", "revert"].map((name) => [name, /^--(?:ab|sk)/] as const),
]);

/** Words without which a subcommand replaces files that may hold work. */
const NEEDS: ReadonlyMap<string, RegExp> = new Map([
  ["checkout", /^-b$/],
  ["restore", /^(?:-S|--staged)$/],
]);

/** Settings that hold no program and no secret: one of them is shown, and none is set. */
const SHOWS_SETTING =
  /^git config (?:--(?:get|local|global) ){0,2}(?:user\.(?:name|email)|remote\.[\w-]+\.url|branch\.[\w/-]+\.(?:remote|merge)|init\.defaultbranch|core\.(?:autocrlf|eol|ignorecase|filemode|hookspath)|(?:pull|push)\.\w+)$/i;

export function mayLoseWork(subcommand: string, argv: readonly string[]): boolean {
  if (subcommand === "config") return !SHOWS_SETTING.test(argv.join(" "));
  const loses = LOSES.get(subcommand);
  const needs = NEEDS.get(subcommand);
  if (loses && argv.some((word) => loses.test(word))) return true;
  return needs !== undefined && !argv.some((word) => needs.test(word));
}
