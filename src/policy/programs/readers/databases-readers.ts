/** Readers for the programs of data/databases.json. */
import type { Reader } from "../program.js";

export const databasesReaders: readonly (readonly [name: string, reader: Reader])[] = [];
