/**
 * Whether the words of one simple command are what a person expects who allowed `git *` or `sort *`.
 *
 * What must stay true here: fail closed. A program, subcommand, flag or script that is not described as
 * harmless is a doubt; nothing is ever found harmless because nobody thought of it. The words are taken
 * as the shell will pass them: whatever is dynamic was refused before.
 */
import { UNSEEN } from "./folder-reads.js";
import { pathDoubts, plainPaths } from "./path-effects.js";
import { findProgram } from "./programs/index.js";
import { readFlags } from "./read-flags.js";
import type { FlagsRead } from "./read-flags.js";
import type { Effects, NestedCommands, SeenFlag, Spec, Words } from "./vocabulary.js";

export type ArgvJudgement = {
  /** Why an allow rule with `*` must not silently cover these words; empty when each is known to be harmless. */
  readonly doubts: readonly string[];
  /** The words that are paths the program reads, writes or deletes, as written. */
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly deletes: readonly string[];
  /** URLs or hosts that it talks to, as written. */
  readonly urls: readonly string[];
  /** The words only read (files, process list, repository state) and do nothing else. */
  readonly onlyReads: boolean;
  /** It takes the names of files from a list that is in none of its words. */
  readonly takesList: boolean;
};

export function isKnownProgram(name: string): boolean {
  return findProgram(name) !== undefined;
}

/** Longer ones are not written by people, and each word is read by patterns. */
const MOST_CHARACTERS = 32_768;

export function judgeArgv(argv: readonly string[]): ArgvJudgement {
  const [name = "", ...args] = argv;
  if (argv.reduce((sum, word) => sum + word.length, 0) > MOST_CHARACTERS)
    return unknownProgram("a command as long as this", args);
  const spec = findProgram(name);
  if (!spec) return unknownProgram(name, args);
  return judge({ title: name, specs: [spec], args });
}

function unknownProgram(name: string, args: readonly string[]): ArgvJudgement {
  const doubts =
    args.length === 0 && name !== ""
      ? [`"${name}" is not a program known here`]
      : [`"${name}" is not a program known here, so neither is what its words do`];
  return { doubts, reads: [], writes: [], deletes: [], urls: [], onlyReads: false, takesList: false };
}

type Command = { readonly title: string; readonly specs: readonly Spec[]; readonly args: readonly string[] };

function judge({ title, specs, args }: Command): ArgvJudgement {
  const [spec = {}] = specs;
  const nested = spec.nested?.(args);
  const own = nested?.words ?? args;
  const seen = readFlags(specs, spec.prepare ? spec.prepare(own) : own);
  const effects = [flagEffects(seen), ...(spec.check ? [spec.check(seen)] : [])];
  if (spec.bare !== undefined && seen.words.length === 0 && !asksForHelp(args))
    effects.push({ doubts: [spec.bare] });
  const [first, ...rest] = seen.words;
  const sub = subcommand(spec, first);
  if (!spec.subcommands) effects.push(wordEffects(spec.words ?? "none", seen));
  else if (first !== undefined && !sub) {
    effects.push({ doubts: [`"${first}" is not a subcommand known to be harmless`] });
  }
  const inherited = spec.inherits ? specs : [];
  const below = sub && judge({ title: `${title} ${first ?? ""}`, specs: [sub, ...inherited], args: rest });
  const changes = seen.flags.some(({ flag }) => flag.meaning === "changes");
  return summary({
    effects: [
      ...effects.map((effect) => ({
        ...effect,
        doubts: (effect.doubts ?? []).map((doubt) => `${title}: ${doubt}`),
      })),
      ...(nested ? nestedEffects(title, nested) : []),
      ...(below ? [below] : []),
    ],
    onlyReads: below ? below.onlyReads : spec.onlyReads === true && !changes,
  });
}

function subcommand({ subcommands }: Spec, name: string | undefined): Spec | undefined {
  return subcommands && name !== undefined && Object.hasOwn(subcommands, name)
    ? subcommands[name]
    : undefined;
}

function nestedEffects(title: string, { commands, mustOnlyRead, elsewhere }: NestedCommands): Effects[] {
  return commands.map((argv) => {
    const inner = judgeArgv(argv);
    const reads = inner.reads.filter((path) => !path.includes("{}"));
    const doubts = mustOnlyRead && !inner.onlyReads ? [`${title}: runs "${argv.join(" ")}"`] : inner.doubts;
    return elsewhere ? { doubts } : { ...inner, reads, doubts };
  });
}

const asksForHelp = (args: readonly string[]) =>
  args.length === 1 && /^(?:--help|--version)$/.test(args[0] ?? "");

type Found = { readonly effects: readonly Effects[]; readonly onlyReads: boolean };

function summary({ effects, onlyReads }: Found): ArgvJudgement {
  const all = (part: Exclude<keyof Effects, "takesList">) => effects.flatMap((effect) => effect[part] ?? []);
  const reads = plainPaths(all("reads"));
  const writes = plainPaths(all("writes"));
  const deletes = plainPaths(all("deletes"));
  const urls = all("urls");
  const doubts = [...new Set([...all("doubts"), ...pathDoubts({ reads, writes, deletes })])];
  return {
    doubts,
    reads,
    writes,
    deletes,
    urls,
    onlyReads: onlyReads && [doubts, writes, deletes, urls].every((list) => list.length === 0),
    takesList: effects.some(({ takesList }) => takesList === true),
  };
}

function flagEffects({ flags, doubts }: FlagsRead): Effects {
  const valued = (...meanings: string[]) =>
    flags.flatMap(({ flag, value }) =>
      meanings.includes(flag.meaning) && value !== undefined ? [value] : [],
    );
  const plain = flags.filter(
    ({ flag }) => (flag.meaning === "harmless" || flag.meaning === "changes") && !flag.dashes,
  );
  return {
    doubts: [...doubts, ...plain.flatMap(codeDoubts)],
    reads: [...valued("reads"), ...plain.flatMap(({ value }) => pathsWithin(value ?? ""))],
    writes: valued("writes"),
    urls: valued("url"),
    takesList: flags.some(({ flag }) => flag.reason === UNSEEN),
  };
}

/** A second look at values described as plain text: `--emit=dep-info=/home/u/.bashrc` names a path all the same. */
function pathsWithin(value: string): string[] {
  const found = /(?:^|[=,@:])(?<path>(?:\/(?!\/)|~|\.\.\/)[^=,:\s]+)$/.exec(value)?.groups?.["path"];
  return found === undefined || /^\/.*\/[gimsuy]*$/.test(found) ? [] : [found];
}

/** A reporter, formatter or plugin that is a file is code, whatever the flag is called. */
function codeDoubts({ name, value = "" }: SeenFlag): string[] {
  const isCode = /^(?:\.{0,2}\/|~)\S*\.(?:[cm]?[jt]sx?|py|rb|so|dylib|dll|sh|lua|pl|php)$/.test(value);
  return isCode && !/exclude|ignore|include|filter|skip|files?$/i.test(name)
    ? [`"${name}" is given "${value}", which is code`]
    : [];
}

function wordEffects(words: Words, seen: FlagsRead): Effects {
  if (typeof words === "function") return words(seen.words, seen);
  switch (words) {
    case "text":
      return { reads: seen.words.filter((word) => /^(?:\/|~|\.\.(?:\/|$))/.test(word)) };
    case "verbatim":
      return {};
    case "none":
      return { doubts: seen.words.map((word) => `"${word}" is not a word known to be harmless`) };
    case "reads":
      return { reads: seen.words };
    case "writes":
      return { writes: seen.words };
    case "deletes":
      return { deletes: seen.words };
    case "urls":
      return { urls: seen.words };
    case "copy":
      return { reads: seen.words.slice(0, -1), writes: seen.words.slice(-1) };
    case "pattern, reads":
      return { reads: seen.has("-e", "--regexp", "-f", "--file") ? seen.words : seen.words.slice(1) };
    default:
      return words satisfies never;
  }
}
