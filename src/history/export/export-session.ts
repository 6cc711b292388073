/**
 * Exports a session as data for programs: as NDJSON, or as CSV with a row for each call. `view/` renders it for people.
 *
 * Invariants: secrets are redacted unless the caller asks for them; an agent's text cannot leave its line or its cell
 * and is no formula in a spreadsheet. The export is a stream, so that a long session is not in memory twice.
 */
import { checkOptions, FLAG, oneOf, required, SESSION } from "../../call/check-options.js";
import type { ExportFormat, Session } from "../../call/index.js";
import { sessionCsv } from "./session-csv.js";
import { redactSession, type RedactOptions } from "../redaction/redact-event.js";
import { PATTERNS } from "../redaction/redaction-pattern.js";

export type ExportOptions = RedactOptions & {
  /** false: exports the recorded text, secrets included. */
  readonly redacted?: boolean;
};

const EXPORTED = { session: required(SESSION), format: required(oneOf("ndjson", "csv")) };

export function exportSession(
  session: Session,
  format: ExportFormat,
  options: ExportOptions = {},
): Iterable<string> {
  checkOptions("exportSession", { session, format }, EXPORTED);
  checkOptions<ExportOptions>("exportSession", options, { redacted: FLAG, patterns: PATTERNS });
  const { redacted = true, ...redaction } = options;
  const shown = redacted ? redactSession(session, redaction) : session;
  switch (format) {
    case "ndjson":
      return sessionLines(shown, redacted);
    case "csv":
      return sessionCsv(shown);
    default:
      throw new RangeError(
        `There is no export format "${String(format satisfies never)}". Use ndjson or csv.`,
      );
  }
}

/** First the session's description, then each message and call in their order, then the questions. */
function* sessionLines(session: Session, redacted: boolean): Generator<string> {
  const { timeline, questions, ...about } = session;
  yield line({ type: "session", redacted, ...about });
  for (const entry of timeline) yield line(entry);
  for (const asked of questions) yield line({ type: "question", ...asked });
}

/** Escapes what JSON does not: terminal control characters, and two that some programs take for line ends. */
function line(value: unknown): string {
  const text = JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `${text}\n`;
}
