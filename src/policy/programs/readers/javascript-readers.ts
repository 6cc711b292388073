/** Readers for the programs of data/javascript.json. */
import type { Reader } from "../program.js";

export const javascriptReaders: readonly (readonly [name: string, reader: Reader])[] = [];
