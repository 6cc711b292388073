/** Readers for the programs of data/editors.json. */
import type { Reader } from "../program.js";

export const editorsReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["code", { effects: (words) => ({ reads: words.map(withoutLine) }) }],
  ["subl", { effects: (words) => ({ writes: words.map(withoutLine) }) }],
];

/** `src/a.ts:12:3` names a place in a file. */
const withoutLine = (word: string) => word.replace(/:\d+(?::\d+)?$/, "");
