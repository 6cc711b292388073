/** The entries of a folder, apart from those whose names are no text: no path in words leads to them. */
import { type Dirent, readdirSync } from "node:fs";
import { errorCode } from "../../call/error-code.js";

export type FolderEntries = {
  readonly named: readonly Dirent[];
  /** Names that are not valid UTF-8. */
  readonly nameless: readonly Dirent<Buffer>[];
};

/** Stands for the bytes of a name that are no text; a name may also have it as a sign of its own. */
const NO_TEXT = "\uFFFD";

/** Undefined when nobody can say what is there. */
export function folderEntries(folder: string): FolderEntries | undefined {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    if (!entries.some(({ name }) => name.includes(NO_TEXT))) return { named: entries, nameless: [] };
    const all = readdirSync(folder, { withFileTypes: true, encoding: "buffer" });
    const texts = new Set(all.filter(isText).map(({ name }) => name.toString()));
    return {
      named: entries.filter(({ name }) => !name.includes(NO_TEXT) || texts.has(name)),
      nameless: all.filter((entry) => !isText(entry)),
    };
  } catch (error) {
    return ["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "") ? { named: [], nameless: [] } : undefined;
  }
}

const isText = ({ name }: Dirent<Buffer>): boolean => Buffer.from(name.toString()).equals(name);
