/**
 * The folder or file that a search starts from, and the paths of its results: relative to the workspace folder, so
 * that other tools accept them. ripgrep reads this machine's disk, so the workspace's real paths must be paths of that
 * disk.
 */
import { basename, dirname, join, relative } from "node:path";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";

export type SearchRoot = {
  readonly folder: string;
  /** The one file in it that is searched, as ripgrep names it. */
  readonly file?: string;
};

/** Checks after a search that no link has taken the place of the approved path and led the search elsewhere. */
export async function mustBeSamePlace(
  tool: string,
  { folder, file = "." }: SearchRoot,
  workspace: Workspace,
): Promise<void> {
  const real = join(folder, file);
  const now = await workspace.resolve(real);
  if (now === real) return;
  throw new ToolFailure(
    `${tool}: ${real} leads to ${now} now: a link was put in its way. The results are not returned. Search again.`,
  );
}

/**
 * Before a search the workspace itself reads the path, because ripgrep follows any path. The workspace refuses a path
 * that the call is not allowed for, such as one where a link was put in the way.
 */
export async function searchRoot(tool: string, path: string, workspace: Workspace): Promise<SearchRoot> {
  const real = await workspace.resolve(path);
  const found = await workspace.look(real);
  if (found?.type === "folder") {
    await workspace.list(real);
    return { folder: real };
  }
  await workspace.readBytes(real, { length: 0 });
  if (found?.type === "file") return { folder: dirname(real), file: `./${basename(real)}` };
  throw new ToolFailure(
    `${tool}: ${path} does not exist. Nothing was searched. Give the path of a folder or a file that exists.`,
  );
}

export function shownPath(
  found: string,
  folder: string,
  root: string,
): { readonly real: string; readonly shown: string } {
  const real = join(folder, found);
  const fromRoot = relative(root, real);
  return { real, shown: fromRoot.startsWith("../") ? real : fromRoot };
}
