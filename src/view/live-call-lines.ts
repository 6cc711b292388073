/**
 * A call that is under way, in a few lines that are drawn again and again: how it stands and for how long,
 * how far it has come, and the end of what it prints. Each line fits the width, so that whoever draws them
 * knows how many rows they take.
 */
import type { BoundedText, ToolCall } from "../call/index.js";
import { liveHeadline } from "./call-headline.js";
import { clipped } from "./rows.js";
import { visibleLine, withoutColours } from "./visible-line.js";
import { callOwner } from "./call-owner.js";

export type LiveCallOptions = {
  /** The moment that it is drawn at, in milliseconds since 1970. */
  readonly now: number;
  /** Columns; 80 unless told, never less than 20. */
  readonly width?: number;
  /** How many lines of what it prints may be shown; 3 unless told. */
  readonly maxLines?: number;
  /** A sign of one column in place of the status's own: one that moves. */
  readonly mark?: string;
  /** The calls of its session: with them it is told whose call it is. */
  readonly calls?: Iterable<ToolCall>;
};

const WIDTH = 80;
const NARROWEST = 20;
const MAX_LINES = 3;
const GUTTER = "    │ ";
/** Enough for a few lines; the rest of the output is not looked at for each drawing. */
const LAST_UNITS = 4_096;

export function liveCallLines(call: ToolCall, options: LiveCallOptions): readonly string[] {
  const { now, mark, maxLines = MAX_LINES, calls = [] } = options;
  const width = Math.max(NARROWEST, options.width ?? WIDTH);
  const headline = liveHeadline(call, {
    now,
    width,
    owner: callOwner(call, calls),
    ...(mark !== undefined && { mark }),
  });
  if (maxLines < 1) return [headline];
  const printed = lastLines(call).slice(-maxLines);
  return [headline, ...printed.map((line) => clipped(GUTTER + visibleLine(line), width))];
}

/** Of what was printed last, with what a line was overwritten with in its place: progress bars do that. */
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
    .map((line) => line.slice(line.replace(/\r+$/, "").lastIndexOf("\r") + 1).replace(/\r+$/, ""))
    .filter((line) => line.trim() !== "");
}
