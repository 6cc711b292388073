/**
 * The fold of a tool call's events: the only place where a call changes.
 *
 * Gate, ledger, terminal, page, ACP and AAP fold the same events through this function, so every view
 * agrees with the record. The fold is strict: an event that is illegal in the call's state is a bug and
 * throws. The ACP room fills in the steps that foreign agents skip.
 *
 * Invariants: no status goes backwards; a reported end never changes; the input that someone was asked
 * about or has decided on never changes, except by the person who allows the call.
 */
import { appendText, EMPTY_TEXT } from "./bounded-text.js";
import type { TerminalContent, ToolCallContent } from "./content.js";
import { textContent } from "./content.js";
import { IllegalEvent } from "./illegal-event.js";
import { completeFields, fieldCount, NO_INPUT, readMore } from "./partial-input.js";
import type { ChildStep } from "./step.js";
import type {
  CallAnnounced,
  CallFields,
  CallTimes,
  Decision,
  ToolCall,
  ToolCallEvent,
  ToolCallState,
} from "./tool-call.js";
import { isOver } from "./tool-call.js";

/** Enough for any honest call. Later items are dropped with a note, so that no agent can fill the memory. */
export const MAX_CONTENT_ITEMS = 4096;

// States without data are shared objects, which halves the garbage of a session.
const READY: ToolCallState = { status: "ready" };
const AWAITING_APP: ToolCallState = { status: "waiting", waitingFor: { type: "app" } };
const CLEARED: ToolCallState = { status: "cleared" };
const RUNNING: ToolCallState = { status: "running", cancelRequested: false };
const CANCEL_WISHED: ToolCallState = { status: "running", cancelRequested: true };
const DONE: ToolCallState = { status: "done", assumed: false };
const ASSUMED_DONE: ToolCallState = { status: "done", assumed: true };
const REFUSED: ToolCallState = { status: "refused", assumed: false };

type Draft = { -readonly [Key in keyof ToolCall]: ToolCall[Key] };

export function applyEvent(call: ToolCall | undefined, event: ToolCallEvent): ToolCall {
  if (event.type === "call-announced") return announced(call, event);
  if (!call) throw new IllegalEvent(`Tool call ${event.toolCallId}`, event.type, "was never announced");
  const next = copiedCall(call);
  if (!change(next, event)) throw illegal(call, event.type);
  return next;
}

/**
 * Applies the event in place, for a call that no other code has a reference to. So a batch of events costs
 * one copy per call and not one per event.
 */
export function applyToUnseen(call: ToolCall, event: ToolCallEvent): ToolCall {
  if (event.type === "call-announced" || !change(call, event)) throw illegal(call, event.type);
  return call;
}

/** Changes `next`, or returns false without a change when the event is illegal in its state. */
function change(next: Draft, event: Exclude<ToolCallEvent, CallAnnounced>): boolean {
  const { state } = next;
  switch (event.type) {
    case "input-delta":
      if (state.status !== "drafting") return false;
      return to(next, { status: "drafting", draft: readMore(state.draft, event.text) });
    case "input-ready":
      if (state.status !== "drafting") return false;
      next.rawInput = event.rawInput ?? undefined;
      return to(next, READY);
    case "call-revised":
      return mayBeRevised(state) && revise(next, event.fields);
    case "content-appended":
      if (!mayBeRevised(state)) return false;
      next.content = withAppended(next.content, event.content);
      return true;
    case "terminal-output":
      return (
        mayBeRevised(state) &&
        changeTerminal(next, event.terminalId, (terminal) => ({
          ...terminal,
          output: appendText(terminal.output ?? EMPTY_TEXT, event.text, event.skipped),
        }))
      );
    case "terminal-exited":
      return (
        mayBeRevised(state) &&
        changeTerminal(next, event.terminalId, (terminal) => ({ ...terminal, exit: event.exit }))
      );
    case "question-asked":
      // A cleared call is asked about again when its intent has changed since the yes.
      if (state.status !== "ready" && state.status !== "cleared" && !takeStartBack(next)) return false;
      next.decision = undefined;
      next.times = stamped(next.times, "asked", event.at);
      return to(next, {
        status: "waiting",
        waitingFor: { type: "question", questionId: event.question.questionId },
      });
    case "app-awaited":
      if (state.status !== "ready" && state.status !== "cleared") return false;
      return to(next, AWAITING_APP);
    case "child-awaited":
      if (state.status !== "cleared") return false;
      return to(next, {
        status: "waiting",
        waitingFor: { type: "child", childSessionId: event.childSessionId },
      });
    case "child-stepped":
      if (state.status !== "waiting" || state.waitingFor.type !== "child") return false;
      next.childSteps = [...(next.childSteps ?? []), stepOf(event)];
      return true;
    case "call-cleared":
      if (!isUndecided(state) && !(event.decision && takeStartBack(next))) return false;
      if (event.decision) decide(next, event.decision, event);
      if (event.rawInput !== undefined) next.rawInput = event.rawInput;
      return to(next, CLEARED);
    case "run-started":
      if (state.status !== "cleared") return false;
      next.times = stamped(next.times, "started", event.at);
      return to(next, RUNNING);
    case "cancel-requested":
      return state.status === "running" && to(next, CANCEL_WISHED);
    case "process-started":
      // Read from the ledger after a crash; the call itself does not show it.
      return state.status === "running";
    case "sandbox-refused":
      if (state.status !== "running") return false;
      next.refusals = [...(next.refusals ?? []), ...event.refusals];
      return true;
    case "file-kept":
      // An undo reads this event from the ledger; the call itself shows its diff.
      if (state.status !== "running") return false;
      if (event.change.type === "not-kept") next.notKept = event.change.reason;
      return true;
    case "call-undone":
      // Only a call that we ran ourselves can be undone, and only once.
      if (mayBeRevised(state) || next.times.started === undefined || next.times.undone !== undefined)
        return false;
      if (event.hunks) next.undoneHunks = [...(next.undoneHunks ?? []), ...event.hunks];
      else next.times = stamped(next.times, "undone", event.at);
      return true;
    case "call-breached":
      // Only a call that was reported as running or ended can break a rule, and only once.
      if (next.breach !== undefined || (state.status !== "running" && !isOver(state))) return false;
      next.breach = event.breach;
      return true;
    case "call-refused":
      if (!isUndecided(state) && state.status !== "cleared" && !(event.decision && takeStartBack(next)))
        return false;
      // The earlier decision was a yes and must not name who refused.
      next.decision = undefined;
      if (event.decision) decide(next, event.decision, event);
      return end(next, event, REFUSED);
    case "call-done":
      if (!producesResult(state) && !mayStillEnd(state, event.assumed)) return false;
      return end(next, event, event.assumed ? ASSUMED_DONE : DONE);
    case "call-failed":
      if (isOver(state) && !mayStillEnd(state, event.assumed)) return false;
      return end(next, event, { status: "failed", error: event.error, assumed: event.assumed ?? false });
    case "call-cancelled":
      if (isOver(state) && !mayStillEnd(state, event.assumed)) return false;
      return end(next, event, { status: "cancelled", reason: event.reason, assumed: event.assumed ?? false });
    case "call-unknown":
      if (state.status !== "running") return false;
      return end(next, event, { status: "unknown", reason: event.reason, assumed: event.assumed ?? false });
    default:
      event satisfies never;
      return false;
  }
}

function announced(call: ToolCall | undefined, event: CallAnnounced): ToolCall {
  if (call) throw illegal(call, event.type);
  const { toolCallId, parentToolCallId } = event;
  return {
    toolCallId,
    providerCallId: event.providerCallId,
    name: event.name,
    title: event.title,
    kind: event.kind,
    kindSource: event.kindSource,
    // A call that names itself as its parent would make every tree walk endless.
    parentToolCallId: parentToolCallId === toolCallId ? undefined : parentToolCallId,
    childSteps: undefined,
    rawInput: undefined,
    rawOutput: undefined,
    content: [],
    locations: [],
    progress: undefined,
    decision: undefined,
    breach: undefined,
    refusals: undefined,
    undoneHunks: undefined,
    notKept: undefined,
    times: {
      announced: event.at,
      asked: undefined,
      answered: undefined,
      started: undefined,
      ended: undefined,
      waitedMs: undefined,
      ranMs: undefined,
      undone: undefined,
    },
    _meta: undefined,
    state: { status: "drafting", draft: NO_INPUT },
  };
}

/** A copy with every property. A literal, not a spread: this runs for every streamed piece of every session. */
export function copiedCall(call: ToolCall): Draft {
  return {
    toolCallId: call.toolCallId,
    providerCallId: call.providerCallId,
    name: call.name,
    title: call.title,
    kind: call.kind,
    kindSource: call.kindSource,
    parentToolCallId: call.parentToolCallId,
    childSteps: call.childSteps,
    rawInput: call.rawInput,
    rawOutput: call.rawOutput,
    content: call.content,
    locations: call.locations,
    progress: call.progress,
    decision: call.decision,
    breach: call.breach,
    refusals: call.refusals,
    undoneHunks: call.undoneHunks,
    notKept: call.notKept,
    times: call.times,
    _meta: call._meta,
    state: call.state,
  };
}

function stepOf({ text, thought, toolCallIds, usage, answer }: ChildStep): ChildStep {
  return {
    text,
    ...(thought !== undefined && { thought }),
    toolCallIds,
    ...(usage && { usage }),
    ...(answer && { answer }),
  };
}

function to(next: Draft, state: ToolCallState): true {
  next.state = state;
  return true;
}

function decide(
  next: Draft,
  decision: Decision,
  { at, waitedMs }: { readonly at: number; readonly waitedMs?: number },
): void {
  next.decision = decision;
  // A rule that decides by itself was not asked; the decision has its time.
  if (isAsking(next.state)) next.times = stamped(next.times, "answered", at, waitedMs);
}

type Moment = "asked" | "answered" | "started" | "ended" | "undone";

/** `duration`: the measured duration of the span that this moment ends, if there is one. */
function stamped(times: CallTimes, moment: Moment, at: number, duration?: number): CallTimes {
  return {
    announced: times.announced,
    asked: moment === "asked" ? at : times.asked,
    // A new question discards the answer to the earlier one.
    answered: moment === "answered" ? at : moment === "asked" ? undefined : times.answered,
    started: moment === "started" ? at : times.started,
    ended: moment === "ended" ? at : times.ended,
    waitedMs: moment === "answered" ? duration : moment === "asked" ? undefined : times.waitedMs,
    ranMs: moment === "ended" ? duration : times.ranMs,
    undone: moment === "undone" ? at : times.undone,
  };
}

type EndEvent = {
  readonly at: number;
  readonly rawOutput?: unknown;
  readonly content?: readonly ToolCallContent[];
  readonly ranMs?: number;
};

function end(next: Draft, event: EndEvent, state: ToolCallState): true {
  // A draft that ends keeps the input fields that had arrived, to show what the model meant.
  if (next.state.status === "drafting" && next.rawInput === undefined && fieldCount(next.state.draft) > 0) {
    next.rawInput = completeFields(next.state.draft);
  }
  if (event.rawOutput !== undefined) next.rawOutput = event.rawOutput ?? undefined;
  if (event.content !== undefined) next.content = replaced(next.content, event.content);
  next.times = stamped(next.times, "ended", event.at, event.ranMs);
  return to(next, state);
}

function revise(next: Draft, fields: CallFields): boolean {
  if (fields.rawInput !== undefined) {
    if (isInputFixed(next)) return false;
    next.rawInput = fields.rawInput ?? undefined;
  }
  if (fields.name !== undefined) next.name = fields.name;
  if (fields.title !== undefined) next.title = fields.title;
  if (fields.kind !== undefined) next.kind = fields.kind;
  if (fields.kindSource !== undefined) next.kindSource = fields.kindSource;
  if (fields.rawOutput !== undefined) next.rawOutput = fields.rawOutput ?? undefined;
  if (fields.content !== undefined) next.content = replaced(next.content, fields.content);
  if (fields.locations !== undefined) next.locations = fields.locations;
  if (fields.progress !== undefined) next.progress = fields.progress ?? undefined;
  if (fields._meta !== undefined) next._meta = fields._meta ?? undefined;
  return true;
}

/**
 * An agent may report a call as running and then ask about it: then the call starts after the decision. Nobody has
 * decided on such a call, so none of our tools runs it.
 */
function takeStartBack(next: Draft): boolean {
  const { state, decision, times } = next;
  if (state.status !== "running" || state.cancelRequested) return false;
  if (decision !== undefined || times.asked !== undefined) return false;
  next.times = { ...times, started: undefined };
  return true;
}

/** True once someone was asked about the input or has decided on it: then it may no longer change. */
export function isInputFixed(call: ToolCall): boolean {
  return call.decision !== undefined || call.times.asked !== undefined;
}

function changeTerminal(
  next: Draft,
  terminalId: string,
  update: (terminal: TerminalContent) => TerminalContent,
): boolean {
  const index = next.content.findIndex((item) => item.type === "terminal" && item.terminalId === terminalId);
  const terminal = next.content[index];
  if (terminal?.type !== "terminal") return false;
  next.content = next.content.with(index, update(terminal));
  return true;
}

function withAppended(
  content: readonly ToolCallContent[],
  item: ToolCallContent,
): readonly ToolCallContent[] {
  if (content.length < MAX_CONTENT_ITEMS) return [...content, item];
  return content.at(-1) === LEFT_OUT ? content : withinLimit([...content, item]);
}

function withinLimit(content: readonly ToolCallContent[]): readonly ToolCallContent[] {
  return content.length <= MAX_CONTENT_ITEMS
    ? content
    : [...content.slice(0, MAX_CONTENT_ITEMS - 1), LEFT_OUT];
}

/** A replacing list names its terminals without their output, so the known output is kept. */
function replaced(
  before: readonly ToolCallContent[],
  content: readonly ToolCallContent[],
): readonly ToolCallContent[] {
  const kept = withinLimit(content);
  const terminals = before.filter((item) => item.type === "terminal");
  if (terminals.length === 0) return kept;
  return kept.map((item) => {
    if (item.type !== "terminal" || item.output) return item;
    const { output, exit }: Partial<TerminalContent> =
      terminals.find(({ terminalId }) => terminalId === item.terminalId) ?? {};
    return { ...(exit && { exit }), ...item, ...(output && { output }) };
  });
}

const LEFT_OUT = textContent(`… more than ${MAX_CONTENT_ITEMS} items: the rest is left out …`);

const isAsking = (state: ToolCallState): boolean =>
  state.status === "waiting" && state.waitingFor.type === "question";

const isUndecided = (state: ToolCallState): boolean => state.status === "ready" || isAsking(state);

/** The app and a child session deliver a result although we ran nothing. */
const producesResult = (state: ToolCallState): boolean =>
  state.status === "running" || (state.status === "waiting" && state.waitingFor.type !== "question");

const mayStillEnd = (state: ToolCallState, assumed: boolean | undefined): boolean =>
  "assumed" in state && state.assumed && !assumed;

const mayBeRevised = (state: ToolCallState): boolean => !("assumed" in state) || state.assumed;

function illegal(call: ToolCall, eventType: ToolCallEvent["type"]): IllegalEvent {
  const { status } = call.state;
  const why = isOver(call.state) ? `has ended (${status})` : `is ${status}`;
  return new IllegalEvent(`Tool call ${call.toolCallId} (${call.title})`, eventType, why);
}
