/** Where a path lies: in the workspace, at home, under a pattern. Allowing and strict rules share these functions. */
import { isWithin } from "../call/absolute-path.js";
import type { PathAccess } from "./intent.js";
import { matchPath, touchesBelow, touchesPath } from "./paths/match-path.js";
import { isOpenToRead } from "./paths/open-places.js";
import { isFolderChange } from "./part.js";
import type { Part, Touch } from "./part.js";
import type { RuleEffect } from "./rule.js";

export type Roots = {
  readonly roots: readonly string[];
  readonly home: string;
  /** The session's own folder for temporary files, as a real path: open for everything but running code. */
  readonly scratch?: string;
  /** Paths in the system's temporary folder that are this session's own: see Intent.temporary. */
  readonly temporary?: readonly string[];
};

export function isInside(path: string, { roots }: Pick<Roots, "roots">): boolean {
  return roots.some((root) => matchPath(`${root}/**`, path));
}

/** In the session's scratch folder, or that folder. */
function isScratch(path: string, { scratch }: Pick<Roots, "scratch">): boolean {
  return scratch !== undefined && isWithin(path, scratch);
}

/** A temporary file of this session, or something in a temporary folder of its own. */
export function isTemporary(path: string, { temporary = [] }: Pick<Roots, "temporary">): boolean {
  return temporary.some((place) => isWithin(path, place));
}

/** Where a rule without a path counts: in the workspace, and among the session's own temporary files. */
export function isOurs(path: string, roots: Roots): boolean {
  return isInside(path, roots) || isScratch(path, roots) || isTemporary(path, roots);
}

/** Where a rule on reading without a path counts: also in the places that hold every project's code. */
export function isReadable(path: string, roots: Roots): boolean {
  return isOurs(path, roots) || isOpenToRead(path, roots.home);
}

export function expandHome(pattern: string, { home }: Roots): string {
  return pattern === "~" || pattern.startsWith("~/") ? home + pattern.slice(1) : pattern;
}

/** Both names of a path: the real one, and the written one. */
export const namesOf = ({ path, named }: PathAccess): readonly string[] =>
  named === undefined ? [path] : [path, named];

/** For asking and denying, a link and its target both count, in any spelling; a folder includes its contents. */
export function touches(pattern: string, access: Touch, roots: Roots): boolean {
  const expanded = expandHome(pattern, roots);
  const takesAlong = !access.below && (access.access === "delete" || access.access === "move");
  return namesOf(access).some(
    (one) => touchesPath(expanded, one) || (takesAlong && touchesBelow(expanded, one)),
  );
}

/** Whether something below the touched folder may be what the pattern names. */
export function mayTouch(pattern: string, access: Touch, roots: Roots): boolean {
  const expanded = expandHome(pattern, roots);
  return access.below === true && namesOf(access).some((one) => touchesBelow(expanded, one));
}

/** A part that needs no rule. */
export function isHarmless(part: Part, policy: Roots & { readonly default?: RuleEffect }): boolean {
  if (part.type === "path") return isFree(part, policy);
  return part.type === "command" && isFolderChange(part);
}

/**
 * An access to the scratch folder needs no rule, unless nothing may be changed. The folder itself stays: it is where
 * the commands of the session put their files.
 */
export function isFree(access: PathAccess, policy: Roots & { readonly default?: RuleEffect }): boolean {
  if (!namesOf(access).every((one) => isScratch(one, policy))) return false;
  const isReading = access.access === "read" || access.access === "search";
  return isReading || (policy.default !== "deny" && access.path !== policy.scratch);
}
