/**
 * Why git may do more than read in a folder: what the repositories there name in their settings.
 *
 * git takes the first repository on the way up that is a whole one; which one that is depends on details, so
 * every one on the way up is looked at, and the submodules that its index lists. A folder that only looks like
 * a repository is none that we read: its settings lie among other files, and a clone can bring them.
 */
import { posix } from "node:path";
import type { Workspace } from "../workspace.js";
import { settingTrouble } from "./harmless-settings.js";
import { readConfig } from "./read-config.js";
import { submodulesIn } from "./read-index.js";

const MOST_CONFIG_BYTES = 1_000_000;
const MOST_INDEX_BYTES = 64_000_000;
const MOST_REPOSITORIES = 50;

/** `folder` need not be a real path. A failure to look is for the caller to take as trouble. */
export async function repositoryTrouble(folder: string, workspace: Workspace): Promise<string | undefined> {
  const look: Look = { workspace, seen: new Set() };
  for (let here = await workspace.resolve(folder); ; here = posix.dirname(here)) {
    const trouble = (await bareTrouble(here, look)) ?? (await treeTrouble(here, look));
    if (trouble !== undefined || here === "/") return trouble;
  }
}

type Look = { readonly workspace: Workspace; readonly seen: Set<string> };

async function bareTrouble(folder: string, { workspace }: Look): Promise<string | undefined> {
  for (const name of ["HEAD", "objects", "refs"])
    if (!(await workspace.look(posix.join(folder, name)))) return undefined;
  return `${shownFolder(folder, workspace)} is a repository whose settings lie among other files`;
}

/** Of the repository whose files are in the folder, if there is one. */
async function treeTrouble(top: string, look: Look): Promise<string | undefined> {
  const { workspace, seen } = look;
  if (!(await workspace.look(posix.join(top, ".git")))) return undefined;
  if (seen.has(top)) return undefined;
  seen.add(top);
  if (seen.size > MOST_REPOSITORIES) return `it has more than ${MOST_REPOSITORIES} repositories inside`;
  const gitFolder = await gitFolderOf(top, workspace);
  if (gitFolder === undefined) return `${shownFolder(top, workspace)}/.git is not of a known form`;
  const shared = await sharedFolderOf(gitFolder, workspace);
  const files = [gitFolder, shared].flatMap((folder) => [`${folder}/config`, `${folder}/config.worktree`]);
  for (const file of new Set(files)) {
    const trouble = await configTrouble(file, { top, gitFolder }, workspace);
    if (trouble !== undefined) return trouble;
  }
  for (const file of new Set([
    `${top}/.gitattributes`,
    `${gitFolder}/info/attributes`,
    `${shared}/info/attributes`,
  ])) {
    const filter = /^(?!\s*#).*\sfilter=(?<name>\S+)/m.exec((await textOf(file, workspace)) ?? "")?.groups?.[
      "name"
    ];
    if (filter !== undefined) return `the repository has its files go through a filter: ${filter}`;
  }
  return submoduleTrouble(top, gitFolder, look);
}

/** What a `.git` is or leads to. */
async function gitFolderOf(top: string, workspace: Workspace): Promise<string | undefined> {
  const path = await workspace.resolve(`${top}/.git`);
  const type = (await workspace.look(path))?.type;
  if (type === "folder") return path;
  const target = /^gitdir: (?<path>[^\n\r]+)[\n\r]*$/.exec((await textOf(path, workspace)) ?? "")?.groups?.[
    "path"
  ];
  if (type !== "file" || target === undefined) return undefined;
  const folder = await workspace.resolve(below(top, target));
  return (await workspace.look(folder))?.type === "folder" ? folder : undefined;
}

/** A further worktree shares the settings of the first one. */
async function sharedFolderOf(gitFolder: string, workspace: Workspace): Promise<string> {
  const text = await textOf(`${gitFolder}/commondir`, workspace);
  return text === undefined ? gitFolder : workspace.resolve(below(gitFolder, text.replace(/[\n\r]+$/, "")));
}

const below = (folder: string, path: string): string => (path.startsWith("/") ? path : `${folder}/${path}`);

type Place = { readonly top: string; readonly gitFolder: string };

async function configTrouble(
  file: string,
  { top, gitFolder }: Place,
  workspace: Workspace,
): Promise<string | undefined> {
  const text = await textOf(file, workspace);
  const settings = readConfig(text ?? "");
  if (!settings) return "the repository's configuration could not be read to its end";
  for (const setting of settings) {
    const { name, value } = setting;
    // A submodule's settings say where its files are.
    const isOwnTree =
      name === "core.worktree" &&
      value !== undefined &&
      (await workspace.resolve(below(gitFolder, value))) === top;
    const trouble = isOwnTree ? undefined : settingTrouble(setting);
    if (trouble !== undefined) return trouble;
  }
  return undefined;
}

async function submoduleTrouble(top: string, gitFolder: string, look: Look): Promise<string | undefined> {
  const { workspace } = look;
  const path = await workspace.resolve(`${gitFolder}/index`);
  const info = await workspace.look(path);
  if (!info) return undefined;
  const read =
    info.size > MOST_INDEX_BYTES ? undefined : await workspace.readBytes(path, { length: MOST_INDEX_BYTES });
  const submodules = read && submodulesIn(read.bytes);
  if (!submodules) return "the repository's index could not be read, and git may look into submodules";
  for (const submodule of submodules) {
    const folder = await workspace.resolve(`${top}/${submodule}`);
    const trouble = (await bareTrouble(folder, look)) ?? (await treeTrouble(folder, look));
    if (trouble !== undefined) return `in the submodule ${submodule}, ${trouble}`;
  }
  return undefined;
}

/** Undefined when there is no such file. */
async function textOf(path: string, workspace: Workspace): Promise<string | undefined> {
  const real = await workspace.resolve(path);
  const info = await workspace.look(real);
  if (!info) return undefined;
  if (info.type !== "file" || info.size > MOST_CONFIG_BYTES) return UNREADABLE;
  return (await workspace.readText(real)) ?? undefined;
}

/** No line of it is understood anywhere. */
const UNREADABLE = "\\";

const shownFolder = (folder: string, { root }: Workspace): string => posix.relative(root, folder) || folder;
