/** Serves a loop of the host as an external agent, with the tools that the app has switched on. */
import { LoopSession } from "../../agent/index.js";
import type { Loop } from "../../agent/index.js";
import type { Rule } from "../../policy/index.js";
import { FlushTimer } from "../../record/index.js";
import type { ExternalAgent } from "./served-agent.js";

export function externalLoop(loop: Loop): ExternalAgent {
  const { name, tools = [], rules = [] } = loop;
  const flushTimer = new FlushTimer();
  return {
    name,
    tools,
    takesImages: true,
    open: ({ tools: chosen, sessionId, ledger, workspace }) => {
      const isTrusted = new Map(chosen.map((tool) => [tool.name, tool.isTrusted]));
      // A tool that the app does not trust asks, even where a rule allows it; trust opens nothing that a rule denies.
      const asked = chosen.map((tool): Rule => (tool.isTrusted ? { allow: tool.name } : { ask: tool.name }));
      return LoopSession.open({
        loop: {
          ...loop,
          tools: tools.filter((tool) => isTrusted.has(tool.name)),
          rules: [...rules, ...asked],
        },
        sessionId,
        ledger,
        workspace,
        flushTimer,
      });
    },
  };
}
