/**
 * The commands of sessions that run now, read from the ledger and from this machine's processes. A command counts
 * wherever it was started: by this process or another one, by a call that runs or one that has ended. No event
 * reports its end: the process itself is looked at.
 */
import { allSessions, readAll } from "../call/index.js";
import type { CallProcess, Ledger, SessionBook, ToolCall } from "../call/index.js";
import { bookOfLog } from "../call/ledger.js";
import { endLeftCommand, runsHere } from "../tools/left-command.js";

export type RunningCommand = {
  readonly sessionId: string;
  readonly toolCallId: string;
  readonly title: string;
  /** The call has ended: the command runs in the background. */
  readonly isBackground: boolean;
  readonly pid: number;
  readonly startedAt: number;
  readonly cwd?: string;
};

/** `sessionId`: only those of this session. `book`: the session, where it is folded already. */
export async function runningCommands(
  ledger: Ledger,
  { sessionId, book }: { readonly sessionId?: string; readonly book?: SessionBook } = {},
): Promise<readonly RunningCommand[]> {
  if (book) return commandsOf(ledger, book.sessionId, book);
  if (sessionId !== undefined) return commandsOf(ledger, sessionId);
  const found: RunningCommand[] = [];
  for await (const session of allSessions(ledger))
    found.push(...(await commandsOf(ledger, session.sessionId)));
  return found;
}

async function commandsOf(
  ledger: Ledger,
  sessionId: string,
  folded?: SessionBook,
): Promise<readonly RunningCommand[]> {
  const started = await startedIn(ledger, sessionId);
  const alive = started.filter(({ process }) => runsHere(process));
  if (alive.length === 0) return [];
  const book = folded ?? (await readBook(ledger, sessionId));
  const { cwd } = book.info;
  return alive.map(({ toolCallId, process: { pid, startedAt } }) => {
    const call = book.call(toolCallId);
    return {
      sessionId,
      toolCallId,
      title: call?.title ?? "",
      isBackground: call?.times.ended !== undefined,
      pid,
      startedAt,
      ...(cwd !== undefined && { cwd }),
    };
  });
}

async function readBook(ledger: Ledger, sessionId: string): Promise<SessionBook> {
  return bookOfLog(sessionId, await readAll(ledger, sessionId));
}

export type StoppedCommand = {
  readonly process: CallProcess;
  readonly outcome: Awaited<ReturnType<typeof endLeftCommand>>;
};

/** Ends the commands of a call, with all that they started. */
export async function stopCommands(
  ledger: Ledger,
  sessionId: string,
  toolCallId: string,
): Promise<readonly StoppedCommand[]> {
  const started = await startedIn(ledger, sessionId);
  return Promise.all(
    started
      .filter((one) => one.toolCallId === toolCallId)
      .map(async ({ process }) => ({ process, outcome: await endLeftCommand(process) })),
  );
}

type Started = { readonly toolCallId: string; readonly process: CallProcess };

async function startedIn(ledger: Ledger, sessionId: string): Promise<readonly Started[]> {
  const events = await readAll(ledger, sessionId, { type: "process-started" });
  return events.flatMap(({ event }) => (event.type === "process-started" ? [event] : []));
}

/** Ends the background commands that a killed process of ours left: they belong to the session that is opened again. */
export async function endLeftBackground(ledger: Ledger, book: SessionBook): Promise<void> {
  const left = [...book.calls()].filter(
    ({ rawInput, times }) => times.ended !== undefined && isBackgroundInput(rawInput),
  );
  if (left.length === 0) return;
  const ids = new Set(left.map(({ toolCallId }) => toolCallId));
  const started = await startedIn(ledger, book.sessionId);
  await Promise.all(
    started.filter(({ toolCallId }) => ids.has(toolCallId)).map(({ process }) => endLeftCommand(process)),
  );
}

const isBackgroundInput = (input: unknown): boolean =>
  typeof input === "object" && input !== null && "background" in input && input.background === true;

/** Whether the command of a call of ours went on in the background when the call ended. */
export const wentOn = ({ rawInput, state, content }: ToolCall): boolean =>
  state.status === "done" &&
  isBackgroundInput(rawInput) &&
  content.some((item) => item.type === "terminal" && item.output !== undefined && !item.exit);
