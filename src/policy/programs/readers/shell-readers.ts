/** Readers for the programs of data/shell.json. */
import type { Reader } from "../program.js";
import { printf } from "./printf.js";

/** Any word is text, flags and all. */
const noFlags: Reader = { prepare: (args) => ["--", ...args] };

/** Some shells evaluate what they compare as arithmetic, which can run commands. */
const test: Reader = {
  ...noFlags,
  effects: (words) => ({
    doubts: words
      .filter((word, at) => isCompared(words, at) && word !== "]" && !/^[-+]?\d+$/.test(word))
      .map((word) => `some shells evaluate "${word}" as arithmetic`),
  }),
};

const COMPARES = /^-(?:eq|ne|lt|le|gt|ge)$/;

const isCompared = (words: readonly string[], at: number): boolean =>
  COMPARES.test(words[at + 1] ?? "") || COMPARES.test(words[at - 1] ?? "") || words[at - 1] === "-t";

export const shellReaders: readonly (readonly [name: string, reader: Reader])[] = [
  ["no-flags", noFlags],
  ["printf", printf],
  ["test", test],
];
