/** The slash commands of `toolgate acp` in an editor's chat. They run without the model. */
import type { Command } from "../acp/index.js";
import { visibleText } from "../call/index.js";
import type { AgentSession } from "../agent/index.js";
import type { AgentFlags } from "./commands/agent-options.js";

export function editorCommands(
  session: AgentSession,
  root: string,
  { ledger }: AgentFlags,
): readonly Command[] {
  const flags = { ...(ledger !== undefined && { ledger }) };
  return [
    {
      name: "rules",
      description: "Rules that allow, ask and deny in this folder; revokes remembered rules",
      hint: "revoke and the id of a remembered rule",
      run: (words) => runRules(words, root, session.sessionId),
    },
    {
      name: "history",
      description: "The calls of this session, with their ids",
      run: async () => {
        const { callTable } = await import("./history.js");
        return asBlock(callTable(session.book.snapshot()).trim() || "No call was made in this session yet.");
      },
    },
    {
      name: "stats",
      description: "How often each tool was called in this folder, and how it ended",
      run: async () => asBlock(await (await import("./stats.js")).folderStatsText(root, flags)),
    },
    {
      name: "undo",
      description: "Restore the files that a call changed",
      hint: "the call's id, as /history shows it, and numbers of hunks",
      run: async (words) => {
        const toolCallId = words === "" ? lastChange(session) : words;
        if (toolCallId === undefined) return "No call of this session changed a file that can be restored.";
        return (await import("./undo.js")).undoByWords(session.gate, toolCallId);
      },
    },
    {
      name: "ps",
      description: "The commands of this session that run, also in the background",
      run: async () => asBlock(await (await import("./ps.js")).psText(session.ledger, session.sessionId)),
    },
    {
      name: "stop",
      description: "End the command of a call",
      hint: "the call's id, as /ps shows it",
      run: async (words) => (await import("./ps.js")).stopText(session.ledger, session.sessionId, words),
    },
    {
      name: "compact",
      description: "Summarize what happened so far, so that the model has room again",
      run: async (_words, signal) => {
        const isDone = await session.compact(signal);
        return isDone
          ? "Summarized. The model continues from the summary; the history keeps everything."
          : "There was nothing to summarize.";
      },
    },
  ];
}

/** `/rules` lists the rules with the ids of the remembered ones, `/rules revoke 4f2a` takes one of those back. */
async function runRules(words: string, root: string, sessionId: string): Promise<string> {
  const { revoked, rulesText } = await import("./rules.js");
  const [word = "", id = "", ...more] = words.split(/\s+/).filter((one) => one !== "");
  if (word === "" || (word === "list" && id === "")) return asBlock(rulesText(root, sessionId));
  if (word !== "revoke" || more.length > 0)
    return `"${visibleText(words)}" is not known here. Nothing was changed. Type /rules, or /rules revoke and an id.`;
  const { text } = await revoked(id);
  return asBlock(text.replace("Try: toolgate rules list", "Type /rules to see what is."));
}

/** Tables keep their columns. */
const asBlock = (text: string): string => `\`\`\`\n${text}\n\`\`\``;

function lastChange({ book }: AgentSession): string | undefined {
  const calls = book.snapshot().timeline.flatMap((entry) => (entry.type === "call" ? [entry.call] : []));
  return calls.findLast(
    ({ kind, state, times }) =>
      ["edit", "move", "delete"].includes(kind) && state.status === "done" && times.undone === undefined,
  )?.toolCallId;
}
