/**
 * The workspace files that a server's command runs, with the hashes of their contents: every word that names a file,
 * of any name, and the files that its variables make a program load.
 */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { StdioServerConfig } from "./config.js";
import { contentHash, inWorkspace, treeHashes } from "./content-hash.js";
import type { CodeFile } from "./content-hash.js";
import { isInterpreter, runsProject } from "./runs-project.js";
import type { Places } from "./runs-project.js";
import { isWrapper, namesInValue, serverArguments } from "./server-arguments.js";
import type { ServerArgument } from "./server-arguments.js";
import { namesIn } from "../tools/names-in.js";

export type ServerCode = {
  /** The real path and the content hash of each file. */
  readonly files: readonly CodeFile[];
  /** Whether the list is complete: otherwise the code can change while the listed files stay the same. */
  readonly isWhole: boolean;
};

export function serverCode(config: StdioServerConfig, places: Places): ServerCode {
  const { command, args = [], env = {} } = config;
  const words = serverArguments(command, args);
  const variables = Object.entries(env).map(([name, value]) => variableCode(name, value, places));
  const bases = basesOf([...words.flatMap(({ names }) => names), ...loadFolders(env)], config, places);
  const mayOpen = isInterpreter(command) || isWrapper(command);
  const own = commandFiles(config, places);
  const named = words.flatMap((word) => wordFiles(word, { bases, mayOpen, places }));
  const all = new Map<string, string>([...own, ...named, ...variables.flatMap(({ files }) => files)]);
  for (const [path, sha256] of settingsOfFetchers(command, args, places)) all.set(path, sha256);
  const runs = runsProject([command, ...args], places, { foundFile: named.length > 0 });
  // The modules of a runtime of the workspace's own lie there too.
  const isHidden = own.length > 0 && named.length === 0 && args.some((word) => /^-[A-Za-z]*m/.test(word));
  return { files: [...all], isWhole: !runs && !isHidden && variables.every(({ isWhole }) => isWhole) };
}

const LOADS =
  /^(?:PATH|NODE_OPTIONS|NODE_PATH|PYTHON(?:PATH|STARTUP|HOME|USERBASE)|VIRTUAL_ENV|LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|ZDOTDIR|HOME|XDG_CONFIG_HOME|RUBY(?:OPT|LIB)|GEM_(?:PATH|HOME)|BUNDLE_GEMFILE|PERL5?(?:OPT|LIB)|CLASSPATH|_JAVA_OPTIONS|(?:JAVA|JDK)_\w*OPTIONS|LUA_C?PATH\w*|DOTNET_STARTUP_HOOKS|GIT_\w+|npm_config_\w+|UV_\w+|DENO_\w+|BUN_\w+)$/i;
const KEEPS_DATA = /\.(?:json|sqlite3?|db3?|duckdb|log|csv|tsv|parquet|jsonl|ndjson)$/i;

/** When programs are loaded through the variable, its folders count with all their files. */
function variableCode(name: string, value: string, { folder, workspace }: Places): ServerCode {
  const files: CodeFile[] = [];
  let isWhole = true;
  const isLoaded = LOADS.test(name);
  if (!isLoaded && KEEPS_DATA.test(value)) return { files, isWhole };
  // An empty piece of a search path is the folder itself.
  const here = isLoaded && /PATH$/i.test(name) && /^:|::|:$/.test(value) ? ["."] : [];
  for (const one of [...namesInValue(value), ...here]) {
    const found = inWorkspace(resolve(folder, one), workspace);
    if (found?.type === "file") files.push([found.path, contentHash(found.path) ?? "no file"]);
    if (found?.type !== "folder" || !isLoaded) continue;
    const tree = treeHashes(found.path);
    if (tree) files.push([found.path, "all of it"], ...tree);
    else isWhole = false;
  }
  return { files, isWhole };
}

const loadFolders = (env: { readonly [name: string]: string }): readonly string[] =>
  Object.entries(env).flatMap(([name, value]) => (LOADS.test(name) ? namesInValue(value) : []));

const MAX_BASES = 40;

/** The folders that words may be relative to: the server's, those that other words name, a runtime's modules. */
function basesOf(
  names: readonly string[],
  { command }: StdioServerConfig,
  { folder, workspace }: Places,
): readonly string[] {
  const bases = new Set([folder]);
  for (const name of names) {
    const before = [...bases];
    for (const base of before) {
      const found = inWorkspace(resolve(base, name), workspace);
      if (found?.type === "folder" && bases.size < MAX_BASES) bases.add(found.path);
    }
  }
  if (!/[\\/]/.test(command)) return [...bases];
  const library = join(dirname(resolve(folder, command)), "../lib");
  for (const name of namesIn(library))
    if (name.startsWith("python")) bases.add(join(library, name, "site-packages"));
  return [...bases];
}

/** The program itself; without a slash in it, the search path says where it lies. */
function commandFiles(
  { command, env = {} }: StdioServerConfig,
  { folder, workspace }: Places,
): readonly CodeFile[] {
  const path = env["PATH"] ?? process.env["PATH"] ?? "";
  const places = /[\\/]/.test(command) ? [""] : path.split(":").map((piece) => piece || ".");
  return places.flatMap((place) => fileAt(resolve(folder, place, command), workspace));
}

function fileAt(path: string, workspace: string): readonly CodeFile[] {
  const found = inWorkspace(path, workspace);
  const sha256 = found?.type === "file" ? contentHash(found.path) : undefined;
  return found === undefined || sha256 === undefined ? [] : [[found.path, sha256]];
}

/** The endings that a runtime adds to a name, and the files it starts with in a folder. */
const ENDINGS = ["", ".js", ".cjs", ".mjs", ".ts", ".json", ".node", ".py"];
const STARTS = "index.js index.mjs index.cjs index.ts index.json index.node __main__.py __init__.py".split(
  " ",
);

type WordPlaces = {
  readonly bases: readonly string[];
  /** Whether the program opens a folder that it is given. */
  readonly mayOpen: boolean;
  readonly places: Places;
};

function wordFiles(word: ServerArgument, { bases, mayOpen, places }: WordPlaces): readonly CodeFile[] {
  if (word.isData) return [];
  const { workspace } = places;
  return bases.flatMap((base) =>
    word.names.flatMap((name) => {
      const path = resolve(base, name);
      const files = ENDINGS.flatMap((ending) => fileAt(path + ending, workspace));
      const opens = mayOpen && word.isStart && inWorkspace(path, workspace)?.type === "folder";
      return opens ? [...files, ...startFiles(path, workspace)] : files;
    }),
  );
}

function startFiles(folder: string, workspace: string): readonly CodeFile[] {
  const starts = STARTS.flatMap((name) => fileAt(join(folder, name), workspace));
  const main = textField(join(folder, "package.json"), "main");
  if (main === undefined) return starts;
  const path = resolve(folder, main);
  const mains = [...ENDINGS, ...STARTS.map((name) => `/${name}`)].flatMap((ending) =>
    fileAt(path + ending, workspace),
  );
  return [...starts, ...mains, ...fileAt(join(folder, "package.json"), workspace)];
}

function textField(file: string, field: string): string | undefined {
  const value = jsonOf(file)?.[field];
  return typeof value === "string" ? value : undefined;
}

function jsonOf(file: string): { readonly [field: string]: unknown } | undefined {
  try {
    const json: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof json === "object" && json !== null ? { ...json } : undefined;
  } catch {
    return undefined;
  }
}

/** The settings files that decide where packages come from, and the workspace's packages that come first. */
function settingsOfFetchers(
  command: string,
  args: readonly string[],
  { folder, workspace }: Places,
): readonly CodeFile[] {
  if (![command, ...args].some((word) => /\b(?:npx|npm|pnpm|pnpx|yarn|bunx?)\b/.test(word))) return [];
  const { name, bin, workspaces } = jsonOf(join(folder, "package.json")) ?? {};
  const own: readonly CodeFile[] =
    inWorkspace(folder, workspace) && (bin !== undefined || workspaces !== undefined)
      ? [[join(folder, "package.json"), JSON.stringify([name, bin, workspaces])]]
      : [];
  return [
    ...own,
    ...[".npmrc", ".yarnrc.yml", "bunfig.toml"].flatMap((one) => fileAt(join(folder, one), workspace)),
  ];
}
