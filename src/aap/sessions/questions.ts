/**
 * The open questions of all sessions on the ledger, also those of editors and terminals, and their answers. The first
 * answer counts, from any client; a later one gets the recorded answer back.
 */
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import {
  allOpenQuestions,
  hiddenCharacters,
  LedgerError,
  questionPage,
  readAll,
  shownQuestion,
} from "../../call/index.js";
import { changesInput, notKeepable } from "../../call/question.js";
import type {
  Answer,
  Question,
  QuestionPage,
  RecordedEvent,
  SessionBook,
  SessionEvent,
  ShownQuestion,
} from "../../call/index.js";
import { bookOfLog } from "../../call/ledger.js";
import { RedactedEvents } from "../../history/index.js";
import type { ServerContext } from "../server-context.js";
import { AapProblem } from "../api/aap-problem.js";
import { readCursor, writeCursor } from "../api/cursor.js";
import type { AnswerBody } from "../api/request-bodies.js";
import { plainAnswer, remarksOf } from "../turns/accept-submission.js";
import { checkCanCount } from "../turns/turn-outlook.js";
import type { OutlookOf, TurnOutlook } from "../turns/turn-outlook.js";

/** The question without its whole text, which may be long and has its own pages. */
type ListedQuestion = Omit<Question, "wholeAbout"> &
  Partial<Pick<ShownQuestion, "call">> & { readonly hiddenCharacters?: number };

type Asking = Pick<ServerContext, "ledger" | "redactPatterns" | "now">;

/** `next` is the cursor of the page after this one. */
type QuestionList = { readonly questions: readonly ListedQuestion[]; readonly next?: string };

/** A page of the open questions, in the order in which they were asked. `after` is the `next` of the page before. */
export async function listQuestions(
  asking: Asking,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): Promise<QuestionList> {
  const found = await openQuestionsAfter(asking.ledger, after, limit + 1);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const questions = await shownQuestions(asking, page);
  return { questions, ...(found.length > limit && last && { next: writeCursor(last.questionId) }) };
}

async function openQuestionsAfter(
  ledger: Asking["ledger"],
  cursor: string | undefined,
  limit: number,
): Promise<readonly Question[]> {
  const after = cursor === undefined ? undefined : readCursor(cursor, z.string());
  try {
    return await ledger.openQuestions({ limit, ...(after !== undefined && { after }) });
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "NO_SUCH_QUESTION") throw error;
    throw new AapProblem(
      "CONFLICT",
      'The session that the last page ended with was deleted. Nothing was listed; list again without "after".',
    );
  }
}

async function shownQuestions(
  { ledger, redactPatterns }: Asking,
  questions: readonly Question[],
): Promise<readonly ListedQuestion[]> {
  const books = new Map<string, SessionBook>();
  const calls = new Set(questions.map(({ toolCallId }) => toolCallId));
  for (const { sessionId } of questions) {
    if (books.has(sessionId)) continue;
    const log = await readAll(ledger, sessionId);
    const events = new RedactedEvents(redactPatterns).redacted(eventsOf(calls, log));
    const recorded = events.map((event, index) => ({ seq: index + 1, event }));
    const book = bookUnlessDamaged(sessionId, recorded);
    if (book) books.set(sessionId, book);
    // A store may block the process while it reads a log: other requests are served between two logs.
    await setImmediate();
  }
  return questions.flatMap(({ sessionId, toolCallId, questionId }) => {
    const book = books.get(sessionId);
    const asked = book?.question(questionId);
    const call = book?.call(toolCallId);
    // Settled meanwhile, or its session was deleted.
    if (asked?.state.status !== "open") return [];
    return [listed(call ? shownQuestion(asked.question, call) : asked.question)];
  });
}

/** Returns undefined for a damaged session, so that the questions of the others are still listed. */
function bookUnlessDamaged(sessionId: string, recorded: readonly RecordedEvent[]): SessionBook | undefined {
  try {
    return bookOfLog(sessionId, recorded);
  } catch (error) {
    if (error instanceof LedgerError && error.code === "LEDGER_DAMAGED") return undefined;
    throw error;
  }
}

function listed(question: Question | ShownQuestion): ListedQuestion {
  const hidden = hiddenCharacters(question);
  const { wholeAbout: _, ...rest } = question;
  return { ...rest, ...(hidden > 0 && { hiddenCharacters: hidden }) };
}

/** A page of the whole text of an open question. */
export async function readQuestion(
  { ledger, redactPatterns }: Asking,
  questionId: string,
  page: number,
): Promise<QuestionPage & Pick<Question, "questionId" | "widths">> {
  const question = (await allOpenQuestions(ledger)).find((one) => one.questionId === questionId);
  if (!question)
    throw new AapProblem("NOT_FOUND", `There is no open question ${questionId}. Nothing was read.`);
  const { toolCallId, askedAt: at } = question;
  const asked = { type: "question-asked", toolCallId, at, question } as const;
  const [redacted = asked] = new RedactedEvents(redactPatterns).redacted([asked]);
  const shown = redacted.type === "question-asked" ? redacted.question : undefined;
  const found = shown && questionPage(shown, page);
  if (!found)
    throw new AapProblem("NOT_FOUND", `Question ${questionId} has no page ${page}. Nothing was read.`);
  return { questionId, ...found, ...(shown.widths && { widths: shown.widths }) };
}

/** The events of these calls and their questions: few of a long session, and redacting takes longer than reading. */
function eventsOf(calls: ReadonlySet<string>, log: readonly RecordedEvent[]): readonly SessionEvent[] {
  const questionIds = new Set<string>();
  const isOfThem = (event: SessionEvent): boolean => {
    if ("questionId" in event) return questionIds.has(event.questionId);
    if (!("toolCallId" in event) || !calls.has(event.toolCallId)) return false;
    if (event.type === "question-asked") questionIds.add(event.question.questionId);
    return true;
  };
  return log.map(({ event }) => event).filter(isOfThem);
}

export type Answered = {
  readonly answer: Answer;
  readonly counted: boolean;
  readonly sessionId?: string;
  /** The other questions that the same answer was given to. */
  readonly alike?: readonly string[];
  readonly resumes?: TurnOutlook["resumes"];
};

export async function answerQuestion(
  { ledger, now }: Asking,
  questionId: string,
  body: AnswerBody,
  outlookOf: OutlookOf,
): Promise<Answered> {
  const open = await allOpenQuestions(ledger);
  const question = open.find((one) => one.questionId === questionId);
  if (!question) return settledBefore(ledger, questionId, now());
  const wrong = body.keptHunks && notKeepable(question, body.keptHunks);
  if (wrong !== undefined) throw new AapProblem("BAD_REQUEST", `${wrong} Nothing was done.`);
  const answer = answerOf(question, body, now());
  const bound = body.intentHash === undefined ? answer : { ...answer, intentHash: body.intentHash };
  const outlook = await outlookOf(question.sessionId);
  checkCanCount(outlook, question, bound);
  const receipt = await ledger.answer(questionId, bound);
  const alike = body.alike === true ? await answerAlike({ ledger, now }, question, open, body) : undefined;
  const { resumes } = outlook;
  return { ...receipt, sessionId: question.sessionId, resumes, ...(alike && { alike }) };
}

function answerOf(question: Question, body: AnswerBody, at: number): Answer {
  const { optionId, granted = false, width, scope, expires } = body;
  if (optionId === undefined) return plainAnswer(question, { granted, ...remarksOf(body) }, at);
  const kind = question.options.find((option) => option.optionId === optionId)?.kind;
  if (changesInput(body) && kind !== "allow_once")
    throw new AapProblem(
      "BAD_REQUEST",
      `A changed input is for this once: choose the option that allows once, or "granted": true. Nothing was done.`,
    );
  return {
    outcome: {
      type: "selected",
      optionId,
      ...(width !== undefined && { width }),
      ...(scope !== undefined && { scope }),
      ...(expires !== undefined && { expires }),
    },
    intentHash: question.intentHash,
    by: "person",
    at,
    ...remarksOf(body),
  };
}

/** Gives the same yes or no, once, to the other open questions of the session that are alike. Returns which took it. */
async function answerAlike(
  { ledger, now }: Pick<Asking, "ledger" | "now">,
  question: Question,
  open: readonly Question[],
  body: AnswerBody,
): Promise<readonly string[]> {
  const { likeness, sessionId, questionId } = question;
  const kind = question.options.find((option) => option.optionId === body.optionId)?.kind;
  const granted = body.granted ?? (kind === "allow_once" || kind === "allow_always");
  const others = open.filter(
    (one) => one.questionId !== questionId && one.sessionId === sessionId && one.likeness === likeness,
  );
  const taken: string[] = [];
  for (const other of likeness === undefined ? [] : others) {
    const answer = plainAnswer(other, { granted, ...remarksOf(body) }, now());
    try {
      const { counted } = await ledger.answer(other.questionId, answer);
      if (counted) taken.push(other.questionId);
    } catch (error) {
      // Withdrawn or expired meanwhile.
      if (!(error instanceof LedgerError)) throw error;
    }
  }
  return taken;
}

/** The ledger returns the recorded answer, or has no such question. Refusing a settled question changes nothing. */
async function settledBefore(ledger: Asking["ledger"], questionId: string, at: number): Promise<Answered> {
  try {
    return await ledger.answer(questionId, { outcome: { type: "refused" }, intentHash: "", by: "rule", at });
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "NO_SUCH_QUESTION") throw error;
    throw new AapProblem("NOT_FOUND", `There is no question ${questionId}. Nothing was done.`);
  }
}

/** Sending the same answer again is no error; another answer is too late. */
export function tooLate({ answer }: Answered, body: AnswerBody, question: string): AapProblem | undefined {
  const { outcome } = answer;
  const isSame =
    body.optionId !== undefined &&
    outcome.type === "selected" &&
    outcome.optionId === body.optionId &&
    outcome.width === body.width &&
    outcome.scope === body.scope &&
    outcome.rules === undefined &&
    JSON.stringify([answer.input, answer.keptHunks]) === JSON.stringify([body.input, body.keptHunks]);
  if (isSame) return undefined;
  return new AapProblem(
    "ALREADY_ANSWERED",
    `Question ${question} was answered before, and the first answer counts. Nothing was done; that answer comes with this.`,
    { recorded: answer },
  );
}
