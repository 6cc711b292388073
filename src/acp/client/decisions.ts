/**
 * Who says yes or no to what a foreign agent wants: the rules, or a person through a recorded question.
 *
 * What must stay true: a decision is recorded before the agent hears of it; a yes is for one call and one
 * intent; a question that is taken back, or answered with anything but an offered yes, is no yes.
 */
import { answerAllows, LedgerError } from "../../call/index.js";
import type { Answer, Question, SessionEvent } from "../../call/index.js";
import type { Verdict } from "../../policy/index.js";
import { intentHash, questionFor, settledByAnswer, storeAlways } from "../../run/index.js";
import type { SessionRecord } from "../../record/index.js";
import type { Judge, Remember } from "../../run/index.js";
import { judgeForeign } from "./foreign-intent.js";
import type { ForeignIntent } from "./foreign-intent.js";

export type Outcome =
  | { readonly type: "allowed" }
  | { readonly type: "refused"; readonly reason: string | undefined }
  | { readonly type: "cancelled" };

export type DecisionOptions = {
  readonly record: SessionRecord;
  readonly judge: Judge;
  readonly roots: readonly string[];
  readonly remember: Remember | undefined;
  readonly onCleared: ((verdict: Verdict) => void) | undefined;
  readonly now: () => number;
};

/** An event to record, and what comes of it. */
export type Decided = { readonly event: SessionEvent; readonly outcome: Promise<Outcome> };

type Open = { readonly foreign: ForeignIntent; readonly resolve: (outcome: Outcome) => void };

export class Decisions {
  readonly #options: DecisionOptions;
  readonly #open = new Map<string, Open>();
  readonly #onQuestion: (() => void)[] = [];

  constructor(options: DecisionOptions) {
    this.#options = options;
  }

  /** How many questions wait. */
  get waiting(): number {
    return this.#open.size;
  }

  /** Comes as soon as a question waits. */
  async oneWaits(): Promise<void> {
    if (this.#open.size === 0) await new Promise<void>((resolve) => this.#onQuestion.push(resolve));
  }

  /** A question was recorded. */
  tellAsked(): void {
    for (const resolve of this.#onQuestion.splice(0)) resolve();
  }

  /** What the rules say of a call that is ready. The event must be recorded before the outcome is acted on. */
  decide(toolCallId: string, title: string, foreign: ForeignIntent): Decided {
    const { judge, onCleared, now } = this.#options;
    const at = now();
    const verdict = judgeForeign(foreign, judge);
    const { effect, rule, reason } = verdict;
    const decision = {
      by: "rule" as const,
      ...(rule !== undefined && { rule }),
      ...(reason !== undefined && { reason }),
      intentHash: intentHash(foreign.intent),
      at,
    };
    if (effect === "deny")
      return {
        event: { type: "call-refused", toolCallId, at, decision },
        outcome: Promise.resolve({ type: "refused", reason: denial(verdict) }),
      };
    if (effect === "allow") {
      onCleared?.(verdict);
      return {
        event: { type: "call-cleared", toolCallId, at, decision },
        outcome: Promise.resolve({ type: "allowed" }),
      };
    }
    const question = this.#question(toolCallId, title, foreign, verdict);
    const outcome = new Promise<Outcome>((resolve) => {
      this.#open.set(question.questionId, { foreign, resolve });
    });
    return { event: { type: "question-asked", toolCallId, at, question }, outcome };
  }

  /** What could not be recorded was not asked. */
  forget(event: SessionEvent): void {
    if (event.type === "question-asked") this.#open.delete(event.question.questionId);
  }

  /** Takes up the answers that have come in. What an "always" stored then answers the others that it speaks of. */
  async settle(): Promise<void> {
    const { record } = this.#options;
    while (this.#open.size > 0) {
      await record.catchUp();
      const { events, outcomes, hasStored } = await this.#takeUp();
      await record.append(events, { durable: true });
      for (const [questionId, outcome] of outcomes) this.#close(questionId, outcome);
      if (!hasStored || !(await this.#answerByRule())) return;
    }
  }

  /** Questions that were taken back are answered so. */
  closeWithdrawn(): void {
    const { book } = this.#options.record;
    for (const questionId of this.#open.keys())
      if (book.question(questionId)?.state.status === "withdrawn")
        this.#close(questionId, { type: "cancelled" });
  }

  #close(questionId: string, outcome: Outcome): void {
    this.#open.get(questionId)?.resolve(outcome);
    this.#open.delete(questionId);
  }

  async #takeUp(): Promise<{
    readonly events: readonly SessionEvent[];
    readonly outcomes: readonly (readonly [string, Outcome])[];
    readonly hasStored: boolean;
  }> {
    const { record, now } = this.#options;
    const events: SessionEvent[] = [];
    const outcomes: (readonly [string, Outcome])[] = [];
    let hasStored = false;
    for (const questionId of this.#open.keys()) {
      const asked = record.book.question(questionId);
      if (!asked || asked.state.status === "open") continue;
      const { question } = asked;
      if (asked.state.status === "withdrawn") outcomes.push([questionId, { type: "cancelled" }]);
      else {
        const answer = takeable(asked.state.answer);
        hasStored = (await storeAlways(this.#options.remember, question, answer)) || hasStored;
        const { toolCallId } = question;
        // The agent may have reported an end meanwhile.
        if (waitsFor(record, toolCallId, questionId))
          events.push(settledByAnswer({ toolCallId, question, answer }, now()));
        outcomes.push([questionId, outcomeOf(question, answer)]);
      }
    }
    return { events, outcomes, hasStored };
  }

  /** Whether any of the open questions could be answered by the rules as they are now. */
  async #answerByRule(): Promise<boolean> {
    const { record, judge, now } = this.#options;
    let hasAnswered = false;
    for (const [questionId, { foreign }] of this.#open) {
      const question = record.book.question(questionId)?.question;
      if (!question || question.isForThisOnce) continue;
      const { effect, rule, reason } = judgeForeign(foreign, judge);
      const kind = effect === "allow" ? "allow_once" : "reject_once";
      const option = question.options.find((one) => one.kind === kind);
      if (effect === "ask" || !option) continue;
      const answer: Answer = {
        outcome: { type: "selected", optionId: option.optionId },
        intentHash: question.intentHash,
        by: "rule",
        ...(rule !== undefined && { rule }),
        ...(reason !== undefined && { reason }),
        at: now(),
      };
      try {
        await record.ledger.answer(questionId, answer);
        hasAnswered = true;
      } catch (error) {
        // Taken back or too late in this very moment: then it is settled another way.
        if (!(error instanceof LedgerError)) throw error;
      }
    }
    return hasAnswered;
  }

  #question(toolCallId: string, title: string, foreign: ForeignIntent, verdict: Verdict): Question {
    const { record, judge, roots, remember, now } = this.#options;
    const { intent, isBlind, doubt, disagreement } = foreign;
    const isForThisOnce = isBlind || (doubt ?? disagreement) !== undefined;
    return questionFor({
      sessionId: record.sessionId,
      toolCallId,
      number: record.seq,
      title,
      intent,
      verdict,
      at: now(),
      roots,
      isForThisOnce,
      settles: remember && !isForThisOnce ? (rules) => judge(intent, rules).effect : undefined,
    });
  }
}

/** Who says yes to another input says it to someone who cannot be told: the agent has its own. */
function takeable(answer: Answer): Answer {
  if (answer.input === undefined) return answer;
  const { input: _, ...rest } = answer;
  return {
    ...rest,
    outcome: { type: "refused" },
    reason: "the input was changed, and this agent cannot be given another input",
  };
}

function outcomeOf(question: Question, answer: Answer): Outcome {
  return answerAllows(question, answer)
    ? { type: "allowed" }
    : { type: "refused", reason: answer.reason ?? answer.rule };
}

function waitsFor(record: SessionRecord, toolCallId: string, questionId: string): boolean {
  const state = record.book.call(toolCallId)?.state;
  return (
    state?.status === "waiting" &&
    state.waitingFor.type === "question" &&
    state.waitingFor.questionId === questionId
  );
}

const denial = ({ rule, reason }: Verdict): string =>
  [rule === undefined ? undefined : `refused by rule ${rule}`, reason].filter(Boolean).join(": ");
