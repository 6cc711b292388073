/**
 * Why a command is decided on as it is: each part with its words, effects, covering rule or objections, and the
 * narrowest rules that would let it run unasked. `decide` alone decides; this shows what it saw.
 */
import { visibleText } from "../call/index.js";
import { covers, isFileRule, isInForce } from "./allow-rules.js";
import { accessRules } from "./allow-verdict.js";
import { decide } from "./decide.js";
import { whyNoGitRead } from "./effect-doubts.js";
import type { Policy } from "./policy.js";
import type { Verdict } from "./verdict.js";
import { commandClass } from "./grants/command-class.js";
import type { Intent } from "./intent.js";
import { partsOf } from "./parts-of.js";
import type { CommandPart, Touch } from "./part.js";
import { isProtected } from "./paths/protected-paths.js";
import { isHarmless, isInside } from "./places.js";
import { explainWords } from "./programs/explain-words.js";
import type { ExplainedWord } from "./programs/explain-words.js";
import { namedActs } from "./programs/named-acts.js";
import { ruleParts } from "./rule.js";
import type { Rule, RuleParts } from "./rule.js";

export type ExplainedPart = {
  readonly words: readonly ExplainedWord[];
  readonly effects: readonly string[];
  /** The words of the command's redirects that name files. */
  readonly redirects: readonly string[];
  /** The allowing rules that cover it. */
  readonly rules: readonly string[];
  /** The part needs no rule: it only goes to a folder of the workspace. */
  readonly needsNoRule: boolean;
  /** Why a wide rule does not cover it. */
  readonly doubts: readonly string[];
};

export type Explanation = {
  readonly verdict: Verdict;
  readonly parts: readonly ExplainedPart[];
  /** Doubts about the whole text, and about places that it touches. */
  readonly doubts: readonly string[];
  /** Rules that together would let it run unasked; undefined when it does already, or when none would. */
  readonly wouldAllow?: readonly Rule[];
};

export function explain(intent: Intent, policy: Policy): Explanation {
  const verdict = decide(intent, policy);
  const { parts } = partsOf(intent, policy);
  const commands = parts.filter((part) => part.type === "command");
  const allowing = policy.rules.map(ruleParts).filter((rule) => isInForce(rule, policy));
  const explained = commands.map((part) => {
    const rules = coveringRules(part, allowing, intent, policy).map(({ name }) => name);
    return {
      words: explainWords(part.argv, policy.programs),
      effects: effectsOf(part, policy),
      redirects: [...new Set([...part.read.writes, ...part.read.reads])],
      rules,
      needsNoRule: isHarmless(part, policy),
      doubts: [
        ...part.judgement.doubts,
        ...namedActs(part.judgement).map(
          ({ does, word }) => `it ${does}, which only a rule with "${word}" in it allows`,
        ),
        ...(rules.length === 0 ? whyNoGitRead(part, intent) : []),
      ],
    };
  });
  const wouldAllow = verdict.effect === "ask" ? rulesThatAllow(intent, policy, commands) : undefined;
  return {
    verdict,
    parts: explained,
    doubts: verdict.saw.filter((text) => !isShownBelow(text, explained)),
    ...(wouldAllow && { wouldAllow }),
  };
}

const isShownBelow = (text: string, parts: readonly ExplainedPart[]): boolean =>
  text.startsWith("command: ") ||
  parts.some(({ doubts }) => doubts.some((doubt) => visibleText(doubt) === text));

/** The rules for the command, or those for each of its file accesses. */
function coveringRules(
  part: CommandPart,
  allowing: readonly RuleParts[],
  intent: Intent,
  policy: Policy,
): readonly RuleParts[] {
  const whole = allowing.filter((rule) => covers(rule, part, intent, policy));
  if (whole.length > 0) return whole;
  const [byAccess = []] = accessRules({ parts: [part], intent, policy }, allowing.filter(isFileRule));
  return byAccess;
}

function effectsOf({ judgement, touches, redirects, globs }: CommandPart, policy: Policy): readonly string[] {
  const where = (path: string) => (isInside(path, policy) ? path : `${path} (outside of the workspace)`);
  const urls = judgement.urls.filter((url) => !judgement.sends.includes(url));
  return [
    ...touches.map(
      ({ access, path, below }) => `${ACCESS[access]} ${below === true ? "below " : ""}${where(path)}`,
    ),
    ...redirects.map(({ path }) => `edits ${where(path)} by a redirect`),
    ...globs.map(({ folder }) => `names files below ${where(folder)} by a pattern or a list`),
    ...urls.map((url) => `fetches from ${url === "" ? "a host that no word names" : url}`),
    ...judgement.sends.map((url) => `sends data to ${url === "" ? "a host that no word names" : url}`),
    ...namedActs({ ...judgement, sends: [] }).map(({ does, word }) => `${does} ("${word}")`),
    ...(judgement.runs ? ["runs code of the folder"] : []),
    ...(judgement.isKnown ? [] : ["unknown: nobody described the program"]),
    ...(judgement.onlyReads && redirects.length === 0 ? ["only reads"] : []),
  ].filter((effect, index, all) => all.indexOf(effect) === index);
}

const ACCESS = {
  read: "reads",
  search: "searches",
  write: "edits",
  delete: "deletes",
  move: "moves",
} as const;

/** Tries rules from wide to exact; the first set with which `decide` allows the command. */
function rulesThatAllow(
  intent: Intent,
  policy: Policy,
  commands: readonly CommandPart[],
): readonly Rule[] | undefined {
  const allowing = policy.rules.map(ruleParts).filter((rule) => isInForce(rule, policy));
  const uncovered = commands.filter(
    (part) => !isHarmless(part, policy) && coveringRules(part, allowing, intent, policy).length === 0,
  );
  const places = commands.flatMap(({ touches, redirects }): readonly Rule[] => {
    const outside: readonly Touch[] = touches.filter(({ path }) => !isInside(path, policy));
    return [...redirects, ...outside].map(({ path, access, below }: Touch) => ({
      allow: KIND[access],
      path: below === true ? `${path === "/" ? "" : path}/**` : path,
    }));
  });
  // No suggestion may open a protected file for good.
  const isGuarded = commands.some(({ touches, redirects }) =>
    [...touches, ...redirects].some(
      ({ path, access }) => isProtected(path, { ...policy, own: policy.own ?? [], access }) !== undefined,
    ),
  );
  if (isGuarded) return undefined;
  const wide = uncovered.map((part): Rule => {
    const command = commandClass(part, policy.roots);
    return command === undefined
      ? { allow: "execute", command: part.argv }
      : { allow: "execute", command, width: "subcommand" };
  });
  const exact = uncovered.map(({ argv }) => ({ allow: "execute", command: argv }));
  const sets = [wide, [...wide, ...places], exact, [...exact, ...places]].map(distinct);
  return sets.find(
    (set) => decide(intent, { ...policy, rules: [...policy.rules, ...set] }).effect === "allow",
  );
}

const KIND = { read: "read", search: "read", write: "edit", delete: "delete", move: "move" } as const;

const distinct = (rules: readonly Rule[]): readonly Rule[] => [
  ...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values(),
];
