/** A path that a tool touches, for its intent: the real path, and the written one when a link makes them differ. */
import { posix } from "node:path";
import type { PathAccess } from "../policy/index.js";
import type { Workspace } from "./workspace.js";

/** `keepLink`: the tool acts on a link itself, not on its target. */
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
