/**
 * Undoes calls in the given order, until one is refused: an older call may have changed the same file. A call of which
 * nothing can be put back is passed over: each older call still is undone only if its files are as it left them.
 */
import type { Undone } from "./undo-call.js";
import { UndoRefused } from "./undo-refused.js";

export type UndoneEach = {
  readonly undone: readonly (Undone & { readonly toolCallId: string })[];
  /** Calls of which nothing could be put back. */
  readonly skipped: readonly { readonly toolCallId: string; readonly why: string }[];
  /** The call that could not be undone: those after it were not tried. */
  readonly refused?: { readonly toolCallId: string; readonly why: string };
};

export async function undoEach(
  toolCallIds: readonly string[],
  undo: (toolCallId: string) => Promise<Undone>,
): Promise<UndoneEach> {
  const undone: UndoneEach["undone"][number][] = [];
  const skipped: UndoneEach["skipped"][number][] = [];
  for (const toolCallId of toolCallIds) {
    try {
      undone.push({ toolCallId, ...(await undo(toolCallId)) });
    } catch (error) {
      if (!(error instanceof UndoRefused)) throw error;
      const why = error.message;
      if (!error.isNothing) return { undone, skipped, refused: { toolCallId, why } };
      skipped.push({ toolCallId, why });
    }
  }
  return { undone, skipped };
}
