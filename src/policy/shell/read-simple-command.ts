/** A simple command of the syntax tree, read into words, once for each state in which its words differ. */
import type { Assignment, Command, CommandArgument } from "unbash";
import { assignedValue } from "./assigned-value.js";
import type { DecodedWord } from "./decode-word.js";
import { expandWord, isFixed } from "./expand-word.js";
import { excerpt } from "./excerpt.js";
import { readRedirects, type ReadRedirects } from "./read-redirects.js";
import { either, type Outcome, staying } from "./outcome.js";
import { type Scope } from "./parameter-value.js";
import { type ShellContext, scopeOf, type WalkText } from "./shell-context.js";
import { changedVariables } from "./variable-change.js";
import { isHarmlessVariable, isOwnName, isProjectPath, PRINTABLE } from "./variable-names.js";
import type { Value } from "./variables.js";
import { readWords, type Words } from "./walk-words.js";
import type { Ways } from "./ways.js";

export function readSimpleCommand(node: Command, context: ShellContext, walkText: WalkText): Outcome {
  let outcome: Outcome | undefined;
  for (const { decoded, ways } of inEachWay(node, context)) {
    const next = readDecoded(decoded, { ...context, ways }, walkText);
    outcome = outcome ? either(outcome, next, context.draft) : next;
  }
  return outcome ?? staying(context.ways);
}

type Decoded = {
  readonly assignments: readonly (readonly [name: string, value: Value])[];
  readonly words: readonly DecodedWord[];
  readonly redirects: ReadRedirects;
  readonly doubts: readonly string[];
};

/** The command as the shell has it in each of its states; states with the same words together. */
function inEachWay(node: Command, context: ShellContext): readonly { decoded: Decoded; ways: Ways }[] {
  const [first, ...others] = context.ways;
  if (!first) return [];
  if (others.length === 0 || isSameInAll(node))
    return [{ decoded: decode(node, scopeOf(first, context)), ways: context.ways }];
  const groups = new Map<string, { decoded: Decoded; ways: Ways }>();
  for (const way of context.ways) {
    const decoded = decode(node, scopeOf(way, context));
    const key = JSON.stringify(decoded);
    groups.set(key, { decoded, ways: [...(groups.get(key)?.ways ?? []), way] });
  }
  return [...groups.values()];
}

function isSameInAll({ name, args, prefix, redirects }: Command): boolean {
  const words = [...(name ? [name] : []), ...args.filter((argument) => argument.type === "Word")];
  return (
    words.every(isFixed) &&
    !prefix.some(({ type }) => type === "Assignment") &&
    args.every(({ type }) => type === "Word") &&
    redirects.every((one) =>
      one.type === "HereDoc" ? one.body.parts === undefined : !one.target || isFixed(one.target),
    )
  );
}

function decode(node: Command, scope: Scope): Decoded {
  const doubts: string[] = [];
  const assignments: [string, Value][] = [];
  let variables = scope.variables;
  for (const part of node.prefix) {
    if (part.type !== "Assignment") continue;
    const given = assignedValue(part, { ...scope, variables });
    doubts.push(...given.doubts);
    assignments.push([part.name, given.value]);
    // Before a command they are set for the command alone; else each sees those before it.
    if (!node.name) variables = changedVariables(variables, new Map([[part.name, given.value]]));
  }
  const words = node.name
    ? [...expandWord(node.name, scope), ...node.args.flatMap((one) => decodeArgument(one, scope))]
    : [];
  return { assignments, words, redirects: readRedirects(node.redirects, scope), doubts };
}

/** `export A=1`: the parser gives such words as assignments. */
function decodeArgument(argument: CommandArgument, scope: Scope): readonly DecodedWord[] {
  if (argument.type === "Word") return expandWord(argument, scope);
  return [{ globbed: false, expands: true, ...declared(argument, scope) }];
}

function declared(argument: Assignment, scope: Scope): Pick<DecodedWord, "value" | "doubts"> {
  const { name, text, append } = argument;
  const { value, doubts } = assignedValue(argument, scope);
  // Braces are expanded here, unlike in other assignments.
  if (value.type === "text" && append !== true && !/[{~]/.test(text))
    return { value: `${name}=${value.text}`, doubts };
  return { value: text, doubts: [...doubts, `it sets the variable ${excerpt(name)}`] };
}

function readDecoded(decoded: Decoded, context: ShellContext, walkText: WalkText): Outcome {
  const { draft } = context;
  const { assignments, words, redirects } = decoded;
  const { writes, reads, fed, process } = redirects;
  const isEcho = context.language === "bash" && words[0]?.value === "echo";
  const ofWords = words.flatMap(({ value, doubts, countDoubts = [] }) =>
    isEcho && isPrintable(value) ? doubts : [...doubts, ...countDoubts],
  );
  for (const doubt of [...decoded.doubts, ...redirects.doubts, ...ofWords]) draft.doubt(doubt);
  const argv = words.map(({ value }) => value);
  for (const [name, value] of assignments) {
    const isFine =
      argv.length === 0 ? mayBeSet(name, value, context) : mayBePassed(name, value, argv[0] ?? "");
    if (!isFine) draft.doubt(`it sets the variable ${excerpt(name)}`);
  }
  const ways = argv.length > 0 ? context.ways : assigned(assignments, context);
  if (argv.length === 0 && writes.length + reads.length === 0) return staying(ways);
  const isFedUnknown = fed === undefined ? context.isFedUnknown : redirects.isFedUnknown;
  return readWords(
    { ...wordsOf(words, process), writes, reads },
    {
      ...context,
      ways,
      fed: fed ?? context.fed,
      fedText: fed ?? context.fedText,
      // Another input takes the place of the pipe's.
      feeds: fed === undefined && reads.length === 0 ? context.feeds : [],
      ...(isFedUnknown !== undefined && { isFedUnknown }),
    },
    walkText,
  );
}

/** `echo $PATH` prints the value, however many words it has. */
const isPrintable = (word: string): boolean =>
  PRINTABLE.has(/^\$\{?(?<name>\w+)\}?$/.exec(word)?.groups?.["name"] ?? "");

function wordsOf(words: readonly DecodedWord[], input?: string): Omit<Words, "writes" | "reads"> {
  const those = (is: (word: DecodedWord) => boolean): readonly string[] =>
    words.filter(is).map(({ value }) => value);
  return {
    argv: words.map(({ value }) => value),
    globs: those(({ globbed }) => globbed),
    bareGlobs: those(({ isBareGlob }) => isBareGlob === true),
    patterns: those(({ expands }) => expands),
    splits: those(({ splits }) => splits === true),
    processes: [...words.flatMap(({ process }) => process ?? []), ...(input === undefined ? [] : [input])],
    holes: new Map(words.flatMap(({ value, pieces }) => (pieces ? [[value, pieces] as const] : []))),
  };
}

/** The ways with the variables set. */
function assigned(assignments: Decoded["assignments"], { ways, loop }: ShellContext): Ways {
  if (assignments.length === 0) return ways;
  for (const [name] of assignments) loop?.assigned.add(name);
  const change = new Map(assignments);
  return ways.map((way) => ({ ...way, variables: changedVariables(way.variables, change) }));
}

/** An assignment without a command. */
function mayBeSet(name: string, value: Value, { language }: ShellContext): boolean {
  if (value.type === "text" && isHarmlessVariable(name, value.text)) return true;
  if (!isOwnName(name, language)) return false;
  // A variable of the environment may be code to make, which calculates with it.
  return /^[a-z]/.test(name) || value.type !== "text" || !/[$`]/.test(value.text);
}

/** Builtins before which an assignment stays in some shells. */
const SPECIAL = new Set(
  ": . break continue eval exec exit export readonly return set shift source times trap unset".split(" "),
);

/** An assignment before a command. */
function mayBePassed(name: string, value: Value, program: string): boolean {
  if (value.type !== "text" || SPECIAL.has(program)) return false;
  if (isProjectPath(name, value.text, program)) return true;
  return isHarmlessVariable(name, value.text) || (name === "IFS" && program === "read");
}
