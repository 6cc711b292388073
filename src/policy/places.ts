/** Where a path lies: in the workspace, at home, under a pattern. Allowing and strict rules share these functions. */
import type { PathAccess } from "./intent.js";
import { matchPath, touchesBelow, touchesPath } from "./paths/match-path.js";
import { isWayInside } from "./parts.js";
import type { Part, Touch } from "./parts.js";

export type Roots = { readonly roots: readonly string[]; readonly home: string };

export function isInside(path: string, { roots }: Roots): boolean {
  return roots.some((root) => matchPath(`${root}/**`, path));
}

export function expandHome(pattern: string, { home }: Roots): string {
  return pattern === "~" || pattern.startsWith("~/") ? home + pattern.slice(1) : pattern;
}

/** Both names of a path: where it really is, and how it was written. */
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
export function isHarmless(part: Part, roots: Roots): boolean {
  return part.type === "command" && isWayInside(part, (path) => isInside(path, roots));
}
