/** Resolves a path that is, or goes through, a link. */
import { posix } from "node:path";
import type { PathAccess } from "../../policy/index.js";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";
import { isWithinAny } from "../../call/absolute-path.js";
import type { Written } from "./written-paths.js";

export type Link = PathAccess & {
  readonly named: string;
  /** The name by which the rules know it: the pattern's, where one found it. */
  readonly asked: string;
  /** Where it leads when a link that is its last name is not followed. */
  readonly kept: string;
};

/** Undefined when the path meets no link. */
export async function followLink(
  { path: written, access, pattern, isElsewhere }: Written,
  workspace: Workspace,
): Promise<Link | undefined> {
  const named = posix.resolve(written);
  try {
    const path = await workspace.resolve(written);
    if (path === named || (isElsewhere && !isWithinAny(path, workspace.roots))) return undefined;
    // With a slash behind it, a link is followed: `rm -rf link/` empties its target.
    const kept = written.endsWith("/") ? path : await workspace.resolve(written, { keepLink: true });
    return { path, named, asked: pattern ?? named, access, kept };
  } catch (error) {
    // The command cannot reach an unresolvable path either; most words are not paths.
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}
