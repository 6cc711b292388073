/**
 * How the calls of a session are judged: the agent's rules first; then a tool that the app trusts, and
 * that the server's owner lets it trust, runs at once. All else is asked, whatever a rule would allow: an
 * app that did not say "trust" expects to be asked.
 */
import type { Agent } from "../agent/index.js";
import { decide } from "../policy/index.js";
import type { Intent, Verdict } from "../policy/index.js";
import type { Tool } from "../tools/index.js";
import type { SessionConfig } from "./session-config.js";

const TRUSTABLE_KINDS: ReadonlySet<string> = new Set(["read", "search", "think"]);

export const isTrustable = ({ kind }: Tool): boolean => TRUSTABLE_KINDS.has(kind);

export function judgeFor(
  { agent: { tools: refs } }: SessionConfig,
  agent: Agent,
  trustable: (tool: Tool) => boolean,
): (intent: Intent) => Verdict {
  const tools = new Map(agent.tools.map((tool) => [tool.name, tool]));
  const trusted = new Set(refs.filter(({ trust }) => trust).map(({ name }) => name));
  return (intent) => {
    const verdict = decide(intent, agent.rules);
    const ruleStops = verdict.rule !== undefined && verdict.effect !== "allow";
    if (ruleStops) return verdict;
    const tool = tools.get(intent.tool);
    if (!tool || !trusted.has(intent.tool) || !trustable(tool)) return { effect: "ask" };
    return { effect: "allow", rule: `the app trusts ${intent.tool}` };
  };
}
