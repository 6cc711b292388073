/** Readers for the programs of data/git.json. */
import type { Reader } from "../program.js";

export const gitReaders: readonly (readonly [name: string, reader: Reader])[] = [];
