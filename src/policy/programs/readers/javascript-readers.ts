/** Readers for the programs of data/javascript.json. */
import type { Effects, Reader } from "../program.js";
import { npx, withExec } from "./npx.js";
import { nodeFiles } from "./script-files.js";
import { STDIN } from "./python.js";

const ELSEWHERE = /^(?:https?|data|npm|jsr|file):/;

/** Flags whose value is code that runs before the program. */
const LOADS = ["-r", "--require", "--import", "--loader", "--experimental-loader", "--preload"];

const node: Reader = {
  effects: (words, seen) => {
    const isQuestion = seen.has("-v", "--version", "-h", "--help", "--v8-options", "--completion-bash");
    if (isQuestion && !seen.has("--run", ...LOADS)) return { reads: words.slice(0, 1) };
    if (seen.has("--test")) return { reads: words, runs: true };
    const loaded = seen.values(...LOADS).flatMap(nodeFiles);
    if (words.length === 0)
      return { doubts: seen.has("--run") ? [] : [STDIN], runs: true, runsFiles: loaded };
    const { runsFiles = [], ...script } = nodeScript(words[0] ?? "");
    return { ...script, runsFiles: [...loaded, ...runsFiles], runs: !seen.has("-c", "--check") };
  },
};

function nodeScript(file: string): Effects {
  if (file === "-") return { doubts: [STDIN] };
  if (file === "inspect") return { doubts: ["opens a door through which code can be run"] };
  return {
    reads: [file],
    runsFiles: nodeFiles(file),
    doubts: ELSEWHERE.test(file) ? [`"${file}" is code from elsewhere`] : [],
  };
}

/** `tsx watch a.ts`, `deno run a.ts`, `bun run a.ts`. */
const scriptFile: Reader = {
  effects: (words, seen) => {
    const [first = "", second = ""] = words;
    const isVerb = /^(?:watch|test)$/.test(first);
    return {
      runsFiles: [...seen.values(...LOADS), first, ...(isVerb ? [second] : [])].flatMap(nodeFiles),
    };
  },
};

/** `bun server.ts` is `bun run server.ts`; no subcommand has such a name. */
const bareScript: Reader = {
  effects: (_words, seen) => ({ runsFiles: seen.words.slice(0, 1).flatMap(nodeFiles) }),
};

/** `npm run env` shows the environment. */
const envDoubts = (words: readonly string[]): Effects => ({
  doubts: words[0] === "env" ? ["shows the environment, where secrets are"] : [],
});

/** After `--` the words belong to the script, which this project wrote. */
const npmScript: Reader = {
  prepare: (args) => {
    const at = args.indexOf("--");
    return at === -1 ? args : args.slice(0, at);
  },
  effects: envDoubts,
};

/** Yarn hands on all words after the name of a script, but for those that would take it elsewhere. */
const YARN_OWN =
  /^--(?:cwd|use-yarnrc|script-shell|global-folder|modules-folder|cache-folder|registry|proxy)\b/;

const yarnScript: Reader = {
  prepare: (args) => args.filter((word) => YARN_OWN.test(word) || word === "env"),
  effects: envDoubts,
};

/** Without a subcommand, yarn installs. */
const yarn: Reader = {
  prepare: (args) => withExec("yarn", args),
  effects: (_words, seen) =>
    seen.words.length > 0 || seen.has("-v", "--version", "-h", "--help")
      ? {}
      : { installs: ["install"], urls: [""], editsBelow: ["."] },
};

/** `yarn workspace name add x` is judged as `yarn add x`. */
const yarnWorkspace: Reader = {
  nested: (args) => {
    const [name = "", verb = "", ...rest] = args;
    return /^(?:run|test|build|lint|add|install|start)$/.test(verb) && !name.startsWith("-")
      ? { words: [name], commands: [["yarn", verb, ...rest]], mustOnlyRead: false }
      : { words: ["--", name, verb], commands: [], mustOnlyRead: false };
  },
  effects: (words) =>
    words.length === 1 ? {} : { doubts: [`"${words[1] ?? ""}" is not known to be harmless`] },
};

/** The command whose coverage is measured is judged on its own. */
const nyc: Reader = {
  nested: (args) => {
    const at = args.findIndex((word) => !word.startsWith("-"));
    return {
      words: at === -1 ? args : args.slice(0, at),
      commands: at === -1 ? [] : [args.slice(at)],
      mustOnlyRead: false,
    };
  },
};

export const javascriptReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["node", node],
  ["script-file", scriptFile],
  ["bare-script", bareScript],
  ["npm-script", npmScript],
  ["npx", npx],
  ["nyc", nyc],
  ["pnpm", { prepare: (args) => withExec("pnpm", args) }],
  ["yarn", yarn],
  ["yarn-script", yarnScript],
  ["yarn-workspace", yarnWorkspace],
];
