/**
 * One line of untrusted text, safe to print: nothing invisible, no tab, and no longer than a few rows. The
 * middle of a very long line (a minified file) is left out, with a note of how much.
 */
import { visibleText } from "../call/index.js";
import { countOf } from "./amounts.js";
import { columns } from "./rows.js";

const MAX_LENGTH = 500;
const END = 120;
const TAB_STOP = 4;

/** Tabs become spaces up to the next stop; `tabMark` is the visible sign of a tab, if any. */
export function visibleLine(line: string, tabMark = ""): string {
  return shortened(line, (part) => withoutTabs(part, tabMark));
}

/** The same without a bound on its length. */
export function wholeLine(line: string): string {
  return withoutTabs(line, "");
}

/** For a name, a path or a reason inside one of our lines: tabs and line ends are escaped. */
export function visibleName(text: string): string {
  return shortened(text, (part) => visibleText(part));
}

/** Removes colours only: all other terminal codes are escaped. */
export function withoutColours(text: string): string {
  return text.replace(COLOUR, "");
}

const COLOUR = new RegExp(String.raw`\u001B\[[\d;:]*m`, "g");

function shortened(line: string, shown: (part: string) => string): string {
  if (line.length <= MAX_LENGTH) return shown(line);
  // The line is cut before it is escaped, and never through a surrogate pair: half of one would be escaped.
  const head = line.slice(0, MAX_LENGTH - END).replace(/[\uD800-\uDBFF]$/, "");
  const tail = line.slice(-END).replace(/^[\uDC00-\uDFFF]/, "");
  const leftOut = line.length - head.length - tail.length;
  return `${shown(head)} … ${countOf(leftOut, "character")} left out … ${shown(tail)}`;
}

function withoutTabs(line: string, tabMark: string): string {
  const [first = "", ...others] = line.split("\t").map((part) => visibleText(part));
  let shown = first;
  let column = columns(first);
  for (const part of others) {
    const room = TAB_STOP - (column % TAB_STOP);
    shown += tabMark.padEnd(room) + part;
    column += room + columns(part);
  }
  return shown;
}
