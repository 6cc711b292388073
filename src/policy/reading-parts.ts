/**
 * Texts whose every part only reads, or only acts on files. git's settings can be forced for the second kind without
 * changing what anything else does; beside a commit they cannot, since it must still run its hooks.
 */
import type { Intent } from "./intent.js";
import { actsOnFiles } from "./file-accesses.js";
import { isFolderChange, isGit, onlyReads } from "./part.js";
import { partsOf } from "./parts-of.js";
import type { CommandPart } from "./part.js";
import type { Places } from "./parts-of.js";

export type GitRead = {
  readonly argv: readonly string[];
  /** The folders it runs in: with `..` removed by name, as a shell does, and as the system follows it. */
  readonly folders: readonly string[];
};

/** The parts of a command that only reads; undefined when one may do more, or when anything is in doubt. */
export function readingParts(intent: Intent, places: Places): readonly CommandPart[] | undefined {
  return partsIf(intent, places, (part) => onlyReads(part) || isFolderChange(part));
}

/** The parts of a command that only reads and changes files, and in which git only reads. */
export function filingParts(intent: Intent, places: Places): readonly CommandPart[] | undefined {
  return partsIf(intent, places, (part) => actsOnFiles(part) || isFolderChange(part));
}

function partsIf(
  intent: Intent,
  places: Places,
  isMeant: (part: CommandPart) => boolean,
): readonly CommandPart[] | undefined {
  const { parts, doubts } = partsOf(intent, places);
  const commands = parts.filter((part) => part.type === "command");
  return doubts.length === 0 && commands.every(isMeant) ? commands : undefined;
}

export function gitReads(commands: readonly CommandPart[]): readonly GitRead[] {
  return commands
    .filter(isGit)
    .map(({ argv, cwd, way }) => ({ argv, folders: cwd === undefined ? [way] : [cwd, way] }));
}
