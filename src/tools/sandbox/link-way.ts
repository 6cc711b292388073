/**
 * Where a link leads, with every name on the way. No mount covers a link or a name that is not there yet, so a command
 * can lead a protected link elsewhere without touching it: it replaces a further link on the way, or makes the file that
 * was missing. The way before and after a command shows both.
 */
import { dirname, join } from "node:path";
import { isWithin } from "../../call/absolute-path.js";
import { linkTarget, pathInfo } from "../path-info.js";

export type WayName = {
  /** In a folder that is no link. */
  readonly path: string;
  readonly is: "folder" | "file" | "nothing" | { readonly target: string };
};

export type LinkWay = {
  /** The workspace: names elsewhere cannot be changed by a command. */
  readonly roots: readonly string[];
  /** The link itself is the first. */
  readonly names: readonly WayName[];
  readonly end: string;
  readonly isThere: boolean;
};

/** As many as the system follows. */
const MAX_LINKS = 40;

export function linkWay(path: string, roots: readonly string[]): LinkWay {
  const names: WayName[] = [];
  const pending = [path.slice(path.lastIndexOf("/") + 1)];
  let at = dirname(path);
  let links = 0;
  const endsAt = (end: string, isThere: boolean): LinkWay => ({ roots, names, end, isThere });
  for (let name = pending.shift(); name !== undefined; name = pending.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const next = join(at, name);
    const info = pathInfo(next);
    if (!info) {
      names.push({ path: next, is: "nothing" });
      return endsAt(join(next, ...pending), false);
    }
    if (info.isSymbolicLink()) {
      const target = linkTarget(next);
      names.push({ path: next, is: { target } });
      if ((links += 1) > MAX_LINKS) return endsAt(next, false);
      if (target.startsWith("/")) at = "/";
      pending.unshift(...target.split("/"));
      continue;
    }
    names.push({ path: next, is: info.isDirectory() ? "folder" : "file" });
    at = next;
    if (!info.isDirectory() && pending.some((part) => part !== ""))
      return endsAt(join(at, ...pending), false);
  }
  return endsAt(at, true);
}

/** Whether it ends in the workspace, and not at a folder that holds one. */
export const endsInside = ({ roots, end, isThere }: LinkWay): boolean =>
  isThere &&
  roots.some((root) => end !== root && isWithin(end, root)) &&
  !roots.some((root) => isWithin(root, end));

/**
 * The name of the workspace that leads the way elsewhere, and what it was: undefined where the way ends as before, or
 * leads nowhere now.
 */
export function changedName(
  before: LinkWay,
  now: LinkWay,
): { readonly path: string; readonly was: WayName["is"] } | undefined {
  if (!now.isThere || (before.isThere && before.end === now.end)) return undefined;
  const known = new Map(before.names.map(({ path, is }) => [path, is]));
  const inside = now.names.filter(({ path }) =>
    before.roots.some((root) => path !== root && isWithin(path, root)),
  );
  const changed =
    inside.find(({ path, is }) => {
      const target = targetOf(known.get(path));
      // A plain folder is on the way to something else.
      return targetOf(is) === target ? target === undefined && path === now.end : true;
    }) ?? inside.find(({ path }) => (known.get(path) ?? "nothing") === "nothing");
  return changed && { path: changed.path, was: known.get(changed.path) ?? "nothing" };
}

const targetOf = (is: WayName["is"] | undefined): string | undefined =>
  typeof is === "object" ? is.target : undefined;
