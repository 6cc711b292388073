/**
 * Looks at the workspace after a contained command, and takes out of it what would act by itself later: new protected
 * names, new repositories, sockets and pipes. No mount can prevent a new name. Each of them is kept in a folder
 * outside, so that nothing is lost, and reported in a sentence.
 */
import { createHash, randomBytes } from "node:crypto";
import {
  chmodSync,
  closeSync,
  constants,
  cpSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { pathInfo } from "../path-info.js";
import type { Guarded } from "./find-guarded.js";
import { changedName, linkWay } from "./link-way.js";
import { isRewritten, putBack, type SharedFile } from "./shared-file.js";
import { isBoundHere } from "./is-bound-here.js";
import { isPlainActivation } from "./is-plain-activation.js";
import { O_PATH } from "../act-in-folder.js";

export type Found = ReadonlyMap<string, Guarded>;

/** A sentence about each, and how many there are in all when they are very many. */
const MAX_NOTES = 50;

/**
 * Gives a folder of the workspace the rights back that a command took from it: nobody could look into it, and what the
 * command made there would be found when a person gives them back. Returns a sentence for each.
 */
export function reopenRoots(roots: readonly string[]): readonly string[] {
  return roots.flatMap((root) => {
    const info = pathInfo(root);
    if (info?.isDirectory() !== true || (info.mode & 0o500) === 0o500) return [];
    return noted({ path: root }, () => {
      addRights(root);
      return [
        `The sandbox gave ${root} its rights back: the command had taken them, so that nobody could look into it.`,
      ];
    });
  });
}

/**
 * `kept`: the folder for what is taken out; made when it is needed. `untilMs`: what was made or changed after that is
 * somebody else's.
 */
export function holdBack(
  before: Found,
  after: Found,
  kept: string,
  untilMs = Number.POSITIVE_INFINITY,
): readonly string[] {
  const notes = [...heldBackAll(before, after, kept), ...fromElsewhere(before, kept, untilMs)];
  if (notes.length <= MAX_NOTES) return notes;
  const more = `The sandbox held ${notes.length - MAX_NOTES} more changes back. The moved files lie in ${kept}; look for new protected names that are still in the workspace.`;
  return [...notes.slice(0, MAX_NOTES), more];
}

function heldBackAll(before: Found, after: Found, kept: string): readonly string[] {
  // Git itself removes links among its files.
  const lost = [...before.values()].filter(
    (one) => one.type === "link" && !one.isOfGit && !one.isInside && !after.has(one.path),
  );
  return [
    ...[...after.values()].flatMap((one) => noted(one, () => settle(one, before.get(one.path), kept))),
    ...lost.flatMap((one) => (one.type === "link" ? noted(one, () => replaceByLink(one, kept)) : [])),
  ];
}

/** Protected names that lead elsewhere now, or have another content, although nobody touched them. */
function fromElsewhere(before: Found, kept: string, untilMs: number): readonly string[] {
  return [...before.values()].flatMap((one) => {
    if (one.type === "link") return noted(one, () => leadBack(one, kept, untilMs));
    if (one.type !== "protected" || !one.shared) return [];
    const { path, shared } = one;
    return noted(one, () =>
      isLater(pathInfo(path)?.ctimeMs, untilMs) ? [] : restoreContent(path, shared, kept),
    );
  });
}

const isLater = (timeMs: number | undefined, untilMs: number): boolean => (timeMs ?? 0) >= untilMs;

/** Removing one name may lead the link to a further one. */
const MAX_CHANGED_NAMES = 40;

function leadBack(
  { path, way }: Extract<Guarded, { readonly type: "link" }>,
  kept: string,
  untilMs: number,
): readonly string[] {
  const notes: string[] = [];
  if (!way) return notes;
  for (let count = 0; count < MAX_CHANGED_NAMES; count += 1) {
    const changed = changedName(way, linkWay(path, way.roots));
    if (!changed || isLater(pathInfo(changed.path)?.birthtimeMs, untilMs)) break;
    const { was } = changed;
    const held = heldBack(`led the protected name ${path} elsewhere`, changed.path, kept);
    notes.push(...held);
    if (typeof was === "object") notes.push(...restoreLink({ path: changed.path, target: was.target }));
    // A server swaps folders meanwhile.
    if (held.length === 0) break;
  }
  return notes;
}

function restoreContent(path: string, shared: SharedFile, kept: string): readonly string[] {
  if (!isRewritten(path, shared)) return [];
  const { content } = shared;
  if (content === undefined)
    return heldBack("changed a protected file through another name of it", path, kept);
  return inRealFolder(path, (at) => {
    withRights(dirname(at), () => putBack(at, content));
    return `The sandbox put the content of ${path} back: ${SOMEBODY} changed it through another name of the same file. That name keeps the change, and no longer leads to ${path}.`;
  });
}

/** A path that cannot be settled must not hide the others. */
function noted({ path }: { readonly path: string }, act: () => readonly string[]): readonly string[] {
  try {
    return act();
  } catch (error) {
    return [`The sandbox could not take a change back: ${String(error)}. Look at ${path}, and remove it.`];
  }
}

/**
 * Acts on a file in the folder that it was found in. A server may put a link in the place of that folder at any moment,
 * so the folder is opened first and must be at its path. Returns nothing when it is gone, or lies elsewhere.
 */
function inRealFolder(path: string, act: (at: string) => string): readonly string[] {
  let folder: number;
  try {
    folder = openSync(dirname(path), O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return [];
  }
  try {
    const at = `/proc/self/fd/${folder}`;
    return readlinkSync(at) === dirname(path) ? [act(join(at, basename(path)))] : [];
  } finally {
    closeSync(folder);
  }
}

const isThere = (path: string): boolean => pathInfo(path) !== undefined;

/** A hooks folder is no protected name by itself: one may lie where the link was. */
function replaceByLink(link: Extract<Guarded, { readonly type: "link" }>, kept: string): readonly string[] {
  const held = isThere(link.path) ? heldBack("replaced a link", link.path, kept) : [];
  return [...held, ...restoreLink(link)];
}

function settle(one: Guarded, known: Guarded | undefined, kept: string): readonly string[] {
  if (one.type === "nameless") return known?.type === "nameless" ? [] : takeOut(one, known, kept);
  // Taken out with a folder above it.
  if (!isThere(one.path)) return [];
  // Made by somebody else.
  if ((one.type === "link" || one.type === "protected") && one.isInside) return [];
  if (one.type === "special") return known?.type === "special" ? [] : settleSpecial(one.path, kept);
  if (one.type === "link") {
    if (known?.type === "link" && known.target === one.target) return [];
  } else if (one.type === "worktree" && known?.type !== "worktree") {
    // The file that names it is new, and taken out.
    return [];
  } else if ((one.type === "repository" || one.type === "worktree") && known?.type === one.type) {
    return one.steering
      .filter((name) => !known.steering.includes(name) && name !== "hooks")
      .flatMap((name) =>
        heldBack(`wrote ${name} of ${one.path}, from which git starts programs`, join(one.path, name), kept),
      );
  } else if (known?.type === one.type) return [];
  if (one.type === "protected" && isPlainActivation(one.path)) return [];
  return takeOut(one, known, kept);
}

function takeOut(one: Guarded, known: Guarded | undefined, kept: string): readonly string[] {
  const path = one.type === "repository" && one.isBare ? join(one.path, "HEAD") : one.path;
  const notes = heldBack(whatWasMade(one), path, kept, one.type === "nameless" ? one.bytes : undefined);
  if (known?.type === "link") restoreLink(known);
  return notes;
}

function whatWasMade(one: Guarded): string {
  switch (one.type) {
    case "nameless":
      return "made a name that is no text";
    case "repository":
      return one.isBare
        ? `made ${one.path} a repository of git, whose settings start programs`
        : "made a repository of git, whose hooks and settings start programs";
    case "link":
      return one.isOfGit ? "made a link, through which git would write" : "made a protected name";
    default:
      return "made a protected name";
  }
}

/** `bytes`: the name where it is no text. */
const heldBack = (what: string, path: string, kept: string, bytes?: string): readonly string[] =>
  inRealFolder(path, (at) => {
    const from = bytes === undefined ? at : Buffer.concat([Buffer.from(`${dirname(at)}/`), fromHex(bytes)]);
    const to = moveOut(from, join(kept, keptName(path)), path);
    if (to === undefined)
      return `${SOMEBODY} ${what}, and the sandbox could not take it out. Look at ${path}, and remove it.`;
    const back = bytes === undefined ? ` If it is yours, move it back: mv ${quoted(to)} ${quoted(path)}` : "";
    return `The sandbox held a change back: ${SOMEBODY} ${what}. ${path} was moved to ${to}, where nothing starts it.${back}`;
  });

/** A name does not show who made it, and people go on working while a command runs. */
const SOMEBODY = "the command, or somebody else meanwhile,";

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const fromHex = (bytes: string): Buffer => Buffer.from(bytes, "hex");

const MAX_NAME_BYTES = 200;

/** The path as one name, or its hash where that would be too long for the disk, or would be the name of others too. */
function keptName(path: string): string {
  const name = path.replaceAll("/", "%");
  return Buffer.byteLength(name) <= MAX_NAME_BYTES && !/\p{Cs}/u.test(name)
    ? name
    : `${createHash("sha256").update(path).digest("hex")}%${basename(path).slice(0, 40)}`;
}

/** A socket is moved, since its server may be somebody else's: then it works again where it is moved back. */
function settleSpecial(path: string, kept: string): readonly string[] {
  if (pathInfo(path)?.isSocket() !== true) return removeSpecial(path);
  return isBoundHere(path) ? [] : heldBack("left a socket behind", path, kept);
}

const removeSpecial = (path: string): readonly string[] =>
  inRealFolder(path, (at) => {
    withRights(dirname(at), () => rmSync(at, { force: true }));
    return `The sandbox removed ${path}: a command may leave no pipe or device behind.`;
  });

const restoreLink = ({
  path,
  target,
}: {
  readonly path: string;
  readonly target: string;
}): readonly string[] =>
  inRealFolder(path, (at) => {
    withRights(dirname(at), () => symlinkSync(target, at));
    return `The sandbox restored the link ${path} to ${target}, which the command had changed: its name is protected.`;
  });

/**
 * Returns where it is now. A command may have taken the rights away that are needed for this, and the state folder may
 * lie on another file system. Then it gets another name where it is.
 */
function moveOut(from: string | Buffer, to: string, path: string): string | undefined {
  const around = dirname(from.toString("latin1"));
  const aside = `toolgate-held-${randomBytes(8).toString("hex")}`;
  const ways: readonly (() => string)[] = [
    () => (renameSync(from, to), to),
    () => (copyOut(from, to), to),
    () => (renameSync(from, join(around, aside)), join(dirname(path), aside)),
  ];
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 });
  return withRights(around, () => {
    // A folder without these cannot be moved.
    if (lstatSync(from).isDirectory()) addRights(from);
    for (const way of ways) {
      try {
        return way();
      } catch {
        // The next one may work.
      }
    }
    return undefined;
  });
}

/** Names in a folder that its owner may not write cannot be changed. */
function withRights<Result>(folder: string, act: () => Result): Result {
  const { mode } = statSync(folder);
  if ((mode & 0o300) === 0o300) return act();
  addRights(folder);
  try {
    return act();
  } finally {
    chmodSync(folder, mode);
  }
}

const addRights = (folder: string | Buffer): void => chmodSync(folder, statSync(folder).mode | 0o700);

/** To copy a device might take for ever. */
function hasAnEnd(path: string): boolean {
  const info = lstatSync(path);
  return info.isFile() || info.isDirectory() || info.isSymbolicLink();
}

function copyOut(from: string | Buffer, to: string): void {
  if (typeof from !== "string") throw new Error("a name that is no text cannot be copied");
  cpSync(from, to, { recursive: true, verbatimSymlinks: true, filter: hasAnEnd });
  rmSync(from, { recursive: true });
}
