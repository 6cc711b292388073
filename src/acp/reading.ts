/**
 * What is done about a message that is not as it should be. The strict reader is for our own traffic:
 * it stops at anything the schema crate would not take. The lenient one is for other agents': it
 * makes the best of it and keeps a record of every repair.
 */
import type { AskedQuestion, Repair, ToolCall } from "../call/index.js";
import type { ToolgateMeta } from "./toolgate-meta.js";

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

/** The session as it stands, with all events of earlier messages applied. A SessionBook is one. */
export type SessionSoFar = {
  readonly sessionId: string;
  call(toolCallId: string): ToolCall | undefined;
  question(questionId: string): AskedQuestion | undefined;
};

export type ReaderOptions = {
  readonly session: SessionSoFar;
  /** The session's folder: relative paths of careless agents are taken from here. */
  readonly cwd: string;
  readonly mode: ReaderMode;
};

/** Thrown inside a reader and caught by it: the message cannot be read. */
export class Unreadable extends Error {}

/** The message that is being read, and what had to be done about it. One serves a reader for all its messages. */
export class Reading {
  readonly session: SessionSoFar;
  readonly cwd: string;
  readonly mode: ReaderMode;
  at = 0;
  repairs: Repair[] = [];
  toolCallId: string | undefined;
  /** What the message says in `_meta.toolgate`, when it is our own traffic. */
  own: ToolgateMeta | undefined;
  /** The call came with `_meta.toolgate` before: without a new one its state stays as it is. */
  isOurs = false;
  /** By their names, the calls that were mended so. */
  readonly #repairedCalls = new Map<RepairName, Set<string>>();

  constructor({ session, cwd, mode }: ReaderOptions) {
    this.session = session;
    this.cwd = cwd;
    this.mode = mode;
  }

  begin(at: number): void {
    this.at = at;
    if (this.repairs.length > 0) this.repairs = [];
    this.toolCallId = undefined;
    this.own = undefined;
    this.isOurs = false;
  }

  /** Something that even the strict reader puts right, as the schema crate does. */
  repair(repair: RepairName, detail: string): void {
    const { toolCallId } = this;
    this.repairs.push(toolCallId === undefined ? { repair, detail } : { repair, toolCallId, detail });
  }

  /**
   * The same, where an agent does it in every message, and rightly by its own lights: of a call it is noted once. What is
   * noted again is left out by who records it too, but by then it was made, for each of thousands of messages.
   */
  repairOnce(repair: RepairName, detail: string): void {
    const { toolCallId = "" } = this;
    const calls = this.#repairedCalls.get(repair) ?? new Set();
    if (calls.has(toolCallId)) return;
    this.#repairedCalls.set(repair, calls.add(toolCallId));
    this.repair(repair, detail);
  }

  /** Something that only the lenient reader puts right. */
  tolerate(repair: RepairName, detail: string): void {
    if (this.mode === "strict") throw new Unreadable(`${repair}: ${detail}`);
    this.repair(repair, detail);
  }

  /** Something that nobody can put right. */
  fail(problem: string): never {
    throw new Unreadable(problem);
  }
}
