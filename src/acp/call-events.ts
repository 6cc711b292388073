/**
 * The events that take a call from its state to the state in a message, with the transitions in between that the wire
 * does not show.
 *
 * Invariant: the returned events can be applied as they are. A status that would go backwards, an update of a call that
 * has ended and a change of an input that was decided on are dropped with a repair, never forced.
 */
import { createToolTitle, inferToolKind, isInputFixed, isOver } from "../call/index.js";
import type {
  CallFields,
  Meta,
  SessionEvent,
  ToolCall,
  ToolCallContent,
  ToolCallState,
} from "../call/index.js";
import { isJsonObject, isNone, sameJson } from "./json.js";
import type { CallMessage, WireStatus } from "./read-call.js";
import { fillTransitions } from "./fill-transitions.js";
import type { Target } from "./fill-transitions.js";
import { isSentenceMark, stateOf, withoutToolgate } from "./toolgate-meta.js";
import type { ToolgateMeta } from "./toolgate-meta.js";
import type { Reading } from "./reading.js";

export function callEvents(
  call: ToolCall | undefined,
  message: CallMessage,
  reading: Reading,
): SessionEvent[] {
  const { own } = reading;
  if (call && isOver(call.state) && !("assumed" in call.state && call.state.assumed)) {
    reading.repair(
      "late-update",
      `the call had ended (${call.state.status}); a later message changed nothing`,
    );
    return [];
  }
  const events: SessionEvent[] = [];
  if (!call) events.push(announcement(message, reading));
  if (call && message.starts && reading.mode === "lenient") {
    reading.repair("repeated-start", "the call was announced before; its fields were replaced");
  }
  const target = own || !reading.isOurs ? targetState(call, message, reading) : undefined;
  const fields = changedFields(call, message, reading);
  if (hasAny(fields)) {
    events.push({ type: "call-revised", toolCallId: message.toolCallId, at: reading.at, fields });
  }
  if (target) events.push(...fillTransitions(call, target, reading));
  if (own?.breach && !call?.breach)
    events.push({
      type: "call-breached",
      toolCallId: message.toolCallId,
      at: reading.at,
      breach: own.breach,
    });
  return events;
}

function targetState(call: ToolCall | undefined, message: CallMessage, reading: Reading): Target | undefined {
  const { own } = reading;
  const title = message.title ?? call?.title ?? "";
  const { toolCallId, rawInput } = message;
  if (own)
    return { toolCallId, state: stateOf(own), times: own.times, decision: own.decision, title, rawInput };
  const status = call ? message.status : (message.status ?? "pending");
  if (status === undefined || status === "pending") return waitingTarget(call, message, title, reading);
  const state = stateFor(status, message, call);
  if (call && rank(state) < rank(call.state)) {
    reading.repair("status-backwards", `the call is ${call.state.status} and does not go back to ${status}`);
    return undefined;
  }
  if (call && state.status === "running" && isAsked(call, reading)) {
    reading.repair(
      "ran-while-asked",
      "the call was reported as in progress while its question is open; it still waits",
    );
    return undefined;
  }
  if (call && isOver(call.state)) {
    reading.repair(
      "late-end",
      `the end that was assumed (${call.state.status}) gave way to the reported one`,
    );
  } else if (reading.mode === "lenient" && status === "completed" && call?.state.status !== "running") {
    reading.repair("skipped-steps", "the call was reported as completed without having been in progress");
  }
  return { toolCallId, state, title, rawInput };
}

/** Pending means only that the call has not started, so it advances nothing but a draft whose input is there. */
function waitingTarget(
  call: ToolCall | undefined,
  message: CallMessage,
  title: string,
  reading: Reading,
): Target | undefined {
  if (call && message.status === "pending" && !message.starts && rank(call.state) > 0) {
    reading.repair("status-backwards", `the call is ${call.state.status} and does not go back to pending`);
  }
  const isDraft = (call?.state.status ?? "drafting") === "drafting";
  const { toolCallId, rawInput } = message;
  return isDraft && !isNone(rawInput)
    ? { toolCallId, state: { status: "ready" }, title, rawInput }
    : undefined;
}

function isAsked({ state }: ToolCall, reading: Reading): boolean {
  if (state.status !== "waiting" || state.waitingFor.type !== "question") return false;
  return reading.session.question(state.waitingFor.questionId)?.state.status === "open";
}

function stateFor(
  status: Exclude<WireStatus, "pending">,
  message: CallMessage,
  call: ToolCall | undefined,
): ToolCallState {
  switch (status) {
    case "in_progress":
    case "paused":
      return { status: "running", cancelRequested: false };
    case "completed":
      return { status: "done", assumed: false };
    case "failed":
      return { status: "failed", error: lastText(message.content ?? call?.content ?? []), assumed: false };
    case "cancelled":
      return { status: "cancelled", reason: "the agent reported it as cancelled.", assumed: false };
    default:
      return status satisfies never;
  }
}

/** The order of a call's states: a lower rank after a higher one is a step backwards. */
function rank(state: ToolCallState): number {
  switch (state.status) {
    case "drafting":
    case "ready":
    case "waiting":
    case "cleared":
      return 0;
    case "running":
      return 1;
    case "done":
    case "failed":
    case "refused":
    case "cancelled":
    case "unknown":
      return 2;
    default:
      return state satisfies never;
  }
}

/** The error of a failed call: the last text it shows. */
function lastText(content: readonly ToolCallContent[]): string {
  for (const item of content.toReversed()) {
    if (item.type === "content" && item.content.type === "text") return item.content.text;
  }
  return "The agent reported a failure and did not say why.";
}

function announcement(message: CallMessage, reading: Reading): SessionEvent {
  const { own, at } = reading;
  const { toolCallId, rawInput } = message;
  const name = message.name ?? "";
  if (typeof message.title !== "string") missingTitle(message, reading);
  const title =
    own?.title ?? message.title ?? (reading.mode === "lenient" ? createToolTitle(name, rawInput) : "");
  const kind =
    message.kind ??
    (reading.mode === "lenient" && name !== "" ? inferToolKind(name, rawInput).kind : "other");
  const isInferred = own ? own.kindSource === "inferred" : message.kind === undefined && kind !== "other";
  const parentToolCallId = own?.parentToolCallId ?? (own ? undefined : foreignParent(message._meta));
  return {
    type: "call-announced",
    toolCallId,
    at: own?.times.announced ?? at,
    name,
    title,
    kind,
    kindSource: isInferred ? "inferred" : "declared",
    ...(parentToolCallId !== undefined && { parentToolCallId }),
    ...(own?.providerCallId !== undefined && { providerCallId: own.providerCallId }),
  };
}

/** A v1 call must have a title from its first message on; v2 only asks for one. */
function missingTitle({ starts, toolCallId }: CallMessage, reading: Reading): void {
  if (starts) reading.tolerate("missing-title", `tool_call ${toolCallId} has no title`);
}

/** Other agents have their own fields for the parent of a call. */
function foreignParent(meta: Meta | null | undefined): string | undefined {
  const claude = meta?.["claudeCode"];
  const parent = isJsonObject(claude) ? claude["parentToolUseId"] : meta?.["parentToolCallId"];
  return typeof parent === "string" ? parent : undefined;
}

function hasAny(fields: object): boolean {
  for (const _ in fields) return true;
  return false;
}

type Fields = { -readonly [Key in keyof CallFields]: CallFields[Key] };

// Filled field by field and not spread together: this runs for every message of every agent.
function changedFields(call: ToolCall | undefined, message: CallMessage, reading: Reading): CallFields {
  const fields: Fields = {};
  if (call) putLabels(fields, message, reading);
  putContent(fields, call, message, reading);
  const locations = replacement(call, message.locations, message.starts);
  if (locations && (call || locations.length > 0)) fields.locations = locations;
  putInput(fields, call, message, reading);
  if (message.rawOutput !== undefined) fields.rawOutput = message.rawOutput;
  putProgress(fields, call, reading.own);
  putMeta(fields, message._meta, reading);
  return fields;
}

function putLabels(fields: Fields, { name, kind, title, starts }: CallMessage, reading: Reading): void {
  const { own, isOurs } = reading;
  if (title !== undefined) fields.title = own?.title ?? title ?? "";
  if (name !== undefined) fields.name = name ?? "";
  // A second start replaces the call: the fields that it leaves out get their defaults.
  if (kind === undefined && !starts) return;
  fields.kind = kind ?? "other";
  if (own || !isOurs) fields.kindSource = own?.kindSource ?? "declared";
}

/** A second start replaces the collections too, with nothing when it has none. */
function replacement<Item>(
  call: ToolCall | undefined,
  items: readonly Item[] | undefined,
  starts: boolean,
): readonly Item[] | undefined {
  return items ?? (call && starts ? [] : undefined);
}

function putContent(
  fields: Fields,
  call: ToolCall | undefined,
  message: CallMessage,
  reading: Reading,
): void {
  const content = replacement(call, message.content, message.starts);
  if (!content || (!call && content.length === 0)) return;
  const sentence = reading.isOurs ? content.at(-1) : undefined;
  fields.content = sentence && isSentenceMark(sentence._meta) ? content.slice(0, -1) : content;
}

/** The input of a draft arrives with its `input-ready`; later it may change until someone was asked about it. */
function putInput(
  fields: Fields,
  call: ToolCall | undefined,
  { rawInput }: CallMessage,
  reading: Reading,
): void {
  const { own, isOurs } = reading;
  if (rawInput === undefined) return;
  if (!call || call.state.status === "drafting") {
    const staysDraft = own ? own.state.status === "drafting" : isOurs;
    if (staysDraft) fields.rawInput = rawInput;
  } else if (!isInputFixed(call)) {
    fields.rawInput = rawInput;
  } else if (!sameJson(rawInput, call.rawInput)) {
    reading.repair(
      "input-changed",
      "the input changed after it had been asked about; the one that was asked about stays",
    );
  }
}

function putProgress(fields: Fields, call: ToolCall | undefined, own: ToolgateMeta | undefined): void {
  if (own?.progress) fields.progress = own.progress;
  else if (own && call?.progress) fields.progress = null;
}

function putMeta(fields: Fields, meta: Meta | null | undefined, reading: Reading): void {
  const { own } = reading;
  if (meta === undefined) return;
  fields._meta = meta;
  if (meta === null || !Object.hasOwn(meta, "toolgate")) return;
  if (!own)
    reading.repairOnce("forged-meta", "_meta.toolgate came from an agent that is not ours and was left out");
  fields._meta = withoutToolgate(meta) ?? null;
}
