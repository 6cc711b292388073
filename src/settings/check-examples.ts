/**
 * A rule's examples, tried on the rule: commands that it must and must not match. An allowing rule must
 * cover every command in the text, which may hold no doubt and write no file by a redirect; an asking or
 * denying one matches when it names any of them.
 */
import { oneLine } from "../call/index.js";
import type { Rule } from "../policy/index.js";
import { allowsCommand, namesCommand } from "../policy/match-command.js";
import { ruleParts } from "../policy/rule.js";
import { readShell } from "../policy/shell/read-shell.js";

/** What is wrong with the first example that fails, naming rule and example. */
export function checkExamples(rule: Rule): string | undefined {
  const { match = [], notMatch = [] } = rule.examples ?? {};
  const shown = oneLine(ruleParts(rule).name, 120);
  if (match.length + notMatch.length === 0) return undefined;
  if (rule.command === undefined)
    return `the rule "${shown}" has examples, which are commands, but no "command"`;
  const missed = match.find((example) => !matches(rule, example));
  if (missed !== undefined)
    return `the rule "${shown}" does not match "${oneLine(missed, 120)}", its example of a match`;
  const caught = notMatch.find((example) => matches(rule, example));
  if (caught === undefined) return undefined;
  return `the rule "${shown}" matches "${oneLine(caught, 120)}", its example of what it must not match`;
}

function matches(rule: Rule, example: string): boolean {
  const { command = [] } = rule;
  const { commands, doubts } = readShell(example);
  if (!("allow" in rule)) return commands.some(({ argv }) => namesCommand(command, argv));
  const isCovered = commands.every(({ argv, writes }) => writes.length === 0 && allowsCommand(command, argv));
  return doubts.length === 0 && commands.length > 0 && isCovered;
}
