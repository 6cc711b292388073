/**
 * The paths and texts that file tools take, and the accesses that they declare for their intent: by the real path, and by
 * each other name that matters.
 *
 * Links can give a file a protected name: `CLAUDE.md` that leads to `notes.md`. Changing the file changes the content
 * behind the link, so an access to it carries the link's name as well. The search covers the places where such names
 * take effect: the roots of the workspace, and one and two folders below when they are named like a protected place.
 */
import { posix } from "node:path";
import { z } from "zod";
import { listedOrNone } from "./file-errors.js";
import type { PathAccess } from "../policy/index.js";
import { isProtectedFile } from "./search/is-protected-file.js";
import { ToolFailure } from "./tool.js";
import type { Files, Workspace } from "./workspace.js";

export const pathInput = (what: string) =>
  z.string().regex(/\S/, "The name is blank").describe(`${what}, absolute or from the workspace folder.`);

/** Half a surrogate pair cannot be written to a file: what is shown would not be what is written. */
export const textInput = () =>
  z.string().refine((text) => !/\p{Surrogate}/u.test(text), {
    message: "The text holds half a character (a lone surrogate), which no text file can have",
  });

/**
 * A path that a tool touches, for its intent: the real path, and the written one when a link makes them differ.
 * `keepLink`: the tool acts on a link itself, not on its target.
 */
export async function pathAccess(
  written: string,
  access: PathAccess["access"],
  workspace: Workspace,
  options: { readonly keepLink?: boolean } = {},
): Promise<PathAccess> {
  const path = await workspace.resolve(written, options);
  const named = posix.resolve(workspace.root, written);
  return path === named ? { path, access } : { path, named, access };
}

export type ProtectedLink = { readonly link: string; readonly target: string };

const MAX_FOLDERS = 64;
const MAX_DEPTH = 2;

export async function protectedLinks(workspace: Files): Promise<readonly ProtectedLink[]> {
  const links: ProtectedLink[] = [];
  const ahead = workspace.roots.map((folder) => ({ folder, depth: 0 }));
  for (let looked = 0; looked < MAX_FOLDERS; looked += 1) {
    const next = ahead.shift();
    if (!next) break;
    for (const { name, type } of await listedOrNone(next.folder, workspace)) {
      const path = posix.join(next.folder, name);
      const mayMatter =
        type === "link" || (type === "folder" && name.startsWith(".") && next.depth < MAX_DEPTH);
      // A folder on the way to a protected name counts as well.
      if (!mayMatter || !isProtectedFile(path, workspace.own, "move")) continue;
      if (type === "folder") ahead.push({ folder: path, depth: next.depth + 1 });
      else links.push(...(await followed(path, workspace)));
    }
  }
  return links;
}

/** The names that a real path has through such links. */
export function linkNames(path: string, links: readonly ProtectedLink[]): readonly string[] {
  return links.flatMap(({ link, target }) =>
    path === target || path.startsWith(`${target}/`) ? [link + path.slice(target.length)] : [],
  );
}

/** The accesses that a change of these files is, by the names that links give them. */
export async function throughProtectedLinks(
  changed: readonly PathAccess[],
  workspace: Files,
): Promise<readonly PathAccess[]> {
  const changes = changed.filter(({ access }) => access !== "read" && access !== "search");
  if (changes.length === 0) return [];
  const links = await protectedLinks(workspace);
  return changes.flatMap(({ path, named, access }) =>
    linkNames(path, links)
      .filter((name) => name !== named)
      .map((name) => ({ path, named: name, access })),
  );
}

async function followed(link: string, workspace: Files): Promise<readonly ProtectedLink[]> {
  try {
    return [{ link, target: await workspace.resolve(link) }];
  } catch (error) {
    // A link that leads nowhere shows nothing.
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}
