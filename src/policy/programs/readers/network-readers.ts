/** Readers for the programs of data/network.json. */
import type { Reader } from "../program.js";

export const networkReaders: readonly (readonly [name: string, reader: Reader])[] = [];
