/** How each word of a command was read, for a person who wonders about a decision. Decides nothing. */
import { findProgram } from "./known-programs.js";
import type { UserPrograms } from "./known-programs.js";
import { judgeArgv } from "./judge-argv.js";
import type { ArgvJudgement } from "./judge-argv.js";
import { readPlainWords } from "./plain-words.js";
import type { Program } from "./program.js";
import { readArguments } from "./read-flags.js";
import type { WordRole } from "./read-flags.js";

export type ExplainedWord = { readonly word: string; readonly meaning: string };

export function explainWords(argv: readonly string[], user?: UserPrograms): readonly ExplainedWord[] {
  const [name, ...args] = argv;
  if (name === undefined) return [];
  const program = findProgram(name, user);
  const judgement = judgeArgv(argv, user);
  if (!program)
    return [
      { word: name, meaning: "program, not described" },
      ...args.map((word) => ({ word, meaning: unknownMeaning(word) })),
    ];
  return [{ word: name, meaning: "program, described" }, ...below([program], args, judgement)];
}

function unknownMeaning(word: string): string {
  const { doubts } = readPlainWords([word]);
  const [doubt] = doubts;
  if (doubt !== undefined) return `not plain: ${doubt}`;
  return word.startsWith("-") ? "option, plain by its name" : "plain word: a name or a path";
}

function below(
  programs: readonly Program[],
  args: readonly string[],
  judgement: ArgvJudgement,
): readonly ExplainedWord[] {
  const [program, ...parents] = programs;
  if (!program) return [];
  const { nested, seen, first, rest, sub } = readArguments(program, parents, args);
  const mine = program.subcommand ? seen.roles.filter(({ role }) => role !== "word") : seen.roles;
  const known = new Map(seen.flags.map(({ name, flag }) => [name, flag]));
  const explained = mine.map((read) => ({ word: read.word, meaning: meaningOf(read, known, judgement) }));
  const inner = (nested?.commands ?? []).map((command) => ({
    word: command.join(" "),
    meaning: "command that it runs",
  }));
  if (!program.subcommand || first === undefined) return [...explained, ...inner];
  if (!sub)
    return [
      ...explained,
      { word: first, meaning: "subcommand, not described" },
      ...rest.map((word) => ({ word, meaning: "not read: the subcommand is not described" })),
    ];
  const inherited = program.inherits ? programs : [];
  return [
    ...explained,
    { word: first, meaning: "subcommand, described" },
    ...below([sub, ...inherited], rest, judgement),
  ];
}

type Flags = ReadonlyMap<string, { readonly meaning: string; readonly reason?: string }>;

function meaningOf({ word, role, of }: WordRole, flags: Flags, judgement: ArgvJudgement): string {
  if (role === "option") {
    const name = [...flags.keys()].find((key) => word === key || word.startsWith(`${key}=`));
    const flag = name === undefined ? undefined : flags.get(name);
    if (flag?.meaning === "doubt") return `option: ${flag.reason ?? "is not harmless"}`;
    const bundled =
      /^-[^-]/.test(word) && [...flags.keys()].some((key) => /^-.$/.test(key) && word.includes(key.slice(1)));
    return flag || bundled || word === "--" || /^[-+]\d+$/.test(word) ? "option" : "option, not described";
  }
  const kind = placeOf(word, judgement);
  return role === "value" ? `value of ${of ?? ""}${kind === "data" ? "" : `: ${kind}`}` : kind;
}

/** By the effects that the whole command has: the first that names this word. */
function placeOf(word: string, judgement: ArgvJudgement): string {
  const { deletes, deletesBelow, moves, writes, editsBelow, sends, urls, runsFiles, reads } = judgement;
  const places: readonly (readonly [readonly string[], string])[] = [
    [sends, "host, data is sent to it"],
    [urls, "host"],
    [[...deletes, ...deletesBelow], "path, deleted"],
    [moves, "path, moved"],
    [[...writes, ...editsBelow], "path, edited"],
    [runsFiles, "code, run"],
    [reads, "path, read"],
  ];
  const found = places.find(([words]) => words.includes(word));
  if (found) return found[1];
  return judgement.doubts.some((doubt) => doubt.includes(`"${word}"`)) ? "in doubt" : "data";
}
