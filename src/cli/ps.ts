/** `toolgate ps`: the commands of agents that run now. */
import { oneLine, visibleText } from "../call/index.js";
import type { Ledger } from "../call/index.js";
import { redact } from "../history/index.js";
import { runningCommands, stopCommands } from "../run/running-commands.js";
import type { RunningCommand, StoppedCommand } from "../run/running-commands.js";
import { processText } from "../tools/left-command.js";
import { isNothingYet, withLedger } from "./history.js";
import type { HistoryFlags } from "./history.js";
import { jsonText } from "./json-text.js";
import type { PageSession } from "./page-session.js";
import { readRedaction } from "./redaction.js";
import { shortId } from "./short-id.js";
import { shownFolder } from "./shown-folder.js";
import { durationText } from "../view/index.js";

export async function ps(flags: HistoryFlags): Promise<number> {
  const found = isNothingYet(flags) ? [] : await withLedger(flags, (ledger) => shownCommands(ledger));
  const text = flags.json ? jsonText({ commands: found }) : commandTable(found);
  process.stdout.write(`${text}\n`);
  return 0;
}

/** For a slash command: the commands of one session, whose id and folder are known there. */
export async function psText(ledger: Ledger, sessionId: string): Promise<string> {
  return commandTable(await shownCommands(ledger, sessionId), { isOneSession: true });
}

/** The same at a server, which redacts them. */
export const pagePsText = async (page: PageSession): Promise<string> =>
  commandTable(await page.commands(), { isOneSession: true });

const NAME_A_CALL = "Name the call whose command is to end, as /ps shows it. Nothing was ended.";

/** For a slash command. */
export async function pageStopText(page: PageSession, toolCallId: string): Promise<string> {
  if (toolCallId === "") return NAME_A_CALL;
  const stopped = await page.stop(toolCallId);
  return stoppedText(
    toolCallId,
    stopped.map(({ outcome, ...process }) => ({ process, outcome })),
  );
}

/** For a slash command. */
export async function stopText(ledger: Ledger, sessionId: string, toolCallId: string): Promise<string> {
  if (toolCallId === "") return NAME_A_CALL;
  return stoppedText(toolCallId, await stopCommands(ledger, sessionId, toolCallId));
}

async function shownCommands(ledger: Ledger, sessionId?: string): Promise<readonly RunningCommand[]> {
  const { patterns } = readRedaction();
  const found = await runningCommands(ledger, sessionId === undefined ? {} : { sessionId });
  return found.map((one) => ({ ...one, title: redact(one.title, patterns) }));
}

const MAX_TITLE_LENGTH = 74;

/** Two lines each: the call, its session, process and how long it has run, and below them the command. */
function commandTable(found: readonly RunningCommand[], { isOneSession = false } = {}): string {
  if (found.length === 0) return "No command is running.";
  return found
    .map(({ sessionId, toolCallId, pid, startedAt, isBackground, cwd, title }) =>
      [
        [
          visibleText(toolCallId),
          ...(isOneSession ? [] : [visibleText(shortId(sessionId))]),
          `pid ${pid}`,
          `for ${durationText(startedAt, Math.max(startedAt, Date.now())) ?? "0 s"}`,
          ...(isBackground ? ["in the background"] : []),
          ...(cwd === undefined || isOneSession ? [] : [`in ${visibleText(shownFolder(cwd))}`]),
        ].join("  "),
        `    ${oneLine(title, MAX_TITLE_LENGTH)}`,
      ].join("\n"),
    )
    .join("\n");
}

type Stopped = {
  readonly process: Parameters<typeof processText>[0];
  readonly outcome: StoppedCommand["outcome"];
};

export function stoppedText(toolCallId: string, stopped: readonly Stopped[]): string {
  if (stopped.length === 0)
    return `${visibleText(toolCallId)} has started no command in this session. Nothing was ended.`;
  return stopped.map(({ process, outcome }) => OUTCOME[outcome](processText(process))).join("\n");
}

const OUTCOME = {
  ended: (text: string) => `Ended: ${text}`,
  "was-gone": (text: string) => `Already ended: ${text}`,
  "out-of-reach": (text: string) =>
    `Not ended: ${text}. The process is on another machine, in another container or of another user, or this system cannot distinguish it from a later process. End it there.`,
} as const;
