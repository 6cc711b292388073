/**
 * Ends what an earlier process left. Waiting calls still wait and cleared ones go on; what had not been submitted is
 * cancelled; what was running is unknown: it may or may not have happened, and is never run again by itself. A command
 * of such a call that may still run is named, with the way to end it; one in the background is ended.
 */
import { readAll } from "../call/index.js";
import type { CallProcess, SessionEvent, ToolCall } from "../call/index.js";
import type { SessionRecord } from "../record/index.js";
import { endLeftBackground } from "./running-commands.js";
import { mayStillRun, processText } from "../tools/left-command.js";

export async function recoveryEvents(
  record: SessionRecord,
  now: () => number,
): Promise<readonly SessionEvent[]> {
  await endLeftBackground(record.ledger, record.book);
  const open = record.book.openCalls();
  const left = open.some(({ state }) => state.status === "running") ? await leftCommands(record) : new Map();
  return open.flatMap((call) => endOf(call, left.get(call.toolCallId) ?? [], now()));
}

function endOf(
  { toolCallId, state }: ToolCall,
  left: readonly CallProcess[],
  at: number,
): readonly SessionEvent[] {
  switch (state.status) {
    case "drafting":
    case "ready":
      return [{ type: "call-cancelled", toolCallId, at, reason: "the process ended before it was checked." }];
    case "running": {
      const may = left.length === 0 ? "" : ` ${leftSentence(toolCallId, left)}`;
      return [
        { type: "call-unknown", toolCallId, at, reason: `the process ended while it was running.${may}` },
      ];
    }
    default:
      return [];
  }
}

function leftSentence(toolCallId: string, left: readonly CallProcess[]): string {
  return `Its command may still run: ${left.map(processText).join("; ")}. To end it: toolgate stop ${toolCallId}`;
}

/** The commands of running calls that may still run, by their calls. */
async function leftCommands({
  ledger,
  sessionId,
  book,
}: SessionRecord): Promise<ReadonlyMap<string, readonly CallProcess[]>> {
  const started = await readAll(ledger, sessionId, { type: "process-started" });
  const left = new Map<string, readonly CallProcess[]>();
  await Promise.all(
    started.map(async ({ event }) => {
      if (event.type !== "process-started" || book.call(event.toolCallId)?.state.status !== "running") return;
      if (!(await mayStillRun(event.process))) return;
      left.set(event.toolCallId, [...(left.get(event.toolCallId) ?? []), event.process]);
    }),
  );
  return left;
}
