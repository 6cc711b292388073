/**
 * Applies the answers that have arrived: stores the rule of an "always", checks a changed input, and clears or refuses
 * each call. The stored rule then settles the open questions that it covers.
 */
import { checkOptions, having, required } from "../call/check-options.js";
import { answerAllows, IllegalEvent, LedgerError } from "../call/index.js";
import { errorMessage } from "../call/error-message.js";
import { changesInput, notKeepable } from "../call/question.js";
import type { Answer, Question, SessionEvent, AskedQuestion, Decision, SessionBook } from "../call/index.js";
import { SerialQueue } from "../call/serial-queue.js";
import { isGrantWidth } from "../policy/grants/grant.js";
import type { Verdict, Grant, Rule } from "../policy/index.js";
import { fileErrorText } from "../tools/file-errors.js";
import { isAppTool } from "../tools/index.js";
import type { CallTools } from "./call-tools.js";
import type { CallCheck, Judge } from "./call-check.js";
import { chosenGrant } from "./chosen-grant.js";
import { intentHash } from "./decisions.js";
import type { LoopGuard } from "./loop-guard.js";
import type { SessionRecord } from "../record/index.js";

type SettleOptions = {
  readonly record: SessionRecord;
  readonly tools: CallTools;
  readonly judge: Judge;
  readonly check: CallCheck;
  readonly loops: LoopGuard;
  readonly remember: Remember | undefined;
  /** The current verdict on a call that somebody else runs; undefined for a call that we run. */
  readonly reportedVerdict: (toolCallId: string) => Verdict | undefined;
  readonly now: () => number;
};

const MAX_TRIES = 5;

export class SettleAnswers {
  readonly #options: SettleOptions;
  /** Settles one answer at a time: two that settle the same answer would conflict. */
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
      if (hasStored) await this.answerByRule();
    } while (hasStored);
  }

  /** Records events made from the newest state: a call that starts in this very moment is seen to run. */
  async appendLatest(make: () => readonly SessionEvent[]): Promise<void> {
    await this.#alone(() => this.#options.record.appendLatest(make));
  }

  /** Retries when an answer arrives in between. */
  async #alone(act: () => Promise<void>): Promise<void> {
    const task = async () => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await act();
        } catch (error) {
          if (!(error instanceof IllegalEvent) || tries >= MAX_TRIES) throw error;
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
      const rule = await storeAlways(this.#options.remember, answered.question, answered.answer);
      stored ||= rule === "stored";
      const notStored = typeof rule === "object" ? rule : {};
      events.push(...(await this.#settled({ ...answered, ...notStored })));
    }
    return { events, stored };
  }

  async #settled(answered: Answered): Promise<readonly SessionEvent[]> {
    const { record, tools, check, loops, now } = this.#options;
    const { toolCallId, question, answer } = answered;
    const call = record.book.call(toolCallId);
    if (!call) return [];
    const isYes = answerAllows(question, answer);
    if (isYes) loops.forget(call.name, call.rawInput);
    const { keptHunks } = answer;
    const isWhole = keptHunks !== undefined && new Set(keptHunks).size === question.hunks;
    if (!isYes || !changesInput(answer) || (isWhole && !notKeepable(question, keptHunks)))
      return [settledByAnswer(answered, now())];
    const tool = tools.find(call);
    // The runner of this call, or the client that waits for it, knows only the original input.
    if (!tool || isAppTool(tool) || tools.isGiven(toolCallId)) {
      const decision = { by: "rule", rule: "changed input", reason: OTHER_INPUT, at: now() } as const;
      return [{ type: "call-refused", toolCallId, at: now(), decision }];
    }
    const yes = { ...decisionOf(answered), originalInput: question.originalInput ?? call.rawInput ?? null };
    if (keptHunks === undefined) return check.edited(toolCallId, tool, answer.input, yes);
    const { intentHash: asked } = question;
    return check.keptInPart(
      toolCallId,
      tool,
      { rawInput: call.rawInput, hunks: keptHunks, intentHash: asked },
      yes,
    );
  }

  /** Answers the open questions that the rules settle by now, for just what was asked about. False when there are none. */
  async answerByRule(): Promise<boolean> {
    let hasAnswered = false;
    for (const question of openQuestions(this.#options.record.book)) {
      const verdict = question.isForThisOnce ? undefined : await this.#verdictNow(question);
      if (!verdict || verdict.effect === "ask") continue;
      const kind = verdict.effect === "allow" ? "allow_once" : "reject_once";
      const option = question.options.find((one) => one.kind === kind);
      if (!option) continue;
      await this.#answer(question, option.optionId, verdict.rule, verdict.reason);
      hasAnswered = true;
    }
    return hasAnswered;
  }

  /** Undefined when the call is no longer about to do what was asked about. */
  async #verdictNow({ toolCallId, intentHash: hash }: Question): Promise<Verdict | undefined> {
    const { record, judge, check, tools, reportedVerdict } = this.#options;
    const reported = reportedVerdict(toolCallId);
    if (reported) return reported;
    const call = record.book.call(toolCallId);
    const tool = call && tools.find(call);
    if (!call || !tool || isAppTool(tool)) return undefined;
    const resolved = await check.resolve(tool, call.rawInput);
    return resolved.ok && intentHash(resolved.intent) === hash ? judge(resolved.intent) : undefined;
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

const OTHER_INPUT = "the input was changed, but this call can only run with the input that it was made with";

/** An answer, and the call that it is for. */
type Answered = {
  readonly toolCallId: string;
  readonly question: Question;
  readonly answer: Answer;
  /** Why the rule of the answer could not be stored. */
  readonly notStored?: string;
};

/** Calls whose question was answered, and that nobody has taken further yet. */
function answeredCalls(book: SessionBook): readonly Answered[] {
  return waiting(book).flatMap(({ toolCallId, asked: { question, state } }) =>
    state.status === "answered" ? [{ toolCallId, question, answer: state.answer }] : [],
  );
}

/** Questions that still wait for an answer. */
export function openQuestions(book: SessionBook): readonly Question[] {
  if (typeof book?.openCalls !== "function")
    checkOptions("openQuestions", { book }, { book: required(having("a book of a session", "openCalls")) });
  return waiting(book).flatMap(({ asked: { question, state } }) =>
    state.status === "open" ? [question] : [],
  );
}

/** The decision that an answer is. */
function decisionOf({ question, answer, notStored }: Answered): Decision {
  return {
    by: answer.by,
    ...(answer.who !== undefined && { who: answer.who }),
    ...(answer.rule !== undefined && { rule: answer.rule }),
    ...(answer.reason !== undefined && { reason: answer.reason }),
    ...(question.originalInput !== undefined && { originalInput: question.originalInput }),
    ...(notStored !== undefined && { notStored }),
    intentHash: question.intentHash,
    at: answer.at,
  };
}

function settledByAnswer(answered: Answered, at: number): SessionEvent {
  const { toolCallId, question, answer } = answered;
  const type = answerAllows(question, answer) ? "call-cleared" : "call-refused";
  return { type, toolCallId, at, decision: decisionOf(answered) };
}

/** Calls whose question nobody will answer any more: taken back, or too late. */
function unansweredEvents(book: SessionBook, at: number): readonly SessionEvent[] {
  return waiting(book).flatMap(({ toolCallId, asked: { question, state } }): SessionEvent[] => {
    // A withdrawn question is no answer: the call is cancelled.
    if (state.status === "withdrawn")
      return [{ type: "call-cancelled", toolCallId, at, reason: state.reason }];
    if (state.status !== "open" || question.expiresAt === undefined || at < question.expiresAt) return [];
    const reason = "the question expired: nobody answered in time";
    return [
      { type: "question-withdrawn", at, questionId: question.questionId, reason },
      {
        type: "call-refused",
        toolCallId,
        at,
        decision: { by: "rule", rule: "questions expire", reason, at },
      },
    ];
  });
}

function waiting(book: SessionBook): readonly { toolCallId: string; asked: AskedQuestion }[] {
  return book.openCalls().flatMap(({ toolCallId, state }) => {
    if (state.status !== "waiting" || state.waitingFor.type !== "question") return [];
    const asked = book.question(state.waitingFor.questionId);
    return asked ? [{ toolCallId, asked }] : [];
  });
}

/** `grantId` is the question's, so that an answer which is taken up twice is stored once. */
export type RememberedGrant = Pick<Grant, "rules" | "sentence" | "width"> & {
  readonly grantId: string;
  readonly scope: "session" | "project" | "user";
  readonly expiresAt?: number;
};

/** Returns when the rules hold. Throws when they could not be stored. */
export type Remember = (grant: RememberedGrant) => Promise<void>;

/** Stores the rule of an "always" or "never". One that cannot be stored is a yes or no for this once. */
async function storeAlways(
  remember: Remember | undefined,
  question: Question,
  answer: Answer,
): Promise<"nothing" | "stored" | { readonly notStored: string }> {
  // The offered rule does not cover a changed input.
  if (!remember || changesInput(answer)) return "nothing";
  const grant = chosenGrant(question, answer);
  if (!grant) return "nothing";
  const { sentence, rules, scope, width, expiresAt } = grant;
  try {
    await remember({
      grantId: question.questionId,
      sentence,
      // We wrote them into the question ourselves, or the door that took the answer has read them.
      rules: rules as unknown as readonly Rule[],
      scope,
      ...(isGrantWidth(width) && { width }),
      ...(expiresAt !== undefined && { expiresAt }),
    });
    return "stored";
  } catch (error) {
    const isOfSystem = error instanceof Error && "syscall" in error;
    return { notStored: isOfSystem ? fileErrorText(error) : errorMessage(error) };
  }
}
