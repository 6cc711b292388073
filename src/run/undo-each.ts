/** Undoes calls in the given order, until one is refused: an older call may have changed the same file. */
import type { Undone } from "./undo-call.js";
import { UndoRefused } from "./undo-refused.js";

export type UndoneEach = {
  readonly undone: readonly (Undone & { readonly toolCallId: string })[];
  /** The call that could not be undone: those after it were not tried. */
  readonly refused?: { readonly toolCallId: string; readonly why: string };
};

export async function undoEach(
  toolCallIds: readonly string[],
  undo: (toolCallId: string) => Promise<Undone>,
): Promise<UndoneEach> {
  const undone: UndoneEach["undone"][number][] = [];
  for (const toolCallId of toolCallIds) {
    try {
      undone.push({ toolCallId, ...(await undo(toolCallId)) });
    } catch (error) {
      if (!(error instanceof UndoRefused)) throw error;
      return { undone, refused: { toolCallId, why: error.message } };
    }
  }
  return { undone };
}
