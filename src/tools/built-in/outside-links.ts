/**
 * Finds where the paths outside of the workspace that a command reads or changes really lead. A rule may open such a
 * folder, and a link in it must not open another one.
 */
import { homedir } from "node:os";
import type { Intent } from "../../policy/index.js";
import type { OutsideLink } from "../../policy/intent.js";
import { plannedCommand } from "../../policy/intent.js";
import { partsOf } from "../../policy/parts-of.js";
import type { Touch } from "../../policy/part.js";
import { isProcessPath } from "../../policy/paths/is-process-path.js";
import type { Workspace } from "../workspace.js";
import { followLink } from "./follow-link.js";
import { globNames, isPattern } from "./glob-names.js";
import { isWithinAny } from "../../call/absolute-path.js";

/** A link with an unknown target, for a pattern that matches more names than can be checked. */
const anywhere = (pattern: string): OutsideLink => ({ named: pattern, path: "/", pattern });

export async function outsideLinks(
  planned: Pick<Intent, "command" | "cwd" | "executor">,
  workspace: Workspace,
): Promise<readonly OutsideLink[]> {
  const { roots } = workspace;
  const { parts } = partsOf(plannedCommand(planned), { roots, home: homedir() });
  const touched = parts.flatMap((part) =>
    part.type === "command" ? [...part.touches, ...part.redirects] : [],
  );
  const outside = new Map(
    // Only the process itself knows where its own links lead; the rules doubt them.
    touched
      .filter(({ path }) => !isWithinAny(path, roots) && !isProcessPath(path))
      .map((touch) => [touch.path, touch]),
  );
  const links = await Promise.all([...outside.values()].map((touch) => linksOf(touch, workspace)));
  return links.flat();
}

async function linksOf(
  { path, written = path }: Touch,
  workspace: Workspace,
): Promise<readonly OutsideLink[]> {
  if (!isPattern(path)) return linkAt(written, workspace);
  const names = await globNames(written, workspace);
  if (!names) return [anywhere(path)];
  const links = await Promise.all(names.map((name) => linkAt(name, workspace)));
  return links.flat().map((link) => ({ ...link, pattern: path }));
}

async function linkAt(path: string, workspace: Workspace): Promise<readonly OutsideLink[]> {
  const link = await followLink({ path, access: "read" }, workspace);
  return link ? [{ named: link.named, path: link.path }] : [];
}
