/** Readers for the programs of data/python.json. */
import type { Reader } from "../program.js";

export const pythonReaders: readonly (readonly [name: string, reader: Reader])[] = [];
