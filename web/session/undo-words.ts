/** Which paths an undo puts back and which it removes, and the words for it. */
import type { Undone } from "toolgate/serve/client";
import { counted } from "../words.js";

export type UndoPaths = {
  readonly back: readonly string[];
  /** Files that were not there before. */
  readonly files: readonly string[];
  /** Folders that were not there before: they go when nothing else is in them. */
  readonly folders: readonly string[];
};

export function undoPaths(paths: readonly string[], removes: Undone["removes"] = []): UndoPaths {
  const isFolder = new Map(removes.map((one) => [one.path, one.isFolder]));
  return {
    back: paths.filter((path) => !isFolder.has(path)),
    files: paths.filter((path) => isFolder.get(path) === false),
    folders: paths.filter((path) => isFolder.get(path) === true),
  };
}

/** "Put back 2 files, remove 1 file and 1 folder". */
export function toBeUndone(paths: UndoPaths): string {
  const back = countOf(paths.back, "file");
  const gone = goneWords(paths);
  const words = [back && `put back ${back}`, gone && `remove ${gone}`].filter(Boolean).join(", ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** "2 files put back, 1 file and 1 folder removed." */
export function wasUndone(paths: UndoPaths): string {
  const back = countOf(paths.back, "file");
  const gone = goneWords(paths);
  return `${[back && `${back} put back`, gone && `${gone} removed`].filter(Boolean).join(", ")}.`;
}

const goneWords = ({ files, folders }: UndoPaths): string =>
  [countOf(files, "file"), countOf(folders, "folder")].filter(Boolean).join(" and ");

const countOf = ({ length }: readonly string[], noun: string): string =>
  length === 0 ? "" : counted(length, noun);
