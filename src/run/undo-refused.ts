/**
 * Why a call, or a hunk of it, cannot be undone. `isNothing`: none of its changes can be put back, or none is left; that
 * is no reason to leave older calls as they are.
 */
export class UndoRefused extends Error {
  readonly code = "UNDO_REFUSED";
  readonly isNothing: boolean;
  /** Why, without the call: for a place that names it. */
  readonly reason: string;

  constructor(toolCallId: string, reason: string, { isNothing = false } = {}) {
    super(`Call ${toolCallId} cannot be undone: ${reason}. No file was touched.`);
    this.name = "UndoRefused";
    this.isNothing = isNothing;
    this.reason = reason;
  }
}
