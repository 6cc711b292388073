/** Readers for the programs of data/text-tools.json. */
import type { Reader } from "../program.js";

export const textToolsReaders: readonly (readonly [name: string, reader: Reader])[] = [];
