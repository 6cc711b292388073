/** The flags of a description, looked up by name. */
import type { ProgramData, Text } from "./program-data.js";
import type { Flag, FlagMeaning, FlagTable } from "./program.js";

type FlagData = Pick<ProgramData, "takes" | "reads" | "edits" | "fetches" | "changes" | "doubts" | "choices">;

/** `layers`: the program's own flags, then those it shares with others. A doubt in any of them wins. */
export function flagTable(layers: readonly FlagData[]): FlagTable {
  const meanings = new Map<string, Pick<Flag, "meaning" | "reason">>();
  const mean = (flags: Text | undefined, meaning: FlagMeaning, reason?: string) => {
    for (const token of tokens(flags))
      for (const name of spellings(token))
        meanings.set(name, { meaning, ...(reason !== undefined && { reason }) });
  };
  for (const layer of layers.toReversed()) {
    mean(layer.changes, "changes");
    mean(layer.reads, "reads");
    mean(layer.edits, "writes");
    mean(layer.fetches, "url");
  }
  for (const { doubts = {} } of layers)
    for (const [flags, reason] of Object.entries(doubts)) mean(flags, "doubt", reason);
  const choices = choicesByName(layers);
  const exact = new Map<string, Flag>();
  const prefixes: [string, Flag][] = [];
  for (const { takes } of layers.toReversed()) {
    for (const token of tokens(takes)) {
      const { name, value, dashes, isOpen } = readToken(token);
      for (const spelling of spellings(name)) {
        const known = choices.get(spelling);
        const meaning = meanings.get(spelling) ?? { meaning: "harmless" as const };
        const flag = { value, dashes, ...meaning, ...(known && { choices: known }) };
        if (isOpen) prefixes.push([spelling, flag]);
        else exact.set(spelling, flag);
      }
    }
  }
  prefixes.sort(([one], [other]) => other.length - one.length);
  return { exact, prefixes };
}

function choicesByName(layers: readonly FlagData[]): ReadonlyMap<string, readonly RegExp[]> {
  const choices = new Map<string, readonly RegExp[]>();
  for (const [flags, values] of layers.flatMap((layer) => Object.entries(layer.choices ?? {})))
    for (const name of tokens(flags))
      choices.set(name, [...(choices.get(name) ?? []), new RegExp(`^(?:${values})$`)]);
  return choices;
}

export const tokens = (text: Text | undefined): readonly string[] =>
  (typeof text === "string" ? [text] : (text ?? [])).flatMap((line) =>
    line.split(/\s+/).filter((token) => token !== ""),
  );

const TOKEN = /^(?<name>[-+]{1,2}[^=?*~]*)(?<value>[=?]?)(?<free>~?)(?<open>\*?)$/;

export function readToken(token: string) {
  const parts = TOKEN.exec(token)?.groups;
  if (!parts) throw new Error(`"${token}" is not a flag as program descriptions write it.`);
  const { name = "", value = "", free = "", open = "" } = parts;
  return {
    name,
    value: value === "=" ? "required" : value === "?" || open !== "" ? "attached" : "none",
    dashes: free !== "",
    isOpen: open !== "",
  } as const;
}

export const spellings = (name: string): readonly string[] =>
  name.includes("[no-]") ? [name.replace("[no-]", ""), name.replace("[no-]", "no-")] : [name];
