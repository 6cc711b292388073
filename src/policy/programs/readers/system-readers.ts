/** Readers for the programs of data/system.json. */
import type { Reader } from "../program.js";

export const systemReaders: readonly (readonly [name: string, reader: Reader])[] = [];
