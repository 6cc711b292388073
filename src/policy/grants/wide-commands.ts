/**
 * The commands that "always" may widen to all their harmless flags and to paths of the workspace: builds, tests,
 * checks, formatters and git's local work. A closed list: any other command is remembered by its exact words. Not in
 * it, on purpose: installs, everything that sends, publishes or fetches code, interpreters, shells, containers, remote
 * machines, databases, and programs that write or delete the files that their words name.
 */

import { subcommandTable } from "../programs/subcommand-table.js";

/** Programs whose every described use may be widened. */
const WHOLE: ReadonlySet<string> = new Set(
  [
    "tsc eslint oxlint oxfmt prettier biome stylelint standard xo jest vitest mocha ava tap webpack rollup esbuild",
    "knip publint depcheck madge",
    "pytest py.test mypy black isort flake8 pylint pyflakes pycodestyle pydocstyle autopep8 yapf bandit pyright",
    "sphinx-build",
    "gofmt goimports staticcheck rustfmt rustc gcc cc g++ c++ clang clang++ c99 javac kotlinc cmake ctest",
    "clang-format clang-tidy shellcheck shfmt hadolint yamllint markdownlint actionlint protoc cloc tokei scc gcov",
    "lcov rspec rubocop phpunit phpstan",
    // These programs only read the results of a build.
    "nm objdump readelf size strings addr2line c++filt javap pkg-config ansible-lint",
  ]
    .join(" ")
    .split(" "),
);

/** Subcommands that may be widened, by program. */
const SUBCOMMANDS: ReadonlyMap<string, ReadonlySet<string>> = subcommandTable({
  go: "build, test, run, vet, fmt, list, version, doc, env, tool cover, mod graph, mod verify, mod why",
  cargo: "build, b, test, t, run, r, check, c, clippy, fmt, doc, bench, tree, metadata, nextest run, expand",
  dotnet: "build, test, run, format, list, sln list, ef migrations list",
  swift: "build, test, run",
  zig: "test, fmt",
  bazel: "build, test, query",
  meson: "compile, test, setup",
  "golangci-lint": "run",
  mix: "test, compile, format, credo, dialyzer, docs, help, phx.routes, xref, deps, deps.tree",
  rails:
    "test, test:system, routes, about, stats, notes, middleware, version, spec, zeitwerk:check, db:migrate:status",
  composer:
    "show, info, validate, why, why-not, licenses, status, dump-autoload, test, check, lint, stan, phpstan",
  cabal: "build, test",
  stack: "build, test",
  ruff: "check, format",
  coverage: "report, html, xml, json",
  mkdocs: "build",
  deno: "test, lint, fmt, check, bench",
  bun: "test",
  vite: "build",
  next: "build, lint",
  parcel: "build",
  playwright: "test",
  cypress: "run",
  terraform: "fmt, validate, plan, version, providers, graph, state list, state show, show, workspace list",
  tofu: "fmt, validate, plan, version, providers, graph, state list, state show, show, workspace list",
  bundle: "show, info, list, check",
  npm: "ls, list, outdated, why, view, info, show, search",
  pnpm: "ls, list, why",
  yarn: "list, why",
  uv: "pip list, pip show, pip freeze, pip check, pip tree",
  pip: "list, show, freeze, check, index",
  pip3: "list, show, freeze, check, index",
  git: [
    "add, commit, status, log, diff, show, blame, branch, switch, checkout, merge, rebase, stash, stash push,",
    "stash pop, stash list, stash show, stash apply, cherry-pick, revert, reset, restore, mv, tag, rev-parse, ls-files,",
    "shortlog, describe, grep, reflog, rev-list, merge-base, for-each-ref, cat-file, ls-tree, diff-tree, config",
  ].join(" "),
  gh: [
    "pr view, pr list, pr diff, pr checks, pr status, issue view, issue list, issue status, run view, run list,",
    "run watch, repo view, release list, release view, workflow list, workflow view, label list, api, search code,",
    "auth status,",
    "search issues, search prs, search repos",
  ].join(" "),
  glab: [
    "mr list, mr view, mr diff, issue list, issue view, ci list, ci status, ci trace, release list, release view,",
    "repo view, label list, milestone list",
  ].join(" "),
  docker: [
    "ps, logs, images, version, container ls, image ls, network ls, volume ls, compose ps, compose logs,",
    "compose images, compose top, compose version, compose ls, top, stats, port, history, info, system df,",
    "network inspect",
  ].join(" "),
  kubectl: [
    "get, describe, logs, top, version, explain, api-resources, rollout status, rollout history, cluster-info,",
    "config current-context, config get-contexts, top pods, top nodes, kustomize, diff, apply, create",
  ].join(" "),
  helm: "lint, template, list, ls, status, history, version",
});

/** Modules of Python that are programs of the list. */
const MODULES: ReadonlySet<string> = new Set(
  "pytest unittest mypy black isort flake8 pylint pyflakes ruff compileall py_compile json.tool".split(" "),
);

/** Programs of the list that may ask a registry for what the project names, or only show what a server has. */
const MAY_FETCH: ReadonlySet<string> = new Set(
  "go gh glab npm pip pip3 kubectl helm terraform tofu".split(" "),
);

/** Subcommands of git that replace files by others of the repository, and lose nothing that is not recorded. */
const REPLACES_FILES: ReadonlySet<string> = new Set(
  "switch merge rebase stash cherry-pick revert reset".split(" "),
);

/** Programs that look into archives, data files and the machine, unless their words have another effect than reading. */
const LOOKS: ReadonlySet<string> = new Set(
  [
    "tar unzip zipinfo jar zcat gzip gunzip bzcat bzip2 xz xzcat zstd zstdcat yq gem",
    "llvm-nm llvm-readelf llvm-size llvm-strings dwarfdump llvm-dwarfdump llvm-cov kube-linter",
    "netstat top squeue sinfo sacct adb rustup conda fnm volta pdftotext pdffonts",
    "pdfimages xcrun system_profiler codesign rocm-smi jps jstack",
  ]
    .join(" ")
    .split(" "),
);

/** Subcommands that only read a server's state, of programs with other subcommands that check the project. */
const LOOKS_ELSEWHERE: ReadonlyMap<string, ReadonlySet<string>> = subcommandTable({
  terraform: "providers, state list, state show, show, workspace list",
  tofu: "providers, state list, state show, show, workspace list",
});

/** Subcommands that ask a package registry about packages by their names. */
const ASKS_REGISTRY: ReadonlyMap<string, ReadonlySet<string>> = subcommandTable({
  npm: "outdated, view, info, show, search",
  pip: "index",
  pip3: "index",
});

export const asksRegistry = (program: string, subcommand: string): boolean =>
  ASKS_REGISTRY.get(program)?.has(subcommand) === true;

export const maySeeData = (program: string): boolean => LOOKS.has(program);

export const looksElsewhere = (program: string, subcommand: string): boolean =>
  LOOKS_ELSEWHERE.get(program)?.has(subcommand) === true;

/** Subcommands that are no checks: they start the project's program, or use the keys of a server. */
const ALONE: ReadonlyMap<string, ReadonlySet<string>> = subcommandTable({
  go: "run",
  cargo: "run, r",
  dotnet: "run",
  swift: "run",
  terraform: "plan",
  tofu: "plan",
});

export const standsAlone = (program: string, subcommand: string): boolean =>
  ALONE.get(program)?.has(subcommand) === true;

export const isWideProgram = (program: string): boolean => WHOLE.has(program);

export const isWideSubcommand = (program: string, subcommand: string): boolean =>
  SUBCOMMANDS.get(program)?.has(subcommand) === true;

export const isWideModule = (module: string): boolean => MODULES.has(module);

export const mayFetch = (program: string): boolean => MAY_FETCH.has(program);

export const mayReplaceFiles = (program: string, subcommand: string): boolean =>
  program === "git" && REPLACES_FILES.has(subcommand.split(" ")[0] ?? "");
