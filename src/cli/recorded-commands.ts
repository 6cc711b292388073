/** The shell commands of recent sessions of a folder, with the answers that a person gave, the newest sessions first. */
import { resolve } from "node:path";
import { readAll } from "../call/index.js";
import type { Session, ToolCall } from "../call/index.js";
import { replaySession } from "../history/index.js";
import type { RecordedCommand } from "../policy/suggest-rules.js";
import { shellScript } from "../run/same-act.js";
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
    const recorded = commandOf(call.rawInput, folder);
    if (call.kind !== "execute" || !recorded) return [];
    const answer = answerOf(call);
    return [{ ...recorded, ...(answer && { answer }) }];
  });

function answerOf({ decision, state, times }: ToolCall): RecordedCommand["answer"] {
  if (decision?.by !== "person") return times.asked === undefined ? undefined : "none";
  return state.status === "refused" ? "refused" : "allowed";
}

/** The input of our terminal, and of other agents' calls that name its fields alike or hand the command to a shell. */
function commandOf(input: unknown, folder: string): Omit<RecordedCommand, "answer"> | undefined {
  if (typeof input !== "object" || input === null || !("command" in input)) return undefined;
  const { command } = input;
  const places = ["cwd" in input ? input.cwd : undefined, "workdir" in input ? input.workdir : undefined];
  const cwd = resolve(folder, places.find((place) => typeof place === "string") ?? ".");
  if (typeof command === "string") return { command, cwd };
  if (!Array.isArray(command) || !command.every((word) => typeof word === "string")) return undefined;
  return { command: shellScript(command) ?? command, cwd };
}
