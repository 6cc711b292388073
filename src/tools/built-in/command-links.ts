/**
 * Where the words of a command lead by way of links.
 *
 * The rules read a command without a disk, so to them a link is an ordinary file of the workspace. What is
 * found here goes with the intent: a rule on the target then speaks of the command as well, and a link out
 * of the workspace is asked about. Words that meet no link add nothing. What it cannot see: files that the
 * shell finds for a pattern, and links that the command itself makes or comes upon below a folder.
 */
import { homedir } from "node:os";
import { posix } from "node:path";
import { decide, readShell } from "../../policy/index.js";
import type { PathAccess, ReadCommand, Rule } from "../../policy/index.js";
import { ToolFailure } from "../tool.js";
import type { Workspace } from "../workspace.js";
import { isWithin } from "./in-turn.js";

/** More than anyone writes. To look at the first ones only would be a way around the rules. */
const MOST_PATHS = 2_000;
/** Of so many links it is asked one by one what the command does to them; more are all taken to be changed. */
const MOST_LINKS = 50;

/** `cwd`: the real path of the folder that the command starts in. */
export async function commandLinks(
  command: string,
  cwd: string,
  workspace: Workspace,
): Promise<readonly PathAccess[]> {
  const written = new Map<string, PathAccess>();
  for (const read of readShell(command).commands) {
    for (const access of pathsOf(read, cwd, workspace.roots)) {
      written.set(`${access.access} ${access.path}`, access);
    }
  }
  if (written.size > MOST_PATHS)
    throw new ToolFailure(
      `terminal: the command has more than ${MOST_PATHS} different words that may be paths. Nothing was run. Split it into several commands.`,
    );
  const followed = await Promise.all([...written.values()].map((access) => follow(access, workspace)));
  const links = followed.filter((link) => link !== undefined);
  return links.flatMap(({ path, named, access, kept }): readonly PathAccess[] => {
    const may = (kind: "edit" | "delete") =>
      links.length > MOST_LINKS || isKnownTo(kind, named, { command, cwd, roots: workspace.roots });
    return [
      { path, named, access },
      ...(access === "read" && may("edit") ? [{ path, named, access: "write" } as const] : []),
      // Who deletes or moves a link leaves what it leads to.
      ...(kept !== named && may("delete") ? [{ path: kept, named, access: "delete" } as const] : []),
    ];
  });
}

/** The rules know what a program does with its words: would one that forbids this to the link forbid the command? */
function isKnownTo(
  kind: "edit" | "delete",
  named: string,
  {
    command,
    cwd,
    roots,
  }: { readonly command: string; readonly cwd: string; readonly roots: readonly string[] },
): boolean {
  const rule: Rule = { deny: kind, path: named };
  const intent = { tool: "terminal", kind: "execute", input: {}, cwd, command } as const;
  const verdict = decide(
    { ...intent, paths: [], hosts: [], baseHashes: {} },
    { rules: [rule], default: "allow", roots, home: homedir() },
  );
  return verdict.effect === "deny" && verdict.matched === rule;
}

/** What a command may touch, as the system will be given it: made absolute, but neither shortened nor followed. */
function pathsOf(
  { argv, reads, writes, after }: ReadCommand,
  cwd: string,
  roots: readonly string[],
): readonly PathAccess[] {
  // A shell takes `..` out of where it goes by name, whatever links it went through.
  const folder = after.reduce((here, change) => posix.resolve(here, change), cwd);
  const goesByName = argv[0] === "cd" && !argv.includes("-P");
  const absolute = (word: string): string => (word.startsWith("/") ? word : `${folder}/${word}`);
  const accesses = (words: readonly string[], access: PathAccess["access"]): readonly PathAccess[] =>
    words
      .filter((word) => word !== "")
      // The system's own links, outside, are nobody's trick, and the rules see that they are outside.
      .filter((word) => !word.startsWith("/") || roots.some((root) => isWithin(posix.resolve(word), root)))
      .map((word) => ({ path: goesByName ? posix.resolve(folder, word) : absolute(word), access }));
  return [
    ...accesses(argv.slice(1).flatMap(valuesIn), "read"),
    ...accesses(reads, "read"),
    ...accesses(writes, "write"),
  ];
}

/** A word, and the parts of it that may be paths: `if=link`, `-flink`, `--data=@link`, `link:/mnt`. */
function valuesIn(word: string): readonly string[] {
  const attached = /^-[A-Za-z]./.test(word) ? [word.slice(2)] : [];
  const values = [word, ...word.split(/[=:,]/), ...attached];
  return values.flatMap((value) => (value.startsWith("@") ? [value, value.slice(1)] : [value]));
}

type Link = PathAccess & {
  readonly named: string;
  /** Where it leads when a link that is its last name is not followed. */
  readonly kept: string;
};

async function follow(
  { path: written, access }: PathAccess,
  workspace: Workspace,
): Promise<Link | undefined> {
  const named = posix.resolve(written);
  try {
    const path = await workspace.resolve(written);
    if (path === named) return undefined;
    return { path, named, access, kept: await workspace.resolve(written, { keepLink: true }) };
  } catch (error) {
    // What cannot be walked to, the command cannot reach either; most words are no paths at all.
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}
