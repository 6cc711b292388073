/**
 * The git commands of a text whose every part only reads: git's settings can then be forced without changing
 * what anything else does. A commit beside them must still run its hooks.
 */
import type { Intent } from "./intent.js";
import { isGit, isWayInside, onlyReads, partsOf } from "./parts.js";
import type { CommandPart, Places } from "./parts.js";
import { matchPath } from "./paths/match-path.js";

export type GitRead = {
  readonly argv: readonly string[];
  /** The folders it runs in: with `..` removed by name, as a shell does, and as the system follows it. */
  readonly folders: readonly string[];
};

/** Undefined when a part may do more than read, or when anything about the text is in doubt. */
export function readingParts(intent: Intent, places: Places): readonly CommandPart[] | undefined {
  const { parts, doubts } = partsOf(intent, places);
  if (doubts.length > 0) return undefined;
  const isInside = (path: string) => places.roots.some((root) => matchPath(`${root}/**`, path));
  const commands = parts.filter((part): part is CommandPart => part.type === "command");
  const isReading = commands.every((part) => onlyReads(part, isInside) || isWayInside(part, isInside));
  return isReading ? commands : undefined;
}

export function gitReads(commands: readonly CommandPart[]): readonly GitRead[] {
  return commands
    .filter(isGit)
    .map(({ argv, cwd, way }) => ({ argv, folders: cwd === undefined ? [way] : [cwd, way] }));
}
