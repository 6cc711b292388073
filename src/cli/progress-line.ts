/**
 * The progress of long work, on stderr, once it takes longer than a second: redrawn in place on a terminal, else one line
 * every ten seconds.
 */
import { grouped, pluralize } from "../call/amounts.js";
import type { ArchiveProgress } from "../call/index.js";

const FIRST_MS = 1_000;
const REDRAW_MS = 100;
const NEXT_LINE_MS = 10_000;

export type ProgressLine = {
  readonly show: (progress: ArchiveProgress) => void;
  /** Clears the drawn line. */
  readonly end: () => void;
};

type Output = { readonly isTTY?: boolean; write(text: string): unknown };

export function progressLine(
  doing: string,
  output: Output = process.stderr,
  now: () => number = Date.now,
): ProgressLine {
  let due = now() + FIRST_MS;
  let isDrawn = false;
  return {
    show: (progress) => {
      if (now() < due) return;
      due = now() + (output.isTTY ? REDRAW_MS : NEXT_LINE_MS);
      output.write(
        output.isTTY ? `\r${lineText(doing, progress)}\u001b[K` : `${lineText(doing, progress)}\n`,
      );
      isDrawn = true;
    },
    end: () => {
      if (isDrawn && output.isTTY) output.write("\r\u001b[K");
      isDrawn = false;
    },
  };
}

function lineText(
  doing: string,
  { sessions, ofSessions, events, ofEvents, keptFiles = 0 }: ArchiveProgress,
): string {
  const percent = ofEvents === 0 ? 100 : Math.floor((100 * events) / ofEvents);
  const files = keptFiles === 0 ? "" : `, ${pluralize(keptFiles, "kept file")}`;
  return `${doing} history: ${grouped(events)} of ${grouped(ofEvents)} events, ${grouped(sessions)} of ${pluralize(ofSessions, "session")}${files} (${percent} %)`;
}
