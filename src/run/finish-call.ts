/** Takes one submitted call to its end: waits for the answer to its questions, and runs it. */
import { setMaxListeners } from "node:events";
import type { ToolCall } from "../call/index.js";
import type { CallRunner } from "./call-runner.js";
import { CANCELLED, Cancelled } from "./running-calls.js";
import type { SessionRecord } from "../record/index.js";

export type FinishOptions = {
  readonly record: SessionRecord;
  readonly runner: CallRunner;
  /** Returns when the question is settled or the signal aborts. */
  readonly untilAnswered: (questionId: string, signal: AbortSignal) => Promise<void>;
  readonly settle: () => Promise<void>;
  readonly cancelCall: (toolCallId: string, reason: string) => Promise<boolean>;
};

/** How often a call may change between the yes and the run before it is given up. */
const MAX_QUESTIONS = 3;

/** Returns the call as it ended; an app's or a sub-agent's may still wait. The signal cancels it. */
export async function finishCall(
  options: FinishOptions,
  toolCallId: string,
  signal: AbortSignal,
): Promise<ToolCall> {
  const { record, untilAnswered, settle, cancelCall } = options;
  // Many calls may be made with one signal; Node takes the eleventh listener for a leak.
  setMaxListeners(0, signal);
  const current = () => record.book.call(toolCallId);
  const questions = new Set<string>();
  for (let call = current(); call; call = current()) {
    if (call.times.ended !== undefined) return call;
    const { state } = call;
    if (signal.aborted && state.status !== "running") {
      await cancelCall(toolCallId, CANCELLED);
    } else if (state.status === "cleared" || state.status === "running") {
      await ran(options, call, signal);
    } else if (state.status === "waiting" && state.waitingFor.type === "question") {
      questions.add(state.waitingFor.questionId);
      if (questions.size > MAX_QUESTIONS) await cancelCall(toolCallId, CHANGED_EACH_TIME);
      else {
        await untilAnswered(state.waitingFor.questionId, signal);
        await settle();
      }
    } else return call;
  }
  throw new Error(`Call ${toolCallId} is not in the record.`);
}

const CHANGED_EACH_TIME = "its action changed each time it was allowed.";

/** Waits until the call no longer runs. A `proceed` may have started it, with its own signal. */
async function ran({ runner }: FinishOptions, call: ToolCall, signal: AbortSignal): Promise<void> {
  const { toolCallId, state } = call;
  const { running } = runner;
  if (state.status === "running" && !running.has(toolCallId))
    throw new Error(`Call ${toolCallId} was started, and how it ended could not be recorded.`);
  const ended = state.status === "cleared" ? runner.start(call, signal) : running.ended(toolCallId);
  const stop = () => void running.stop(toolCallId, new Cancelled(CANCELLED));
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  try {
    await ended;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
