/** Runners of the project's installed programs, and the command behind them. */
import { toolPlace } from "../programs/project-tools.js";

/** Programs that run the command behind these words. That command is a part of its own, and is judged as such. */
const PREFIXES: readonly (readonly string[])[] = [
  "npx, bunx, pnpm exec, npm exec, yarn exec, uv run, poetry run, pipenv run, pdm run, hatch run, rye run, bundle exec"
    .split(", ")
    .map((words) => words.split(" ")),
].flat();

/** The runner's words and the command that it runs; flags that choose packages of the workspace do not matter. */
export function runnerPrefix(
  argv: readonly string[],
): { readonly prefix: readonly string[]; readonly inner: readonly string[] } | undefined {
  const [runner = "", ...args] = argv;
  const tool = toolPlace(runner, args);
  if (tool !== undefined) return { prefix: [runner], inner: args.slice(tool) };
  const chosen = runner === "pnpm" ? [runner, ...withoutFilters(args)] : argv;
  const prefix = PREFIXES.find((words) => words.every((word, index) => chosen[index] === word));
  return prefix && { prefix, inner: chosen.slice(prefix.length) };
}

function withoutFilters(args: readonly string[]): readonly string[] {
  const at = args.findIndex(
    (word, index) =>
      !/^(?:-r$|--recursive$|-F$|--filter(?:=|$))/.test(word) &&
      !/^(?:-F|--filter)$/.test(args[index - 1] ?? ""),
  );
  return at === -1 ? args : args.slice(at);
}
