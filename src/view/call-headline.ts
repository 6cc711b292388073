/**
 * A call in one line: how it stands, what it does, and in brackets the facts. The title is the agent's
 * own word, so the facts come last: whatever a title pretends, the brackets at the end are ours.
 */
import type { Decision, ToolCall, ToolCallState } from "../call/index.js";
import { isOver, oneLine } from "../call/index.js";
import { durationText } from "./amounts.js";
import { kindIcon, statusMark } from "./kind-icon.js";

const MAX_TITLE = 120;
const MAX_NAME = 60;
const MAX_MESSAGE = 80;

export function callHeadline(call: ToolCall): string {
  const { kind, state, times } = call;
  const title = oneLine(call.title, MAX_TITLE) || oneLine(call.name, MAX_TITLE) || "Tool call";
  const facts = [
    kind.replaceAll("_", " "),
    stateWords(state),
    isOver(state) ? durationText(times.started, times.ended) : undefined,
    state.status === "done" ? undefined : progressWords(call),
    decisionWords(call),
  ];
  const told = facts.filter((fact) => fact !== undefined);
  return `${statusMark(state.status)} ${kindIcon(kind)} ${title} (${told.join(", ")})`;
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
  return waitingFor.type === "app" ? "the app" : `session ${oneLine(waitingFor.childSessionId, MAX_NAME)}`;
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
