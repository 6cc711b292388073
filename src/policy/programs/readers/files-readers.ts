/** Readers for the programs of data/files.json. */
import type { Reader } from "../program.js";

export const filesReaders: readonly (readonly [name: string, reader: Reader])[] = [];
