/**
 * Takes up the answers that have come in: stores what an "always" says, checks an input that came changed,
 * and lets through or refuses each call. What was stored then answers the open questions that it speaks of.
 */
import { answerAllows, IllegalEvent, LedgerError } from "../call/index.js";
import type { Answer, Question, SessionEvent } from "../call/index.js";
import { SerialQueue } from "../call/serial-queue.js";
import { isAppTool } from "../tools/index.js";
import type { Toolbox } from "../tools/index.js";
import {
  answeredCalls,
  decisionOf,
  openQuestions,
  settledByAnswer,
  unansweredEvents,
} from "./answered-events.js";
import type { Answered } from "./answered-events.js";
import type { CallCheck, Judge } from "./check-call.js";
import { intentHash } from "./intent-hash.js";
import type { LoopGuard } from "./loop-guard.js";
import { storeAlways } from "./remember.js";
import type { Remember } from "./remember.js";
import type { SessionRecord } from "../record/index.js";

export type SettleOptions = {
  readonly record: SessionRecord;
  readonly toolbox: Toolbox;
  readonly judge: Judge;
  readonly check: CallCheck;
  readonly loops: LoopGuard;
  readonly remember: Remember | undefined;
  readonly now: () => number;
};

const MOST_TRIES = 5;

export class SettleAnswers {
  readonly #options: SettleOptions;
  /** One at a time: two that take up the same answer would be in each other's way. */
  readonly #queue = new SerialQueue();

  constructor(options: SettleOptions) {
    this.#options = options;
  }

  /** Returns when every answer that has come in by now is taken up. */
  async settle(): Promise<void> {
    const { record } = this.#options;
    let hasStored = false;
    do {
      hasStored = false;
      await this.#alone(async () => {
        await record.catchUp();
        const { events, stored } = await this.#takeUp();
        hasStored ||= stored;
        await record.append(events, { durable: true });
      });
      if (hasStored) await this.#answerByRule();
    } while (hasStored);
  }

  /** Records events made from the newest state: a call that starts in this very moment is seen to run. */
  async recordMade(make: () => readonly SessionEvent[]): Promise<void> {
    await this.#alone(() => this.#options.record.appendLatest(make));
  }

  /** When an answer comes in between, it is done anew. */
  async #alone(act: () => Promise<void>): Promise<void> {
    const task = async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await act();
        } catch (error) {
          if (!(error instanceof IllegalEvent) || tries >= MOST_TRIES) throw error;
        }
      }
    };
    await this.#queue.run(task);
  }

  async #takeUp(): Promise<{ readonly events: readonly SessionEvent[]; readonly stored: boolean }> {
    const { record, now } = this.#options;
    const events: SessionEvent[] = [...unansweredEvents(record.book, now())];
    let stored = false;
    for (const answered of answeredCalls(record.book)) {
      stored = (await storeAlways(this.#options.remember, answered.question, answered.answer)) || stored;
      events.push(...(await this.#settled(answered)));
    }
    return { events, stored };
  }

  async #settled(answered: Answered): Promise<readonly SessionEvent[]> {
    const { record, toolbox, check, loops, now } = this.#options;
    const { toolCallId, question, answer } = answered;
    const call = record.book.call(toolCallId);
    if (!call) return [];
    const isYes = answerAllows(question, answer);
    if (isYes) loops.forget(call.name, call.rawInput);
    if (!isYes || answer.input === undefined) return [settledByAnswer(answered, now())];
    const tool = toolbox.get(call.name);
    if (!tool || isAppTool(tool)) return [settledByAnswer({ ...answered, answer: refusing(answer) }, now())];
    const yes = { ...decisionOf(answered), originalInput: call.rawInput ?? null };
    return check.edited(toolCallId, tool, answer.input, yes);
  }

  /** Open questions that the rules settle by now, for just what was asked about. */
  async #answerByRule(): Promise<void> {
    const { record, judge, check, toolbox } = this.#options;
    for (const question of openQuestions(record.book)) {
      if (question.isForThisOnce) continue;
      const call = record.book.call(question.toolCallId);
      const tool = call && toolbox.get(call.name);
      if (!call || !tool || isAppTool(tool)) continue;
      const resolved = await check.resolve(tool, call.rawInput);
      if (!resolved.ok || intentHash(resolved.intent) !== question.intentHash) continue;
      const { effect, rule, reason } = judge(resolved.intent);
      const option = question.options.find(
        ({ kind }) => kind === (effect === "allow" ? "allow_once" : "reject_once"),
      );
      if (effect === "ask" || !option) continue;
      await this.#answer(question, option.optionId, rule, reason);
    }
  }

  async #answer(question: Question, optionId: string, rule?: string, reason?: string): Promise<void> {
    const { record, now } = this.#options;
    const { questionId, intentHash: hash } = question;
    const answer: Answer = {
      outcome: { type: "selected", optionId },
      intentHash: hash,
      by: "rule",
      ...(rule !== undefined && { rule }),
      ...(reason !== undefined && { reason }),
      at: now(),
    };
    try {
      await record.ledger.answer(questionId, answer);
    } catch (error) {
      // Taken back or too late in this very moment: then it is settled another way.
      if (!(error instanceof LedgerError)) throw error;
    }
  }
}

const refusing = (answer: Answer): Answer => ({ ...answer, outcome: { type: "refused" } });
