/**
 * Looks at the workspace after a contained command, and takes out of it what would act by itself later: new protected
 * names, new repositories, sockets and pipes. No mount can prevent a new name. Each of them is kept in a folder
 * outside, so that nothing is lost, and reported in a sentence.
 */
import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { pathInfo } from "../path-info.js";
import type { Guarded } from "./find-guarded.js";

export type Found = ReadonlyMap<string, Guarded>;

/** `kept`: the folder for what is taken out; made when it is needed. */
export function holdBack(before: Found, after: Found, kept: string): readonly string[] {
  // Git itself removes links among its files.
  const lost = [...before.values()].filter(
    (one) => one.type === "link" && one.isOfGit !== true && !after.has(one.path),
  );
  return [
    ...[...after.values()].flatMap((one) => settle(one, before.get(one.path), kept)),
    ...lost.flatMap((one) => (one.type === "link" ? replaceByLink(one, kept) : [])),
  ];
}

function isRealFolder(path: string): boolean {
  try {
    return realpathSync(path) === path;
  } catch {
    return false;
  }
}

const isThere = (path: string): boolean => pathInfo(path) !== undefined;

/** A hooks folder is no protected name by itself: one may lie where the link was. */
function replaceByLink(link: Extract<Guarded, { readonly type: "link" }>, kept: string): readonly string[] {
  // The folder is gone, or is a link by now, which may lead outside.
  if (!isRealFolder(dirname(link.path))) return [];
  const held = isThere(link.path) ? [heldBack("replaced a link", link.path, kept)] : [];
  return [...held, restoreLink(link)];
}

function settle(one: Guarded, known: Guarded | undefined, kept: string): readonly string[] {
  // Taken out with a folder above it.
  if (!isThere(one.path)) return [];
  if (one.type === "special") return known?.type === "special" ? [] : [removeSpecial(one.path)];
  if (one.type === "link") {
    if (known?.type === "link" && known.target === one.target) return [];
  } else if (one.type === "repository" && known?.type === "repository") {
    return one.steering
      .filter((name) => !known.steering.includes(name) && name !== "hooks")
      .map((name) =>
        heldBack(`wrote ${name} of ${one.path}, from which git starts programs`, join(one.path, name), kept),
      );
  } else if (known?.type === one.type) return [];
  return [takeOut(one, known, kept)];
}

function takeOut(one: Guarded, known: Guarded | undefined, kept: string): string {
  const { path } = one;
  const note =
    one.type !== "repository"
      ? heldBack(
          isOfGit(one) ? "made a link, through which git would write" : "made a protected name",
          path,
          kept,
        )
      : one.isBare
        ? heldBack(
            `made ${path} a repository of git, whose settings start programs`,
            join(path, "HEAD"),
            kept,
          )
        : heldBack("made a repository of git, whose hooks and settings start programs", path, kept);
  if (known?.type === "link") restoreLink(known);
  return note;
}

const isOfGit = (one: Guarded): boolean => one.type === "link" && one.isOfGit === true;

function heldBack(what: string, path: string, kept: string): string {
  return `The sandbox held a change back: the command ${what}. ${path} was moved to ${moveOut(path, kept)}, where nothing starts it.`;
}

function removeSpecial(path: string): string {
  rmSync(path, { force: true });
  return `The sandbox removed ${path}: a command may leave no socket or pipe behind.`;
}

function restoreLink({ path, target }: Extract<Guarded, { readonly type: "link" }>): string {
  symlinkSync(target, path);
  return `The sandbox restored the link ${path} to ${target}, which the command had changed: its name is protected.`;
}

function moveOut(path: string, kept: string): string {
  mkdirSync(kept, { recursive: true, mode: 0o700 });
  const to = join(kept, path.replaceAll("/", "%"));
  // A folder without these cannot be moved.
  if (lstatSync(path).isDirectory()) chmodSync(path, lstatSync(path).mode | 0o700);
  try {
    renameSync(path, to);
  } catch {
    // The state folder lies on another file system.
    cpSync(path, to, { recursive: true, verbatimSymlinks: true });
    rmSync(path, { recursive: true, force: true });
  }
  return to;
}
