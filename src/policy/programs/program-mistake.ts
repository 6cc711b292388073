/** Mistakes in a description that its shape does not show, and that would make it mean something else. */
import { readToken, spellings, tokens } from "./flag-table.js";
import type { Clause, ProgramData, ProgramFile, Text } from "./program-data.js";
import { readers } from "./readers/index.js";

/** The first mistake with the place where it is, or nothing. */
export function programMistake(file: ProgramFile): string | undefined {
  for (const [place, data] of Object.entries(file.programs)) {
    const mistake = mistakeIn(data, file);
    if (mistake !== undefined) return `${place}: ${mistake}`;
  }
  return undefined;
}

function mistakeIn(
  data: ProgramData,
  file: ProgramFile,
  inherited: readonly string[] = [],
): string | undefined {
  const { reader, plus, from, uses = [], does = [], choices = {}, subcommands = {} } = data;
  if (from !== undefined && !Object.hasOwn(file.sources, from))
    return `"from" names "${from}", which is no source`;
  const strange = uses.find((name) => !Object.hasOwn(file.shared ?? {}, name));
  if (strange !== undefined) return `"uses" names "${strange}", which is not shared`;
  if (reader !== undefined && !readers.has(reader)) return `there is no reader "${reader}"`;
  const layers = [data, ...uses.map((name) => file.shared?.[name] ?? {})];
  const odd = layers.flatMap(({ takes }) => tokens(takes)).find((token) => !isFlag(token));
  if (odd !== undefined) return `"takes" has "${odd}", which is no flag`;
  const taken = new Set([...inherited, ...layers.flatMap(({ takes }) => takenNames(takes))]);
  // A doubt about a flag that nobody takes does no harm: such a flag is doubted anyway.
  const unknown = layers
    .flatMap(({ reads, edits, fetches, changes }) => [reads, edits, fetches, changes])
    .flatMap((flags) => tokens(flags))
    .flatMap(spellings)
    .find((name) => !taken.has(name));
  if (unknown !== undefined) return `"${unknown}" does something and is not in "takes"`;
  const open = Object.keys(choices)
    .flatMap((flags) => tokens(flags))
    .find((name) => !taken.has(name));
  if (open !== undefined) return `"choices" names "${open}", which is not in "takes"`;
  const pattern = [plus, ...Object.values(choices), ...does.flatMap(patternsOf)].find(
    (text) => text !== undefined && !isPattern(text),
  );
  if (pattern !== undefined) return `"${pattern}" is no pattern`;
  for (const [names, sub] of Object.entries(subcommands)) {
    const mistake = mistakeIn(sub, file, data.inherits ? [...taken] : []);
    if (mistake !== undefined) return `${names}: ${mistake}`;
  }
  return undefined;
}

const takenNames = (takes: Text | undefined): readonly string[] =>
  tokens(takes).flatMap((token) => spellings(readToken(token).name));

function isFlag(token: string): boolean {
  try {
    return readToken(token).name.length > 1;
  } catch {
    return false;
  }
}

const patternsOf = ({ like, unlike, first, notFirst }: Clause): readonly (string | undefined)[] => [
  like,
  unlike,
  first,
  notFirst,
];

function isPattern(text: string): boolean {
  try {
    return new RegExp(text).source !== "";
  } catch {
    return false;
  }
}
