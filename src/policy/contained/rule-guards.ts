/**
 * The rules that ask or deny, as a sandbox enforces them: a path that nobody may read is hidden there, one that nobody
 * may change is read-only, and there is no host. A rule that no mount can enforce, such as one on a command's words, is
 * returned as `open`: code in the sandbox could do what it names.
 */
import type { Intent } from "../intent.js";
import { fixedWords } from "../match-command.js";
import { touchesBelow } from "../paths/match-path.js";
import { expandHome } from "../places.js";
import type { Roots } from "../places.js";
import { matchName } from "../rule.js";
import type { RuleParts } from "../rule.js";
import { EFFECTS } from "../strict-rules.js";
import { failsInside } from "./needs-outside.js";
import { SHOWN_FOLDERS } from "./shown-folders.js";

/** A path pattern that a contained command may not change; when hidden, not read either. */
export type PathGuard = { readonly pattern: string; readonly isHidden: boolean };

export type RuleGuards = { readonly guards: readonly PathGuard[]; readonly open: readonly RuleParts[] };

export function ruleGuards(rules: readonly RuleParts[], intent: Intent, roots: Roots): RuleGuards {
  const guards: PathGuard[] = [];
  const open: RuleParts[] = [];
  for (const rule of rules) {
    if (rule.effect === "allow" || rule.server !== undefined || !mayMeanCommand(rule, intent)) continue;
    const guard = pathGuard(rule, roots);
    if (guard) guards.push(guard);
    if (!guard && !isWithoutNetwork(rule)) open.push(rule);
  }
  return { guards, open };
}

const mayMeanCommand = ({ pattern, command }: RuleParts, { tool, kind }: Intent): boolean =>
  command !== undefined ||
  EFFECTS.has(pattern) ||
  ["*", "execute", kind].includes(pattern) ||
  matchName(pattern, tool);

const ONLY_CHANGES: ReadonlySet<string> = new Set(["edit", "delete", "move"]);

function pathGuard({ pattern, path, host, command }: RuleParts, roots: Roots): PathGuard | undefined {
  if (path === undefined || host !== undefined || command !== undefined) return undefined;
  const guard = { pattern: expandHome(path, roots), isHidden: !ONLY_CHANGES.has(pattern) };
  return guard.isHidden && isOfSystem(guard.pattern) ? undefined : guard;
}

/** Folders of the system that a contained command can read: a rule that names a place in them is not enforced there. */
const SEEN_FOLDERS = [...SHOWN_FOLDERS, "/proc", "/dev"];

const isOfSystem = (pattern: string): boolean =>
  pattern.startsWith("/") && SEEN_FOLDERS.some((folder) => touchesBelow(pattern, folder));

function isWithoutNetwork({ pattern, path, host, command }: RuleParts): boolean {
  if (path !== undefined) return false;
  if (command !== undefined) return failsInside(fixedWords(command));
  return host !== undefined || pattern === "fetch";
}
