/** Readers for the programs of data/editors.json. */
import type { Reader } from "../program.js";

export const editorsReaders: readonly (readonly [name: string, reader: Reader])[] = [];
