/** Readers for the programs of data/build.json. */
import type { Reader } from "../program.js";

export const buildReaders: readonly (readonly [name: string, reader: Reader])[] = [];
