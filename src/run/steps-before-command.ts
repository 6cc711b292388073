/**
 * Puts back what a command changed: only the paths that it changed, and only when each still is as the command left it.
 * All is checked before anything is touched.
 */
import { posix } from "node:path";
import { visibleText } from "../call/index.js";
import type { Ledger } from "../call/index.js";
import { unpackChanges } from "../tools/kept-workspace/change-bundle.js";
import type { ChangeBundle, EarlierState, WorkspaceChange } from "../tools/kept-workspace/change-bundle.js";
import { OWNER_MAY_ALL, CREATED_FOLDER } from "../tools/kept-workspace/compare-snapshots.js";
import { earlierStateText, stateOf } from "../tools/kept-workspace/path-state.js";
import type { Workspace } from "../tools/index.js";

type Step = () => Promise<void>;

export type UndoCommandOptions = {
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  /** The blobs with the changes of one command, in the order in which they were recorded. */
  readonly blobs: readonly string[];
  /** Paths that the call changed later; gets those of the command. */
  readonly seen: Set<string>;
  readonly paths: Set<string>;
  readonly refuse: (reason: string) => never;
};

export async function stepsBeforeCommand(options: UndoCommandOptions): Promise<readonly Step[]> {
  const { workspace, blobs, seen, paths, refuse } = options;
  const pending: Pending[] = [];
  for (const blob of blobs) {
    const { format, changes } = await bundleOf(options, blob);
    for (const change of changes) {
      const { path, before, after } = change;
      paths.add(path);
      const isLast = !seen.has(path);
      const isLink = after?.startsWith("link ") === true;
      // Below a folder that the command replaced by a link, and that still is one: not there.
      const isBeyond = after === undefined && pending.some((one) => one.isLink && isBelow(path, one.path));
      if (isLast && !isBeyond && after !== CREATED_FOLDER) {
        const now = await stateOf(workspace, path, { format, like: after });
        if (now === earlierStateText(before, { format, like: after })) continue;
        if (now !== after) refuse(`${visibleText(path)} has changed since`);
      }
      if (isLast && after === CREATED_FOLDER && before && (await isOther(workspace, path)))
        refuse(`${visibleText(path)} has changed since`);
      pending.push({
        path,
        blob,
        isLink,
        isNewFolder: after === CREATED_FOLDER,
        ...(before && { type: before.type }),
      });
    }
  }
  for (const { path } of pending) seen.add(path);
  return pending.length === 0 ? [] : [() => putBack(options, pending)];
}

/** A change to be undone, without its content. */
type Pending = {
  readonly path: string;
  readonly blob: string;
  /** The command left a link there. */
  readonly isLink: boolean;
  readonly isNewFolder: boolean;
  readonly type?: EarlierState["type"];
};

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

async function bundleOf({ ledger, refuse }: UndoCommandOptions, blob: string): Promise<ChangeBundle> {
  const bytes = await ledger.getBlob(blob);
  return bytes ? unpackChanges(bytes) : refuse("what its files were is no longer stored");
}

const isOther = async (workspace: Workspace, path: string): Promise<boolean> =>
  ((await workspace.look(path))?.type ?? "folder") !== "folder";

/**
 * Links go first: files may have been below the same name. Then new paths, the innermost first: a file may have the name that a folder had. Folders come
 * before the files in them, and get their permission bits last.
 */
async function putBack(options: UndoCommandOptions, pending: readonly Pending[]): Promise<void> {
  const { workspace } = options;
  const inwards = pending.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const outwards = inwards.toReversed();
  // Nothing is read or written through a link.
  for (const { path, type, isLink } of outwards)
    if (isLink && type !== "link") await removeIfThere(workspace, path);
  for (const { path, type, isNewFolder } of outwards)
    if (!isNewFolder && (type === undefined || (await isOfOtherType(workspace, path, type))))
      await removeIfThere(workspace, path);
  for (const { path, isNewFolder } of outwards) if (isNewFolder) await removeIfEmpty(workspace, path);
  const wanted = new Map<string, Set<string>>();
  for (const { path, blob } of pending) wanted.set(blob, (wanted.get(blob) ?? new Set()).add(path));
  const folders: WorkspaceChange[] = [];
  for (const [blob, paths] of wanted) {
    const { changes } = await bundleOf(options, blob);
    for (const change of changes.filter(({ path }) => paths.has(path))) {
      if (change.before?.type === "folder") folders.push(change);
      await writeBack(workspace, change);
    }
  }
  for (const { path, before } of folders.toReversed())
    if (before?.type === "folder") await workspace.makeFolder(path, { mode: before.mode });
}

async function writeBack(workspace: Workspace, { path, before }: WorkspaceChange): Promise<void> {
  if (!before) return;
  if (before.type === "folder") return workspace.makeFolder(path, { mode: before.mode | OWNER_MAY_ALL });
  if (before.type === "link") {
    await removeIfThere(workspace, path);
    await makeFolderOf(workspace, path);
    return workspace.makeLink(path, before.target);
  }
  const there = await workspace.look(path);
  // A file that is read-only is not replaced.
  if (there && (there.mode & 0o200) === 0) await workspace.remove(path);
  return workspace.write(path, before.content, { mode: before.mode });
}

async function makeFolderOf(workspace: Workspace, path: string): Promise<void> {
  const folder = posix.dirname(path);
  if (!(await workspace.look(folder))) await workspace.makeFolder(folder);
}

async function isOfOtherType(
  workspace: Workspace,
  path: string,
  type: EarlierState["type"],
): Promise<boolean> {
  const there = await workspace.look(path);
  return there !== undefined && there.type !== type;
}

async function removeIfThere(workspace: Workspace, path: string): Promise<void> {
  if (await workspace.look(path)) await workspace.remove(path);
}

/** A folder with entries from someone else stays. */
async function removeIfEmpty(workspace: Workspace, path: string): Promise<void> {
  const isFolder = (await workspace.look(path))?.type === "folder";
  if (isFolder && (await workspace.list(path)).length === 0) await workspace.remove(path);
}
