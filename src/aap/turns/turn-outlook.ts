/**
 * Decides who continues a turn after an answer to its question. All doors of a server use this rule, so that they
 * cannot disagree.
 */
import { isYes, readAll } from "../../call/index.js";
import type { Answer, Question, SessionInfo } from "../../call/index.js";
import { AapProblem } from "../api/aap-problem.js";
import type { ServerContext } from "../server-context.js";
import { infoAfter } from "../sessions/session-config.js";
import { sessionDoor } from "../sessions/session-door.js";
import { turnStatus } from "./turn-status.js";

/**
 * `live`: a process waits for the answer, or this server continues its own turn with it. `parked`: the answer is recorded,
 * and the turn continues where `resumes` says. `gone`: no process can continue the turn.
 *
 * `here`: this server continues the turn. `elsewhere`: the process that has the session does. `later`: the next process
 * that opens the session does.
 */
export type TurnOutlook = {
  readonly liveness: "live" | "parked" | "gone";
  readonly resumes: "here" | "elsewhere" | "later";
};

/** A part of the server that runs turns. */
export type RunsTurns = {
  readonly isOpen: (sessionId: string) => boolean;
  /** `nobody`: turns of this session end with the process that runs them. */
  readonly continuer: (info: SessionInfo) => Promise<"here" | "nobody" | undefined>;
};

type Parts = { readonly ledger: ServerContext["ledger"]; readonly parts: readonly RunsTurns[] };

type SessionState = { readonly info: SessionInfo; readonly isStopped: boolean };

export type OutlookOf = (sessionId: string, state?: () => Promise<SessionState>) => Promise<TurnOutlook>;

/** `state` is read only where no process has the session. */
export async function turnOutlook(
  { ledger, parts }: Parts,
  sessionId: string,
  state: () => Promise<SessionState> = () => readState(ledger, sessionId),
): Promise<TurnOutlook> {
  if (parts.some(({ isOpen }) => isOpen(sessionId))) return { liveness: "live", resumes: "here" };
  if ((await ledger.holder?.(sessionId)) !== undefined) return { liveness: "live", resumes: "elsewhere" };
  const { info, isStopped } = await state();
  const continuers = await Promise.all(parts.map(({ continuer }) => continuer(info)));
  const resumes = continuers.includes("here") ? "here" : "later";
  const door = sessionDoor(info);
  const isOver = isStopped || door === "driven" || continuers.includes("nobody");
  // A ledger without holders cannot tell whether a process waits for the answer.
  if (isOver && ledger.holder) return { liveness: "gone", resumes };
  const isOwn = resumes === "here" && door !== "terminal" && door !== "editor";
  return { liveness: isOwn || !ledger.holder ? "live" : "parked", resumes };
}

async function readState(ledger: ServerContext["ledger"], sessionId: string): Promise<SessionState> {
  const log = await readAll(ledger, sessionId);
  return { info: infoAfter({}, log), isStopped: turnStatus(log) === "stopped" };
}

/** A yes to a question whose turn is gone would be recorded and run nothing. */
export function checkCanCount({ liveness }: TurnOutlook, question: Question, answer: Answer): void {
  if (liveness !== "gone" || !isYes(question, answer)) return;
  throw new AapProblem(
    "CONFLICT",
    `The turn of question ${question.questionId} is over, and no process can continue it: a yes would run nothing. Nothing was recorded. Refuse it, or start a new turn.`,
  );
}
