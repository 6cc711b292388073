/**
 * Decides on the calls of a session: the agent's rules first; then a tool that the app trusts runs at once, where the
 * server's owner lets the tool be trusted, or where a rule of the owner's allows the very call. Every other call asks, even
 * where a rule allows it: an app that did not send "trust" expects to be asked. Tools that apps do not see follow the
 * agent's rules alone.
 */
import type { Agent } from "../../agent/index.js";
import { decide } from "../../policy/index.js";
import type { Intent, Rule, Verdict } from "../../policy/index.js";
import { placesOf } from "../../tools/scratch/session-workspace.js";
import type { Tool, Workspace } from "../../tools/index.js";
import type { SessionConfig } from "../sessions/session-config.js";

const TRUSTABLE_KINDS: ReadonlySet<string> = new Set(["read", "search", "think"]);

/** A kind that was only inferred from a name is not trusted. */
export const isTrustable = ({ kind, kindSource }: Tool): boolean =>
  TRUSTABLE_KINDS.has(kind) && kindSource !== "inferred";

export type SessionJudgeOptions = {
  readonly config: SessionConfig;
  readonly agent: Agent;
  /** All tools of the agent, as they are at this moment. */
  readonly tools: () => readonly Tool[];
  readonly trustable: (tool: Tool) => boolean;
  readonly isExposed: (tool: Tool) => boolean;
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly now: () => number;
};

export function sessionJudge(
  options: SessionJudgeOptions,
): (intent: Intent, also?: readonly Rule[]) => Verdict {
  const { config, agent, tools, trustable, isExposed, workspace, sessionId, now } = options;
  const { root } = workspace;
  const trusted = new Set(config.agent.tools.filter(({ trust }) => trust).map(({ name }) => name));
  return (intent, also = []) => {
    const tool = tools().find((one) => isOf(one, intent));
    // The app trusts the name by which the tool is called: a server's tool may be called like one of ours there.
    const isTrustedByApp = tool !== undefined && trusted.has(tool.name);
    const isTrusted = isTrustedByApp && trustable(tool);
    // Trust is a rule that allows the tool: a denial and a doubtful call are stronger.
    const policy = agent.policy({ root, sessionId });
    const trust: readonly Rule[] = isTrusted ? [trustRule(intent)] : [];
    const rules = [...policy.rules, ...also, ...trust];
    const places = placesOf(workspace);
    const isHidden = tool !== undefined && !isExposed(tool);
    const followsRules = isHidden || isTrustedByApp;
    const canContain = places.canContain === true && followsRules;
    const verdict = decide(intent, { ...policy, ...places, canContain, rules, now: now() });
    if (verdict.effect !== "allow") return verdict;
    if (isTrusted) return { ...verdict, rule: `the app trusts ${tool.name}` };
    return followsRules ? verdict : { effect: "ask", saw: verdict.saw };
  };
}

function isOf({ name, origin }: Tool, { tool, server }: Intent): boolean {
  return server === undefined
    ? origin === undefined && name === tool
    : origin?.server === server && origin.tool === tool;
}

const trustRule = ({ tool, server }: Intent): Rule =>
  server === undefined ? { allow: tool } : { allow: tool, server };
