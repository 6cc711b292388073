/**
 * Calls that somebody else runs and reports: an agent at the other end of a wire, for example. The gate decides on
 * them and asks about them as on its own, returns the outcome, and records the reports.
 *
 * Invariants: a decision is recorded before the runner gets it; a yes is for one call and one intent; a question that
 * is withdrawn, or answered with anything but an offered yes, is no yes; a call ends when its runner reports it, or by
 * an assumed end that a report replaces.
 */
import { IllegalEvent } from "../call/index.js";
import type { SessionEvent, ToolCall } from "../call/index.js";
import type { Verdict } from "../policy/index.js";
import type { Approvals } from "./approvals.js";
import { Breaches } from "./breaches.js";
import type { BreachOptions } from "./breaches.js";
import type { Judge } from "./call-check.js";
import type { Decisions } from "./decisions.js";
import { emitWarning } from "./emit-warning.js";
import { assumedEnds, withdrawnCall } from "./end-events.js";
import type { EndReasons } from "./end-events.js";
import { looping } from "./loop-guard.js";
import type { LoopGuard } from "./loop-guard.js";
import { outcomeOf } from "./outcome.js";
import type { Outcome } from "./outcome.js";
import { isForThisOnce, judgeReported } from "./reported-intent.js";
import type { ReportedIntent } from "./reported-intent.js";
import type { SessionRecord } from "../record/index.js";
import type { SettleAnswers } from "./settle-answers.js";

/** The side that runs the calls. */
export type Reporter = Pick<BreachOptions, "reports" | "judgeByRule" | "later">;

/** A call that its runner asks about before it runs. */
export type ReportedRequest = {
  readonly toolCallId: string;
  readonly title: string;
  readonly reported: ReportedIntent;
  /** Recorded just before the decision: they make the call ready to be decided on. */
  readonly events: readonly SessionEvent[];
  /** Makes the events that show the call to a person; called only when one is asked. */
  readonly preview?: () => Promise<readonly SessionEvent[]>;
};

export type ReportedOptions = {
  readonly record: SessionRecord;
  readonly judge: Judge;
  readonly decisions: Decisions;
  readonly approvals: Approvals;
  readonly answers: SettleAnswers;
  readonly loops: LoopGuard;
  readonly isOurs: (toolCallId: string) => boolean;
  /** Returns when the question is settled or the signal aborts. */
  readonly untilAnswered: (questionId: string, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
};

export class ReportedCalls {
  readonly #options: ReportedOptions;
  readonly #breaches: Breaches;
  /** Calls whose runner waits for the outcome. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: ReportedOptions, reporter: Reporter) {
    this.#options = options;
    const { record, judge, isOurs, decisions, now } = options;
    this.#breaches = new Breaches({ record, judge, isOurs, now, ...reporter });
    decisions.onIntent = (toolCallId, intent, texts) => this.#breaches.asked({ toolCallId, intent, texts });
  }

  /** Reports of the past are recorded, and judged by no rule. */
  set isReplaying(isReplaying: boolean) {
    this.#breaches.isReplaying = isReplaying;
  }

  /** The current verdict on a call that waits; undefined for one that does not. */
  verdictOn(toolCallId: string): Verdict | undefined {
    const waiting = this.#waiting.get(toolCallId);
    return waiting && judgeReported(waiting.reported, this.#options.judge);
  }

  /** Records the call and the decision on it, or the question about it, in one durable append. */
  async submit({ toolCallId, title, reported, events, preview }: ReportedRequest): Promise<void> {
    const { record, decisions } = this.#options;
    const { verdict, isLoop } = this.#judged(reported);
    const call = { toolCallId, title, intent: reported.intent, reported };
    const decided = decisions.decide(call, verdict, isLoop || isForThisOnce(reported));
    const questionId = decided.type === "question-asked" ? decided.question.questionId : undefined;
    const shown = questionId === undefined ? [] : ((await preview?.()) ?? []);
    this.#waiting.set(toolCallId, { reported, questionId });
    try {
      await record.append([...events, ...shown, decided], { durable: true });
    } catch (error) {
      this.#waiting.delete(toolCallId);
      throw error;
    }
  }

  /** Records a call that can be answered only with no. */
  async refuse(
    toolCallId: string,
    events: readonly SessionEvent[],
    { rule, reason }: { readonly rule: string; readonly reason: string },
  ): Promise<void> {
    const at = this.#options.now();
    const decision = { by: "rule", rule, reason, at } as const;
    const refused: SessionEvent = { type: "call-refused", toolCallId, at, decision };
    await this.#options.record.append([...events, refused], { durable: true });
  }

  /** The outcome of a submitted call, however long it takes. The signal withdraws its question, for this reason. */
  async outcome(toolCallId: string, signal: AbortSignal, reason: string): Promise<Outcome> {
    const { record, answers, untilAnswered } = this.#options;
    const waiting = this.#waiting.get(toolCallId);
    if (!waiting) return { type: "cancelled" };
    const { questionId } = waiting;
    try {
      while (waitsFor(record, toolCallId, questionId)) {
        if (signal.aborted) await this.withdraw(toolCallId, reason);
        else await untilAnswered(questionId ?? "", signal);
        await answers.settle();
      }
      const outcome = outcomeOf(record.book, toolCallId, questionId);
      if (outcome.type === "allowed") this.#approve(toolCallId, waiting);
      else if (outcome.type === "refused") this.#breaches.refused(toolCallId);
      return outcome;
    } finally {
      this.#waiting.delete(toolCallId);
    }
  }

  /** Cancels a call that waits for an answer. False when it does not wait for one. */
  async withdraw(toolCallId: string, reason: string): Promise<boolean> {
    return this.#withdraw(() => {
      const call = this.#options.record.book.call(toolCallId);
      return call ? [call] : [];
    }, reason);
  }

  async withdrawAll(reason: string): Promise<void> {
    await this.#withdraw(() => this.#options.record.book.openCalls(), reason);
  }

  /** Records what was reported, with the breaches that it shows. Throws IllegalEvent when a report cannot be recorded. */
  async record(read: () => readonly SessionEvent[]): Promise<void> {
    const { record, answers } = this.#options;
    try {
      await record.append(await this.#breaches.marked(read()));
    } catch (error) {
      if (!(error instanceof IllegalEvent)) throw error;
      // An answer came in between: the reports are read again, from the state that follows it.
      let events: readonly SessionEvent[] = [];
      await answers.appendLatest(() => (events = read()));
      const marked = await this.#breaches.marked(events);
      await record.append(marked.filter((event) => !events.includes(event)));
    }
  }

  /** Records the breaches among the calls that still run. */
  async markRunning(): Promise<void> {
    try {
      await this.#options.record.append(await this.#breaches.amongRunning());
    } catch (error) {
      emitWarning(error);
    }
  }

  /** Ends what is open by assumption, and records these events with it. */
  async assumeEnds(reasons: EndReasons, also: () => readonly SessionEvent[] = () => []): Promise<void> {
    const { record, answers, now } = this.#options;
    await this.markRunning();
    await answers.appendLatest(() => [...assumedEnds(record.book, reasons, now()), ...also()]);
  }

  /** An approval that was not used in its turn is void in the next. */
  turnOver(): void {
    this.#options.approvals.clear();
    this.#breaches.turnOver();
  }

  close(): void {
    this.#breaches.close();
  }

  #judged(reported: ReportedIntent): { readonly verdict: Verdict; readonly isLoop: boolean } {
    const { judge, loops } = this.#options;
    const verdict = judgeReported(reported, judge);
    const times = reported.isBlind ? undefined : loops.loops(loopName(reported), reported.intent.input);
    if (times === undefined || verdict.effect !== "allow") return { verdict, isLoop: false };
    return { verdict: { effect: "ask", reason: looping(times), saw: verdict.saw }, isLoop: true };
  }

  async #withdraw(calls: () => readonly ToolCall[], reason: string): Promise<boolean> {
    const { record, answers, now } = this.#options;
    let isWithdrawn = false;
    await answers.appendLatest(() => {
      const events = calls().flatMap((call) => withdrawnCall(record.book, call, reason, now()));
      isWithdrawn = events.length > 0;
      return events;
    });
    return isWithdrawn;
  }

  /** When the call has several possible meanings, the yes allows only its own runner's call. */
  #approve(toolCallId: string, { reported, questionId }: Waiting): void {
    const { approvals, record, loops } = this.#options;
    const { intent, writes, disagreement } = reported;
    if (questionId !== undefined) loops.forget(loopName(reported), intent.input);
    if (disagreement === undefined)
      approvals.add({ toolCallId, intent, writes, decision: record.book.call(toolCallId)?.decision });
  }
}

/** `questionId`: the question that was asked about it, where the rules did not decide. */
type Waiting = { readonly reported: ReportedIntent; readonly questionId: string | undefined };

/**
 * Differs from the tool's own name, so that the call which its runner then has us run does not count as a
 * repetition.
 */
const loopName = ({ intent }: ReportedIntent): string => `reported ${intent.tool}`;

function waitsFor({ book }: SessionRecord, toolCallId: string, questionId: string | undefined): boolean {
  const state = book.call(toolCallId)?.state;
  if (state?.status !== "waiting" || state.waitingFor.type !== "question") return false;
  return state.waitingFor.questionId === questionId;
}
