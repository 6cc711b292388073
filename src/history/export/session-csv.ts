/** The calls of a session as CSV (RFC 4180), safe to open in a spreadsheet. */
import type { Session, ToolCall } from "../../call/index.js";
import { breachSentence, endSentence, oneLine, runDuration, waitDuration } from "../../call/index.js";

const COLUMNS = [
  "announced",
  "toolCallId",
  "tool",
  "kind",
  "title",
  "status",
  "decidedBy",
  "who",
  "rule",
  "waitedMs",
  "ranMs",
  "sentence",
  "breach",
];

export function* sessionCsv({ timeline }: Session): Generator<string> {
  yield row(COLUMNS);
  for (const entry of timeline) if (entry.type === "call") yield row(cells(entry.call));
}

function cells(call: ToolCall): readonly string[] {
  const { times, decision } = call;
  return [
    moment(times.announced),
    call.toolCallId,
    call.name,
    call.kind,
    call.title,
    call.state.status,
    decision?.by ?? "",
    decision?.who ?? "",
    decision?.rule ?? "",
    milliseconds(waitDuration(times)),
    milliseconds(runDuration(times)),
    oneLine(endSentence(call) ?? "", 500),
    oneLine(breachSentence(call) ?? "", 500),
  ];
}

function row(texts: readonly string[]): string {
  return `${texts.map(cell).join(",")}\r\n`;
}

/** A spreadsheet runs a cell that begins with one of these; an apostrophe makes it text. */
function cell(text: string): string {
  const safe = /^[\s]*[=+\-@|%\t\r\n]/u.test(text) ? `'${text}` : text;
  return `"${oneLine(safe, 10_000).replaceAll('"', '""')}"`;
}

const milliseconds = (duration: number | undefined): string =>
  duration === undefined ? "" : String(Math.round(duration));

/** Times come from other programs too, and not every number is a valid Date. */
function moment(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : date.toISOString();
}
