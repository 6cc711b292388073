/**
 * Turns a verdict of the rules into the event that records it: the call is cleared or refused, or a question is asked.
 * Every call passes here, also a call that somebody else runs.
 */
import type { Question, SessionEvent } from "../call/index.js";
import type { Intent, Verdict } from "../policy/index.js";
import type { Approval } from "./approvals.js";
import type { Judge } from "./check-call.js";
import { intentHash } from "./intent-hash.js";
import { questionFor } from "./question-for.js";
import type { Remember } from "./remember.js";
import type { ReportedIntent } from "./reported-intent.js";
import type { SessionRecord } from "../record/index.js";

export type DecisionOptions = {
  readonly record: SessionRecord;
  readonly judge: Judge;
  readonly roots: readonly string[];
  readonly remember: Remember | undefined;
  readonly onCleared: ((verdict: Verdict) => void) | undefined;
  readonly questionLifetimeMs: number | undefined;
  readonly now: () => number;
};

/** A call that is decided on. */
export type DecidedCall = {
  readonly toolCallId: string;
  readonly title: string;
  readonly intent: Intent;
  /** Set for a call that somebody else runs. */
  readonly reported?: Pick<ReportedIntent, "inputs" | "isNamedByRunner" | "texts">;
};

export class Decisions {
  readonly #options: DecisionOptions;
  /** Receives each intent that is decided on. */
  onIntent: ((toolCallId: string, intent: Intent, texts: readonly string[]) => void) | undefined;

  constructor(options: DecisionOptions) {
    this.#options = options;
  }

  decide(call: DecidedCall, verdict: Verdict, isForThisOnce: boolean): SessionEvent {
    const { onCleared, now } = this.#options;
    const { toolCallId, intent, reported } = call;
    const at = now();
    if (verdict.effect === "ask")
      return {
        type: "question-asked",
        toolCallId,
        at,
        question: this.question(call, verdict, isForThisOnce),
      };
    this.onIntent?.(toolCallId, intent, reported?.texts ?? []);
    const decision = { ...byRule(verdict), at, intentHash: intentHash(intent) };
    if (verdict.effect === "deny") return { type: "call-refused", toolCallId, at, decision };
    onCleared?.(verdict);
    return { type: "call-cleared", toolCallId, at, decision };
  }

  /** An approval clears the call: the decision is the one that was made then. */
  approve(toolCallId: string, intent: Intent, approval: Approval): SessionEvent {
    this.onIntent?.(toolCallId, intent, []);
    const at = this.#options.now();
    const decision = {
      ...(approval.decision ?? { by: "rule" as const }),
      reason: `allowed with ${approval.toolCallId}`,
      intentHash: intentHash(intent),
      at,
    };
    return { type: "call-cleared", toolCallId, at, decision };
  }

  question(
    { toolCallId, title, intent, reported }: DecidedCall,
    verdict: Verdict,
    isForThisOnce: boolean,
  ): Question {
    const { record, judge, roots, remember, questionLifetimeMs, now } = this.#options;
    this.onIntent?.(toolCallId, intent, reported?.texts ?? []);
    return questionFor({
      sessionId: record.sessionId,
      toolCallId,
      number: record.seq,
      title,
      intent,
      reported,
      verdict,
      at: now(),
      lifetime: questionLifetimeMs,
      roots,
      isForThisOnce,
      settles: remember && !isForThisOnce ? (rules) => judge(intent, rules).effect : undefined,
    });
  }
}

export function byRule({ rule, reason }: Verdict): { by: "rule"; rule?: string; reason?: string } {
  return { by: "rule", ...(rule !== undefined && { rule }), ...(reason !== undefined && { reason }) };
}
