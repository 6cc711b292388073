/** A session that is served to an agent, with a gate of its own in which every call asks `allow`. */
import { MemoryLedger } from "../src/history/index.js";
import type { Intent } from "../src/policy/index.js";
import { intentHash } from "../src/run/decisions.js";
import { SessionRecord } from "../src/record/index.js";
import { Gate } from "../src/run/index.js";
import { Toolbox } from "../src/tools/index.js";
import type { Workspace } from "../src/tools/index.js";
import type { ServedSession } from "../src/acp/client/served-session.js";

export type Allow = (intent: Intent) => Promise<"yes" | { readonly no: string }>;

export const NEVER = new AbortController().signal;

/** `asked`: the intents that were asked about, in order. */
export async function servedSession(
  workspace: Workspace,
  allow: Allow,
): Promise<{ readonly session: ServedSession; readonly asked: Intent[] }> {
  const record = await SessionRecord.open(new MemoryLedger(), "served", { owner: "test" });
  const asked: Intent[] = [];
  const judged = new Map<string, Intent>();
  const gate: Gate = new Gate({
    record,
    toolbox: new Toolbox([]),
    workspace,
    judge: (intent) => {
      judged.set(intentHash(intent), intent);
      return { effect: "ask", saw: [] };
    },
    ask: async (question) => {
      const intent = judged.get(question.intentHash);
      if (!intent) throw new Error("a question about nothing that was judged");
      asked.push(intent);
      const answer = await allow(intent);
      return answer === "yes"
        ? { outcome: { type: "selected", optionId: "allow_once" }, by: "person" }
        : { outcome: { type: "refused" }, by: "person", reason: answer.no };
    },
  });
  const session: ServedSession = {
    agent: "an agent",
    commandLimitMs: 60_000,
    proxied: {
      call: (tool, input, signal) => gate.call({ name: tool.name, input, tool }, signal),
      terminalEnded: async () => undefined,
    },
  };
  return { session, asked };
}
