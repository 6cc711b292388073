/**
 * Rules that would have saved questions, with their effect on recorded commands: a dry run through `decide` with and
 * without each rule. The rules are those that a widened "always" would store (grants/command-class.ts): installs,
 * publishing, deploying and secrets are never among them.
 */
import { decide } from "./decide.js";
import { commandClass } from "./grants/command-class.js";
import type { Policy } from "./policy.js";
import { FORCED_GIT_SETTINGS } from "./forced-git-settings.js";
import { plannedCommand } from "./intent.js";
import { isHarmless } from "./places.js";
import { partsOf } from "./parts-of.js";
import type { CommandPart } from "./part.js";
import type { Rule } from "./rule.js";

/** A command of the record, and the person's answer where somebody was asked; `none`: the question was left open. */
export type RecordedCommand = {
  readonly command: string | readonly string[];
  readonly cwd: string;
  readonly answer?: "allowed" | "refused" | "none";
};

/** A command that a project's files name, and the file. */
export type ProjectCommand = { readonly argv: readonly string[]; readonly from: string };

export type RuleSuggestion = {
  readonly rule: Rule & { readonly command: string };
  /** Files that name such a command. */
  readonly from: readonly string[];
  /** Recorded questions about commands that would have run unasked with the rule. */
  readonly saved: number;
  /** How many of them a person answered with yes. */
  readonly allowed: number;
  /** The commands of these, each once. */
  readonly saves: readonly string[];
  /** Recorded commands that would have run unasked too, and that nobody has allowed yet, each once. */
  readonly alsoLets: readonly string[];
};

const MIN_ALLOWED = 2;
const MAX_SUGGESTIONS = 30;

export function suggestRules(
  project: readonly ProjectCommand[],
  record: readonly RecordedCommand[],
  policy: Policy,
): readonly RuleSuggestion[] {
  const asking = record.filter((one) => effectOn(one, policy) === "ask");
  const places = new Map<string, Set<string>>();
  const add = (part: CommandPart, from?: string): void => {
    const pattern = commandClass(part, policy.roots);
    if (pattern === undefined) return;
    const files = places.get(pattern) ?? new Set();
    places.set(pattern, from === undefined ? files : files.add(from));
  };
  for (const { argv, from } of project)
    for (const part of uncovered({ command: argv, cwd: policy.roots[0] ?? "/" }, policy)) add(part, from);
  for (const one of asking)
    if (one.answer === "allowed") for (const part of uncovered(one, policy)) add(part);
  return [...places]
    .flatMap(([command, from]) => suggestion(command, [...from], asking, policy))
    .toSorted((one, other) => other.saved - one.saved)
    .slice(0, MAX_SUGGESTIONS);
}

function suggestion(
  command: string,
  from: readonly string[],
  asking: readonly RecordedCommand[],
  policy: Policy,
): readonly RuleSuggestion[] {
  const rule = { allow: "execute", command, width: "subcommand" } as const;
  const withRule = { ...policy, rules: [...policy.rules, rule] };
  const [program = ""] = command.split(" ");
  const passed = asking.filter((one) => textOf(one).includes(program) && effectOn(one, withRule) === "allow");
  const allowed = passed.filter(({ answer }) => answer === "allowed");
  if (passed.some(({ answer }) => answer === "refused")) return [];
  if (from.length === 0 && allowed.length < MIN_ALLOWED) return [];
  const saves = [...new Set(allowed.map(textOf))];
  const alsoLets = [...new Set(passed.map(textOf))].filter((text) => !saves.includes(text));
  // A command that ran in the sandbox, or in a mode that asks less, was no question.
  const saved = passed.filter(({ answer }) => answer !== undefined).length;
  return [{ rule, from, saved, allowed: allowed.length, saves, alsoLets }];
}

const textOf = ({ command }: RecordedCommand): string =>
  typeof command === "string" ? command : command.join(" ");

/** The command as our terminal would run it here. The disk is not read. */
const planned = ({ command, cwd }: RecordedCommand) =>
  plannedCommand({ command, cwd, executor: { language: "bash", forced: FORCED_GIT_SETTINGS } });

const effectOn = (one: RecordedCommand, policy: Policy) => decide(planned(one), policy).effect;

/** The parts that no rule covers yet. */
function uncovered(one: RecordedCommand, policy: Policy): readonly CommandPart[] {
  return partsOf(planned(one), policy).parts.flatMap((part) => {
    if (part.type !== "command" || isHarmless(part, policy)) return [];
    const alone = decide(plannedCommand({ ...planned(one), command: part.argv }), policy);
    return alone.effect === "ask" ? [part] : [];
  });
}
