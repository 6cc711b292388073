/**
 * Why git may do more than read in a folder: the programs that the repositories there name in their settings.
 *
 * git uses the first valid repository on the way up; which one that is depends on details, so every one on the way up
 * is checked, and the submodules that its index lists. A folder that only looks like a repository is refused: its
 * settings lie among other files, and a clone can bring them.
 */
import { posix } from "node:path";
import { isWithin } from "../../call/absolute-path.js";
import type { Files } from "../workspace.js";
import { settingRisk } from "./setting-risk.js";
import { linkRisk } from "./link-risk.js";
import { readConfig } from "./read-config.js";
import type { GitSetting } from "./read-config.js";
import { readIndex } from "./read-index.js";
import type { ObjectFormat } from "./read-index.js";
import { trackedRisk } from "./tracked-risk.js";

const MAX_CONFIG_BYTES = 1_000_000;
const MAX_INDEX_BYTES = 64_000_000;
const MAX_REPOSITORIES = 50;

/** `folder` need not be a real path. The caller must treat a thrown error as a risk. */
export async function repositoryRisk(
  folder: string,
  workspace: Files,
  { printsContents }: { readonly printsContents: boolean },
): Promise<string | undefined> {
  const start = await workspace.resolve(folder);
  const look: Look = { workspace, start, printsContents, seen: new Set() };
  for (let here = start; ; here = posix.dirname(here)) {
    const risk = (await bareRisk(here, look)) ?? (await treeRisk(here, look));
    if (risk !== undefined || here === "/") return risk;
  }
}

type Look = {
  readonly workspace: Files;
  /** The folder that git runs in. Outside of the workspace, the rules decide on this folder and all below it. */
  readonly start: string;
  /** Whether the command may print what is in files. */
  readonly printsContents: boolean;
  readonly seen: Set<string>;
};

async function bareRisk(folder: string, { workspace }: Look): Promise<string | undefined> {
  for (const name of ["HEAD", "objects", "refs"])
    if (!(await workspace.look(posix.join(folder, name)))) return undefined;
  return `${shownFolder(folder, workspace)} is a repository whose settings lie among other files`;
}

/** The risk of the repository whose files are in the folder, if there is one. */
async function treeRisk(top: string, look: Look): Promise<string | undefined> {
  const { workspace, seen } = look;
  if (!(await workspace.look(posix.join(top, ".git")))) return undefined;
  if (seen.has(top)) return undefined;
  seen.add(top);
  if (seen.size > MAX_REPOSITORIES) return `it has more than ${MAX_REPOSITORIES} repositories inside`;
  const gitFolder = await gitFolderOf(top, workspace);
  if (gitFolder === undefined) return `${shownFolder(top, workspace)}/.git is not of a known form`;
  const shared = await sharedFolderOf(gitFolder, workspace);
  const place: Place = { top, gitFolder, shared };
  const risk = (await placeRisk(place, look)) ?? (await settingsRisk(place, workspace));
  if (risk !== undefined) return risk;
  const format = await objectFormatOf(place, workspace);
  if (format === undefined) return "the repository's objects are not of a known form";
  return indexRisk(place, format, look);
}

type Place = {
  /** The folder of its files. */
  readonly top: string;
  readonly gitFolder: string;
  /** The same, but for a further worktree. */
  readonly shared: string;
};

/** A repository elsewhere is not the workspace's, whatever leads to it; one in the folder itself is no further away. */
async function placeRisk(place: Place, look: Look): Promise<string | undefined> {
  const { workspace, start, printsContents } = look;
  const { top, gitFolder, shared } = place;
  const isOutside = !workspace.roots.some((root) => isWithin(start, root));
  const places = isOutside ? [...workspace.roots, start] : workspace.roots;
  const isInside = (path: string) => places.some((root) => isWithin(path, root));
  if (!isInside(gitFolder) || !isInside(shared)) {
    const isAround =
      gitFolder === posix.join(top, ".git") && shared === gitFolder && isAboveRoot(top, workspace);
    // Names and states of a repository that the workspace is a part of, and not what is in its other files.
    if (isAround ? printsContents : !(await isWorktreeAtRoot(place, workspace)))
      return `the repository lies outside the workspace: ${shared}`;
  }
  for (const folder of new Set([gitFolder, shared])) {
    const link = await linkRisk(folder, workspace);
    if (link !== undefined) return link;
  }
  const others = await textOf(`${shared}/objects/info/alternates`, workspace);
  return others === undefined || others.trim() === ""
    ? undefined
    : "the repository takes objects from another one";
}

const isAboveRoot = (top: string, { roots }: Files): boolean =>
  roots.some((root) => root !== top && isWithin(root, top));

/** A root that was made by `git worktree add`: the repository knows of it, which nobody inside can forge. */
async function isWorktreeAtRoot({ top, gitFolder, shared }: Place, workspace: Files): Promise<boolean> {
  if (!workspace.roots.includes(top) || posix.dirname(gitFolder) !== posix.join(shared, "worktrees"))
    return false;
  const back = (await textOf(`${gitFolder}/gitdir`, workspace))?.replace(/[\n\r]+$/, "");
  if (back === undefined || (await workspace.look(posix.join(top, ".git")))?.type !== "file") return false;
  return (await workspace.resolve(below(gitFolder, back))) === posix.join(top, ".git");
}

async function settingsRisk(place: Place, workspace: Files): Promise<string | undefined> {
  const { top, gitFolder, shared } = place;
  for (const file of configFiles(place)) {
    const risk = await configRisk(file, place, workspace);
    if (risk !== undefined) return risk;
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
  return undefined;
}

const configFiles = ({ gitFolder, shared }: Place): readonly string[] => [
  ...new Set([gitFolder, shared].flatMap((folder) => [`${folder}/config`, `${folder}/config.worktree`])),
];

/** git takes it from one of the files alone: it must not stand in another, nor there twice. */
async function objectFormatOf(place: Place, workspace: Files): Promise<ObjectFormat | undefined> {
  const found: (GitSetting & { readonly file: string })[] = [];
  for (const file of configFiles(place))
    for (const setting of readConfig((await textOf(file, workspace)) ?? "") ?? [])
      if (setting.name === "extensions.objectformat") found.push({ ...setting, file });
  const [only] = found;
  if (!only) return "sha1";
  if (found.length > 1 || only.file !== `${place.shared}/config`) return undefined;
  return only.value === "sha1" || only.value === "sha256" ? only.value : undefined;
}

/** The git folder that a `.git` is or leads to. */
async function gitFolderOf(top: string, workspace: Files): Promise<string | undefined> {
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
async function sharedFolderOf(gitFolder: string, workspace: Files): Promise<string> {
  const text = await textOf(`${gitFolder}/commondir`, workspace);
  return text === undefined ? gitFolder : workspace.resolve(below(gitFolder, text.replace(/[\n\r]+$/, "")));
}

const below = (folder: string, path: string): string => (path.startsWith("/") ? path : `${folder}/${path}`);

async function configRisk(
  file: string,
  { top, gitFolder }: Place,
  workspace: Files,
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
    const risk = isOwnTree ? undefined : settingRisk(setting);
    if (risk !== undefined) return risk;
  }
  return undefined;
}

async function indexRisk(
  { top, gitFolder }: Place,
  format: ObjectFormat,
  look: Look,
): Promise<string | undefined> {
  const { workspace, printsContents } = look;
  const path = `${gitFolder}/index`;
  const info = await workspace.look(path);
  if (!info) return undefined;
  const read =
    info.size > MAX_INDEX_BYTES ? undefined : await workspace.readBytes(path, { length: MAX_INDEX_BYTES });
  const index = read && readIndex(read.bytes, format);
  if (!index) return "the repository's index could not be read, and git may look into submodules";
  const tracked = printsContents ? await trackedRisk(top, index.paths, workspace) : undefined;
  if (tracked !== undefined) return tracked;
  for (const submodule of index.submodules) {
    const folder = await workspace.resolve(`${top}/${submodule}`);
    const risk = (await bareRisk(folder, look)) ?? (await treeRisk(folder, look));
    if (risk !== undefined) return `in the submodule ${submodule}, ${risk}`;
  }
  return undefined;
}

/** Undefined when there is no such file. */
async function textOf(path: string, workspace: Files): Promise<string | undefined> {
  const real = await workspace.resolve(path);
  const info = await workspace.look(real);
  if (!info) return undefined;
  if (info.type !== "file" || info.size > MAX_CONFIG_BYTES) return UNREADABLE;
  return (await workspace.readText(real)) ?? undefined;
}

/** No line of it is understood anywhere. */
const UNREADABLE = "\\";

const shownFolder = (folder: string, { root }: Files): string => posix.relative(root, folder) || folder;
