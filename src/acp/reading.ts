/**
 * The treatment of invalid messages. The strict reader is for our own traffic and rejects everything that the schema
 * crate rejects. The lenient reader is for other agents: it reads as much as it can and records every repair.
 */
import { checkOptions, OBJECT, oneOf, required, TEXT } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
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
  /** The session's folder: relative paths are resolved against it. */
  readonly cwd: string;
  readonly mode: ReaderMode;
};

const READER_OPTIONS: OptionChecks<ReaderOptions> = {
  session: required(OBJECT),
  cwd: required(TEXT),
  mode: required(oneOf("strict", "lenient")),
};

/** Thrown inside a reader and caught by it: the message cannot be read. */
export class Unreadable extends Error {}

/** The message that is being read, and its repairs. A reader uses one object for all its messages. */
export class Reading {
  readonly session: SessionSoFar;
  readonly cwd: string;
  readonly mode: ReaderMode;
  at = 0;
  repairs: Repair[] = [];
  toolCallId: string | undefined;
  /** The message's `_meta.toolgate`, in our own traffic. */
  own: ToolgateMeta | undefined;
  /** An earlier message of the call had `_meta.toolgate`: a message without it leaves the state unchanged. */
  isOurs = false;
  /** The calls that have each repair, for `repairOnce`. */
  readonly #repairedCalls = new Map<RepairName, Set<string>>();

  constructor(options: ReaderOptions) {
    checkOptions("a reader of updates", options, READER_OPTIONS);
    const { session, cwd, mode } = options;
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

  /** A repair that even the strict reader makes, as the schema crate does. */
  repair(repair: RepairName, detail: string): void {
    const { toolCallId } = this;
    this.repairs.push(toolCallId === undefined ? { repair, detail } : { repair, toolCallId, detail });
  }

  /**
   * The same, for something that an agent does in every message: noted once for each call. The recorder drops repeated
   * repairs too, but only after they were made, for each of thousands of messages.
   */
  repairOnce(repair: RepairName, detail: string): void {
    const { toolCallId = "" } = this;
    const calls = this.#repairedCalls.get(repair) ?? new Set();
    if (calls.has(toolCallId)) return;
    this.#repairedCalls.set(repair, calls.add(toolCallId));
    this.repair(repair, detail);
  }

  /** A repair that only the lenient reader makes. */
  tolerate(repair: RepairName, detail: string): void {
    if (this.mode === "strict") throw new Unreadable(`${repair}: ${detail}`);
    this.repair(repair, detail);
  }

  /** A problem that no reader can repair. */
  fail(problem: string): never {
    throw new Unreadable(problem);
  }
}
