/**
 * Reads a rule file, or returns one sentence with the place, the mistake and what to do. All or nothing: a file with a
 * mistake gives no rules, because the others may depend on the broken one.
 */
import { oneLine } from "../call/index.js";
import type { Rule } from "../policy/index.js";
import { contentMistake } from "../policy/rule-mistake.js";
import { firstIssue } from "./first-issue.js";
import { readJson } from "./read-json.js";
import type { JsonPath } from "./read-json.js";
import { ruleFileFrame, ruleSchema } from "./rules-schema.js";
import type { RuleFile } from "./rules-schema.js";

export type RuleFileReading =
  | { readonly ok: true; readonly file: RuleFile }
  /** `mistake` is the problem without its consequence for the file. */
  | { readonly ok: false; readonly problem: string; readonly mistake: string };

/** `root`: the folder that relative paths start from, for a project's own file. */
export function readRuleFile(text: string, fileName: string, root?: string): RuleFileReading {
  const json = readJson(text);
  if (!json.ok)
    return refused(`${fileName}:${json.line}: ${oneLine(json.what, 200)}. The file must be plain JSON.`);
  const frame = ruleFileFrame.safeParse(json.value);
  if (!frame.success) return refused(`${fileName}:${firstIssue(frame.error, json.lineOf)}`);
  const rules: Rule[] = [];
  // Stop at the first mistake: a file may have a million rules.
  for (const [index, item] of frame.data.rules.entries()) {
    const rule = readRule(item, ["rules", index], { lineOf: json.lineOf, root });
    if ("problem" in rule) return refused(`${fileName}:${rule.problem}`);
    rules.push(rule.rule);
  }
  const { mode } = frame.data;
  return { ok: true, file: { ...(mode !== undefined && { mode }), rules } };
}

function readRule(
  item: unknown,
  at: readonly [list: string, index: number],
  { lineOf, root }: { readonly lineOf: (path: JsonPath) => number; readonly root: string | undefined },
): { readonly rule: Rule } | { readonly problem: string } {
  const parsed = ruleSchema.safeParse(item);
  if (!parsed.success) return { problem: firstIssue(parsed.error, lineOf, at) };
  const rule = root === undefined ? parsed.data : belowRoot(parsed.data, root);
  const mistake = contentMistake(rule);
  if (!mistake) return { rule };
  const line = lineOf([...at, mistake.field]);
  return { problem: `${line}: rule ${at[1] + 1}: ${oneLine(mistake.what, 400)}. ${mistake.toDo}` };
}

/** A root with a wildcard in its name is left out: the rule would cover other folders, too. */
function belowRoot(rule: Rule, root: string): Rule {
  const { path } = rule;
  if (path === undefined || /^(?:\/|~|\*\*(?:\/|$)|[A-Za-z]:|\\)/.test(path) || /[*?]/.test(root))
    return rule;
  return { ...rule, path: `${root.replace(/\/$/, "")}/${path.replace(/^\.\//, "")}` };
}

const refused = (what: string): RuleFileReading => ({
  ok: false,
  mistake: what,
  problem: `${what} No rule of this file was taken.`,
});
