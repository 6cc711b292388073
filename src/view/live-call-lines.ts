/**
 * A running call in a few lines for repeated drawing: its status, duration and progress, and the end of its
 * output. Each line fits the width, so that the drawing code knows the number of rows.
 */
import type { BoundedText, ToolCall } from "../call/index.js";
import { liveHeadline } from "./call-headline.js";
import { clipped } from "./rows.js";
import { visibleLine, withoutColours } from "./visible-line.js";
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
const NARROWEST = 20;
const MAX_LINES = 3;
const GUTTER = "    │ ";
/** Enough for a few lines; a drawing does not read the rest of the output. */
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

/** The last lines of the output. A carriage return overwrites its line, as progress bars do. */
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
