/**
 * A ledger that logs the recorded events: who opened a session, how turns and calls ended, which rule decided, how long
 * it took. The log holds names, numbers and fixed texts; of other texts only a turn's error, rules and reasons, shortened
 * and redacted.
 */
import { handleEvent, STATUS_AT_END } from "../call/index.js";
import type { Decision, EventOf, EventTable, Ledger, SessionEvent, ToolCallEvent } from "../call/index.js";
import { forwardLedger } from "../call/forward-ledger.js";
import { OpenCalls } from "../call/open-calls.js";
import type { OpenCall } from "../call/open-calls.js";
import { errorFields } from "./open-log.js";
import type { Log } from "./open-log.js";

export function loggedLedger(ledger: Ledger, log: Log): Ledger {
  const calls = new OpenCalls();
  const failed = (sessionId: string) => (error: unknown) => {
    log.to.error({ sessionId, ...errorFields(error, log) }, "events were not recorded");
    throw error;
  };
  return {
    ...forwardLedger(ledger),
    claim: async (sessionId, owner, options) => {
      const lease = await ledger.claim(sessionId, owner, options);
      log.to.info({ sessionId, owner }, "session opened");
      return lease;
    },
    release: async (lease) => {
      await ledger.release(lease);
      log.to.info({ sessionId: lease.sessionId }, "session closed");
    },
    append: async (lease, events, options) => {
      const seq = await ledger.append(lease, events, options).catch(failed(lease.sessionId));
      for (const event of events) logEvent(log, calls, lease.sessionId, event);
      return seq;
    },
    read: async (sessionId, options) => {
      const recorded = await ledger.read(sessionId, options);
      // Calls that an earlier process left open may end in this process.
      for (const { event } of recorded) takeCall(calls, sessionId, event);
      return recorded;
    },
    answer: async (questionId, answer) => {
      const receipt = await ledger.answer(questionId, answer);
      const { by, outcome } = receipt.answer;
      log.to.info({ questionId, counted: receipt.counted, by, outcome: outcome.type }, "question answered");
      return receipt;
    },
    remove: async (lease) => {
      await ledger.remove(lease);
      log.to.info({ sessionId: lease.sessionId }, "session forgotten");
    },
  };
}

type Place = {
  readonly log: Log;
  readonly sessionId: string;
  /** The call that the event belongs to, as the event leaves it. */
  readonly call: OpenCall | undefined;
};

function logEvent(log: Log, calls: OpenCalls, sessionId: string, event: SessionEvent): void {
  handleEvent(LOG_TABLE, event, { log, sessionId, call: takeCall(calls, sessionId, event) });
}

const takeCall = (calls: OpenCalls, sessionId: string, event: SessionEvent): OpenCall | undefined =>
  "toolCallId" in event ? calls.take(event, JSON.stringify([sessionId, event.toolCallId])) : undefined;

/** Messages, plans, titles and outputs are not for a log. */
const leftOut = (): void => undefined;

const LOG_TABLE: EventTable<[place: Place], void> = {
  "call-announced": (event, place) => place.log.to.debug(about(event, place), "call announced"),
  "question-asked": (event, place) =>
    place.log.to.info({ ...about(event, place), questionId: event.question.questionId }, "call asked about"),
  "call-cleared": (event, place) =>
    place.log.to.debug(
      { ...about(event, place), ...decided(event.decision, place.log.redacted) },
      "call allowed",
    ),
  "run-started": (event, place) => place.log.to.debug(about(event, place), "call started"),
  "process-started": (event, place) =>
    place.log.to.debug({ ...about(event, place), pid: event.process.pid }, "command started"),
  "sandbox-refused": (event, place) =>
    place.log.to.info(
      { ...about(event, place), refused: event.refusals.map(({ type }) => type) },
      "sandbox refused",
    ),
  "cancel-requested": (event, place) => place.log.to.debug(about(event, place), "call cancel requested"),
  "call-undone": (event, place) => place.log.to.debug(about(event, place), "call undone"),
  "call-breached": logBreach,
  "call-done": logEnd,
  "call-failed": logEnd,
  "call-refused": logEnd,
  "call-cancelled": logEnd,
  "call-unknown": logEnd,
  "turn-started": ({ turnId }, { log, sessionId }) => log.to.info({ sessionId, turnId }, "turn started"),
  "turn-parked": ({ turnId }, { log, sessionId }) => log.to.info({ sessionId, turnId }, "turn waits"),
  "turn-resumed": ({ turnId }, { log, sessionId }) => log.to.info({ sessionId, turnId }, "turn resumed"),
  "turn-stopped": ({ turnId, stopReason, error }, { log, sessionId }) => {
    const record = {
      sessionId,
      turnId,
      stopReason,
      ...(error !== undefined && { error: log.redacted(error) }),
    };
    if (stopReason === "error") log.to.error(record, "turn ended");
    else log.to.info(record, "turn ended");
  },
  "step-ended": ({ turnId, stepId, usage, toolCallIds }, { log, sessionId }) =>
    log.to.info({ sessionId, turnId, stepId, calls: toolCallIds.length, ...usage }, "model responded"),
  "child-stepped": ({ toolCallId, usage, toolCallIds }, { log, sessionId }) =>
    log.to.info({ sessionId, toolCallId, calls: toolCallIds.length, ...usage }, "model responded"),
  "question-withdrawn": ({ questionId }, { log, sessionId }) =>
    log.to.info({ sessionId, questionId }, "question withdrawn"),
  "mode-changed": ({ modeId }, { log, sessionId }) =>
    log.to.info({ sessionId, modeId: log.redacted(modeId) }, "mode changed"),
  "context-compacted": ({ throughStepId, usage }, { log, sessionId }) =>
    log.to.info({ sessionId, throughStepId, ...usage }, "context summarized"),
  "window-learnt": ({ model, contextWindow }, { log, sessionId }) =>
    log.to.warn({ sessionId, model: log.redacted(model), contextWindow }, "prompt refused for its length"),
  "traffic-repaired": ({ repair }, { log, sessionId }) =>
    log.to.debug({ sessionId, repair: log.redacted(repair.repair) }, "traffic repaired"),
  "message-chunk": leftOut,
  "question-answered": leftOut,
  "plan-updated": leftOut,
  "info-changed": leftOut,
  "input-delta": leftOut,
  "input-ready": leftOut,
  "call-revised": leftOut,
  "content-appended": leftOut,
  "terminal-output": leftOut,
  "terminal-exited": leftOut,
  "app-awaited": leftOut,
  "child-awaited": leftOut,
  "file-kept": leftOut,
};

function about({ toolCallId }: ToolCallEvent, { log, sessionId, call }: Place) {
  return { sessionId, toolCallId, ...(call && { tool: log.redacted(call.name), kind: call.kind }) };
}

/** Without the call's error, in which tools repeat their inputs. */
function logEnd(event: ToolCallEvent, place: Place): void {
  const { log, call } = place;
  const status = STATUS_AT_END.get(event.type);
  const record = {
    ...about(event, place),
    status,
    ...decided(call?.decision, log.redacted),
    ...times(call, event),
  };
  const isExpected = status === "done" || status === "refused" || status === "cancelled";
  if (isExpected) log.to.info(record, "call ended");
  else log.to.warn(record, "call ended");
}

function logBreach(event: EventOf<"call-breached">, place: Place): void {
  const { isAfterRefusal, rule, reason } = event.breach;
  const { to, redacted } = place.log;
  const why = {
    ...(rule !== undefined && { rule: redacted(rule) }),
    ...(reason !== undefined && { reason: redacted(reason) }),
  };
  to.error({ ...about(event, place), isAfterRefusal, ...why }, "call broke the rules");
}

function decided(decision: Decision | undefined, redacted: Log["redacted"]) {
  if (!decision) return {};
  const { by, rule, reason } = decision;
  return {
    decidedBy: by,
    ...(rule !== undefined && { rule: redacted(rule) }),
    // A person's reason is their own text for the model.
    ...(by === "rule" && reason !== undefined && { reason: redacted(reason) }),
  };
}

/** The measured durations where the clock was set meanwhile; never negative. */
function times(call: OpenCall | undefined, { at, ranMs }: { readonly at: number; readonly ranMs?: number }) {
  const ran = call?.startedAt === undefined ? undefined : (ranMs ?? Math.max(0, at - call.startedAt));
  const waited =
    call?.askedAt === undefined
      ? undefined
      : (call.waitedMs ?? Math.max(0, (call.decision?.at ?? at) - call.askedAt));
  return { ...(ran !== undefined && { ranMs: ran }), ...(waited !== undefined && { waitedMs: waited }) };
}
