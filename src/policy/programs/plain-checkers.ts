/**
 * Checkers, test runners and builders that nobody described: they may be widened while their words are plain
 * (plain-words.ts), which leaves out settings, plugins, code, hosts and paths out of the workspace.
 */
import { subcommandTable } from "./subcommand-table.js";

const PLAIN_CHECKERS: ReadonlySet<string> = new Set(
  [
    "bats vale codespell cspell vue-tsc svelte-check markdownlint-cli2 ktlint detekt swiftlint swiftformat luacheck",
    "stylua cppcheck hlint ormolu fourmolu psalm pest pint php-cs-fixer brakeman standardrb gotestsum djlint sqlfluff",
    "vulture radon interrogate size-limit kubeconform kubeval checkstyle csharpier",
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
  dune: "build, test, fmt",
  lein: "test, compile",
  jekyll: "build",
  zola: "build, check",
  buf: "lint, build, generate, breaking",
  sqlc: "generate, vet",
  prisma: "generate, validate, format",
  "wasm-pack": "build, test",
  rebar3: "compile, eunit, ct, dialyzer",
  kustomize: "build",
});

/** The subcommand of an undescribed checker, "" for one without; undefined for any other program. */
export function plainChecker([program = "", first = ""]: readonly string[]): string | undefined {
  if (PLAIN_CHECKERS.has(program)) return "";
  return PLAIN_SUBCOMMANDS.get(program)?.has(first) === true ? first : undefined;
}
