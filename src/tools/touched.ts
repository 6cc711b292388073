/** A path that a tool touches, for its intent: the real one, and the one that was written where a link makes them differ. */
import { absolutePath } from "../call/index.js";
import type { PathAccess } from "../policy/index.js";
import type { Workspace } from "./workspace.js";

export async function touched(
  written: string,
  access: PathAccess["access"],
  workspace: Workspace,
): Promise<PathAccess> {
  const path = await workspace.resolve(written);
  const named = absolutePath(workspace.root, written);
  return path === named ? { path, access } : { path, named, access };
}
