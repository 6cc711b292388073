/**
 * Checkers, test runners and builders that nobody described: they may be widened while their words are plain
 * (plain-words.ts), which leaves out settings, plugins, code, hosts and paths out of the workspace.
 */
import { installedTool } from "./project-tools.js";
import { subcommandTable } from "./subcommand-table.js";

const PLAIN_CHECKERS: ReadonlySet<string> = new Set(
  [
    "bats vale codespell cspell vue-tsc svelte-check markdownlint-cli2 ktlint detekt swiftlint swiftformat luacheck",
    "stylua cppcheck hlint ormolu fourmolu psalm pest pint php-cs-fixer brakeman standardrb gotestsum djlint sqlfluff",
    "vulture radon interrogate size-limit kubeconform kubeval checkstyle csharpier",
    "tflint tfsec checkov kube-score cfn-lint helm-docs yamlfmt jsonnetfmt statix nixfmt alejandra deadnix",
    "scalafmt ktfmt google-java-format phpcs phpcbf phpmd deptrac haml-lint erblint slim-lint reek fasterer",
    "gofumpt golines errcheck gosec revive deadcode gci typos cpplint flawfinder uncrustify astyle cmake-format",
    "cmake-lint gersemi gcovr genhtml bashate checkbashisms shellharden textlint proselint write-good alex mdformat",
    "mdl doctoc ls-lint htmlhint depcruise tsd tsup tsdown unbuild typedoc attw uvu qunit jasmine behave robot",
    "nose2 pytype basedpyright refurb flynt pyupgrade autoflake docformatter deptry xenon lint-imports slotscheck",
    "pipdeptree sqlfmt pg_format squawk protolint busted eleventy chktex lacheck texcount latexmk pdflatex",
    "xelatex lualatex bibtex biber scons prove ginkgo autoreconf asciidoctor",
  ]
    .join(" ")
    .split(" "),
);

/** The same by their subcommands. */
const PLAIN_SUBCOMMANDS: ReadonlyMap<string, ReadonlySet<string>> = subcommandTable({
  flutter: "analyze, test, build, format",
  dart: "analyze, test, format, compile",
  ng: "build, test, lint",
  nuxt: "build, typecheck",
  astro: "build, check",
  dune: "build, test, runtest, fmt",
  lein: "test, compile",
  jekyll: "build",
  zola: "build, check",
  templ: "generate, fmt",
  quarto: "render, check",
  packer: "validate, fmt",
  terragrunt: "hclfmt",
  dbt: "compile, parse, ls, list",
  alembic: "heads, history, current, check",
  hatch: "test, fmt",
  buf: "lint, build, generate, breaking",
  sqlc: "generate, vet",
  prisma: "generate, validate, format",
  "wasm-pack": "build, test",
  rebar3: "compile, eunit, ct, dialyzer",
  kustomize: "build",
  "swift-format": "lint, format",
  steep: "check, stats",
  ty: "check",
  pyrefly: "check",
  pyre: "check",
  mdbook: "build, test",
  gleam: "build, test, check, format, docs",
  crystal: "spec, build, tool",
  shards: "build, check",
  nimble: "build, test, check",
  nim: "c, check",
  mill: "compile, test",
  xmake: "build, test, check",
  docusaurus: "build",
  vitepress: "build",
  vuepress: "build",
  rsbuild: "build",
  storybook: "build",
  cue: "vet, fmt, eval",
  typst: "compile",
  conftest: "test, verify",
  syncpack: "lint, list",
  rector: "process",
  hugo: "build",
  rspack: "build",
  srb: "tc",
});

/** Builders with subcommands, which build when no one is given. */
const BUILDS_ALONE: ReadonlySet<string> = new Set(["hugo", "rspack"]);

/** The subcommand of an undescribed checker, "" for one without; undefined for any other program. */
export function plainChecker([path = "", ...words]: readonly string[]): string | undefined {
  const [first = ""] = words;
  const hasOnlyFlags = words.every((word) => word.startsWith("-"));
  const program = installedTool(path) ?? path;
  if (PLAIN_CHECKERS.has(program) || (BUILDS_ALONE.has(program) && hasOnlyFlags)) return "";
  return PLAIN_SUBCOMMANDS.get(program)?.has(first) === true ? first : undefined;
}
