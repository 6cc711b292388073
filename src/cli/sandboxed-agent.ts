/** Another agent in the sandbox, under the rules of its folder: `toolgate run --agent … --sandbox`. */
import { homedir } from "node:os";
import { oneLine } from "../call/index.js";
import { ruleGuards } from "../policy/contained/rule-guards.js";
import { plannedCommand } from "../policy/intent.js";
import { decide } from "../policy/index.js";
import { ruleParts } from "../policy/rule.js";
import { enterAgent } from "../tools/sandbox/enter-agent.js";
import type { OpenedAgent } from "./open-agent.js";
import { note } from "./stderr.js";

export type SandboxedAgent = {
  readonly argv: readonly [string, ...string[]];
  leave(): Promise<void>;
};

/** Reports on stderr which hosts were refused, once each, and what was held back. */
export async function sandboxedAgent(
  argv: readonly [string, ...string[]],
  folder: string,
  { rulesIn, own }: Pick<OpenedAgent, "rulesIn" | "own">,
): Promise<SandboxedAgent> {
  const places = { roots: [folder], home: homedir() };
  const denials = rulesIn(folder).filter((rule) => "deny" in rule);
  const intent = plannedCommand({ command: argv, cwd: folder });
  const refused = new Set<string>();
  const entered = await enterAgent(argv, {
    roots: [folder],
    cwd: folder,
    own,
    guards: ruleGuards(denials.map(ruleParts), intent, places).guards,
    // Rules alone: a mode that allows everything opens no host.
    allows: (url) =>
      decide(fetching(url, folder), { ...places, rules: rulesIn(folder), now: Date.now() }).effect ===
      "allow",
    onRefused: (host) => {
      if (refused.has(host)) return;
      refused.add(host);
      note(refusedText(host));
    },
  });
  return {
    argv: entered.argv,
    async leave() {
      for (const { text } of await entered.leave()) note(text);
    },
  };
}

const fetching = (url: string, cwd: string) => ({
  tool: "fetch",
  kind: "fetch" as const,
  input: {},
  cwd,
  paths: [],
  hosts: [url],
  baseHashes: {},
});

function refusedText(given: string): string {
  const host = oneLine(given, 200);
  return `The sandbox refused ${host} to the agent. To allow it: toolgate rules add '${JSON.stringify({ allow: "fetch", host })}'`;
}
