/** Readers for the programs of data/containers.json. */
import type { Reader } from "../program.js";

export const containersReaders: readonly (readonly [name: string, reader: Reader])[] = [];
