/** Takes an answer. The first one counts, from any device or process; later ones get it back. */
import type { z } from "zod";
import { AapProblem } from "../../aap/api/aap-problem.js";
import { checkCanCount } from "../../aap/turns/turn-outlook.js";
import { allOpenQuestions, LedgerError } from "../../call/index.js";
import type { Answer, OptionKind, Question, SelectedOption } from "../../call/index.js";
import { notKeepable } from "../../call/question.js";
import type { Answered, answerRequest } from "../api/question-bodies.js";
import { redact } from "../../history/index.js";
import { readRules } from "../rules/change-rules.js";
import type { ServeContext } from "../server/serve-context.js";
import { answeredState, answerWords } from "./inbox-row.js";

type AnswerBody = z.output<typeof answerRequest>;

export type Answering = {
  readonly who: string;
  /** The questions that may get the same answer. */
  readonly alike?: readonly Question[];
};

export async function answerQuestion(
  context: ServeContext,
  question: Question,
  body: AnswerBody,
  { who, alike = [] }: Answering,
): Promise<Answered> {
  const { ledger, now, redactPatterns, apps } = context;
  const { questionId, intentHash } = question;
  const wrong = body.keptHunks && notKeepable(question, body.keptHunks);
  if (wrong !== undefined) throw new AapProblem("BAD_REQUEST", `${wrong} It is still open.`);
  const answer: Answer = {
    outcome: outcomeOf(question, body),
    intentHash: body.intentHash ?? intentHash,
    by: "person",
    who,
    ...(body.reason !== undefined && { reason: body.reason }),
    ...(body.input !== undefined && { input: body.input }),
    ...(body.keptHunks !== undefined && { keptHunks: body.keptHunks }),
    at: now(),
  };
  const outlook = await apps.outlookOf(question.sessionId);
  // An answered question returns the recorded answer, whatever became of its turn.
  if (await isOpen(ledger, question)) checkCanCount(outlook, question, answer);
  const receipt = await ledger.answer(questionId, answer);
  if (!receipt.counted)
    throw new AapProblem(
      "ALREADY_ANSWERED",
      `Question ${questionId} was answered before (${answerWords(question, receipt.answer)}), and the first answer counts. Nothing was done.`,
      { recorded: receipt.answer },
    );
  const state = answeredState(question, receipt.answer, redactPatterns);
  return {
    questionId,
    counted: true,
    answer: state.answer,
    words: state.words,
    ...(await answerAlike(context, body, { who, alike })),
    resumes: outlook.resumes,
  };
}

const isOpen = async (
  ledger: ServeContext["ledger"],
  { sessionId, questionId }: Question,
): Promise<boolean> =>
  (await allOpenQuestions(ledger, { sessionId })).some((one) => one.questionId === questionId);

function outcomeOf(question: Question, body: AnswerBody): Answer["outcome"] {
  const { reply, width, rules, expires } = body;
  switch (reply) {
    case "once":
      return selected(question, "allow_once", reply);
    case "no":
      // Refusing is always safe, also where the question does not offer it.
      return question.options.some(({ kind }) => kind === "reject_once")
        ? selected(question, "reject_once", reply)
        : { type: "refused" };
    case "session":
    case "always":
    case "never": {
      const scope = reply === "session" ? "session" : body.scope;
      return {
        ...selected(question, reply === "never" ? "reject_always" : "allow_always", reply),
        ...(width !== undefined && { width }),
        ...(rules !== undefined && { rules: readRules(rules).map((rule) => ({ ...rule })) }),
        ...(scope !== undefined && { scope }),
        ...(expires !== undefined && { expires }),
      };
    }
    default:
      return reply satisfies never;
  }
}

function selected({ options, title }: Question, kind: OptionKind, reply: string): SelectedOption {
  const option = options.find((one) => one.kind === kind);
  if (option) return { type: "selected", optionId: option.optionId };
  throw new AapProblem("CONFLICT", `"${title}" does not offer "${reply}". The question is still open.`);
}

/** The same yes or no, once, for the questions that are alike. */
async function answerAlike(
  { ledger, now, redactPatterns }: ServeContext,
  { alike: wanted = [], reply, reason }: AnswerBody,
  { who, alike: offered }: Required<Answering>,
): Promise<Pick<Answered, "alike" | "notTaken">> {
  const alike: string[] = [];
  const notTaken: Answered["notTaken"] = [];
  for (const questionId of new Set(wanted)) {
    const other = offered.find((one) => one.questionId === questionId);
    if (!other) {
      notTaken.push({ questionId, why: "The question is not alike, or no longer open." });
      continue;
    }
    const isNo = reply === "no" || reply === "never";
    try {
      const { counted } = await ledger.answer(questionId, {
        outcome: selected(other, isNo ? "reject_once" : "allow_once", reply),
        intentHash: other.intentHash,
        by: "person",
        who,
        ...(reason !== undefined && { reason }),
        at: now(),
      });
      if (counted) alike.push(questionId);
      else notTaken.push({ questionId, why: "The question was answered before." });
    } catch (error) {
      if (!(error instanceof LedgerError) && !(error instanceof AapProblem)) throw error;
      notTaken.push({ questionId, why: redact(error.message, redactPatterns) });
    }
  }
  return { alike, notTaken };
}
