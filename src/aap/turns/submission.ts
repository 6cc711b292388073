/**
 * The messages that an app sends to a turn: results of the calls it ran, permissions for the server's calls, and perhaps a
 * user message. All are checked against the log before any of them counts, so that no client can answer a call that was
 * not asked about, or answer one twice.
 */
import { isOver } from "../../call/index.js";
import type { ContentBlock, Question, SessionBook, ToolCall } from "../../call/index.js";
import { callResult } from "../stream/call-result.js";
import { blocksOf } from "../api/content-blocks.js";
import { AapProblem } from "../api/aap-problem.js";
import type { InputContent, TurnMessageBody } from "../api/request-bodies.js";
import type { TurnEvents } from "../stream/turn-events.js";

type Permission = TurnMessageBody & { readonly role: "tool_permission" };

export type Submission = {
  readonly results: ReadonlyMap<string, InputContent>;
  readonly permissions: ReadonlyMap<string, Permission>;
  readonly userBlocks: readonly ContentBlock[] | undefined;
};

export function readSubmission(messages: readonly TurnMessageBody[]): Submission {
  const results = new Map<string, InputContent>();
  const permissions = new Map<string, Permission>();
  let userBlocks: readonly ContentBlock[] | undefined;
  for (const message of messages) {
    if (message.role === "user") {
      if (userBlocks) throw bad("A turn takes one user message, and this request has two");
      userBlocks = blocksOf(message.content);
      if (userBlocks.length === 0) throw bad("The user message is empty");
    } else if (message.role === "tool") {
      const { toolCallId, content } = message;
      const before = results.get(toolCallId);
      if (before !== undefined && JSON.stringify(before) !== JSON.stringify(content)) {
        throw bad(`Call ${toolCallId} has two different results`);
      }
      results.set(toolCallId, content);
    } else {
      const { toolCallId, granted, input } = message;
      const before = permissions.get(toolCallId);
      if (before && before.granted !== granted) throw bad(`Call ${toolCallId} is both granted and denied`);
      if (before && JSON.stringify(before.input) !== JSON.stringify(input))
        throw bad(`Call ${toolCallId} is granted with two different inputs`);
      if (!granted && input !== undefined) throw bad(`Call ${toolCallId} is denied, and has a changed input`);
      permissions.set(toolCallId, before ?? message);
    }
  }
  return { results, permissions, userBlocks };
}

/** The new parts of a submission, and the ids of the calls that it leaves without an answer. */
export type Checked = {
  readonly results: readonly { readonly toolCallId: string; readonly content: InputContent }[];
  readonly answers: readonly { readonly question: Question; readonly permission: Permission }[];
  /** Denials of calls that sub-agents work on: these are open, so clients may ask about them. */
  readonly stopped: readonly Permission[];
  readonly missing: readonly string[];
  /** The named calls that have ended. */
  readonly over: readonly ToolCall[];
  /** Whether any part of it takes effect now. */
  readonly isNew: boolean;
};

export function checkSubmission(
  { results, permissions }: Submission,
  book: SessionBook,
  events: TurnEvents,
  now: number,
): Checked {
  const named = new Set([...results.keys(), ...permissions.keys()]);
  for (const toolCallId of named) {
    if (!events.wasSent(toolCallId)) throw bad(`This session has no call ${toolCallId}`);
  }
  for (const toolCallId of results.keys()) {
    if (events.isAppCall(toolCallId)) continue;
    throw bad(`Call ${toolCallId} is run by the server, so the app has no result of it to send`);
  }
  for (const toolCallId of permissions.keys()) {
    if (!events.isAppCall(toolCallId)) continue;
    throw bad(`Call ${toolCallId} is run by the app, so the server has nothing to permit`);
  }
  const stopped = book
    .openCalls()
    .flatMap((call) => (awaitsChild(call) ? denied(permissions.get(call.toolCallId)) : []));
  const isStopped = (id: string | undefined) => stopped.some(({ toolCallId }) => toolCallId === id);
  // The app cannot have answered a call that was not sent yet.
  const waiting = book
    .openCalls()
    .flatMap((call) => (events.wasSent(call.toolCallId) ? (waitsFor(call, book, now) ?? []) : []));
  const awaited = new Set(waiting.flatMap(({ toolCallId, question }) => (question ? [] : [toolCallId])));
  // In the order in which the app sent them: the history has them so.
  const newResults = [...results].flatMap(([toolCallId, content]) =>
    awaited.has(toolCallId) ? [{ toolCallId, content }] : [],
  );
  const answers = waiting.flatMap(({ toolCallId, question }) => {
    const permission = permissions.get(toolCallId);
    return question && permission ? [{ question, permission }] : [];
  });
  return {
    stopped,
    results: newResults,
    answers,
    missing: waiting
      .map(({ toolCallId }) => toolCallId)
      .filter((toolCallId) => !isStopped(book.call(toolCallId)?.parentToolCallId))
      .filter((toolCallId) => !named.has(toolCallId)),
    over: [...named].flatMap((id) => {
      const call = book.call(id);
      return call && isOver(call.state) ? [call] : [];
    }),
    isNew: newResults.length + answers.length + stopped.length > 0,
  };
}

export function missingProblem(missing: readonly string[]): AapProblem {
  return new AapProblem(
    "PARTIAL",
    `All open calls are answered in one request; these are missing: ${missing.join(", ")}. Nothing was done.`,
    { missing },
  );
}

/** Calls that were answered before, with their results. */
export function answeredProblem(calls: readonly ToolCall[], missing: readonly string[]): AapProblem {
  const recorded = calls.map((call) => ({
    toolCallId: call.toolCallId,
    status: call.state.status,
    ...(call.decision?.by === "person" && { granted: call.state.status !== "refused" }),
    content: callResult(call).content,
  }));
  const ids = calls.map(({ toolCallId }) => toolCallId).join(", ");
  return new AapProblem(
    "ALREADY_ANSWERED",
    `Already answered: ${ids}. The first answer counts. Nothing was done; the recorded results come with this.`,
    { recorded, ...(missing.length > 0 && { missing }) },
  );
}

type Waiting = { readonly toolCallId: string; readonly question: Question | undefined };

const awaitsChild = ({ state }: ToolCall): boolean =>
  state.status === "waiting" && state.waitingFor.type === "child";

const denied = (permission: Permission | undefined): readonly Permission[] =>
  permission && !permission.granted ? [permission] : [];

/** Undefined when the app has nothing to answer: a question may be answered elsewhere, or expired. */
function waitsFor({ toolCallId, state }: ToolCall, book: SessionBook, now: number): Waiting | undefined {
  if (state.status !== "waiting") return undefined;
  if (state.waitingFor.type === "app") return { toolCallId, question: undefined };
  if (state.waitingFor.type !== "question") return undefined;
  const asked = book.question(state.waitingFor.questionId);
  if (asked?.state.status !== "open") return undefined;
  const { question } = asked;
  return question.expiresAt !== undefined && question.expiresAt <= now ? undefined : { toolCallId, question };
}

const bad = (what: string): AapProblem => new AapProblem("BAD_REQUEST", `${what}. Nothing was done.`);
