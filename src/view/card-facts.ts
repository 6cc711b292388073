/**
 * Facts about a call in a few words each (its status, its duration, who decided) and the signs for its kind and status.
 * Every sign is a single column wide, is no emoji, and has one meaning: kinds and statuses stand side by side, so they
 * share no sign.
 */
import type {
  Decision,
  TerminalContent,
  ToolCall,
  ToolCallState,
  ToolCallStatus,
  ToolKind,
} from "../call/index.js";
import { isOver, oneLine, runDuration, waitDuration } from "../call/index.js";
import { countOf, durationText } from "../call/amounts.js";
import { singleHunks } from "../call/diff-hunks.js";
import { visibleName } from "./visible-line.js";

const MAX_NAME = 60;
const MAX_MESSAGE = 80;

/**
 * The status of the call, except that three facts are statuses of their own: a command that failed although the call is
 * done, changes that were undone, and a call that an agent ran although the rules deny it.
 */
export type CardStatus = ToolCallStatus | "command-failed" | "undone" | "breach";

/** The present state comes first: an undone call has left no change in the files. A breach never shows a tick. */
export function cardStatus(call: ToolCall): CardStatus {
  if (call.breach) return "breach";
  if (call.times.undone !== undefined) return "undone";
  const { status } = call.state;
  return status === "done" && failedCommand(call) !== undefined ? "command-failed" : status;
}

/** In the order in which a headline lists them. */
export function cardFacts(call: ToolCall): readonly string[] {
  const { kind, state, times } = call;
  return [
    kind.replaceAll("_", " "),
    call.breach ? "breach" : undefined,
    stateWords(state),
    state.status === "done" ? failedCommand(call) : undefined,
    call.refusals === undefined ? undefined : "stopped by the sandbox",
    times.undone === undefined ? putBackWords(call) : "undone",
    isOver(state) ? durationText(0, runDuration(times)) : undefined,
    state.status === "done" ? undefined : progressWords(call),
    decisionWords(call),
  ].filter((fact) => fact !== undefined);
}

/** "1 of 2 changes put back". Undefined unless a part of the call was undone. */
export function putBackWords({ undoneHunks, times, content }: ToolCall): string | undefined {
  if (undoneHunks === undefined || times.undone !== undefined) return undefined;
  const count = undoneHunks.length;
  const [diff, ...others] = content.flatMap((item) => (item.type === "diff" ? item : []));
  const all = diff && others.length === 0 ? singleHunks(diff)?.length : undefined;
  return all !== undefined && all > count
    ? `${count} of ${all} changes put back`
    : `${countOf(count, "change")} put back`;
}

/** Undefined for a call that is simply done, and for a refused one, whose decision names who refused it. */
export function stateWords(state: ToolCallState): string | undefined {
  switch (state.status) {
    case "drafting":
    case "ready":
      return state.status;
    case "waiting":
      return `waiting for ${WAITING_FOR[state.waitingFor.type]}`;
    case "cleared":
      return "not started";
    case "running":
      return state.cancelRequested ? "running, to be cancelled" : "running";
    case "done":
      return state.assumed ? "assumed done" : undefined;
    case "failed":
    case "cancelled":
      return state.assumed ? `assumed ${state.status}` : state.status;
    case "unknown":
      return "outcome unknown";
    case "refused":
      return undefined;
    default:
      return state satisfies never;
  }
}

const WAITING_FOR: Readonly<Record<(ToolCallState & { status: "waiting" })["waitingFor"]["type"], string>> = {
  question: "an answer",
  app: "the app",
  child: "its sub-agent",
};

export function progressWords({ progress }: ToolCall): string | undefined {
  if (!progress) return undefined;
  const amount = progress.total === undefined ? `${progress.done}` : `${progress.done} of ${progress.total}`;
  const message = oneLine(progress.message ?? "", MAX_MESSAGE);
  return message === "" ? amount : `${amount} ${message}`;
}

/** The decision's word on cards: nobody was asked, since the sandbox keeps everything else out. */
const CONTAINED = "contained";

export function decisionWords({ decision, state, times }: ToolCall): string | undefined {
  const isNo = state.status === "refused";
  const waited = durationText(0, waitDuration(times));
  if (decision?.by === "sandbox") return CONTAINED;
  if (decision) {
    const changed = changeWords(decision);
    return `${isNo ? "refused" : "allowed"}${decidedBy(decision)}${waited === undefined ? "" : ` after ${waited}`}${changed}`;
  }
  if (isNo) return "refused";
  return isOver(state) && times.asked !== undefined ? "not answered" : undefined;
}

function changeWords(decision: Decision): string {
  const { originalInput, rejectedHunks, notStored } = decision;
  if (notStored !== undefined)
    return `, for this once: its rule was not stored, ${oneLine(notStored, MAX_MESSAGE)}`;
  if (rejectedHunks !== undefined) {
    const numbers = rejectedHunks.map(({ number }) => number).join(", ");
    return `, ${rejectedHunks.length === 1 ? "hunk" : "hunks"} ${numbers} rejected${decidedBy(decision)}`;
  }
  return originalInput === undefined ? "" : `, input changed${decidedBy(decision)}`;
}

function decidedBy({ by, who, rule }: Decision): string {
  if (by === "rule" && rule !== undefined) return ` by rule ${oneLine(rule, MAX_NAME)}`;
  if (who !== undefined) return ` by ${oneLine(who, MAX_NAME)}`;
  return by === "rule" ? "" : " by a person";
}

/**
 * The exit of a call's command that failed. The call itself is done, since the tool ran the command and the model gets
 * its output. A reader must see both. Undefined without a command, while it runs, or when it ended with 0.
 */
export function failedCommand({ content }: ToolCall): string | undefined {
  const last = content.findLast((item) => item.type === "terminal" && item.exit !== undefined);
  if (last?.type !== "terminal" || (last.exit?.exitCode === 0 && last.exit.signal === undefined))
    return undefined;
  return exitWords(last).join(", ") || undefined;
}

export function exitWords({ exit }: Pick<TerminalContent, "exit">): readonly string[] {
  return [
    ...(exit?.exitCode === undefined ? [] : [`exit code ${exit.exitCode}`]),
    ...(exit?.signal === undefined ? [] : [`ended by ${visibleName(exit.signal)}`]),
  ];
}

const KIND_ICONS: Readonly<Record<ToolKind, string>> = {
  read: "≡",
  edit: "✎",
  delete: "⌫",
  move: "→",
  search: "⌕",
  execute: "❯",
  think: "∴",
  fetch: "↓",
  switch_mode: "⇄",
  other: "•",
};

const STATUS_MARKS: Readonly<Record<CardStatus, string>> = {
  drafting: "…",
  ready: "○",
  waiting: "?",
  cleared: "◎",
  running: "►",
  done: "✓",
  failed: "✗",
  refused: "⊘",
  cancelled: "–",
  unknown: "¿",
  "command-failed": "!",
  undone: "↶",
  breach: "⚑",
};

export function kindIcon(kind: ToolKind): string {
  return KIND_ICONS[kind];
}

export function statusMark(status: CardStatus): string {
  return STATUS_MARKS[status];
}
