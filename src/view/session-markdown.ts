/**
 * A session as a page of Markdown, piece by piece: the same entries and cards that the terminal shows. Text that others
 * wrote stands inside fences that nothing inside can close, or on one line without markup of its own.
 */
import type { ContentBlock, Message, Session } from "../call/index.js";
import { oneLine, visibleText } from "../call/index.js";
import { checkOptions, required, SESSION } from "../call/check-options.js";
import { countOf } from "../call/amounts.js";
import { blockNote } from "./block-note.js";
import type { CallCard, CardQuestion } from "./call-card.js";
import { callHeadline } from "./call-text.js";
import type { CardBlock, TerminalBlock, TextBlock } from "./card-blocks.js";
import { diffCardLines } from "./diff-card.js";
import { sessionEntries } from "./session-entries.js";
import type { SessionEntry } from "./session-entries.js";

const MAX_BLOCK_LENGTH = 50_000;
const MAX_BLOCK_LINES = 1_000;
const MAX_LINE_LENGTH = 200;
const MAX_HEADLINE_LENGTH = 500;

export function sessionMarkdown(session: Session): Generator<string> {
  checkOptions("sessionMarkdown", { session }, { session: required(SESSION) });
  return markdown(session);
}

function* markdown(session: Session): Generator<string> {
  const { info, sessionId } = session;
  yield `# ${inline(info.title ?? `Session ${sessionId}`)}\n\n`;
  const facts = [
    ["Session", sessionId],
    ["Agent", info.agent],
    ["Folder", info.cwd],
  ] as const;
  for (const [name, value] of facts) if (value !== undefined) yield fact(name, value);
  for (const entry of sessionEntries(session, { maxLines: MAX_BLOCK_LINES })) yield* entryParts(entry);
}

function* entryParts(entry: SessionEntry): Generator<string> {
  switch (entry.type) {
    case "message":
      yield* messageParts(entry.message);
      if (entry.isCutOff) yield "\n(cut off, and repeated below)\n";
      return;
    case "call":
      yield `\n${"#".repeat(2 + entry.depth)} ${inline(callHeadline(entry.card), MAX_HEADLINE_LENGTH)} · ${utcTime(entry.call.times.announced)}\n\n`;
      yield* factParts(entry.card);
      if (!entry.card.isShownByOwner) yield* detailParts(entry.card, entry.call.rawInput);
      return;
    case "turn-stopped":
      yield `\n## Turn stopped: ${inline(entry.reason)} · ${utcTime(entry.at)}\n`;
      if (entry.error !== undefined) yield `\n${fact("Error", entry.error)}`;
      return;
    case "compaction":
      yield `\n## Conversation summarized for the model · ${utcTime(entry.at)}\n`;
      yield fenced(entry.summary);
      return;
    default:
      entry satisfies never;
  }
}

const SPEAKERS = { user: "User", agent: "Agent", thought: "Thought" } as const;

function* messageParts({ role, at, blocks }: Message): Generator<string> {
  yield `\n## ${SPEAKERS[role]} · ${utcTime(at)}\n`;
  for (const block of blocks) yield blockPart(block);
}

function blockPart(block: ContentBlock): string {
  if (block.type === "text") return fenced(block.text);
  const note = `\n${code(blockNote(block))}\n`;
  return block.type === "resource" && "text" in block.resource ? note + fenced(block.resource.text) : note;
}

function* factParts(card: CallCard): Generator<string> {
  yield fact("Tool", card.name);
  yield fact("Status", card.status);
  if (card.breach !== undefined) yield fact("Breach", card.breach);
  if (card.decision?.reason !== undefined) yield fact("Reason", card.decision.reason);
  if (card.decidedOn !== undefined) yield fact("Decided on", card.decidedOn);
  if (card.question) yield* questionParts(card.question);
  for (const { path, line } of card.locations)
    yield fact("At", line === undefined ? path : `${path}:${line}`);
  yield* leftOut(card.hiddenLocations, "more place");
  if (card.end?.type === "sentence") yield fact("End", card.end.text);
}

function* questionParts({ questionId, title, options, expiresAfter }: CardQuestion): Generator<string> {
  yield fact("Question", title === undefined ? questionId : `${questionId}: ${title}`);
  for (const { name, kind } of options) yield fact(`Answer, ${kind}`, name);
  if (expiresAfter !== undefined) yield fact("Expires after", expiresAfter);
}

/** A card has no input, because the terminal shows none; a page to keep has all of it. */
function* detailParts({ blocks, hiddenBlocks, end }: CallCard, rawInput: unknown): Generator<string> {
  if (rawInput !== undefined) yield `\nInput:\n${fenced(JSON.stringify(rawInput, null, 2) ?? "", "json")}`;
  for (const block of blocks) yield* cardBlockParts(block);
  yield* leftOut(hiddenBlocks, "more item");
  if (end?.type === "error") {
    yield "\nError:\n";
    yield* textParts(end.message);
  }
}

function* cardBlockParts(block: CardBlock): Generator<string> {
  switch (block.type) {
    case "text":
      yield* textParts(block);
      return;
    case "note":
      yield `\n${code(block.text)}\n`;
      return;
    case "diff": {
      const [heading = "", ...lines] = diffCardLines(block);
      yield `\n${code(heading)}\n`;
      if (lines.length > 0) yield fenced(lines.join("\n"), "diff");
      return;
    }
    case "terminal":
      yield* terminalParts(block);
      return;
    default:
      block satisfies never;
  }
}

function* textParts({ lines, hiddenLines }: TextBlock): Generator<string> {
  yield fenced(lines.join("\n"));
  yield* leftOut(hiddenLines, "more line");
}

function* terminalParts({ exit, lines, hiddenLinesAbove, isCut }: TerminalBlock): Generator<string> {
  if (exit.length > 0) yield `\n${code(exit.join(", "))}\n`;
  yield* leftOut(hiddenLinesAbove, "line", isCut ? "more than " : "");
  if (lines.length > 0) yield fenced(lines.join("\n"));
}

function* leftOut(count: number, thing: string, prefix = ""): Generator<string> {
  if (count > 0) yield `\n… ${prefix}${countOf(count, thing)} left out …\n`;
}

/** The fence is longer than any run of backticks inside. */
function fenced(text: string, language = ""): string {
  const shown = visibleText(bounded(text), { keepNewlines: true });
  let longest = 2;
  for (const [run] of shown.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `\n${fence}${language}\n${shown}${shown.endsWith("\n") ? "" : "\n"}${fence}\n`;
}

function bounded(text: string): string {
  if (text.length <= MAX_BLOCK_LENGTH) return text;
  const head = text.slice(0, MAX_BLOCK_LENGTH).replace(/[\uD800-\uDBFF]$/, "");
  return `${head}\n… ${countOf(text.length - head.length, "character")} left out …`;
}

const fact = (name: string, value: string): string => `- ${name}: ${code(value)}\n`;

/** Inline code on one line, without markup of its own. */
function code(text: string): string {
  return `\`${oneLine(text, MAX_LINE_LENGTH).replaceAll("`", "'")}\``;
}

/** Plain words on one line. Brackets that are escaped make no link, so parentheses stay. */
function inline(text: string, maxLength = MAX_LINE_LENGTH): string {
  return oneLine(text, maxLength).replace(/[\\`*_{}[\]#+!<>|&~]/g, String.raw`\$&`);
}

function utcTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? String(milliseconds) : date.toISOString();
}
