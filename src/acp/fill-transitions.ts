/**
 * Fills in the transitions between the recorded state of a call and the state that a message shows. The wire shows
 * only some states; the fold needs every transition, so the missing ones are added here, in the order in
 * which every call makes them: input, question, answer, start, end.
 */
import type {
  Answer,
  Decision,
  Question,
  SessionEvent,
  ToolCall,
  ToolCallState,
  CallTimes,
} from "../call/index.js";
import type { Reading } from "./reading.js";

/** The state of the call in a message. Traffic of other agents has no times. */
export type Target = {
  readonly toolCallId: string;
  readonly state: ToolCallState;
  readonly decision?: Decision | undefined;
  readonly times?: Partial<CallTimes> | undefined;
  readonly title: string;
  readonly rawInput: unknown;
};

export function fillTransitions(
  call: ToolCall | undefined,
  target: Target,
  reading: Reading,
): SessionEvent[] {
  const { at } = reading;
  const { toolCallId, state, times } = target;
  const from = call?.state;
  const isNewlyAsked = times?.asked !== undefined && times.asked !== call?.times.asked;
  const events: SessionEvent[] = [];
  // An assumed end stays until it is reported.
  if (from && "assumed" in from && "assumed" in state && state.assumed) return [];
  if (from?.status === "drafting" || !from) {
    if (state.status === "drafting") return [];
    events.push({ type: "input-ready", toolCallId, at, rawInput: target.rawInput ?? call?.rawInput });
  }
  if (from && isAsking(from) && (isNewlyAsked || !(isAsking(state) && times))) {
    events.push(...leaveQuestion(from.waitingFor.questionId, target, isNewlyAsked, reading));
  }
  if (isNewlyAsked && !(from && hasStarted(from))) events.push(...newQuestion(target, times.asked, reading));
  const isBeforeClearing =
    !from || ["drafting", "ready"].includes(from.status) || isAsking(from) || isNewlyAsked;
  if (isBeforeClearing && wasCleared(target)) events.push(cleared(target, toolCallId, at));
  if (!(from && hasStarted(from)) && wasStarted(target)) {
    events.push({
      type: "run-started",
      toolCallId,
      at: times?.started ?? unreportedStart(call, state) ?? at,
    });
  }
  events.push(...arrival(from, target, toolCallId, at));
  return events;
}

/** An agent that reports only the end has worked on the call since it was allowed. */
const unreportedStart = (call: ToolCall | undefined, state: ToolCallState): number | undefined =>
  state.status === "running" ? undefined : call?.times.answered;

type Asking = ToolCallState & { status: "waiting"; waitingFor: { type: "question" } };

const isAsking = (state: ToolCallState): state is Asking =>
  state.status === "waiting" && state.waitingFor.type === "question";

const hasStarted = (state: ToolCallState): boolean => state.status === "running" || "assumed" in state;

function wasStarted({ state, times }: Target): boolean {
  if (state.status === "running" || state.status === "unknown") return true;
  return times ? times.started !== undefined : state.status === "done";
}

/** Whether a rule or a person cleared the call, however it ended. */
function wasCleared(target: Target): boolean {
  const { state, decision, times } = target;
  // Refused later than it was answered: the answer was a yes, and a rule or a check refused it then.
  if (state.status === "refused") return times?.answered !== undefined && times.answered !== times.ended;
  if (isAsking(state) || state.status === "ready") return false;
  return (
    state.status === "cleared" ||
    state.status === "done" ||
    wasStarted(target) ||
    decision !== undefined ||
    isChild(state)
  );
}

/** Whether the app or a child session is at work on it already. */
const awaitsResult = (state: ToolCallState | undefined): boolean =>
  state?.status === "waiting" && state.waitingFor.type !== "question";

const isChild = (state: ToolCallState): boolean =>
  state.status === "waiting" && state.waitingFor.type === "child";

function cleared({ times, decision }: Target, toolCallId: string, at: number): SessionEvent {
  return {
    type: "call-cleared",
    toolCallId,
    at: times?.answered ?? decision?.at ?? at,
    ...measured("waitedMs", times),
    ...(decision && { decision }),
  };
}

/** Settles the question that the call was last seen waiting for, as far as the target shows how it ended. */
function leaveQuestion(
  questionId: string,
  target: Target,
  isAskedAgain: boolean,
  reading: Reading,
): SessionEvent[] {
  const asked = reading.session.question(questionId);
  if (asked?.state.status !== "open") return [];
  if (!isAskedAgain) return [settled(asked.question, target, reading)];
  // The call was allowed in between and then asked about again; the wire does not show by whom.
  const at = reading.at;
  return [
    { type: "question-withdrawn", at, questionId, reason: "it was asked again" },
    { type: "call-cleared", toolCallId: target.toolCallId, at },
  ];
}

function newQuestion(target: Target, askedAt: number, reading: Reading): SessionEvent[] {
  const { state, toolCallId } = target;
  const { sessionId } = reading.session;
  const questionId = isAsking(state) ? state.waitingFor.questionId : `${toolCallId}-asked-${askedAt}`;
  // The options of the question travel in the permission request, not here: this end can show the question but not
  // answer it.
  const question: Question = {
    questionId,
    sessionId,
    toolCallId,
    intentHash: "",
    title: target.title,
    options: UNSEEN,
    askedAt,
  };
  const asked: SessionEvent = { type: "question-asked", toolCallId, at: askedAt, question };
  return isAsking(state) ? [asked] : [asked, settled(question, target, reading)];
}

const UNSEEN = [
  { optionId: "allow", name: "Allow", kind: "allow_once" },
  { optionId: "reject", name: "Reject", kind: "reject_once" },
] as const;

function settled(question: Question, target: Target, { at }: Reading): SessionEvent {
  const { decision, times, state } = target;
  const { questionId, intentHash } = question;
  const isYes = wasCleared(target);
  // The sandbox decides on calls that nobody was asked about.
  if (!decision || decision.by === "sandbox" || (!isYes && state.status !== "refused")) {
    return { type: "question-withdrawn", at, questionId, reason: "the call went on without an answer" };
  }
  const kind = isYes ? "allow_once" : "reject_once";
  const optionId = question.options.find((option) => option.kind === kind)?.optionId;
  const outcome: Answer["outcome"] =
    optionId === undefined ? { type: "refused" } : { type: "selected", optionId };
  const answeredAt = times?.answered ?? decision.at;
  return {
    type: "question-answered",
    at: answeredAt,
    questionId,
    answer: { ...decision, by: decision.by, outcome, intentHash, at: answeredAt },
  };
}

/** A duration that the agent measured. */
function measured<Field extends "waitedMs" | "ranMs">(
  field: Field,
  times: Target["times"],
): { readonly [Name in Field]?: number } {
  const duration = times?.[field];
  // The compiler does not follow a computed name.
  return (duration === undefined ? {} : { [field]: duration }) as { readonly [Name in Field]?: number };
}

/** The last step, into the state itself. */
function arrival(
  from: ToolCallState | undefined,
  target: Target,
  toolCallId: string,
  at: number,
): SessionEvent[] {
  const { state, times, decision } = target;
  const end = { toolCallId, at: times?.ended ?? at, ...measured("ranMs", times) };
  switch (state.status) {
    case "drafting":
    case "ready":
    case "cleared":
      return [];
    case "waiting":
      if (isAsking(state) || awaitsResult(from)) return [];
      return state.waitingFor.type === "child"
        ? [{ type: "child-awaited", toolCallId, at, childSessionId: state.waitingFor.childSessionId }]
        : [{ type: "app-awaited", toolCallId, at }];
    case "running":
      return state.cancelRequested && !(from?.status === "running" && from.cancelRequested)
        ? [{ type: "cancel-requested", toolCallId, at }]
        : [];
    case "done": {
      const done: SessionEvent = { type: "call-done", ...end, assumed: state.assumed };
      // Done without having been started here: the app, or a child session, brought the result.
      return wasStarted(target) || awaitsResult(from) || (from && "assumed" in from)
        ? [done]
        : [{ type: "app-awaited", toolCallId, at }, done];
    }
    case "failed":
      return [{ type: "call-failed", ...end, error: state.error, assumed: state.assumed }];
    case "refused":
      return [
        { type: "call-refused", ...end, ...measured("waitedMs", times), ...(decision && { decision }) },
      ];
    case "cancelled":
      return [{ type: "call-cancelled", ...end, reason: state.reason, assumed: state.assumed }];
    case "unknown":
      return [{ type: "call-unknown", ...end, reason: state.reason, assumed: state.assumed }];
    default:
      return state satisfies never;
  }
}
