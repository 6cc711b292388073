/** The end of a conversation that was resumed, as it looked while it went on. */
import { isOver, pluralize } from "../../call/index.js";
import type { Message, Session } from "../../call/index.js";
import { compactionLine, Gutter } from "../../view/index.js";
import { blockNote } from "../../view/block-note.js";
import { cardText } from "../../view/call-text.js";
import { MarkdownStream } from "../../view/markdown-stream.js";
import { planLines } from "../../view/plan-lines.js";
import { sessionEntries } from "../../view/session-entries.js";
import type { SessionEntry } from "../../view/session-entries.js";
import { CUT_OFF } from "../../view/session-text.js";
import { styled, withoutStyles } from "../../view/styled-text.js";
import { isOneLine } from "../is-one-line.js";
import { endText } from "../run-turn.js";
import { shortId } from "../short-id.js";
import { typedRows, wrapped } from "./chat-text.js";

const MAX_SHOWN_LINES = 40;

export type RecentOptions = {
  readonly width: number;
  /** Messages are rendered as Markdown with styles. */
  readonly isStyled: boolean;
};

/** Lines that belong together. A blank line comes between two blocks, unless both are calls in one line. */
type Block = { readonly lines: readonly string[]; readonly isCompact?: boolean };

export function recentText(session: Session, options: RecentOptions): string {
  const ended = endedPart(session);
  const isPlanOver = session.plan.every(({ status }) => status === "completed" || status === "cancelled");
  const plan = isPlanOver ? [] : planLines(session.plan, options.width);
  const blocks = [
    ...Array.from(sessionEntries(ended), (entry) => entryBlock(entry, options)),
    ...(plan.length === 0 ? [] : [{ lines: ["Plan", ...plan] }]),
  ].filter(({ lines }) => lines.length > 0);
  const lines = blocks.flatMap((block, index) => [
    ...(needsGap(blocks[index - 1], block) ? [""] : []),
    ...block.lines,
  ]);
  const hidden = Math.max(0, lines.length - MAX_SHOWN_LINES);
  const before =
    hidden > 0
      ? `… ${pluralize(hidden, "line")} before: toolgate history show ${shortId(session.sessionId)}\n`
      : "";
  return `${before}${lines.slice(hidden).join("\n")}\n\n`;
}

const needsGap = (before: Block | undefined, block: Block): boolean =>
  before !== undefined && !(before.isCompact === true && block.isCompact === true);

/** Without the calls and questions that are open: these are shown as they go on. */
const endedPart = (session: Session): Session => ({
  ...session,
  questions: [],
  turns: session.turns.filter(({ state }) => state.status === "stopped"),
  timeline: session.timeline.filter((entry) => entry.type !== "call" || isOver(entry.call.state)),
});

function entryBlock(entry: SessionEntry, options: RecentOptions): Block {
  const { width } = options;
  switch (entry.type) {
    case "message":
      return { lines: messageLines(entry.message, entry.isCutOff, options) };
    case "call":
      return callBlock(entry, width);
    case "turn-stopped": {
      const { reason, error } = entry;
      const text = endText({ status: "stopped", stopReason: reason, ...(error !== undefined && { error }) });
      return { lines: text === undefined ? [] : wrapped(text, width).split("\n") };
    }
    case "compaction":
      return { lines: wrapped(compactionLine(entry), width).split("\n") };
    default:
      return entry satisfies never;
  }
}

function callBlock({ call, card }: SessionEntry & { readonly type: "call" }, width: number): Block {
  const isCompact = isOneLine(call);
  return { lines: cardText(card, { width: width + 1, headlineOnly: isCompact }).split("\n"), isCompact };
}

function messageLines(
  { role, blocks }: Message,
  isCutOff: boolean,
  { width, isStyled }: RecentOptions,
): readonly string[] {
  const text = [
    ...blocks.map((block) => (block.type === "text" ? block.text : `\n[${blockNote(block)}]\n`)),
    ...(isCutOff ? [`\n${CUT_OFF}`] : []),
  ]
    .join("")
    .trim();
  if (text === "") return [];
  if (role === "user") return typedRows(text, width).map((row) => (isStyled ? styled(row, "bold") : row));
  if (!isStyled) {
    const gutter = new Gutter(() => width);
    return (gutter.write(text) + gutter.end()).trimEnd().split("\n");
  }
  const markdown = new MarkdownStream(() => width);
  const rows = [...markdown.write(text), ...markdown.end()];
  return role === "thought" ? rows.map((row) => styled(withoutStyles(row), "dim")) : rows;
}
