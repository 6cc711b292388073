/** Waits a moment for the end of a call that was just answered, so that it is shown before the next question. */
import { isOver } from "../call/index.js";
import type { ShownSession } from "./live-text.js";

/** A person needs as long before the next answer counts. */
const MAX_RUN_MS = 500;
/** A refusal is recorded at once, unless the machine is very busy. */
const MAX_WAIT_MS = 5_000;

export function untilEnded(
  session: Pick<ShownSession, "book" | "onRecorded">,
  toolCallId: string,
): Promise<void> {
  const status = () => session.book.call(toolCallId)?.state;
  const isAtEnd = (): boolean => {
    const state = status();
    return !state || isOver(state);
  };
  if (isAtEnd()) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      stop();
      clearTimeout(timer);
      resolve();
    };
    let hasStarted = false;
    let timer = setTimeout(end, MAX_WAIT_MS);
    const check = (): void => {
      if (isAtEnd()) return end();
      if (hasStarted || status()?.status !== "running") return;
      hasStarted = true;
      clearTimeout(timer);
      timer = setTimeout(end, MAX_RUN_MS);
    };
    const stop = session.onRecorded(check);
    check();
  });
}
