/**
 * Checks of a project that its framework runs by a script of a usual name: `php artisan test`, `python manage.py check`.
 * The script loads the project's code, as each of its tests does.
 */

type Checks = {
  readonly runner: RegExp;
  readonly subcommands: ReadonlySet<string>;
  /** Subcommands that change nothing with one of these flags. */
  readonly onlyWith?: { readonly [subcommand: string]: RegExp };
};

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const FRAMEWORKS: ReadonlyMap<string, Checks> = new Map([
  [
    "artisan",
    {
      runner: /^php$/,
      subcommands: words("test about list route:list event:list schedule:list migrate:status model:show"),
    },
  ],
  [
    "manage.py",
    {
      runner: /^python3?$/,
      subcommands: words("test check showmigrations sqlmigrate findstatic makemigrations migrate"),
      onlyWith: { makemigrations: /^--(?:check|dry-run)$/, migrate: /^--(?:plan|check)$/ },
    },
  ],
  [
    "bin/console",
    {
      runner: /^php$/,
      subcommands: words(
        "about list lint:container lint:yaml lint:twig lint:xliff debug:router debug:autowiring doctrine:schema:validate",
      ),
    },
  ],
]);

/** The runner, the script and the subcommand; undefined for any other words. */
export function frameworkCheck([runner = "", script = "", subcommand = "", ...rest]: readonly string[]):
  | readonly string[]
  | undefined {
  const found = FRAMEWORKS.get(script.replace(/^\.\//, ""));
  if (!found?.runner.test(runner) || !found.subcommands.has(subcommand)) return undefined;
  const needed = found.onlyWith?.[subcommand];
  if (needed && !rest.some((word) => needed.test(word))) return undefined;
  return rest.every(isPlain) ? [runner, script, subcommand] : undefined;
}

/** A name, a path that stays below, a number, or a flag of these lists that says which tests run and how it prints. */
const isPlain = (word: string): boolean =>
  FLAG.test(word) || (/^[A-Za-z\d_][\w.:/-]*$/.test(word) && !word.split("/").includes(".."));

const FLAG =
  /^(?:-v|-[vq]{1,3}|--(?:verbosity=\d|failfast|keepdb|noinput|no-input|parallel(?:=\d{1,3})?|deploy|list|plan|check|dry-run|timing|compact|coverage|stop-on-failure|stop-on-error|json|without-tty|except-vendor|no-ansi|skip-sync|skip-mapping)|--(?:filter|testsuite|group|path|name|method|tag|exclude-tag)=[\w:./@-]+)$/;
