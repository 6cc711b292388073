/** Readers for the programs of data/shell.json. */
import type { Reader } from "../program.js";

export const shellReaders: readonly (readonly [name: string, reader: Reader])[] = [];
