/** Why a call, or a hunk of it, cannot be undone. */
export class UndoRefused extends Error {
  readonly code = "UNDO_REFUSED";

  constructor(toolCallId: string, reason: string) {
    super(`Call ${toolCallId} cannot be undone: ${reason}. No file was touched.`);
    this.name = "UndoRefused";
  }
}
