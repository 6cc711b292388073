/**
 * A session on its way out: as NDJSON for programs, as Markdown for people, as CSV for a table of its calls.
 *
 * What must stay true: secrets are taken out unless they are asked for; what an agent wrote cannot leave
 * its place on the page (no fence is closed by what is inside it, no control character gets through) and
 * is no formula in a spreadsheet. It comes piece by piece, so that a long session is not held twice.
 */
import type { ExportFormat, Session } from "../../call/index.js";
import { sessionCsv } from "./export-csv.js";
import { sessionMarkdown } from "./export-markdown.js";
import { redactSession, type RedactOptions } from "../redaction/redact-event.js";

export type ExportOptions = RedactOptions & {
  /** false: as it was recorded, secrets included. */
  readonly redacted?: boolean;
};

export function exportSession(
  session: Session,
  format: ExportFormat,
  { redacted = true, ...options }: ExportOptions = {},
): Iterable<string> {
  const shown = redacted ? redactSession(session, options) : session;
  switch (format) {
    case "ndjson":
      return sessionLines(shown, redacted);
    case "markdown":
      return sessionMarkdown(shown);
    case "csv":
      return sessionCsv(shown);
    default:
      throw new RangeError(
        `There is no export format "${String(format satisfies never)}". Use ndjson, markdown or csv.`,
      );
  }
}

/** First what the session is, then each message and call in their order, then the questions. */
function* sessionLines(session: Session, redacted: boolean): Generator<string> {
  const { timeline, questions, ...about } = session;
  yield line({ type: "session", redacted, ...about });
  for (const entry of timeline) yield line(entry);
  for (const asked of questions) yield line({ type: "question", ...asked });
}

/** JSON leaves characters as they are that steer a terminal, and two that some programs take for the end of a line. */
function line(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${text}\n`;
}
