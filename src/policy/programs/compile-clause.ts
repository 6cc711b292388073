/** The effects of one command line, by the clauses of its program's description. */
import { tokens } from "./flag-table.js";
import { mayLeadOut } from "./path-effects.js";
import type { Clause, WordsName } from "./program-data.js";
import type { Effects, Seen } from "./program.js";

type Check = (words: readonly string[], seen: Seen) => Effects;

export function compileClause(clause: Clause): Check {
  const holds = condition(clause);
  const pick = picker(clause);
  return (words, seen) => {
    if (!holds(words, seen)) return {};
    const picked = pick(words, seen);
    return { ...effectsOf(clause, picked, words), ...doubtsOf(clause, picked) };
  };
}

function condition(clause: Clause): (words: readonly string[], seen: Seen) => boolean {
  const wanted = tokens(clause.with);
  const unwanted = tokens(clause.without);
  const first = pattern(clause.first);
  const notFirst = pattern(clause.notFirst);
  const [, least = "0", more] = /^(\d+)(\+?)$/.exec(clause.count ?? "0+") ?? [];
  return (words, seen) =>
    (wanted.length === 0 || seen.has(...wanted)) &&
    (unwanted.length === 0 || !seen.has(...unwanted)) &&
    (first === undefined || first.test(words[0] ?? "")) &&
    (notFirst === undefined || !notFirst.test(words[0] ?? "")) &&
    (more === "+" ? words.length >= Number(least) : words.length === Number(least));
}

function picker({
  of = "all",
  values,
  path,
  like,
  unlike,
  or,
}: Clause): (words: readonly string[], seen: Seen) => readonly string[] {
  const flags = tokens(values);
  const wanted = pattern(like);
  const unwanted = pattern(unlike);
  return (words, seen) => {
    const all = path !== undefined ? [path] : values !== undefined ? seen.values(...flags) : among(words, of);
    const picked = all.filter((word) => (wanted?.test(word) ?? true) && !(unwanted?.test(word) ?? false));
    return picked.length === 0 && or !== undefined ? [or] : picked;
  };
}

function among(words: readonly string[], of: NonNullable<Clause["of"]>): readonly string[] {
  switch (of) {
    case "all":
      return words;
    case "first":
      return words.slice(0, 1);
    case "second":
      return words.slice(1, 2);
    case "third":
      return words.slice(2, 3);
    case "rest":
      return words.slice(1);
    case "after second":
      return words.slice(2);
    case "last":
      return words.slice(-1);
    case "but last":
      return words.slice(0, -1);
    default:
      return of satisfies never;
  }
}

function effectsOf(
  { does, below, like, unlike, of, values }: Clause,
  picked: readonly string[],
  words: readonly string[],
): Effects {
  const isPicking = like !== undefined || unlike !== undefined;
  switch (does) {
    case undefined:
      return {};
    case "read":
      return { reads: picked };
    case "edit":
      return below ? { editsBelow: picked.length === 0 ? ["."] : picked } : { writes: picked };
    case "delete":
      return below ? { deletesBelow: picked.length === 0 ? ["."] : picked } : { deletes: picked };
    case "move":
      return { moves: picked };
    case "fetch":
      return { urls: picked.length === 0 && !isPicking ? [""] : picked };
    case "send":
      return { sends: picked.length === 0 && !isPicking ? [""] : picked };
    case "install":
      return isPicking && picked.length === 0 ? {} : { installs: [words[0] ?? ""] };
    case "publish":
      return { publishes: isPicking ? picked : [""] };
    case "deploy":
      return { deploys: isPicking ? picked : [""] };
    case "reveal":
      return { reveals: isPicking ? picked : [""] };
    case "run":
      if (isPicking && picked.length === 0) return {};
      return { runs: true, ...((of ?? values) !== undefined && { runsFiles: picked }) };
    default:
      return does satisfies never;
  }
}

function doubtsOf({ doubt, like, unlike, of, values }: Clause, picked: readonly string[]): Effects {
  if (doubt === undefined) return {};
  if (doubt.includes("%")) return { doubts: picked.map((word) => doubt.replaceAll("%", () => word)) };
  const isPicking = [like, unlike, of, values].some((field) => field !== undefined);
  return { doubts: isPicking && picked.length === 0 ? [] : [doubt] };
}

/** The presets for all words of a command. */
export function wordsByName(name: WordsName): Check {
  switch (name) {
    case "text":
      return (words) => ({ reads: words.filter(mayLeadOut) });
    case "verbatim":
      return () => ({});
    case "none":
      return (words) => ({ doubts: words.map((word) => `"${word}" is not a word known to be harmless`) });
    case "read":
      return (words) => ({ reads: words });
    case "edit":
      return (words) => ({ writes: words });
    case "delete":
      return (words) => ({ deletes: words });
    case "fetch":
      return (words) => ({ urls: words });
    case "copy":
      return (words) => ({ reads: words.slice(0, -1), writes: words.slice(-1) });
    case "pattern, read":
      return (words, seen) => ({
        reads: seen.has("-e", "--regexp", "-f", "--file") ? words : words.slice(1),
      });
    default:
      return name satisfies never;
  }
}

const pattern = (text: string | undefined): RegExp | undefined =>
  text === undefined ? undefined : new RegExp(text);
