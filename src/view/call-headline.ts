/**
 * A call in one line: how it stands, what it does, and in brackets the facts. The title is the agent's
 * own word, so the facts come last: whatever a title pretends, the brackets at the end are ours.
 */
import type { Decision, ToolCall, ToolCallState } from "../call/index.js";
import { isOver, oneLine } from "../call/index.js";
import { countOf, durationText } from "./amounts.js";
import { failedCommand } from "./command-exit.js";
import { BREACH, COMMAND_FAILED, kindIcon, statusMark, UNDONE } from "./kind-icon.js";
import { clipped, columns } from "./rows.js";

const MAX_TITLE = 120;
const MAX_NAME = 60;
const MAX_MESSAGE = 80;
const SHORTEST_TITLE = 12;
const MAX_OWNER = 40;

/** `owner`: the call that this one belongs to, named before it. */
export function callHeadline(call: ToolCall, owner?: ToolCall): string {
  const { kind, state, times } = call;
  const failed = state.status === "done" ? failedCommand(call) : undefined;
  const facts = [
    kind.replaceAll("_", " "),
    call.breach ? "breach" : undefined,
    stateWords(state),
    failed,
    times.undone === undefined ? undefined : "undone",
    isOver(state) ? durationText(times.started, times.ended) : undefined,
    state.status === "done" ? undefined : progressWords(call),
    decisionWords(call),
  ];
  const told = facts.filter((fact) => fact !== undefined);
  return `${markOf(call, failed !== undefined)} ${kindIcon(kind)} ${ownerWords(owner, MAX_OWNER)}${shownTitle(call, MAX_TITLE)} (${told.join(", ")})`;
}

/** What holds now comes first: nothing is left of what an undone call did to the files. A breach is never a tick. */
function markOf({ state, times, breach }: ToolCall, hasFailed: boolean): string {
  if (breach) return BREACH;
  if (times.undone !== undefined) return UNDONE;
  return hasFailed ? COMMAND_FAILED : statusMark(state.status);
}

export type LiveHeadlineOptions = {
  readonly now: number;
  readonly width: number;
  readonly mark?: string;
  /** The call that this one belongs to, named before it. */
  readonly owner?: ToolCall | undefined;
};

/** The same in one row for a call that is under way: for how long, and how far it has come. A long title makes room. */
export function liveHeadline(call: ToolCall, { now, width, mark, owner }: LiveHeadlineOptions): string {
  const { kind, state, times } = call;
  const facts = [
    call.breach ? "breach" : undefined,
    stateWords(state),
    state.status === "drafting" && state.draft.text !== ""
      ? countOf(state.draft.text.length, "character")
      : undefined,
    state.status === "running" ? durationText(times.started, now) : undefined,
    progressWords(call),
  ];
  const told = ` (${facts.filter((fact) => fact !== undefined).join(", ")})`;
  const sign = `${call.breach ? BREACH : (mark ?? statusMark(state.status))} ${kindIcon(kind)} `;
  const half = Math.floor((width - columns(sign) - columns(told)) / 2);
  const start = sign + ownerWords(owner, Math.min(MAX_OWNER, Math.max(SHORTEST_TITLE, half)));
  const room = Math.max(SHORTEST_TITLE, width - columns(start) - columns(told));
  return clipped(start + shownTitle(call, Math.min(room, MAX_TITLE)) + told, width);
}

const ownerWords = (owner: ToolCall | undefined, length: number): string =>
  owner ? `${shownTitle(owner, length)} › ` : "";

function shownTitle({ title, name }: ToolCall, length: number): string {
  return oneLine(title, length) || oneLine(name, length) || "Tool call";
}

function stateWords(state: ToolCallState): string | undefined {
  switch (state.status) {
    case "drafting":
    case "ready":
      return state.status;
    case "waiting":
      return `waiting for ${waitedFor(state.waitingFor)}`;
    case "cleared":
      return "not started";
    case "running":
      return state.cancelWished ? "running, to be cancelled" : "running";
    case "done":
      return state.assumed ? "assumed done" : undefined;
    case "failed":
    case "cancelled":
      return state.assumed ? `assumed ${state.status}` : state.status;
    case "unknown":
      return "outcome unknown";
    case "refused":
      // Who refused it is told by the decision.
      return undefined;
    default:
      return state satisfies never;
  }
}

function waitedFor(waitingFor: (ToolCallState & { status: "waiting" })["waitingFor"]): string {
  if (waitingFor.type === "question") return "an answer";
  return waitingFor.type === "app" ? "the app" : "its sub-agent";
}

function progressWords({ progress }: ToolCall): string | undefined {
  if (!progress) return undefined;
  const amount = progress.total === undefined ? `${progress.done}` : `${progress.done} of ${progress.total}`;
  const message = oneLine(progress.message ?? "", MAX_MESSAGE);
  return message === "" ? amount : `${amount} ${message}`;
}

function decisionWords({ decision, state, times }: ToolCall): string | undefined {
  const isNo = state.status === "refused";
  const waited = durationText(times.asked, times.answered);
  if (decision)
    return `${isNo ? "refused" : "allowed"}${decidedBy(decision)}${waited === undefined ? "" : ` after ${waited}`}`;
  if (isNo) return "refused";
  return isOver(state) && times.asked !== undefined ? "not answered" : undefined;
}

function decidedBy({ by, who, rule }: Decision): string {
  if (by === "rule") return rule === undefined ? "" : ` by rule ${oneLine(rule, MAX_NAME)}`;
  return who === undefined ? " by a person" : ` by ${oneLine(who, MAX_NAME)}`;
}
