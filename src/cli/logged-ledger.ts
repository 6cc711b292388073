/**
 * A ledger that logs the recorded events: who opened a session, how turns and calls ended, which rule decided, how long
 * it took. The log holds names, numbers and fixed texts; of other texts only a turn's error, rules and reasons, shortened
 * and redacted.
 */
import { STATUS_AT_END } from "../call/index.js";
import type { Decision, Ledger, SessionEvent } from "../call/index.js";
import { errorFields } from "./open-log.js";
import type { Log } from "./open-log.js";

export function loggedLedger(ledger: Ledger, log: Log): Ledger {
  const calls = new OpenCalls();
  const failed = (sessionId: string) => (error: unknown) => {
    log.to.error({ sessionId, ...errorFields(error, log) }, "events were not recorded");
    throw error;
  };
  return {
    storesVerbatim: ledger.storesVerbatim,
    claim: async (sessionId, owner, options) => {
      const lease = await ledger.claim(sessionId, owner, options);
      log.to.info({ sessionId, owner }, "session opened");
      return lease;
    },
    renew: (lease, options) => ledger.renew(lease, options),
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
      for (const { event } of recorded) calls.take(sessionId, event);
      return recorded;
    },
    has: (sessionId) => ledger.has(sessionId),
    follow: (sessionId, options) => ledger.follow(sessionId, options),
    answer: async (questionId, answer) => {
      const receipt = await ledger.answer(questionId, answer);
      const { by, outcome } = receipt.answer;
      log.to.info({ questionId, counted: receipt.counted, by, outcome: outcome.type }, "question answered");
      return receipt;
    },
    openQuestions: (options) => ledger.openQuestions(options),
    sessions: (options) => ledger.sessions(options),
    remove: async (lease) => {
      await ledger.remove(lease);
      log.to.info({ sessionId: lease.sessionId }, "session forgotten");
    },
    // The wrapper has the snapshot methods only if the ledger has them.
    ...(ledger.snapshot && { snapshot: ledger.snapshot.bind(ledger) }),
    ...(ledger.keepSnapshot && { keepSnapshot: ledger.keepSnapshot.bind(ledger) }),
    putBlob: (bytes) => ledger.putBlob(bytes),
    getBlob: (hash) => ledger.getBlob(hash),
    close: () => ledger.close(),
  };
}

function logEvent({ to, redacted }: Log, calls: OpenCalls, sessionId: string, event: SessionEvent): void {
  if ("toolCallId" in event) {
    const { toolCallId } = event;
    const call = calls.take(sessionId, event);
    const about = { sessionId, toolCallId, ...(call && { tool: redacted(call.name), kind: call.kind }) };
    const status = STATUS_AT_END.get(event.type);
    if (status !== undefined) {
      // The error is left out: it may quote the input.
      const record = { ...about, status, ...decided(call?.decision, redacted), ...times(call, event.at) };
      return status === "done" || status === "refused" || status === "cancelled"
        ? to.info(record, "call ended")
        : to.warn(record, "call ended");
    }
    const message = CALL_MESSAGES.get(event.type);
    if (message === undefined) return;
    if (event.type === "call-breached") {
      const { isAfterRefusal, rule, reason } = event.breach;
      const why = {
        ...(rule !== undefined && { rule: redacted(rule) }),
        ...(reason !== undefined && { reason: redacted(reason) }),
      };
      return to.error({ ...about, isAfterRefusal, ...why }, message);
    }
    if (event.type === "question-asked")
      return to.info({ ...about, questionId: event.question.questionId }, message);
    return to.debug(
      { ...about, ...(event.type === "call-cleared" && decided(event.decision, redacted)) },
      message,
    );
  }
  switch (event.type) {
    case "turn-started":
    case "turn-parked":
    case "turn-resumed":
      return to.info({ sessionId, turnId: event.turnId }, TURN_MESSAGES[event.type]);
    case "turn-stopped": {
      const { turnId, stopReason, error } = event;
      const record = {
        sessionId,
        turnId,
        stopReason,
        ...(error !== undefined && { error: redacted(error) }),
      };
      return stopReason === "error" ? to.error(record, "turn ended") : to.info(record, "turn ended");
    }
    case "step-ended": {
      const { turnId, stepId, usage, toolCallIds } = event;
      return to.info({ sessionId, turnId, stepId, calls: toolCallIds.length, ...usage }, "model responded");
    }
    case "question-withdrawn":
      return to.info({ sessionId, questionId: event.questionId }, "question withdrawn");
    case "mode-changed":
      return to.info({ sessionId, modeId: redacted(event.modeId) }, "mode changed");
    case "context-compacted":
      return to.info({ sessionId, throughStepId: event.throughStepId }, "context summed up");
    case "traffic-repaired":
      return to.debug({ sessionId, repair: redacted(event.repair.repair) }, "traffic repaired");
    default:
      // Messages, plans and titles do not belong in a log.
      return undefined;
  }
}

const CALL_MESSAGES: ReadonlyMap<SessionEvent["type"], string> = new Map([
  ["call-announced", "call announced"],
  ["question-asked", "call asked about"],
  ["call-cleared", "call allowed"],
  ["run-started", "call started"],
  ["cancel-wished", "call cancel requested"],
  ["call-undone", "call undone"],
  ["call-breached", "call broke the rules"],
]);

const TURN_MESSAGES = {
  "turn-started": "turn started",
  "turn-parked": "turn waits",
  "turn-resumed": "turn resumed",
} as const;

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

/** Never negative, also when the clock was set back. */
function times(call: OpenCall | undefined, endedAt: number) {
  const ran = call?.startedAt === undefined ? undefined : Math.max(0, endedAt - call.startedAt);
  const waited =
    call?.askedAt === undefined ? undefined : Math.max(0, (call.decision?.at ?? endedAt) - call.askedAt);
  return { ...(ran !== undefined && { ranMs: ran }), ...(waited !== undefined && { waitedMs: waited }) };
}

type OpenCall = {
  readonly name: string;
  readonly kind: string;
  readonly askedAt?: number;
  readonly startedAt?: number;
  readonly decision?: Decision | undefined;
};

/** The facts of an open call that its last log record needs. */
class OpenCalls {
  readonly #calls = new Map<string, OpenCall>();

  take(sessionId: string, event: SessionEvent): OpenCall | undefined {
    if (!("toolCallId" in event)) return undefined;
    const key = JSON.stringify([sessionId, event.toolCallId]);
    const call = changed(this.#calls.get(key), event);
    if (!call || STATUS_AT_END.has(event.type)) this.#calls.delete(key);
    else this.#calls.set(key, call);
    return call;
  }
}

function changed(call: OpenCall | undefined, event: SessionEvent): OpenCall | undefined {
  if (event.type === "call-announced") return { name: event.name, kind: event.kind };
  if (!call) return undefined;
  if (event.type === "call-revised") {
    const { name = call.name, kind = call.kind } = event.fields;
    return { ...call, name, kind };
  }
  if (event.type === "question-asked") return { ...call, askedAt: event.at };
  if (event.type === "run-started") return { ...call, startedAt: event.at };
  return event.type === "call-cleared" || event.type === "call-refused"
    ? { ...call, decision: event.decision }
    : call;
}
