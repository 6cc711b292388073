/** Tools that work on the project only, and that projects install for themselves. */
const TOOLS: ReadonlySet<string> = new Set(
  [
    "tsc eslint oxlint oxfmt prettier biome stylelint standard xo jest vitest mocha ava tap playwright cypress nyc",
    "webpack vite rollup esbuild parcel next nx turbo lerna knip publint depcheck madge markdownlint",
    "tsx ts-node prisma drizzle-kit tailwindcss sass storybook tsup tsdown typedoc c8 astro nuxi svelte-check vue-tsc",
    "lint-staged jscodeshift openapi-typescript size-limit",
  ]
    .join(" ")
    .split(" "),
);

/** Whether a runner of packages finds it in the project. Other packages may be downloaded first. */
export const isProjectTool = (name: string): boolean => TOOLS.has(name);

/** Flags of pnpm and yarn that take a value and may stand before the tool. */
const TAKES_VALUE: ReadonlySet<string> = new Set(["--filter", "-F"]);
const TAKES_NONE: ReadonlySet<string> = new Set([
  "-r",
  "--recursive",
  "-w",
  "--workspace-root",
  "-s",
  "--silent",
]);

/** Where the tool stands that `pnpm vitest run` and `yarn jest` run; undefined when they run none. */
export function toolPlace(runner: string, args: readonly string[]): number | undefined {
  if (runner !== "pnpm" && runner !== "yarn") return undefined;
  let at = 0;
  while (args[at]?.startsWith("-") === true) {
    const word = args[at] ?? "";
    if (!TAKES_VALUE.has(word) && !TAKES_NONE.has(word) && !word.startsWith("--filter=")) return undefined;
    at += TAKES_VALUE.has(word) ? 2 : 1;
  }
  return isProjectTool(args[at] ?? "") ? at : undefined;
}

/**
 * The name of a tool that the project has installed for itself, from its path: `node_modules/.bin/vitest`,
 * `.venv/bin/python`. The file is whatever the folder holds, so that it runs code of the project.
 */
export const installedTool = (program: string): string | undefined =>
  INSTALLED.exec(program)?.groups?.["name"];

const INSTALLED =
  /^(?:\.\/)?(?:node_modules\/\.bin|(?:\.?v?env|\.virtualenv)\/bin|vendor\/bin|bin(?=\/(?:rails|rake|rspec|rubocop)$))\/(?<name>[\w.-]+)$/;
