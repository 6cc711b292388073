/**
 * Whether a command that would be asked about may run unasked in a sandbox instead, and what the sandbox must guard for
 * that. Only a command that is asked about because of what it runs: a rule that asks still asks, and so does a rule that
 * the sandbox cannot enforce.
 */
import { visibleText } from "../../call/index.js";
import type { CommandPart } from "../part.js";
import type { RuleParts } from "../rule.js";
import { meets } from "../strict-rules.js";
import { changesWorkspace, isContainable, questionCauses, serverLogs } from "./question-causes.js";
import type { Caused, QuestionCause } from "./question-causes.js";
import { ruleGuards } from "./rule-guards.js";
import type { PathGuard } from "./rule-guards.js";

export type Containment = {
  /** Paths of the rules that ask or deny. */
  readonly guards: readonly PathGuard[];
  /** Processes that the command leaves go on in the sandbox, which shows it the workspace read-only. */
  readonly stays?: true;
  /** Files of the workspace that such processes put their output into. */
  readonly logs?: readonly string[];
  /** The command requests a port of this machine at which nobody listens. */
  readonly reachesNobody?: true;
};

export type Contained =
  | { readonly ok: true; readonly containment: Containment }
  | { readonly ok: false; readonly causes: readonly (QuestionCause | RuleCause)[] };

type RuleCause = { readonly type: "rule"; readonly text: string };

export type ContainedOptions = {
  /** Why a command may do more than its known effects; undefined when it cannot. */
  readonly unknownEffects: (part: CommandPart) => string | undefined;
};

export function containment(caused: Caused, { unknownEffects }: ContainedOptions): Contained {
  const { intent, policy, parts, rules } = caused;
  const { guards, open } = ruleGuards(rules, intent, policy);
  const met = rules.flatMap((rule) => {
    if (rule.effect === "allow") return [];
    const isOpen = open.includes(rule);
    const isMet = parts.some((part) => {
      const one = meets(rule, part, intent, policy);
      if (one === true || (one !== undefined && isOpen)) return true;
      return isOpen && part.type === "command" && unknownEffects(part) !== undefined;
    });
    return isMet ? [ruleCause(rule)] : [];
  });
  const own = questionCauses(caused);
  const stays = intent.background === true || own.some(({ type }) => type === "stays");
  const causes = [
    ...(stays ? stayingCauses(caused) : []),
    ...met,
    ...own.filter((cause) => !isContainable(cause)),
  ];
  if (causes.length > 0) return { ok: false, causes };
  const logs = stays ? parts.flatMap((part) => serverLogs(part, policy)) : [];
  const reachesNobody =
    !stays && policy.staying?.isRunning !== true && own.some(({ type }) => type === "joins");
  return {
    ok: true,
    containment: {
      guards,
      ...(stays && { stays }),
      ...(logs.length > 0 && { logs }),
      ...(reachesNobody && { reachesNobody }),
    },
  };
}

/** The changes of a command that goes on could not be undone, so it can make none. */
function stayingCauses({ policy, parts }: Caused): readonly RuleCause[] {
  if (!policy.staying) return [{ type: "rule", text: "it goes on after its call, and cannot be undone" }];
  return parts.some((part) => changesWorkspace(part, policy))
    ? [{ type: "rule", text: "it goes on after its call, and changes files of the workspace" }]
    : [];
}

const ruleCause = ({ name }: RuleParts): RuleCause => ({
  type: "rule",
  text: `no sandbox enforces the rule ${visibleText(name)}`,
});
