/** Readers for the programs of data/languages.json. */
import type { Reader } from "../program.js";

export const languagesReaders: readonly (readonly [name: string, reader: Reader])[] = [];
