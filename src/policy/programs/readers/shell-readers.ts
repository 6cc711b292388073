/** Readers for the programs of data/shell.json. */
import type { Reader } from "../program.js";
import { printf } from "./printf.js";

/** Any word is text, flags and all. */
const noFlags: Reader = { prepare: (args) => ["--", ...args] };

export const shellReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["no-flags", noFlags],
  ["printf", printf],
];
