/** The files that a foreign agent's call touches, under the paths to which they really lead. */
import { posix } from "node:path";
import { absolutePath } from "../../call/index.js";
import type { ToolKind } from "../../call/index.js";
import type { Intent, PathAccess } from "../../policy/index.js";
import type { LookedUp } from "../../run/breaches.js";
import { builtInTools, ToolFailure } from "../../tools/index.js";
import type { Workspace } from "../../tools/index.js";
import type { Evidence, Shown } from "./evidence.js";

export type IntentPlace = {
  /** The folder of the session, as the agent was given it. */
  readonly cwd: string;
  readonly agent: string;
  readonly workspace: Workspace;
  /** Real paths that were looked up for the same intent, or for calls that are judged together. */
  readonly lookedUp?: LookedUp;
};

/** More folders than this are a disagreement in any case. */
export const MAX_FOLDERS = 8;

export const isEdit = ({ written, diffs }: Evidence): boolean => written.length + diffs.length > 0;

export async function pathsOf(
  evidence: Evidence,
  { kind, kinds = [kind] }: Shown,
  place: IntentPlace & { readonly folders: readonly string[] },
  command: Intent["command"],
): Promise<readonly PathAccess[]> {
  const paths: PathAccess[] = [];
  const bases = await basesOf(evidence, place);
  const add = async (path: string, accesses: readonly PathAccess["access"][]) => {
    for (const cwd of path.startsWith("/") ? [place.cwd] : bases)
      for (const access of accesses) paths.push(await accessTo(path, access, { ...place, cwd }));
  };
  const claimed = ACCESSES[kind] ?? ANY_ACCESS;
  const isClaimedChange = kind === "delete" || kind === "move";
  for (const path of evidence.written) await add(path, ["write", ...(isClaimedChange ? claimed : [])]);
  for (const path of evidence.deleted) await add(path, ["delete"]);
  for (const path of evidence.moved) await add(path, ["move"]);
  for (const { path, oldPath, operation } of evidence.diffs) {
    await add(path, [operation === "delete" ? "delete" : "write", ...(isClaimedChange ? claimed : [])]);
    if (oldPath !== undefined) await add(oldPath, ["move"]);
  }
  const known = new Set([...evidence.written, ...evidence.diffs.map(({ path }) => path)]);
  // Beside an edit, or a tool that a rule names, what the call is called says nothing of its other files.
  const isNarrowed = !isEdit(evidence) && evidence.server === undefined;
  const others = isNarrowed ? claimed : isClaimedChange ? [...ANY_ACCESS, ...claimed] : ANY_ACCESS;
  const besideCommand: readonly PathAccess["access"][] = ["read", ...kinds.flatMap(changeBy)];
  for (const path of [...evidence.named, ...evidence.locations])
    // A command reads and writes the paths in its words; the agent may show further paths beside it.
    if (!known.has(path)) await add(path, command === undefined ? others : besideCommand);
  return uniquePaths([...paths, ...(await linksOf(command, place))]);
}

/** Folders from which a relative path may be meant. */
export async function basesOf(
  { places }: Evidence,
  place: IntentPlace & { readonly folders: readonly string[] },
): Promise<readonly string[]> {
  const bases = new Set(place.folders);
  for (const folder of places.slice(0, MAX_FOLDERS))
    for (const cwd of place.folders) bases.add(await realPath(folder, { ...place, cwd }, false));
  return [...bases];
}

/** The access to a file that the agent reports; where it reports none, any access is possible. */
const ANY_ACCESS: readonly PathAccess["access"][] = ["read", "write"];
export const ACCESSES: { readonly [kind: string]: readonly PathAccess["access"][] } = {
  read: ["read"],
  search: ["search"],
  edit: ["write"],
  delete: ["delete"],
  move: ["move"],
};

/** A change that the agent claims by calling the call one. */
const changeBy = (kind: ToolKind): readonly PathAccess["access"][] =>
  ["edit", "delete", "move"].includes(kind) ? (ACCESSES[kind] ?? []) : [];

export async function accessTo(
  path: string,
  access: PathAccess["access"],
  place: IntentPlace,
): Promise<PathAccess> {
  const named = posix.normalize(absolutePath(place.cwd, path));
  const actual = await realPath(named, place, access === "delete" || access === "move");
  return actual === named ? { path: actual, access } : { path: actual, named, access };
}

export function realPath(
  path: string,
  { workspace, cwd, lookedUp }: IntentPlace,
  keepLink: boolean,
): Promise<string> {
  const named = absolutePath(cwd, path);
  const key = `${keepLink ? "link" : "target"} ${named}`;
  const found = lookedUp?.get(key) ?? lookUp(named, workspace, keepLink);
  lookedUp?.set(key, found);
  return found;
}

async function lookUp(named: string, workspace: Workspace, keepLink: boolean): Promise<string> {
  try {
    return await workspace.resolve(named, { keepLink });
  } catch (error) {
    // A path that cannot be resolved is judged as written.
    if (error instanceof ToolFailure) return named;
    throw error;
  }
}

const terminal = builtInTools.find(({ name }) => name === "terminal");

/** The targets of links in a command's words, resolved as our own terminal does. */
export async function linksOf(
  command: Intent["command"],
  { workspace, cwd }: IntentPlace,
): Promise<readonly PathAccess[]> {
  if (command === undefined || !terminal?.intent) return [];
  const text = typeof command === "string" ? command : quoted(command);
  try {
    return (await terminal.intent({ command: text, cwd }, workspace)).paths ?? [];
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return [{ path: "/", access: "search" }];
  }
}

export const uniquePaths = (paths: readonly PathAccess[]): readonly PathAccess[] => [
  ...new Map(paths.map((one) => [`${one.access} ${one.path}\0${one.named ?? ""}`, one])).values(),
];

export const quoted = (words: readonly string[]): string =>
  words
    .map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`))
    .join(" ");
