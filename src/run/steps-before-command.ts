/**
 * Puts back what a command changed: only the paths that it changed, and only when each still is as the command left it.
 * All is checked before anything is touched.
 */
import { posix } from "node:path";
import { visibleText } from "../call/index.js";
import type { Ledger } from "../call/index.js";
import { errorMessage } from "../call/error-message.js";
import { fileErrorText } from "../tools/file-errors.js";
import { unpackChanges } from "../tools/kept-workspace/change-bundle.js";
import type { ChangeBundle, EarlierState, WorkspaceChange } from "../tools/kept-workspace/change-bundle.js";
import { CREATED_FOLDER } from "../tools/kept-workspace/compare-snapshots.js";
import { OWNER_MAY_ALL } from "../tools/kept-workspace/object-files.js";
import { earlierStateText, stateOf } from "../tools/kept-workspace/path-state.js";
import { ToolFailure } from "../tools/index.js";
import type { Workspace } from "../tools/index.js";
import { OpenedFolders } from "./opened-folders.js";

type Step = () => Promise<void>;

/** Paths that go, with whether each is a folder; undefined for one that comes back. */
export type Removals = Map<string, boolean | undefined>;

export type UndoCommandOptions = {
  readonly workspace: Workspace;
  readonly ledger: Ledger;
  /** The blobs with the changes of one command, in the order in which they were recorded. */
  readonly blobs: readonly string[];
  /** Paths that the call changed later; gets those of the command. */
  readonly seen: Set<string>;
  readonly paths: Set<string>;
  /** Gets those of the command. */
  readonly removals: Removals;
  readonly refuse: (reason: string) => never;
};

export async function stepsBeforeCommand(options: UndoCommandOptions): Promise<readonly Step[]> {
  const { workspace, blobs, seen, paths, removals, refuse } = options;
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
      removals.set(
        path,
        before ? undefined : after === CREATED_FOLDER || after?.startsWith("folder ") === true,
      );
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
  return bytes ? unpackChanges(bytes) : refuse("the earlier content of its files is no longer stored");
}

const isOther = async (workspace: Workspace, path: string): Promise<boolean> =>
  ((await workspace.look(path))?.type ?? "folder") !== "folder";

/** A folder on the way may belong to somebody else: then nothing is touched. */
async function putBack(options: UndoCommandOptions, pending: readonly Pending[]): Promise<void> {
  const { workspace, refuse } = options;
  const opened = new OpenedFolders(workspace);
  const links = pending.filter(({ isLink }) => isLink);
  let at = "";
  try {
    for (const { path, isNewFolder } of pending) {
      // The link goes, and folders of ours take its place.
      if (links.some((link) => isBelow(path, link.path))) continue;
      at = path;
      await opened.openAround(path);
      if (isNewFolder) await opened.open(path);
    }
  } catch (error) {
    await opened.close().catch(() => undefined);
    refuse(`${visibleText(at)} cannot be changed: ${reasonOf(error)}`);
  }
  try {
    await restoreAll(options, pending, { opened, onPath: (path) => void (at = path) });
  } catch (error) {
    await opened.close().catch(() => undefined);
    throw new ToolFailure(
      `${visibleText(at)} could not be put back: ${reasonOf(error)}. Other paths that the command changed may be as before it already. Remove the reason, and undo the call again.`,
    );
  }
  await opened.close();
}

/** The cause of the error, without the tool's sentence about itself. */
function reasonOf(error: unknown): string {
  if (error instanceof ToolFailure && error.cause !== undefined) return fileErrorText(error.cause);
  return errorMessage(error);
}

type Restoring = {
  readonly opened: OpenedFolders;
  /** Called before each act, with its path. */
  readonly onPath: (path: string) => void;
};

/**
 * Links go first: files may have been below the same name. Then new paths, the innermost first: a file may have the name that a folder had. Folders come
 * before the files in them, and get their permission bits last.
 */
async function restoreAll(
  options: UndoCommandOptions,
  pending: readonly Pending[],
  { opened, onPath }: Restoring,
): Promise<void> {
  const { workspace } = options;
  const inwards = pending.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const outwards = inwards.toReversed();
  const removeThere = async (path: string): Promise<void> => {
    onPath(path);
    await removeIfThere(workspace, path, opened);
  };
  // Nothing is read or written through a link.
  for (const { path, type, isLink } of outwards) if (isLink && type !== "link") await removeThere(path);
  for (const { path, type, isNewFolder } of outwards)
    if (!isNewFolder && (type === undefined || (await isOfOtherType(workspace, path, type))))
      await removeThere(path);
  for (const { path, isNewFolder } of outwards) {
    if (!isNewFolder) continue;
    onPath(path);
    await removeIfEmpty(workspace, path);
  }
  const wanted = new Map<string, Set<string>>();
  for (const { path, blob } of pending) wanted.set(blob, (wanted.get(blob) ?? new Set()).add(path));
  for (const [blob, paths] of wanted) {
    const { changes } = await bundleOf(options, blob);
    for (const change of changes.filter(({ path }) => paths.has(path))) {
      onPath(change.path);
      if (change.before?.type === "folder") opened.willHave(change.path, change.before.mode);
      await writeBack(workspace, change);
    }
  }
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

/** A folder goes with all in it, also with folders that the command made read-only. */
async function removeIfThere(workspace: Workspace, path: string, opened?: OpenedFolders): Promise<void> {
  const there = await workspace.look(path);
  if (there?.type === "folder") await opened?.openAll(path);
  if (there) await workspace.remove(path);
}

/** A folder with entries from someone else stays. */
async function removeIfEmpty(workspace: Workspace, path: string): Promise<void> {
  const isFolder = (await workspace.look(path))?.type === "folder";
  if (isFolder && (await workspace.list(path)).length === 0) await workspace.remove(path);
}
