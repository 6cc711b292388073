/**
 * Takes over turns that another instance has left, or whose questions were answered there, where the store names them.
 */
import type { ServerContext } from "../server-context.js";

/** `left`: another process has it, it still waits, or nobody here can run it. `foreign`: another part may know it. */
export type TakeOver = "taken" | "left" | "foreign";

/** Resolves when the turn is over, or when it was not taken. */
export type TakesOver = (sessionId: string) => Promise<TakeOver>;

/**
 * A session that cannot be resumed here is not tried at every look: an answer to any session is a reason to look. Shorter
 * than the second between two looks, since the process that was faster may die at once. By a clock that nobody sets.
 */
const RETRY_MS = 400;

type Options = Pick<ServerContext, "ledger" | "onError"> & {
  /** The first that knows the session decides. */
  readonly parts: readonly TakesOver[];
  readonly onTaken: () => void;
};

export async function takeOverWork(
  { ledger, onError, parts, onTaken }: Options,
  signal: AbortSignal,
): Promise<void> {
  const retryAt = new Map<string, number>();
  const takeOver = async (sessionId: string): Promise<void> => {
    for (const part of parts) {
      const result = await part(sessionId);
      if (result === "taken") {
        // The turn's next question may be answered elsewhere within a moment.
        retryAt.delete(sessionId);
        onTaken();
      }
      if (result !== "foreign") return;
    }
  };
  try {
    for await (const sessionId of ledger.work?.({ signal }) ?? []) {
      const time = performance.now();
      for (const [id, at] of retryAt) if (at <= time) retryAt.delete(id);
      if (retryAt.has(sessionId)) continue;
      retryAt.set(sessionId, time + RETRY_MS);
      void takeOver(sessionId).catch(onError);
    }
  } catch (error) {
    if (!signal.aborted) onError(error);
  }
}
