/** The calls of turns that changed files and are not undone, the last one first: the order in which turns are undone. */
import { readAll } from "../call/index.js";
import type { FileChange, Ledger } from "../call/index.js";

/** False for a record of something that cannot be put back, or that is put back with another call. */
export const canPutBack = ({ type }: FileChange): boolean =>
  type !== "beside" && type !== "left" && type !== "not-kept";

export async function keptCallsOf(
  ledger: Ledger,
  sessionId: string,
  turnIds: readonly string[],
): Promise<readonly string[]> {
  const kept = new Set<string>();
  let turn = "";
  for (const { event } of await readAll(ledger, sessionId)) {
    if (event.type === "turn-started" || event.type === "turn-resumed") turn = event.turnId;
    else if (event.type === "file-kept" && event.change.type !== "beside" && turnIds.includes(turn))
      kept.add(event.toolCallId);
    else if (event.type === "call-undone" && !event.hunks) kept.delete(event.toolCallId);
  }
  return [...kept].toReversed();
}
