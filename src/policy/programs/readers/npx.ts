/** `npx tsc --noEmit` is judged as `tsc --noEmit`; a name that is not known here is someone's package. */
import type { Effects, NestedCommands, Reader, Seen } from "../program.js";
import { isProjectTool, toolPlace } from "../project-tools.js";

const OWN_FLAGS = /^(?:--no-install|--no|--yes|-y|-q|--quiet|--offline|--prefer-offline|--silent|-s)$/;

export const npx: Reader = { nested: takeTool, effects: packageEffects };

/** `pnpm vitest run` is `pnpm exec vitest run`. */
export function withExec(runner: string, args: readonly string[]): readonly string[] {
  const at = toolPlace(runner, args);
  return at === undefined ? args : args.toSpliced(at, 0, "exec");
}

function takeTool(args: readonly string[]): NestedCommands {
  const at = args.findIndex((word) => !OWN_FLAGS.test(word) && word !== "--");
  const own = at === -1 ? args.filter((word) => word !== "--") : args.slice(0, at);
  if (at === -1) return { words: [...own, "--", ""], commands: [], mustOnlyRead: false };
  const [name = "", ...rest] = args.slice(at);
  if (name.startsWith("-")) return { words: args, commands: [], mustOnlyRead: false };
  const plain = nameOnly(name);
  if (!isProjectTool(plain)) return { words: [...own, "--", name], commands: [], mustOnlyRead: false };
  // A version asks for that package, whatever the project has installed.
  const words = plain === name ? own : [...own, "--", name];
  return { words, commands: [[plain, ...rest]], mustOnlyRead: false };
}

const nameOnly = (name: string): string => name.replace(/(?<=.)@[\w.^~-]*$/, "");

function packageEffects(words: readonly string[], seen: Seen): Effects {
  const [name] = words;
  if (name === undefined) return { runs: !seen.has("-h", "--help", "-v", "--version") };
  const plain = nameOnly(name);
  // A tool that is judged on its own is among the words only for its version.
  const isJudged = isProjectTool(plain) && plain !== name && words.length === 1;
  if (name === "") return { runs: true, doubts: ["without a package, it opens a shell"] };
  return {
    installs: [name],
    urls: [""],
    runs: true,
    doubts: isJudged ? [] : [`runs "${name}", which it may download first`],
  };
}
