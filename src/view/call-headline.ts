/**
 * A call in one line: its mark, its title, and in brackets the facts. The agent chooses the title, so the facts
 * come last: whatever a title pretends, Toolgate writes the brackets at the end.
 */
import type { ToolCall } from "../call/index.js";
import { countOf, durationText } from "./amounts.js";
import { shownTitle } from "./call-card.js";
import type { CallCard } from "./call-card.js";
import { progressWords, stateWords } from "./card-facts.js";
import { BREACH, kindIcon, statusMark } from "./kind-icon.js";
import { clipped, columns } from "./rows.js";

const MAX_TITLE = 120;
const MIN_TITLE = 12;
const MAX_OWNER = 40;

export function callHeadline({ mark, icon, owner, title, facts }: CallCard): string {
  return `${mark} ${icon} ${owner === undefined ? "" : `${owner} › `}${title} (${facts.join(", ")})`;
}

export type LiveHeadlineOptions = {
  readonly now: number;
  readonly width: number;
  readonly mark?: string;
  /** The call that this one belongs to, named before it. */
  readonly owner?: ToolCall | undefined;
};

/** The headline of a running call in one row, with its duration and progress. A long title is shortened. */
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
  const brackets = ` (${facts.filter((fact) => fact !== undefined).join(", ")})`;
  const sign = `${call.breach ? BREACH : (mark ?? statusMark(state.status))} ${kindIcon(kind)} `;
  const half = Math.floor((width - columns(sign) - columns(brackets)) / 2);
  const start = sign + ownerWords(owner, Math.min(MAX_OWNER, Math.max(MIN_TITLE, half)));
  const room = Math.max(MIN_TITLE, width - columns(start) - columns(brackets));
  return clipped(start + shownTitle(call, Math.min(room, MAX_TITLE)) + brackets, width);
}

const ownerWords = (owner: ToolCall | undefined, maxLength: number): string =>
  owner ? `${shownTitle(owner, maxLength)} › ` : "";
