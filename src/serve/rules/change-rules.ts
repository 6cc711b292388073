/** Tries, adds, revokes and trusts rules. A rule is read as strictly as a rule file. */
import type { z } from "zod";
import { AapProblem } from "../../aap/api/aap-problem.js";
import { visibleText } from "../../call/index.js";
import type { GrantScope, Rule } from "../../policy/index.js";
import { writtenSentence } from "../../policy/grants/grant.js";
import { ruleParts } from "../../policy/rule.js";
import { expiryTime } from "../../run/chosen-grant.js";
import { readRuleFile, ruleWarning, SettingsError } from "../../settings/index.js";
import { builtInTools } from "../../tools/index.js";
import type { AddedRule, newRule, RuleTested, ruleTest, Suggestions } from "../api/rule-bodies.js";
import { commandReading, partVerdictOf } from "../questions/command-reading.js";
import type { ServeContext } from "../server/serve-context.js";
import { projectRulesText } from "./rule-list.js";

export async function testRule(
  { explain }: ServeContext,
  test: z.output<typeof ruleTest> & { readonly folder: string },
): Promise<RuleTested> {
  const explanation = await explain(test);
  const { verdict, wouldAllow = [] } = explanation;
  const { effect, rule, reason, contained } = verdict;
  return {
    verdict: partVerdictOf(effect),
    isContained: contained !== undefined,
    ...(rule !== undefined && { rule: visibleText(rule) }),
    ...(reason !== undefined && { reason: visibleText(reason) }),
    ...(test.command !== undefined && { command: commandReading({ text: test.command }, explanation) }),
    wouldAllow: wouldAllow.map((one) => ({ rule: { ...one }, text: textOf(one) })),
  };
}

export async function addRule(
  { rules, now }: ServeContext,
  { rule: given, scope, expires, isSuggested }: z.output<typeof newRule>,
  folder: string,
): Promise<AddedRule> {
  const [rule] = readRules([given]);
  if (!rule) throw new AapProblem("BAD_REQUEST", "That is not a rule. Nothing was stored.");
  if (expires !== "none" && !("allow" in rule))
    throw new AapProblem("BAD_REQUEST", "Only rules that allow can end. Nothing was stored.");
  const place: GrantScope = scope === "user" ? { type: "user" } : { type: "project", root: folder };
  const { grantId } = await rules.grants.add(
    {
      rules: [rule],
      sentence: writtenSentence([rule]),
      addedBy: isSuggested ? "suggestion" : "person",
    },
    place,
    expires === "none" ? {} : { expiresAt: expiryTime(expires, now()) },
  );
  rules.changed();
  const warning = ruleWarning(
    rule,
    builtInTools.map(({ name }) => name),
  );
  return { grantId, text: textOf(rule), ...(warning !== undefined && { warning }) };
}

/** Rules of a request, read as strictly as a rule file. */
export function readRules(given: readonly object[]): readonly Rule[] {
  const reading = readRuleFile(JSON.stringify({ rules: given }), "the rule");
  if (!reading.ok) throw new AapProblem("BAD_REQUEST", `${reading.mistake} Nothing was stored.`);
  return reading.file.rules;
}

export async function revokeRule({ rules }: ServeContext, grantId: string): Promise<void> {
  if (!(await rules.grants.revoke(grantId)))
    throw new AapProblem("NOT_FOUND", `Nothing is remembered under ${grantId}. Nothing was changed.`);
  rules.changed();
}

export async function trustProject({ rules }: ServeContext, folder: string, sha256: string): Promise<void> {
  const { project } = rules.current(folder);
  if (project && projectRulesText({ file: project.file, sha256 }) === undefined)
    throw new AapProblem(
      "CONFLICT",
      "The project's rules changed since they were shown, or are too long to be shown whole. Nothing was trusted.",
    );
  try {
    await rules.trustProjectRules(folder, sha256);
  } catch (error) {
    if (error instanceof SettingsError) throw new AapProblem("CONFLICT", error.message);
    throw error;
  }
  rules.changed();
}

export async function suggestions(
  { suggest }: ServeContext,
  folder: string,
  days: number,
  idOf: (rule: Rule) => string,
): Promise<Suggestions> {
  const found = await suggest(folder, days);
  return {
    folder,
    days,
    commands: found.commands,
    suggestions: found.suggestions.map(({ rule, from, saved, allowed, saves, alsoLets }) => ({
      id: idOf(rule),
      rule: { ...rule },
      text: textOf(rule),
      from: [...from],
      saved,
      allowed,
      saves: saves.map((text) => visibleText(text)),
      alsoLets: alsoLets.map((text) => visibleText(text)),
    })),
  };
}

const textOf = (rule: Rule): string => visibleText(ruleParts(rule).name);
