/** Readers for the programs of data/archive.json. */
import type { Reader } from "../program.js";

export const archiveReaders: readonly (readonly [name: string, reader: Reader])[] = [];
