/**
 * A running call in a few lines for repeated drawing: its status, duration and progress, and the end of its
 * output. Each line fits the width, so that the drawing code knows the number of rows.
 */
import type { BoundedText, ToolCall } from "../call/index.js";
import { countOf, durationText } from "../call/amounts.js";
import { MAX_TITLE, MAX_OWNER, shownTitle } from "./call-card.js";
import { kindIcon, progressWords, stateWords, statusMark } from "./card-facts.js";
import { clipped, columns, MIN_WIDTH, visibleLine, withoutColours } from "./visible-line.js";
import { overwrittenLine } from "./overwritten-line.js";
import { callOwner } from "./call-owner.js";

export type LiveCallOptions = {
  /** The time of the drawing, in milliseconds since 1970. */
  readonly now: number;
  /** Columns; 80 unless set, never less than 20. */
  readonly width?: number;
  /** The maximum number of output lines; 3 unless set. */
  readonly maxLines?: number;
  /** A sign of one column in place of the status's own, for an animation. */
  readonly mark?: string;
  /** The calls of the session, to name the call that this one belongs to. */
  readonly calls?: Iterable<ToolCall>;
};

const WIDTH = 80;
const MAX_LINES = 3;
const MIN_TITLE = 12;
const GUTTER = "    │ ";
/** Enough for a few lines; a drawing does not read the rest of the output. */
const LAST_UNITS = 4_096;

export function liveCallLines(call: ToolCall, options: LiveCallOptions): readonly string[] {
  const { now, mark, maxLines = MAX_LINES, calls = [] } = options;
  const width = Math.max(MIN_WIDTH, options.width ?? WIDTH);
  const headline = liveHeadline(call, {
    now,
    width,
    owner: callOwner(call, calls),
    waitsForCommand: waitsForCommand(call, calls),
    ...(mark !== undefined && { mark }),
  });
  if (maxLines < 1) return [headline];
  const printed = lastLines(call).slice(-maxLines);
  return [headline, ...printed.map((line) => clipped(GUTTER + visibleLine(line), width))];
}

type HeadlineOptions = {
  readonly now: number;
  readonly width: number;
  readonly mark?: string;
  /** The call that this one belongs to, named before it. */
  readonly owner?: ToolCall | undefined;
  readonly waitsForCommand: boolean;
};

/** Contained commands run one after another, so that each can be undone by itself. */
function waitsForCommand({ state, decision, kind }: ToolCall, calls: Iterable<ToolCall>): boolean {
  if (state.status !== "cleared" || decision?.by !== "sandbox" || kind !== "execute") return false;
  for (const other of calls) if (other.state.status === "running" && other.kind === "execute") return true;
  return false;
}

/** The headline of a running call in one row, with its duration and progress. A long title is shortened. */
function liveHeadline(call: ToolCall, options: HeadlineOptions): string {
  const { now, width, mark, owner } = options;
  const { kind, state, times } = call;
  const facts = [
    call.breach ? "breach" : undefined,
    options.waitsForCommand ? "waits for another command" : stateWords(state),
    state.status === "drafting" && state.draft.text !== ""
      ? countOf(state.draft.text.length, "character")
      : undefined,
    state.status === "running" ? durationText(times.started, now) : undefined,
    progressWords(call),
  ];
  const brackets = ` (${facts.filter((fact) => fact !== undefined).join(", ")})`;
  const sign = `${call.breach ? statusMark("breach") : (mark ?? statusMark(state.status))} ${kindIcon(kind)} `;
  const half = Math.floor((width - columns(sign) - columns(brackets)) / 2);
  const start = sign + ownerWords(owner, Math.min(MAX_OWNER, Math.max(MIN_TITLE, half)));
  const room = Math.max(MIN_TITLE, width - columns(start) - columns(brackets));
  return clipped(start + shownTitle(call, Math.min(room, MAX_TITLE)) + brackets, width);
}

const ownerWords = (owner: ToolCall | undefined, maxLength: number): string =>
  owner ? `${shownTitle(owner, maxLength)} › ` : "";

/** The last lines of the output. */
function lastLines({ content }: ToolCall): readonly string[] {
  const item = content.findLast(
    (one) =>
      (one.type === "terminal" && one.output) || (one.type === "content" && one.content.type === "text"),
  );
  if (item?.type === "terminal" && item.output) return linesOf(endOf(item.output));
  return item?.type === "content" && item.content.type === "text"
    ? linesOf(item.content.text.slice(-LAST_UNITS))
    : [];
}

const endOf = ({ head, tail }: BoundedText): string => (tail === "" ? head : tail).slice(-LAST_UNITS);

function linesOf(text: string): readonly string[] {
  return withoutColours(text)
    .split(/\r*\n/)
    .map(overwrittenLine)
    .filter((line) => line.trim() !== "");
}
