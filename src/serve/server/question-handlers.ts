/** Questions of all sessions, and their answers. */
import { setTimeout } from "node:timers/promises";
import type { z } from "zod";
import { AapProblem } from "../../aap/api/aap-problem.js";
import { visibleText } from "../../call/index.js";
import type { Question } from "../../call/index.js";
import {
  answerRequest,
  linkedAnswerRequest,
  questionLinkRequest,
  questionQuery,
} from "../api/question-bodies.js";
import type { InboxQuestion } from "../api/question-bodies.js";
import { redact } from "../../history/index.js";
import { answerQuestion } from "../questions/answer-question.js";
import { earlierAnswers } from "../questions/earlier-answers.js";
import { answeredState, inboxRow } from "../questions/inbox-row.js";
import { questionDetail } from "../questions/question-detail.js";
import { bodyOf, originOf, queryOf } from "./page-request.js";
import type { PageHandler, PageParts, PageRequest } from "./page-request.js";

type AnswerBody = z.output<typeof answerRequest>;

type Name =
  | "pageQuestions"
  | "question"
  | "earlierAnswers"
  | "answer"
  | "questionLink"
  | "linkedQuestion"
  | "answerLinked";

const LINK_HEADER = "x-toolgate-link";
const MINUTE_MS = 60_000;

export function questionHandlers(parts: PageParts): Readonly<Record<Name, PageHandler>> {
  const { context, hub, views } = parts;
  const detailOf = async (id: string): Promise<Response> => {
    const { question, row } = await findQuestion(parts, id);
    const { book } = await views.open(question.sessionId);
    const { resumes } = await context.apps.outlookOf(question.sessionId);
    const alike = hub.inbox.alike(row).map(({ questionId }) => questionId);
    return Response.json(await questionDetail(context, question, { row, book, resumes, alike }));
  };
  return {
    pageQuestions: async (request) => {
      const { state } = queryOf(request, questionQuery);
      await hub.settled();
      return Response.json(hub.inbox.body(state));
    },
    question: ({ id }) => detailOf(id),
    earlierAnswers: async ({ id }) => {
      const { question } = await findQuestion(parts, id);
      const { sessionId, toolCallId } = question;
      const call = (await views.open(sessionId)).book.call(toolCallId);
      if (!call) throw new AapProblem("NOT_FOUND", `There is no call ${toolCallId}. Nothing was read.`);
      return Response.json(await earlierAnswers(parts, question, call));
    },
    answer: async (request) => {
      const body = await bodyOf(request, answerRequest);
      const { device } = request;
      if (device && device.role !== "all") checkIsPlain(body, device.name);
      const { question, row } = await findQuestion(parts, request.id);
      const who = device?.name ?? "a program";
      const answered = await answerQuestion(context, question, body, { who, alike: hub.inbox.alike(row) });
      // The answer counts already: a count of answers that cannot be written must not look like a refusal.
      if (device) await context.devices.note(device, { hasAnswered: true }).catch(context.onError);
      const notStored =
        storesRule(body) && answered.resumes === "here" && (await whyNotStored(parts, question));
      return Response.json({ ...answered, ...(notStored && { notStored }) });
    },
    questionLink: async (request) => {
      const { minutes } = await bodyOf(request, questionLinkRequest);
      const { question } = await findQuestion(parts, request.id);
      const { questionId } = question;
      const { key, expiresAt } = await context.devices.createLink(
        questionId,
        minutes * MINUTE_MS,
        request.device?.deviceId,
      );
      return Response.json({
        url: `${originOf(request)}/q/${encodeURIComponent(questionId)}#key=${key}`,
        expiresAt,
      });
    },
    linkedQuestion: async (request) => {
      keyOfLink(parts, request);
      return detailOf(request.id);
    },
    answerLinked: async (request) => {
      const key = keyOfLink(parts, request);
      const body = await bodyOf(request, linkedAnswerRequest);
      const { question } = await findQuestion(parts, request.id);
      const answered = await answerQuestion(context, question, body, { who: "a link" });
      // The same of a link: it answers only this question, which counts one answer.
      await context.devices.useLink(key).catch(context.onError);
      return Response.json(answered);
    },
  };
}

const storesRule = ({ reply }: AnswerBody): boolean =>
  reply === "session" || reply === "always" || reply === "never";

const TAKEN_UP_MS = 1_000;
const LOOK_MS = 10;

/** Known as soon as the turn has taken up the answer, which is now. */
async function whyNotStored(
  { context, views }: PageParts,
  { sessionId, toolCallId, questionId }: Question,
): Promise<string | undefined> {
  const view = await views.open(sessionId);
  for (const until = Date.now() + TAKEN_UP_MS; Date.now() < until; await setTimeout(LOOK_MS)) {
    const call = view.book.call(toolCallId);
    const isTaken =
      call?.state.status !== "waiting" ||
      call.state.waitingFor.type !== "question" ||
      call.state.waitingFor.questionId !== questionId;
    const why = call?.decision?.notStored;
    if (isTaken) return why === undefined ? undefined : redact(visibleText(why), context.redactPatterns);
  }
  return undefined;
}

/** A device that only answers says yes or no to the question as it is; changed inputs and stored rules need the role "all". */
function checkIsPlain({ reply, input, keptHunks, rules }: AnswerBody, name: string): void {
  const isAsItIs = input === undefined && keptHunks === undefined;
  if (isAsItIs && rules === undefined && reply !== "always" && reply !== "never") return;
  throw new AapProblem(
    "FORBIDDEN",
    `${name} may answer a question as it is, once or for its session. Nothing was answered.`,
  );
}

/** The key of a link to this question; throws where it is none, was used or has expired. */
function keyOfLink({ context: { devices } }: PageParts, { context, id }: PageRequest): string {
  const key = context.req.header(LINK_HEADER) ?? "";
  if (devices.isLinkKey(id, key)) return key;
  throw new AapProblem(
    "UNAUTHORIZED",
    "This link was used before, has expired, or is not for this question.",
  );
}

/** An older question is not in the inbox, but its session has it. */
async function findQuestion(
  { hub, views, index, context }: PageParts,
  questionId: string,
): Promise<{ readonly question: Question; readonly row: InboxQuestion }> {
  const known = hub.inbox.find(questionId);
  if (known) return known;
  await hub.settled();
  const found = hub.inbox.find(questionId);
  if (found) return found;
  const sessionId = sessionIn(questionId);
  const asked = (await context.ledger.has(sessionId))
    ? (await views.open(sessionId)).book.question(questionId)
    : undefined;
  const facts = asked && (await index.read(sessionId))?.facts;
  if (!asked || !facts)
    throw new AapProblem("NOT_FOUND", `There is no question ${questionId}. Nothing was done.`);
  const { question, state } = asked;
  const { now, redactPatterns: patterns } = context;
  const shown = state.status === "answered" ? answeredState(question, state.answer, patterns) : state;
  const options = { state: shown, liveness: "gone", now: now(), patterns } as const;
  return { question, row: inboxRow(question, facts.call(question.toolCallId), facts, options) };
}

/** Ids of questions begin with that of their session (`questionFor` in run/decisions.ts). */
const sessionIn = (questionId: string): string => questionId.split("/").slice(0, -2).join("/");
