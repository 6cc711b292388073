/**
 * Expands a shell pattern to the names on the disk that it matches. Better too many than too few: `?` and `[a-z]` are
 * read as `*`, since shells differ on what a character is, and quoted characters are not known here.
 */
import { ToolFailure } from "../tool.js";
import type { FolderEntry, Workspace } from "../workspace.js";

/** The names that one pattern may match. */
const MAX_NAMES = 2_000;
/** The names that one expansion may examine. */
const MAX_LISTED = 20_000;

export const isPattern = (word: string): boolean => /[*?[]/.test(word);

/** `pattern` is absolute. Undefined when there are more names than can be looked at, or one that cannot be written. */
export async function globNames(
  pattern: string,
  workspace: Workspace,
): Promise<readonly string[] | undefined> {
  const parts = pattern.split("/").filter((part) => part !== "");
  let found: readonly string[] = [""];
  let listed = 0;
  for (const [index, part] of parts.entries()) {
    if (!isPattern(part)) {
      found = found.map((path) => `${path}/${part}`);
      continue;
    }
    const next: string[] = [];
    for (const path of found) {
      const entries = await entriesOf(path, workspace);
      listed += entries.length;
      const matching = entries.filter(({ name }) => matches(part, name));
      // A name that is no text was read as another one, and where that leads says nothing.
      if (matching.some(({ name, type }) => name.includes("\uFFFD") && type !== "file")) return undefined;
      const isLast = index === parts.length - 1;
      next.push(
        ...matching.filter(({ type }) => isLast || type !== "file").map(({ name }) => `${path}/${name}`),
      );
      if (listed > MAX_LISTED || next.length > MAX_NAMES) return undefined;
    }
    found = next;
  }
  return found;
}

async function entriesOf(path: string, workspace: Workspace): Promise<readonly FolderEntry[]> {
  try {
    const entries = await workspace.list(await workspace.resolve(path === "" ? "/" : path));
    return [{ name: ".", type: "folder" }, { name: "..", type: "folder" }, ...entries];
  } catch (error) {
    // No folder, or not to be read: the shell finds nothing there either.
    if (error instanceof ToolFailure) return [];
    throw error;
  }
}

/** Only a pattern that begins with a dot matches a name that does. */
function matches(pattern: string, name: string): boolean {
  return (pattern.startsWith(".") || !name.startsWith(".")) && couldMatch(pattern, name);
}

/** For one name. Each piece is searched once, from left to right, so many stars cost no more than a few. */
export function couldMatch(pattern: string, name: string): boolean {
  const [start = "", ...rest] = pattern.replace(/\[.*\]/s, "*").split(/[*?]+/);
  const end = rest.pop();
  if (end === undefined) return name === start;
  if (!name.startsWith(start) || !name.endsWith(end)) return false;
  let at = start.length;
  for (const piece of rest) {
    const next = name.indexOf(piece, at);
    if (next < 0) return false;
    at = next + piece.length;
  }
  return at <= name.length - end.length;
}
