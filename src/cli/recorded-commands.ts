/** The shell commands of recent sessions of a folder, with the answers that a person gave, the newest sessions first. */
import { readAll } from "../call/index.js";
import type { Session, ToolCall } from "../call/index.js";
import { replaySession } from "../history/index.js";
import type { RecordedCommand } from "../policy/suggest-rules.js";
import { isNothingYet, withArchive, withLedger } from "./history.js";
import type { HistoryFlags } from "./history.js";

const MAX_SESSIONS = 200;
const MAX_COMMANDS = 3_000;

export async function recordedCommands(
  cwd: string,
  since: number,
  flags: HistoryFlags,
): Promise<readonly RecordedCommand[]> {
  if (isNothingYet(flags)) return [];
  const sessionIds: string[] = [];
  await withArchive(flags, async (archive) => {
    const { items } = await archive.sessions({ cwd, limit: MAX_SESSIONS });
    sessionIds.push(...items.filter(({ updatedAt }) => updatedAt >= since).map(({ sessionId }) => sessionId));
  });
  return withLedger(flags, async (ledger) => {
    const commands: RecordedCommand[] = [];
    for (const sessionId of sessionIds) {
      if (commands.length >= MAX_COMMANDS) break;
      const { session } = replaySession(sessionId, await readAll(ledger, sessionId));
      commands.push(...commandsOf(session, cwd, since));
    }
    return commands.slice(0, MAX_COMMANDS);
  });
}

const commandsOf = ({ timeline }: Session, folder: string, since: number): readonly RecordedCommand[] =>
  timeline.flatMap((entry) => {
    if (entry.type !== "call" || entry.call.times.announced < since) return [];
    const { call } = entry;
    const { command, cwd } = commandOf(call.rawInput);
    if (call.kind !== "execute" || command === undefined) return [];
    const answer = answerOf(call);
    return [{ command, cwd: cwd ?? folder, ...(answer && { answer }) }];
  });

function answerOf({ decision, state }: ToolCall): RecordedCommand["answer"] {
  if (decision?.by !== "person") return undefined;
  return state.status === "refused" ? "refused" : "allowed";
}

/** The input of our terminal, and of other agents' calls that have the same fields. */
function commandOf(input: unknown): { readonly command?: string; readonly cwd?: string } {
  if (typeof input !== "object" || input === null || !("command" in input)) return {};
  const { command } = input;
  const cwd =
    "cwd" in input && typeof input.cwd === "string" && input.cwd.startsWith("/") ? input.cwd : undefined;
  return typeof command === "string" ? { command, ...(cwd !== undefined && { cwd }) } : {};
}
