/**
 * Commands that run side by side are kept once and undone together: nobody can tell which of them changed a file. The
 * workspace is kept before the first of them, and the changes are recorded with the last one to end.
 */
import type { KeepOutcome } from "../tools/kept-workspace/workspace-keeper.js";

export class KeptBatch {
  readonly #running = new Set<string>();
  #ended: string[] = [];
  #keeping: Promise<KeepOutcome | undefined> | undefined;
  /** Settles when the changes of the last batch are recorded: a keep before that would see a command at work. */
  #closed: Promise<unknown> = Promise.resolve();

  /** Keeps the workspace when no other command runs. */
  join(toolCallId: string, keep: () => Promise<KeepOutcome | undefined>): Promise<KeepOutcome | undefined> {
    this.#running.add(toolCallId);
    this.#keeping ??= this.#closed.then(keep);
    return this.#keeping;
  }

  /**
   * For a command that has ended. Calls `record` with the calls whose commands ran beside it when it is the last one, and
   * returns false while another one runs.
   */
  async ended(toolCallId: string, record: (beside: readonly string[]) => Promise<void>): Promise<boolean> {
    // A command that was given up may end after its call has left.
    if (!this.#running.delete(toolCallId)) return true;
    if (this.#running.size > 0) {
      this.#ended.push(toolCallId);
      return false;
    }
    const beside = this.#ended;
    this.#reset();
    const recorded = record(beside);
    this.#closed = recorded.catch(() => undefined);
    await recorded;
    return true;
  }

  /** For a call whose command did not run. Returns whether nobody needs the kept workspace any more. */
  leave(toolCallId: string): boolean {
    if (!this.#running.delete(toolCallId) || this.#running.size > 0) return false;
    this.#reset();
    return true;
  }

  #reset(): void {
    this.#ended = [];
    this.#keeping = undefined;
  }
}
