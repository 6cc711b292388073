/** The files of the workspace that a server's command runs, by the hashes of their contents. */
import { createHash } from "node:crypto";
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from "node:fs";
import { relative, resolve, sep } from "node:path";
import type { StdioServerConfig } from "./config.js";

export type ScriptPlaces = {
  /** Where the server runs: its words are relative to this. */
  readonly folder: string;
  /** Only files below this count. */
  readonly workspace: string;
};

/** Other words name data, such as a database, that changes with every call. */
const IS_CODE =
  /\.(?:[cm]?[jt]sx?|pyz?|pyw|rb|pl|php|lua|sh|bash|zsh|ps1|bat|cmd|exe|jar|wasm|r|jl|exs?|go|rs|swift|kts?|groovy|clj|tcl|nu|fish)$/i;

/** Of each file its real path and the hash of its content, in the order of the words. */
export function scriptHashes(
  { command, args = [] }: StdioServerConfig,
  places: ScriptPlaces,
): readonly (readonly [path: string, sha256: string])[] {
  // A program without a slash is looked for on the PATH, not in the folder.
  const named = /[\\/]/.test(command) ? [{ word: command, isCode: true }] : [];
  for (const word of args.flatMap(candidates)) named.push({ word, isCode: IS_CODE.test(word) });
  return named.flatMap(({ word, isCode }) => {
    const path = workspaceFile(word, places);
    const sha256 = path === undefined ? undefined : contentHash(path, isCode);
    return path === undefined || sha256 === undefined ? [] : [[path, sha256] as const];
  });
}

/** The files that a word may stand for: itself, a value in it, a word of a shell's text, the start of a package. */
function candidates(word: string, index: number, words: readonly string[]): readonly string[] {
  const pieces = [...new Set([word, ...word.split(/[\s'"=;&|()<>]+/)])].filter((piece) => piece !== "");
  const isModule = words[index - 1] === "-m" && /^[\w.]+$/.test(word);
  const module = word.replaceAll(".", "/");
  const isStart = words.findIndex((one) => !one.startsWith("-")) === index;
  return [
    ...pieces,
    ...(isModule ? [`${module}.py`, `${module}/__main__.py`] : []),
    ...(isStart ? STARTS.map((name) => `${word}/${name}`) : []),
  ];
}

/** What a runtime that is given a folder, or a name without its ending, begins with. */
const STARTS = ["index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py"];

/** Its real path; undefined when there is nothing, or neither it nor a link to it is in the workspace. */
function workspaceFile(word: string, { folder, workspace }: ScriptPlaces): string | undefined {
  try {
    const named = resolve(folder, word);
    const path = realpathSync(named);
    return isBelow(path, realpathSync(workspace)) || isBelow(named, workspace) ? path : undefined;
  } catch {
    // Most words are no paths.
    return undefined;
  }
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`);
}

const CHUNK_BYTES = 1 << 20;

/** Undefined for what is no file, and for one that is neither code by its name nor may be executed. */
function contentHash(path: string, isCode: boolean): string | undefined {
  try {
    // Does not wait for a writer of a named pipe.
    const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const found = fstatSync(file);
      if (!found.isFile() || !(isCode || (found.mode & 0o111) !== 0)) return undefined;
      const hash = createHash("sha256");
      const chunk = Buffer.alloc(CHUNK_BYTES);
      for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk))
        hash.update(chunk.subarray(0, size));
      return hash.digest("hex");
    } finally {
      closeSync(file);
    }
  } catch {
    // What cannot be read now may be readable later, and is another program then.
    return "unreadable";
  }
}
