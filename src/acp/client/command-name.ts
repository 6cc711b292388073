/** A short name for the program of a command, for an agent that does not say its own. */
import { oneLine } from "../../call/index.js";

const RUNNERS =
  /^(?:node|nodejs|npx|npm|pnpm|pnpx|yarn|bun|bunx|deno|tsx|uv|uvx|pipx|python[\d.]*|env|cargo|go|java|ruby|docker)$/;
/** Words of a runner that come before the program it runs. */
const SUBCOMMANDS: ReadonlySet<string> = new Set(["run", "exec", "dlx", "tool", "x", "start"]);

const MAX_NAME_CHARACTERS = 60;

/** `npx -y @scope/agent@1.2 --acp` is "agent", `node dist/agent.js` is "agent", `/usr/bin/agent` is "agent". */
export function commandName(argv: readonly string[]): string {
  const [program = "", ...rest] = argv;
  const name = baseName(program);
  const run = RUNNERS.test(name)
    ? rest.find((word) => !word.startsWith("-") && !SUBCOMMANDS.has(word) && !/^\w+=/.test(word))
    : undefined;
  // Code on the command line is no name.
  const isName = run !== undefined && /^[\w@.+/-]+$/.test(run);
  return oneLine(isName ? packageName(run) : name, MAX_NAME_CHARACTERS);
}

const baseName = (path: string): string => path.split("/").at(-1) || path;

/** Without its scope, version and extension. */
function packageName(word: string): string {
  const name = baseName(word)
    .replace(/(?<=.)@.*$/, "")
    .replace(/\.(?:[cm]?[jt]s|py|rb|jar)$/, "");
  return name === "" ? word : name;
}
