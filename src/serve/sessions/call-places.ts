/** Facts of calls that their own values do not have: number, turn, kept files, and problems of the calls inside them. */
import type { Session, SessionBook, SessionEvent, ToolCall } from "../../call/index.js";
import { canPutBack } from "../../run/kept-calls-of.js";
import { wentOn } from "../../run/running-commands.js";
import type { CallEntry } from "../api/session-bodies.js";

export type CallPlace = Pick<
  CallEntry,
  "number" | "turnId" | "parentToolCallId" | "progress" | "isKept" | "wentOn" | "inner"
>;

export class CallPlaces {
  readonly #numbers = new Map<string, number>();
  readonly #turns = new Map<string, string>();
  readonly #kept = new Set<string>();
  /** The parents of breached and unknown calls. */
  readonly #inner = new Map<string, "breach" | "unknown">();
  #turnId: string | undefined;

  restore({ timeline, turns }: Session): void {
    for (const entry of timeline) {
      if (entry.type !== "call") continue;
      const { call } = entry;
      this.#numbers.set(call.toolCallId, this.#numbers.size + 1);
      const turn = turns.findLast(({ startedAt }) => startedAt <= call.times.announced);
      if (turn) this.#turns.set(call.toolCallId, turn.turnId);
      this.#noteProblem(call);
    }
    this.#turnId = turns.at(-1)?.turnId;
  }

  apply(event: SessionEvent): void {
    if ("turnId" in event) this.#turnId = event.turnId;
    if (!("toolCallId" in event)) return;
    const { toolCallId } = event;
    if (!this.#numbers.has(toolCallId)) {
      this.#numbers.set(toolCallId, this.#numbers.size + 1);
      if (this.#turnId !== undefined) this.#turns.set(toolCallId, this.#turnId);
    }
    if (event.type === "file-kept" && canPutBack(event.change)) this.#kept.add(toolCallId);
  }

  of(call: ToolCall, book: SessionBook): CallPlace {
    const { toolCallId, parentToolCallId, progress } = call;
    const turnId = this.#turns.get(toolCallId);
    this.#noteProblem(call, book);
    const inner = this.#inner.get(toolCallId);
    return {
      number: this.#numbers.get(toolCallId) ?? 0,
      ...(turnId !== undefined && { turnId }),
      ...(parentToolCallId !== undefined && { parentToolCallId }),
      ...(progress && { progress: { ...progress } }),
      isKept: this.#kept.has(toolCallId),
      ...(wentOn(call) && { wentOn: true }),
      ...(inner && { inner }),
    };
  }

  callsOf(turnId: string): readonly string[] {
    return [...this.#turns].flatMap(([toolCallId, turn]) => (turn === turnId ? [toolCallId] : []));
  }

  #noteProblem(call: ToolCall, book?: SessionBook): void {
    const problem = call.breach ? "breach" : call.state.status === "unknown" ? "unknown" : undefined;
    if (!problem) return;
    let parent = call.parentToolCallId;
    for (let depth = 0; parent !== undefined && depth < MAX_DEPTH; depth += 1) {
      if (this.#inner.get(parent) !== "breach") this.#inner.set(parent, problem);
      parent = book?.call(parent)?.parentToolCallId;
    }
  }
}

const MAX_DEPTH = 8;
