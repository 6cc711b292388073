/** Readers for the programs of data/packages.json. */
import type { Reader } from "../program.js";

export const packagesReaders: readonly (readonly [name: string, reader: Reader])[] = [];
