/**
 * What is done about a message that is not as it should be. The strict reader is for our own traffic:
 * it stops at anything the schema crate would not take. The lenient one is for other agents': it
 * makes the best of it and keeps a record of every repair.
 */
import type { Repair } from "../call/index.js";

/** Every repair has a name, so that they can be counted and looked up. */
export type RepairName =
  | "bad-annotations"
  | "bad-content"
  | "bad-field"
  | "bad-location"
  | "bad-meta"
  | "bad-plan-entry"
  | "bare-block"
  | "forged-meta"
  | "id-not-text"
  | "id-reused"
  | "input-changed"
  | "late-end"
  | "late-update"
  | "line-zero"
  | "missing-title"
  | "null-field"
  | "ran-while-asked"
  | "relative-path"
  | "repeated-start"
  | "skipped-steps"
  | "status-backwards"
  | "unknown-id"
  | "unknown-kind"
  | "unknown-status"
  | "unknown-terminal"
  | "unknown-update";

export type ReaderMode = "strict" | "lenient";

/** Thrown inside a reader and caught by it: the message cannot be read. */
export class Unreadable extends Error {}

export class Troubles {
  readonly repairs: Repair[] = [];
  toolCallId: string | undefined;

  constructor(readonly mode: ReaderMode) {}

  /** Something that even the strict reader puts right, as the schema crate does. */
  mend(repair: RepairName, detail: string): void {
    const { toolCallId } = this;
    this.repairs.push(toolCallId === undefined ? { repair, detail } : { repair, toolCallId, detail });
  }

  /** Something that only the lenient reader puts right. */
  tolerate(repair: RepairName, detail: string): void {
    if (this.mode === "strict") throw new Unreadable(`${repair}: ${detail}`);
    this.mend(repair, detail);
  }

  /** Something that nobody can put right. */
  fail(problem: string): never {
    throw new Unreadable(problem);
  }
}
