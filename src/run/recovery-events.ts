/**
 * Ends what an earlier process left. Waiting calls still wait and cleared ones go on; what had not been submitted is
 * cancelled; what was running is unknown: it may or may not have happened, and is never run again by itself. A command
 * of such a call that may still run is named, with the way to end it; one in the background is ended.
 */
import { homedir } from "node:os";
import { checkOptions, FUNCTION, having, required } from "../call/check-options.js";
import { readAll } from "../call/index.js";
import type { CallProcess, FileChange, SessionEvent, ToolCall } from "../call/index.js";
import type { Intent } from "../policy/index.js";
import { readingParts } from "../policy/reading-parts.js";
import type { SessionRecord } from "../record/index.js";
import { endLeftBackground } from "./running-commands.js";
import { mayStillRun, processText } from "../tools/left-command.js";

const RECOVERY_ARGUMENTS = {
  record: required(having("a record (SessionRecord.open)", "append", "onRecorded")),
  now: required(FUNCTION),
};

export async function recoveryEvents(
  record: SessionRecord,
  now: () => number,
): Promise<readonly SessionEvent[]> {
  checkOptions("recoveryEvents", { record, now }, RECOVERY_ARGUMENTS);
  await endLeftBackground(record.ledger, record.book);
  const open = record.book.openCalls();
  const wasRunning = open.some(({ state }) => state.status === "running");
  const left = wasRunning ? await leftCommands(record) : new Map();
  const lost = wasRunning ? await lostChanges(record) : new Map();
  return open.flatMap((call) =>
    endOf(call, { left: left.get(call.toolCallId) ?? [], lost: lost.get(call.toolCallId), at: now() }),
  );
}

type Found = {
  readonly left: readonly CallProcess[];
  readonly lost: FileChange | undefined;
  readonly at: number;
};

function endOf({ toolCallId, state }: ToolCall, { left, lost, at }: Found): readonly SessionEvent[] {
  switch (state.status) {
    case "drafting":
    case "ready":
      return [{ type: "call-cancelled", toolCallId, at, reason: "the process ended before it was checked." }];
    case "running": {
      const may = left.length === 0 ? "" : ` ${leftSentence(toolCallId, left)}`;
      return [
        ...(lost ? [{ type: "file-kept", toolCallId, at, change: lost } as const] : []),
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

/** The changes of a command are read when it has ended, and nobody saw that. By running calls whose command may write. */
async function lostChanges({
  ledger,
  sessionId,
  book,
}: SessionRecord): Promise<ReadonlyMap<string, FileChange>> {
  const lost = new Map<string, FileChange>();
  for (const { event } of await readAll(ledger, sessionId, { type: "run-started" })) {
    if (event.type !== "run-started" || book.call(event.toolCallId)?.state.status !== "running") continue;
    // Written by the gate.
    const intent = event.intent as Intent | undefined;
    if (intent?.command === undefined || intent.cwd === undefined) continue;
    if (readingParts(intent, { roots: [intent.cwd], home: homedir() })) continue;
    const reason = "Toolgate was ended while the command ran, so what it changed is not known";
    lost.set(event.toolCallId, { type: "not-kept", path: intent.cwd, reason });
  }
  return lost;
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
