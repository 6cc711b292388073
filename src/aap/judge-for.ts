/**
 * How the calls of a session are judged: the agent's rules first; then a tool that the app trusts, and
 * that the server's owner lets it trust, runs at once. All else is asked, whatever a rule would allow: an
 * app that did not say "trust" expects to be asked.
 */
import { homedir } from "node:os";
import type { Agent } from "../agent/index.js";
import { decide } from "../policy/index.js";
import type { Intent, Rule, Verdict } from "../policy/index.js";
import type { Tool } from "../tools/index.js";
import type { SessionConfig } from "./session-config.js";

const TRUSTABLE_KINDS: ReadonlySet<string> = new Set(["read", "search", "think"]);

export const isTrustable = ({ kind }: Tool): boolean => TRUSTABLE_KINDS.has(kind);

export function judgeFor(
  { agent: { tools: refs } }: SessionConfig,
  agent: Agent,
  trustable: (tool: Tool) => boolean,
  { root, sessionId }: { readonly root: string; readonly sessionId: string },
): (intent: Intent) => Verdict {
  const tools = new Map(agent.tools.map((tool) => [tool.name, tool]));
  const trusted = new Set(refs.filter(({ trust }) => trust).map(({ name }) => name));
  return (intent) => {
    const tool = tools.get(intent.tool);
    const isTrusted = tool !== undefined && trusted.has(intent.tool) && trustable(tool);
    // Trust is a rule that allows the tool: what rules forbid, and what is in doubt, it does not open.
    const policy = agent.policy({ root, sessionId });
    const rules: readonly Rule[] = isTrusted ? [...policy.rules, { allow: intent.tool }] : policy.rules;
    const verdict = decide(intent, { ...policy, rules, roots: [root], home: homedir(), now: Date.now() });
    if (verdict.effect === "allow") {
      return isTrusted
        ? { ...verdict, rule: `the app trusts ${intent.tool}` }
        : { effect: "ask", saw: verdict.saw };
    }
    return verdict;
  };
}
