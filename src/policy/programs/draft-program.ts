/**
 * A draft of a program's description, from the text of its `--help`, for a person to check. Pessimistic: a line that is
 * not understood describes nothing, so that its option stays in doubt; an option that may name code or settings is a
 * doubt with the help's own words; and the program is taken to run code and to edit below its folder.
 */
import { likelyActs, namedActs } from "./named-acts.js";
import { smellsOfExecution, mayRunWhatFollows } from "./plain-words.js";
import type { Clause, ProgramData, ProgramFile } from "./program-data.js";

export type ProgramDraft = {
  readonly file: ProgramFile;
  readonly options: number;
  readonly doubtful: readonly string[];
  readonly subcommands: readonly string[];
  /** Lines that look like options and were not understood. */
  readonly unread: readonly string[];
};

/** `words`: the program, and the subcommand whose help this is. */
export function draftProgram(words: readonly string[], help: string): ProgramDraft {
  const [program = "", ...path] = words;
  const lines = help.split(/\r?\n/).slice(0, MAX_LINES);
  const found = lines.flatMap((line) => optionIn(line) ?? []);
  const options = [...new Map(found.map((option) => [option.names.join(" "), option])).values()];
  const subcommands = subcommandsIn(lines);
  const data = path.reduceRight<ProgramData>(
    (inner, name) => ({ words: "none", subcommands: { [name]: inner }, inherits: true }),
    described(options, subcommands, usageTakesFiles(lines)),
  );
  const unread = lines
    .filter((line) => LOOKS_LIKE_OPTION.test(line) && !optionIn(line))
    .map((line) => line.trim());
  return {
    file: {
      sources: { [program]: { program, version: "unknown", list: `${words.join(" ")} --help, a draft` } },
      programs: { [program]: { from: program, ...data } },
    },
    options: options.length,
    doubtful: options.filter(({ doubt }) => doubt !== undefined).flatMap(({ names }) => names),
    subcommands,
    unread,
  };
}

const MAX_LINES = 5_000;
const MAX_REASON = 100;

type Option = {
  readonly names: readonly string[];
  readonly takes: "" | "=" | "?";
  readonly place?: "reads" | "edits" | "fetches";
  readonly doubt?: string;
};

const LOOKS_LIKE_OPTION = /^\s{0,12}-{1,2}[A-Za-z]/;
const NAME = String.raw`-{1,2}(?:\[no-\])?[A-Za-z\d][\w.-]*`;
const VALUE = String.raw`(?:\[=[^\]]*\]|[= ](?:<[^>]*>|\[[^\]]*\]|\{[^}]*\}|[A-Z][\w:.|/-]*|(?:string|strings|int|uint|float|duration|number|file|path|dir|list|stringArray|bool)\b)(?:\.\.\.)?)?`;
const OPTION = new RegExp(
  String.raw`^\s{0,12}(?<names>${NAME}${VALUE}(?:(?:, ?| *\| *| {1,2}(?=-))${NAME}${VALUE})*)(?<about>\s{2,}.*|\s*:\s.*)?$`,
);

function optionIn(line: string): Option | undefined {
  const { names: written = "", about = "" } = OPTION.exec(line)?.groups ?? {};
  const names = [...written.matchAll(new RegExp(`(?<![\\w<\\[])${NAME}`, "g"))].map(([name]) => name);
  if (names.length === 0) return undefined;
  const value = written.replaceAll(new RegExp(NAME, "g"), "").replaceAll(/[,|]/g, " ").trim();
  const takes = value === "" ? "" : value.startsWith("[=") ? "?" : "=";
  const sentence = about.trim().replace(/^:\s*/, "");
  if (
    names.some((name) => smellsOfExecution(name)) ||
    names.some((name) => /^-[ceE]$/.test(name) && takes !== "")
  )
    return { names, takes, doubt: `may name code, settings or a host: ${sentence.slice(0, MAX_REASON)}` };
  const place = takes === "" ? undefined : placeIn(names.join(" "), value, sentence);
  return { names, takes, ...(place && { place }) };
}

function placeIn(names: string, value: string, sentence: string): Option["place"] {
  if (/url|uri|host|address|server/i.test(value)) return "fetches";
  if (!/file|path|dir|folder/i.test(`${value} ${names}`)) return undefined;
  return /out|dest|write|save|log|report|dump|export/i.test(`${names} ${sentence}`) ? "edits" : "reads";
}

/** Indented names with a text behind them, below a heading that ends in "commands". */
function subcommandsIn(lines: readonly string[]): readonly string[] {
  const names: string[] = [];
  let isBelow = false;
  for (const line of lines) {
    if (/^\S.*commands\b.*:?\s*$/i.test(line) && !/^\s*usage/i.test(line)) isBelow = true;
    else if (/^\S/.test(line)) isBelow = false;
    const name = isBelow
      ? /^\s{1,8}(?<name>[a-z][\w:-]*)(?:[, ] ?[a-z]+)?(?:\s{2,}|\s*$)/.exec(line)?.groups?.["name"]
      : undefined;
    if (name !== undefined) names.push(name);
  }
  return [...new Set(names)];
}

const usageTakesFiles = (lines: readonly string[]): boolean =>
  lines.some((line) => /^\s*usage/i.test(line) && /file|path|dir|folder|src|source|target/i.test(line));

function described(
  options: readonly Option[],
  subcommands: readonly string[],
  takesFiles: boolean,
): ProgramData {
  const named = (place: Option["place"]): string =>
    options
      .filter((option) => option.place === place)
      .flatMap(({ names }) => names)
      .join(" ");
  const doubts = Object.fromEntries(
    options.flatMap(({ names, doubt }) => (doubt === undefined ? [] : [[names.join(" "), doubt]])),
  );
  const places = (["reads", "edits", "fetches"] as const).flatMap((place) =>
    named(place) === "" ? [] : [[place, named(place)] as const],
  );
  return {
    takes: options.flatMap(({ names, takes }) => names.map((name) => `${name}${takes}`)).join(" "),
    ...Object.fromEntries(places),
    ...(Object.keys(doubts).length > 0 && { doubts }),
    ...(subcommands.length > 0
      ? {
          inherits: true,
          subcommands: Object.fromEntries(subcommands.map((name) => [name, subcommand(name)])),
        }
      : { words: takesFiles ? ("read" as const) : ("text" as const) }),
    does: PESSIMISTIC,
  };
}

const PESSIMISTIC: readonly Clause[] = [{ does: "run" }, { path: ".", does: "edit", below: true }];

function subcommand(name: string): ProgramData {
  const acts = likelyActs([name]);
  const does = (["installs", "publishes", "deploys", "reveals"] as const).filter(
    (act) => acts[act].length > 0,
  );
  const clauses = does.map((act): Clause => ({ does: ACTS[act] }));
  const sends = namedActs({ ...acts, sends: [] }).length > 0 ? [{ path: "", does: "send" as const }] : [];
  const doubt = mayRunWhatFollows(name) ? [{ doubt: "may run what follows it" }] : [];
  return {
    words: "text",
    ...(clauses.length + doubt.length > 0 && { does: [...clauses, ...sends, ...doubt] }),
  };
}

const ACTS = { installs: "install", publishes: "publish", deploys: "deploy", reveals: "reveal" } as const;
