/**
 * One line of someone else's text, safe to print: nothing invisible, no tab, and no longer than a few
 * rows. The middle of an endless line (a minified file) is left out, and the line says how much.
 */
import { visibleText } from "../call/index.js";
import { countOf } from "./amounts.js";
import { columns } from "./rows.js";

const LONGEST = 500;
const END = 120;
const TAB_STOP = 4;

/** Tabs become spaces up to the next stop; `tabMark` is what a tab shows itself with, if it is to be seen. */
export function visibleLine(line: string, tabMark = ""): string {
  return shortened(line, (part) => withoutTabs(part, tabMark));
}

/** The same, however long it is. */
export function wholeLine(line: string): string {
  return withoutTabs(line, "");
}

/** For a name, a path or a reason inside a line of ours: tabs and line ends are spelled out. */
export function visibleName(text: string): string {
  return shortened(text, (part) => visibleText(part));
}

/** Colours only: whatever else a terminal would obey is spelled out. */
export function withoutColours(text: string): string {
  return text.replace(COLOUR, "");
}

const COLOUR = new RegExp(String.raw`\u001B\[[\d;:]*m`, "g");

function shortened(line: string, shown: (part: string) => string): string {
  if (line.length <= LONGEST) return shown(line);
  // Cut before it is made visible, and never through a surrogate pair: half of one would be spelled out.
  const head = line.slice(0, LONGEST - END).replace(/[\uD800-\uDBFF]$/, "");
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
