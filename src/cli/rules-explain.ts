/**
 * `toolgate rules explain`: how each word of a command was read, the effects of each part, the rule or the doubt that
 * decides, and the rules that would let it run unasked. Runs nothing.
 */
import { resolve } from "node:path";
import { visibleText } from "../call/index.js";
import { explain } from "../policy/explain.js";
import type { ExplainedPart, Explanation } from "../policy/explain.js";
import { jsonText } from "./json-text.js";
import {
  IN_SANDBOX,
  openOnce,
  outcomeOf,
  readQuestion,
  ruleQuestion,
  rulesToTry,
  withSandbox,
} from "./rule-question.js";

export type RulesExplainFlags = {
  readonly rules?: string;
  readonly cwd?: string;
  readonly ledger?: string;
  readonly json?: boolean;
};

export async function explainRules(words: readonly string[], flags: RulesExplainFlags): Promise<number> {
  const cwd = resolve(flags.cwd ?? process.cwd());
  const { programs, ...inForce } = await rulesToTry(flags.rules, cwd, flags.ledger);
  const asked = ruleQuestion.parse({ ...inForce, cwd, command: words.length === 1 ? words[0] : [...words] });
  const { intent, policy } = await readQuestion(asked, openOnce(), programs);
  const explanation = explain(intent, withSandbox(policy));
  process.stdout.write(
    flags.json
      ? `${jsonText(asJson(explanation))}\n`
      : visibleText(asText(explanation), { keepNewlines: true }),
  );
  return 0;
}

/** The explanation of one command line, as text. */
export async function explanationText(command: string, cwd: string): Promise<string> {
  const { programs, ...inForce } = await rulesToTry(undefined, cwd);
  const asked = ruleQuestion.parse({ ...inForce, cwd, command });
  const { intent, policy } = await readQuestion(asked, openOnce(), programs);
  const explanation = explain(intent, withSandbox(policy));
  return visibleText(asText(explanation), { keepNewlines: true });
}

function asJson({ verdict, parts, doubts, wouldAllow }: Explanation) {
  const { rule, reason } = verdict;
  return {
    decision: outcomeOf(verdict),
    rule: rule ?? null,
    reason: reason ?? null,
    parts,
    doubts,
    wouldAllow: wouldAllow ?? null,
  };
}

function asText({ verdict, parts, doubts, wouldAllow }: Explanation): string {
  const { rule, reason } = verdict;
  const outcome = outcomeOf(verdict);
  const by = rule === undefined ? "" : `  rule: ${rule}\n`;
  const why = reason === undefined ? "" : `  because: ${reason}\n`;
  const about = doubts.length === 0 ? "" : `about the whole:\n${lines(doubts)}`;
  const where = verdict.contained ? `  ${IN_SANDBOX}\n` : "";
  return `${outcome}\n${where}${by}${why}${parts.map(partText).join("")}${about}${wayText(verdict.effect, wouldAllow)}`;
}

function partText({ words, effects, rules, needsNoRule, doubts }: ExplainedPart, index: number): string {
  const widest = Math.min(MAX_COLUMN, Math.max(...words.map(({ word }) => word.length)));
  const table = words.map(({ word, meaning }) => `${word.padEnd(widest)}  ${meaning}`);
  const covered = needsNoRule ? ["none needed"] : rules.length === 0 ? ["no rule covers it"] : rules;
  return [
    `part ${index + 1}: ${words.map(({ word }) => word).join(" ")}\n${lines(table)}`,
    effects.length === 0 ? "" : `  effects:\n${lines(effects, "    ")}`,
    `  rules:\n${lines(covered, "    ")}`,
    doubts.length === 0 ? "" : `  no wide rule covers it, because:\n${lines(doubts, "    ")}`,
  ].join("");
}

function wayText(effect: string, rules: Explanation["wouldAllow"]): string {
  if (effect !== "ask") return "";
  if (!rules) return "No rule lets this run unasked; answer the question, or write it in another way.\n";
  const adds = rules.map((rule) => `toolgate rules add ${quoted(JSON.stringify(rule))}`);
  return `runs unasked with:\n${lines(adds)}`;
}

const MAX_COLUMN = 40;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const lines = (texts: readonly string[], indent = "  "): string =>
  texts.map((text) => `${indent}${text}\n`).join("");
