/** Package runners: `npm exec -- eslint`, `npx eslint`, `uv run pytest`. */
import { toolPlace } from "../programs/project-tools.js";
import { readOptions } from "./read-options.js";
import type { InnerCommand, InnerCommands } from "./inner-command.js";

const NPX =
  "-y --yes --no -q --quiet -s --silent -p= --package= -c= --call= -w= --workspace= --prefix= --cache=";
const PLAIN = "-q --quiet -s --silent";

/** The words that start the running, by program; none means the program itself does. */
const RUNNERS = new Map<string, { readonly starts: readonly string[]; readonly options: string }>([
  ["npx", { starts: [], options: NPX }],
  ["bunx", { starts: [], options: `${PLAIN} --bun -p= --package=` }],
  ["pnpx", { starts: [], options: `${NPX} --shell-mode` }],
  ["uvx", { starts: [], options: `${PLAIN} --from= --with= -p= --python=` }],
  ["npm", { starts: ["exec", "x"], options: NPX }],
  [
    "pnpm",
    { starts: ["exec", "dlx"], options: `${PLAIN} -r --recursive -F= --filter= -C= --dir= --package=` },
  ],
  ["yarn", { starts: ["exec", "dlx"], options: `${PLAIN} -p= --package=` }],
  ["bun", { starts: ["x"], options: `${PLAIN} --bun -p= --package=` }],
  ["uv", { starts: ["run"], options: `${PLAIN} --with= -p= --python= --frozen --locked --no-sync` }],
  ["poetry", { starts: ["run"], options: PLAIN }],
  ["pipenv", { starts: ["run"], options: PLAIN }],
  ["pipx", { starts: ["run"], options: `${PLAIN} --spec=` }],
  ["bundle", { starts: ["exec"], options: PLAIN }],
  ["corepack", { starts: [], options: "" }],
]);

export function insideRunner(name: string, words: readonly string[]): InnerCommands | undefined {
  const runner = RUNNERS.get(name);
  if (!runner) return undefined;
  const tool = toolPlace(name, words);
  if (tool !== undefined)
    return { insides: [{ wrapper: name, argv: words.slice(tool) }], doubts: [], known: true };
  const at = startOf(words, runner.starts);
  if (at === undefined) return { insides: [], doubts: [], known: false };
  const { options, rests, doubts } = readOptions(
    words.toSpliced(at, runner.starts.length > 0 ? 1 : 0),
    runner.options,
  );
  const insides: InnerCommand[] = [];
  for (const [option, value] of options) {
    const isText = (option === "-c" || option === "--call") && value !== undefined;
    if (isText) insides.push({ wrapper: name, text: value });
  }
  insides.push(...rests.filter(({ length }) => length > 0).map((argv) => ({ wrapper: name, argv })));
  return { insides, doubts, known: insides.length > 0 };
}

/** Where the word stands that makes it run something: the first, or behind options. */
function startOf(words: readonly string[], starts: readonly string[]): number | undefined {
  if (starts.length === 0) return 0;
  const at = words.findIndex((word) => starts.includes(word));
  return at === 0 || (at > 0 && words[0]?.startsWith("-")) ? at : undefined;
}
