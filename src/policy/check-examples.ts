/**
 * Tries a rule's examples on the rule: commands that it must and must not match. An allowing rule matches a command that
 * it alone would allow, including its flags; an asking or denying rule matches a command if it covers any part of it.
 */
import { oneLine } from "../call/index.js";
import { decide } from "./decide.js";
import { FORCED_GIT_SETTINGS } from "./forced-git-settings.js";
import { plannedCommand } from "./intent.js";
import { namesCommand } from "./match-command.js";
import { ruleParts } from "./rule.js";
import type { Rule } from "./rule.js";
import { readShell } from "./shell/read-shell.js";

/** The problem of the first example that fails, with the rule and the example. */
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

/** Decides with this rule alone and a default of deny, so that only this rule can allow the command. */
function matches(rule: Rule, example: string): boolean {
  if ("deny" in rule)
    return readShell(example).commands.some(({ argv }) => namesCommand(rule.command ?? [], argv));
  // Examples ignore the date.
  const { until: _, ...timeless } = rule;
  const intent = plannedCommand({
    cwd: FOLDER,
    command: example,
    // The command as our terminal tool runs it, in a repository whose settings name no program.
    executor: { language: "bash", forced: FORCED_GIT_SETTINGS },
  });
  const { effect } = decide(intent, {
    rules: [timeless],
    default: "deny",
    roots: [FOLDER],
    home: "/home/user",
  });
  return effect === ("allow" in rule ? "allow" : "ask");
}

const FOLDER = "/project";
