/**
 * The fold of a session's events, which accepts further events. The cost of an event does not depend on the
 * session's length; calls are immutable values, so a snapshot copies none of them.
 *
 * The book is as strict as `applyEvent`: a call cannot be cleared while its question is open or against its
 * answer, and a turn cannot stop before its calls have ended. An illegal event changes nothing itself; the
 * events before it in its batch stay applied, so a batch can be checked first.
 */
import { applyEvent, applyToUnseen } from "./apply-event.js";
import { IllegalEvent } from "./illegal-event.js";
import { MessageRun } from "./message-run.js";
import type { PlanEntry } from "./plan.js";
import { withCall, withCallsOf, withCallsOfStep } from "./plan-calls.js";
import { leavesQuestion } from "./question.js";
import type { Question } from "./question.js";
import type {
  AskedQuestion,
  LearntWindow,
  RecordedCompaction,
  Repair,
  Session,
  SessionEvent,
  SessionInfo,
  Step,
  TimelineEntry,
  Turn,
} from "./session.js";
import type { ToolCall, ToolCallEvent } from "./tool-call.js";
import { CALL_STATUS_AFTER, isOver, STATUS_AT_END } from "./tool-call.js";

/** The changes of a batch of events: these calls, and perhaps other parts of the session. */
export type SessionChanges = { readonly toolCallIds: ReadonlySet<string>; readonly beyondCalls: boolean };

/** The same while the batch is folded. */
type Changes = { readonly toolCallIds: Set<string>; beyondCalls: boolean };

/** The changes by events that a book has found legal: the calls as they are after them, and the rest of the session. */
export type CheckedEvents = {
  readonly calls: ReadonlyMap<string, ToolCall>;
  /** The events that change more than their call. */
  readonly beyond: readonly SessionEvent[];
};

export type SessionListener = (changes: SessionChanges) => void;

export class SessionBook {
  readonly sessionId: string;
  /** The book whose events this one checks: calls and questions are values, so the check changes none of its own. */
  #tried: SessionBook | undefined;
  readonly #calls = new Map<string, ToolCall>();
  readonly #openCalls = new Set<string>();
  /** In the order first seen: a run of message chunks, or a call's id. */
  readonly #timeline: (MessageRun | string)[] = [];
  readonly #questions = new Map<string, AskedQuestion>();
  /** The questions that wait for an answer, in the order in which they were asked. */
  readonly #openQuestions = new Map<string, Question>();
  readonly #turns: Turn[] = [];
  readonly #steps: Step[] = [];
  readonly #repairs: Repair[] = [];
  readonly #listeners = new Set<SessionListener>();
  #plan: readonly PlanEntry[] = [];
  #modeId: string | undefined;
  readonly #compactions: RecordedCompaction[] = [];
  readonly #windows = new Map<string, LearntWindow>();
  #info: SessionInfo = {};

  constructor(sessionId: string, events: readonly SessionEvent[] = []) {
    this.sessionId = sessionId;
    this.applyAll(events);
  }

  /** The book of a session as `snapshot` returned it. Further events fold as they would have in the first book. */
  static restored(session: Session): SessionBook {
    const book = new SessionBook(session.sessionId);
    for (const entry of session.timeline) book.#restore(entry);
    for (const asked of session.questions) {
      book.#questions.set(asked.question.questionId, asked);
      if (asked.state.status === "open") book.#openQuestions.set(asked.question.questionId, asked.question);
    }
    for (const turn of session.turns) book.#turns.push(turn);
    for (const step of session.steps) book.#steps.push(step);
    for (const repair of session.repairs) book.#repairs.push(repair);
    book.#plan = session.plan;
    book.#modeId = session.modeId;
    for (const compaction of session.compactions) book.#compactions.push(compaction);
    for (const window of session.windows) book.#windows.set(window.model, window);
    book.#info = session.info;
    return book;
  }

  get callCount(): number {
    return this.#calls.size;
  }

  get turn(): Turn | undefined {
    return this.#turns.at(-1);
  }

  get info(): SessionInfo {
    return this.#info;
  }

  get modeId(): string | undefined {
    return this.#modeId;
  }

  get plan(): readonly PlanEntry[] {
    return this.#plan;
  }

  /** The model's responses so far, the oldest first. */
  get steps(): readonly Step[] {
    return this.#steps;
  }

  get compactions(): readonly RecordedCompaction[] {
    return this.#compactions;
  }

  /** How many tokens the model takes at most, where it has refused a prompt. */
  learntWindow(model: string): number | undefined {
    return this.#windows.get(model)?.contextWindow;
  }

  call(toolCallId: string): ToolCall | undefined {
    return this.#calls.get(toolCallId) ?? this.#tried?.call(toolCallId);
  }

  /** All calls, in the order in which they were announced. */
  calls(): IterableIterator<ToolCall> {
    return this.#calls.values();
  }

  openCalls(): readonly ToolCall[] {
    const open: ToolCall[] = [];
    for (const toolCallId of this.#openCalls) {
      const call = this.#calls.get(toolCallId);
      if (call) open.push(call);
    }
    return open;
  }

  get hasOpenCalls(): boolean {
    return this.#openCalls.size > 0;
  }

  get hasOpenQuestions(): boolean {
    return this.#openQuestions.size > 0;
  }

  openQuestions(): IterableIterator<Question> {
    return this.#openQuestions.values();
  }

  question(questionId: string): AskedQuestion | undefined {
    return this.#questions.get(questionId) ?? this.#tried?.question(questionId);
  }

  apply(event: SessionEvent): void {
    if ("toolCallId" in event || this.#listeners.size > 0) this.applyAll([event]);
    // Most of these are text chunks, and there are many.
    else this.#applyToSession(event);
  }

  /** Folds the events in order and notifies the listeners once. Events before an illegal one stay applied. */
  applyAll(events: readonly SessionEvent[]): void {
    const changes: Changes = { toolCallIds: new Set(), beyondCalls: false };
    try {
      events.forEach((event) => this.#applyOne(event, changes));
    } finally {
      if (changes.toolCallIds.size > 0 || changes.beyondCalls) this.#notify(changes);
    }
  }

  #applyOne(event: SessionEvent, changes: Changes): void {
    if ("toolCallId" in event) {
      const { toolCallId } = event;
      this.#applyToCall(event, changes.toolCallIds.has(toolCallId));
      changes.toolCallIds.add(toolCallId);
      changes.beyondCalls ||= event.type === "question-asked";
    } else {
      this.#applyToSession(event);
      changes.beyondCalls = true;
    }
  }

  #notify(changes: SessionChanges): void {
    for (const listener of this.#listeners) listener(changes);
  }

  /**
   * Throws the error that `applyAll` would throw for these events, and changes nothing. Returns the changed calls, so
   * that `applyChecked` need not fold them again.
   */
  check(events: readonly SessionEvent[]): CheckedEvents {
    const trial = new SessionBook(this.sessionId);
    // Only a turn's end reads the open calls, and there may be thousands.
    for (const { type } of events)
      if (type === "turn-stopped") for (const toolCallId of this.#openCalls) trial.#openCalls.add(toolCallId);
    trial.#tried = this;
    const { turn } = this;
    if (turn) trial.#turns.push(turn);
    trial.applyAll(events);
    return { calls: trial.#calls, beyond: events.filter(changesSession) };
  }

  /** Applies events that `check` has checked against the current book. */
  applyChecked({ calls, beyond }: CheckedEvents): void {
    calls.forEach((call, toolCallId) => this.#calls.set(toolCallId, call));
    for (const event of beyond)
      if ("toolCallId" in event) this.#note(event);
      else this.#applyToSession(event);
    if (this.#listeners.size === 0 || calls.size + beyond.length === 0) return;
    const beyondCalls = beyond.some((event) => !("toolCallId" in event) || event.type === "question-asked");
    this.#notify({ toolCallIds: new Set(calls.keys()), beyondCalls });
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: SessionListener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  snapshot(): Session {
    const last = this.#compactions.at(-1);
    return {
      sessionId: this.sessionId,
      info: this.#info,
      modeId: this.#modeId,
      plan: this.#plan,
      turns: [...this.#turns],
      steps: [...this.#steps],
      timeline: this.#timeline.flatMap((entry) => this.#timelineEntry(entry) ?? []),
      questions: [...this.#questions.values()],
      repairs: [...this.#repairs],
      compaction: last && { throughStepId: last.throughStepId, summary: last.summary },
      compactions: [...this.#compactions],
      windows: [...this.#windows.values()],
    };
  }

  #restore(entry: TimelineEntry): void {
    if (entry.type === "call") {
      const { call } = entry;
      this.#calls.set(call.toolCallId, call);
      this.#timeline.push(call.toolCallId);
      if (!isOver(call.state)) this.#openCalls.add(call.toolCallId);
      return;
    }
    const { messageId, role, at, blocks } = entry.message;
    const [first, ...others] = blocks;
    if (!first) return;
    const run = new MessageRun({ messageId, role, at, block: first });
    for (const block of others) run.push(block);
    this.#timeline.push(run);
  }

  /** No listener has a reference to a call that this batch has copied already, until the batch ends. */
  #applyToCall(event: ToolCallEvent, isUnseen: boolean): void {
    const { toolCallId } = event;
    const before = this.call(toolCallId);
    if (before) this.#checkQuestion(before, event);
    if (event.type === "question-asked") this.#checkUnasked(event);
    const after = before && isUnseen ? applyToUnseen(before, event) : applyEvent(before, event);
    if (after !== before) this.#calls.set(toolCallId, after);
    this.#note(event);
  }

  /** Applies the effects of a call's event on the rest of the session; `changesSession` says which events have any. */
  #note(event: ToolCallEvent): void {
    const { toolCallId } = event;
    if (event.type === "question-asked") {
      this.#questions.set(event.question.questionId, { question: event.question, state: { status: "open" } });
      this.#openQuestions.set(event.question.questionId, event.question);
    } else if (event.type === "call-announced") {
      this.#timeline.push(toolCallId);
      this.#openCalls.add(toolCallId);
      if (this.#plan.length > 0) this.#plan = withCall(this.#plan, event);
    } else if (STATUS_AT_END.has(event.type)) this.#openCalls.delete(toolCallId);
  }

  /** A call leaves its question only by a matching answer, or when the question is withdrawn. */
  #checkQuestion({ toolCallId, state }: ToolCall, event: ToolCallEvent): void {
    if (state.status !== "waiting" || state.waitingFor.type !== "question") return;
    if (CALL_STATUS_AFTER[event.type] === undefined) return;
    const asked = this.question(state.waitingFor.questionId);
    if (asked && leavesQuestion(asked, event)) return;
    const why = `waits for question ${state.waitingFor.questionId}, which is ${asked?.state.status ?? "unknown"}`;
    throw new IllegalEvent(`Tool call ${toolCallId}`, event.type, why);
  }

  #checkUnasked({ question, type }: ToolCallEvent & { type: "question-asked" }): void {
    if (!this.question(question.questionId)) return;
    throw new IllegalEvent(`Question ${question.questionId}`, type, "was asked before");
  }

  #applyToSession(event: Exclude<SessionEvent, ToolCallEvent>): void {
    switch (event.type) {
      case "turn-started":
      case "turn-parked":
      case "turn-resumed":
      case "turn-stopped":
        return this.#applyToTurn(event);
      case "step-ended": {
        const { turnId, stepId, toolCallIds, usage, answer } = event;
        this.#steps.push({ turnId, stepId, toolCallIds, ...(usage && { usage }), ...(answer && { answer }) });
        return;
      }
      case "context-compacted":
        return this.#noteCompaction(event);
      case "window-learnt": {
        const { model, contextWindow } = event;
        this.#windows.set(model, { model, contextWindow });
        return;
      }
      case "message-chunk": {
        const last = this.#timeline.at(-1);
        if (last instanceof MessageRun && last.takes(event)) last.push(event.block);
        else this.#timeline.push(new MessageRun(event));
        return;
      }
      case "question-answered":
        return this.#settleQuestion(event, { status: "answered", answer: event.answer });
      case "question-withdrawn":
        return this.#settleQuestion(event, { status: "withdrawn", reason: event.reason, at: event.at });
      case "plan-updated":
        this.#plan = withCallsOfStep(withCallsOf(event.entries, this.#plan), this.#newestStepCalls());
        return;
      case "mode-changed":
        this.#modeId = event.modeId;
        return;
      case "info-changed":
        this.#info = { ...this.#info, ...event.info };
        return;
      case "traffic-repaired":
        this.#repairs.push(event.repair);
        return;
      default: {
        const unknownEvent: never = event;
        throw new IllegalEvent(
          `Session ${this.sessionId}`,
          String(Reflect.get(unknownEvent, "type")),
          "knows no such event",
        );
      }
    }
  }

  #newestStepCalls(): readonly ToolCall[] {
    return (this.#steps.at(-1)?.toolCallIds ?? []).flatMap((id) => this.call(id) ?? []);
  }

  #noteCompaction({ throughStepId, summary, at, usage }: SessionEvent & { type: "context-compacted" }): void {
    const open = this.turn?.state.status === "running" ? { turnId: this.turn.turnId } : {};
    this.#compactions.push({ throughStepId, summary, at, ...(usage && { usage }), ...open });
  }

  #applyToTurn(event: SessionEvent & { type: `turn-${string}` }): void {
    const last = this.#turns.at(-1);
    const status = last?.state.status ?? "stopped";
    if (event.type === "turn-started") {
      if (status !== "stopped") throw this.#illegalForTurn(event.type, last, `is ${status}`);
      this.#turns.push({ turnId: event.turnId, startedAt: event.at, state: { status: "running" } });
      return;
    }
    const isLegal =
      event.type === "turn-stopped"
        ? status !== "stopped"
        : status === (event.type === "turn-resumed" ? "parked" : "running");
    if (!last || !isLegal || last.turnId !== event.turnId) {
      throw this.#illegalForTurn(event.type, last, `is ${status}, and turn ${event.turnId} was meant`);
    }
    this.#turns[this.#turns.length - 1] = { ...last, state: this.#turnState(event, last) };
  }

  #turnState(event: SessionEvent & { type: `turn-${string}` }, turn: Turn): Turn["state"] {
    if (event.type !== "turn-stopped") return { status: event.type === "turn-parked" ? "parked" : "running" };
    if (this.#openCalls.size > 0) {
      throw this.#illegalForTurn(
        event.type,
        turn,
        `has calls that have not ended (${[...this.#openCalls].join(", ")})`,
      );
    }
    const { stopReason, error, at } = event;
    return { status: "stopped", stopReason, ...(error === undefined ? {} : { error }), endedAt: at };
  }

  #illegalForTurn(eventType: string, turn: Turn | undefined, why: string): IllegalEvent {
    return new IllegalEvent(
      turn ? `Turn ${turn.turnId}` : `Session ${this.sessionId}`,
      eventType,
      turn ? why : "has no turn",
    );
  }

  #settleQuestion(
    { questionId, type }: { questionId: string; type: string },
    state: AskedQuestion["state"],
  ): void {
    const asked = this.question(questionId);
    if (asked?.state.status !== "open") {
      throw new IllegalEvent(
        `Question ${questionId}`,
        type,
        asked ? `is already ${asked.state.status}` : "was never asked",
      );
    }
    this.#questions.set(questionId, { question: asked.question, state });
    this.#openQuestions.delete(questionId);
  }

  #timelineEntry(entry: MessageRun | string): TimelineEntry | undefined {
    if (entry instanceof MessageRun) return { type: "message", message: entry.message() };
    const call = this.#calls.get(entry);
    return call && { type: "call", call };
  }
}

const changesSession = (event: SessionEvent): boolean =>
  !("toolCallId" in event) ||
  event.type === "call-announced" ||
  event.type === "question-asked" ||
  STATUS_AT_END.has(event.type);
