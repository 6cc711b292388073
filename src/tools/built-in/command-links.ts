/**
 * Finds where the words of a command lead on the disk.
 *
 * The rules read a command without a disk, so to them a link is an ordinary file of the workspace, a pattern is a
 * name, and a folder may contain anything. The accesses found here become part of the intent: a rule on a link's
 * target then covers the command as well, and a link out of the workspace needs a question, also when a pattern
 * matches it or the command finds it below a folder. The same is true of a protected file that the command would show
 * without naming it. Links that the command itself makes or unpacks are not seen.
 */
import { homedir } from "node:os";
import { posix } from "node:path";
import { decide } from "../../policy/index.js";
import type { PathAccess, ReadCommand, Rule } from "../../policy/index.js";
import { plannedCommand } from "../../policy/intent.js";
import { readCommand } from "../../policy/command-parts.js";
import { partsOf } from "../../policy/parts-of.js";
import { executorOf } from "../git/executor-for.js";
import { linkNames, protectedLinks } from "../path-access.js";
import { isProtectedFile } from "../search/is-protected-file.js";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";
import { followLink } from "./follow-link.js";
import { foundBelow, foundWalk, MISREAD, walkOf } from "./folder-walks.js";
import { globNames } from "./glob-names.js";
import { protectedByCommand } from "./protected-by-command.js";
import { isWithinAny } from "../../call/absolute-path.js";
import { folderOf, pathsOf } from "./written-paths.js";
import type { Place, Written } from "./written-paths.js";

/** More than anyone writes. Checking only the first ones would be a way around the rules. */
const MAX_PATHS = 2_000;
/** Up to this number each link is checked for the command's effects; beyond it, all links count as changed. */
const MAX_LINKS = 50;
/** The folders that a command may walk through, and the names in them. */
const MAX_FOLDERS = 100;
const MAX_NAMES = 20_000;

/** `cwd`: the real path of the folder that the command starts in. */
export async function commandLinks(
  command: string,
  cwd: string,
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  // Read as bash, whatever shell it is: what another one would read differently is in doubt for the rules.
  const executor = { ...(await executorOf(workspace)), language: "bash" } as const;
  const place: Place = { command, cwd, executor, roots: workspace.roots };
  const { commands } = readCommand(place, homedir());
  const written = new Map<string, Written>();
  for (const read of commands) {
    for (const one of pathsOf(read, place))
      written.set(`${one.access} ${one.path}${one.splits ? " split" : ""}`, one);
  }
  const inWords = new Set([...written.values()].map(({ path }) => posix.resolve(path)));
  for (const one of touchedPaths(place)) {
    const key = `${one.access} ${one.path}`;
    if (!inWords.has(one.path) && !written.has(key)) written.set(key, one);
  }
  if (written.size > MAX_PATHS)
    throw new ToolFailure(
      `terminal: the command has more than ${MAX_PATHS} different words that may be paths. Nothing was run. Split it into several commands.`,
    );
  const [named, anywhere] = await expanded([...written.values()], workspace);
  const misread = named.find(isMisread);
  const walked = await comeUpon(commands, named, place, workspace);
  const followed = await Promise.all([...named, ...walked.links].map((one) => followLink(one, workspace)));
  const links = followed.filter((link) => link !== undefined);
  const linkAccesses = links.flatMap(({ path, named: name, asked, access, kept }): readonly PathAccess[] => {
    const may = (kind: "edit" | "delete") => links.length > MAX_LINKS || isKnownTo(kind, asked, place);
    return [
      { path, named: name, access },
      ...(access === "read" && may("edit") ? [{ path, named: name, access: "write" } as const] : []),
      // Deleting or moving a link leaves its target.
      ...(kept !== name && may("delete") ? [{ path: kept, named: name, access: "delete" } as const] : []),
    ];
  });
  const along = (await Promise.all(commands.map((read) => protectedByCommand(read, cwd, workspace)))).flat();
  const linked = await changedThroughLinks(named, place, workspace);
  const unnamed = [
    ...protectedNames(named, place, workspace.own),
    ...walked.paths,
    ...along,
    ...linked,
    ...anywhere,
    ...(misread ? [anywhereFor(misread.path)] : []),
  ];
  return withoutRepeats([...linkAccesses, ...unnamed]);
}

/** Paths that no word shows as one, such as the file that a sed script reads. */
function touchedPaths({ command, cwd, executor, roots }: Place): readonly Written[] {
  const intent = plannedCommand({ command, cwd, executor });
  return partsOf(intent, { roots, home: homedir() }).parts.flatMap((part) =>
    part.type === "command"
      ? part.touches.map(({ path, written, access }): Written => ({
          path: written ?? path,
          access: access === "write" ? "write" : "read",
          isElsewhere: !isWithinAny(path, roots),
        }))
      : [],
  );
}

/** Files that the command changes and that a link gives a protected name. */
async function changedThroughLinks(
  named: readonly Written[],
  place: Place,
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  const links = await protectedLinks(workspace);
  if (links.length === 0) return [];
  const changed = named.map(({ path }) => posix.resolve(path));
  return changed.flatMap((path) => {
    const names = linkNames(path, links);
    if (names.length === 0 || !isKnownTo("edit", path, place)) return [];
    return names.map((name) => ({ path, named: name, access: "write" }) as const);
  });
}

function withoutRepeats(paths: readonly PathAccess[]): readonly PathAccess[] {
  return [...new Map(paths.map((one) => [`${one.access} ${one.path}\0${one.named ?? ""}`, one])).values()];
}

/**
 * An access that may lead anywhere: every rule that asks or denies by path may apply, and no rule that allows is
 * enough.
 */
const anywhereFor = (path: string): PathAccess => ({
  path: "/",
  named: posix.resolve(path),
  access: "search",
});

/** A name that the program takes for a flag, or that the shell splits into other words. */
function isMisread({ path, pattern = "", mayBeFlag, splits }: Written): boolean {
  const fixed = pattern.slice(0, pattern.search(/[*?[]/));
  const name = posix.resolve(path).slice(fixed.lastIndexOf("/") + 1);
  return (mayBeFlag === true && name.startsWith("-")) || (splits === true && MISREAD.test(name));
}

/** Replaces every pattern by the names that it matches; a pattern that matches too many gives an access to anywhere. */
async function expanded(
  written: readonly Written[],
  workspace: Workspace,
): Promise<readonly [readonly Written[], readonly PathAccess[]]> {
  const named: Written[] = [];
  const anywhere: PathAccess[] = [];
  for (const one of written) {
    if (one.pattern === undefined) named.push(one);
    else {
      const names = await globNames(one.path, workspace);
      if (!names || named.length + names.length > 2 * MAX_PATHS) anywhere.push(anywhereFor(one.path));
      else named.push(...names.map((path) => ({ ...one, path })));
    }
  }
  return [named, anywhere];
}

/** Protected files that a pattern matches: the rules cannot see their names. */
function protectedNames(
  named: readonly Written[],
  place: Place,
  own: readonly string[] = [],
): readonly PathAccess[] {
  const changes = new Map<string, readonly PathAccess["access"][]>();
  return named.flatMap(({ path: name, pattern }): readonly PathAccess[] => {
    if (pattern === undefined) return [];
    const accesses = changes.get(pattern) ?? [
      "read",
      ...(isKnownTo("edit", pattern, place) ? (["write"] as const) : []),
      ...(isKnownTo("delete", pattern, place) ? (["delete"] as const) : []),
    ];
    changes.set(pattern, accesses);
    const path = posix.resolve(name);
    return accesses
      .filter((access) => isProtectedFile(path, own, access))
      .map((access) => ({ path, access }));
  });
}

/** The links and protected files that commands find in the folders they walk through. */
async function comeUpon(
  commands: readonly ReadCommand[],
  named: readonly Written[],
  place: Place,
  workspace: Workspace,
): Promise<{ readonly links: readonly Written[]; readonly paths: readonly PathAccess[] }> {
  const links: Written[] = [];
  const paths: PathAccess[] = [];
  const tried = new Set<string>();
  const budget = { names: MAX_NAMES };
  for (const read of commands) {
    const walk = foundWalk(read) ?? walkOf(read.argv, commands.length === 1);
    if (!walk?.shows && !walk?.links) continue;
    for (const start of [folderOf(read, place.cwd), ...named.map(({ path }) => path)]) {
      const key = JSON.stringify([walk, start]);
      const folder = tried.has(key) ? undefined : await realFolder(start, workspace);
      if (folder === undefined) continue;
      tried.add(key);
      const isTooMuch = tried.size > MAX_FOLDERS;
      if (!isTooMuch && !mayBeWalked(posix.resolve(start), place)) continue;
      const found = isTooMuch ? undefined : await foundBelow(folder, { ...walk, budget }, workspace);
      if (!found) return { links, paths: [...paths, anywhereFor(folder)] };
      links.push(...found.links);
      paths.push(...found.files.map((path) => ({ path, access: "read" }) as const));
    }
  }
  return { links, paths };
}

async function realFolder(path: string, workspace: Workspace): Promise<string | undefined> {
  try {
    const real = await workspace.resolve(path);
    return (await workspace.look(real))?.type === "folder" ? real : undefined;
  } catch (error) {
    // Most words are not paths.
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

/** Whether the command may touch a file of any name in the folder, according to the rules. */
function mayBeWalked(folder: string, place: Place): boolean {
  const rule: Rule = { deny: "read", path: `${folder}/\u{E000}` };
  return verdictOn(rule, place).matched === rule;
}

/** Whether the command is known to edit or delete this name: the rules know what a program does with its words. */
function isKnownTo(kind: "edit" | "delete", name: string, place: Place): boolean {
  const rule: Rule = { deny: kind, path: name };
  const { effect, matched } = verdictOn(rule, place);
  return effect === "deny" && matched === rule;
}

function verdictOn(rule: Rule, { command, cwd, executor, roots }: Place): ReturnType<typeof decide> {
  return decide(plannedCommand({ command, cwd, executor }), {
    rules: [rule],
    default: "allow",
    roots,
    home: homedir(),
  });
}
