/** Content of a call as blocks of a card. Each block is bounded and says how much of it is not shown. */
import type { TerminalContent, ToolCallContent } from "../call/index.js";
import { leftOut, shownText } from "../call/index.js";
import { blockNote } from "./block-note.js";
import { colouredLines } from "./coloured-lines.js";
import { exitWords } from "./card-facts.js";
import { diffCard } from "./diff-card.js";
import type { DiffCard } from "./diff-card.js";
import { overwrittenLine } from "./overwritten-line.js";
import { visibleLine, wholeLine, withoutColours } from "./visible-line.js";

export type CardBlock = TextBlock | NoteBlock | DiffBlock | TerminalBlock;

export type TextBlock = {
  readonly type: "text";
  readonly lines: readonly string[];
  /** The number of lines below the last one that are not in the block. */
  readonly hiddenLines: number;
};

/** One line by Toolgate in place of content that is not text: an image, a link. */
type NoteBlock = { readonly type: "note"; readonly text: string };

type DiffBlock = DiffCard & { readonly type: "diff" };

export type TerminalBlock = {
  readonly type: "terminal";
  readonly terminalId: string;
  /** "exit code 1", "ended by SIGKILL"; none while it runs. */
  readonly exit: readonly string[];
  /** `elsewhere`: the client shows the output, and none of it is known here. */
  readonly output: "elsewhere" | "none-yet" | "none" | "shown";
  /** The end of the output, where the result stands. */
  readonly lines: readonly string[];
  readonly hiddenLinesAbove: number;
  /** The output was cut before it was stored: more lines are missing than are counted. */
  readonly isCut: boolean;
};

export type BlockOptions = {
  /** The middle of a very long line is not left out. */
  readonly isWhole?: boolean;
  /** Lines of a terminal keep the codes of their colours. */
  readonly keepsColours?: boolean;
  /** Hunks of a diff that were put back since, counted from 1. */
  readonly undoneHunks?: readonly number[] | undefined;
};

export function cardBlock(item: ToolCallContent, maxLines: number, options: BlockOptions = {}): CardBlock {
  switch (item.type) {
    case "content":
      return item.content.type === "text"
        ? textBlock(withoutFence(item.content.text), maxLines, options)
        : { type: "note", text: blockNote(item.content) };
    case "diff":
      return { type: "diff", ...diffCard(item, { maxLines, ...options }) };
    case "terminal":
      return terminalBlock(item, maxLines, options);
    default:
      return item satisfies never;
  }
}

export function textBlock(text: string, maxLines: number, options: BlockOptions = {}): TextBlock {
  const lines = linesOf(text);
  const shown = options.isWhole ? wholeLine : visibleLine;
  return {
    type: "text",
    lines: lines.slice(0, maxLines).map((line) => shown(line)),
    hiddenLines: Math.max(0, lines.length - maxLines),
  };
}

/** Agents wrap plain text in a Markdown fence. A card quotes it already. */
function withoutFence(text: string): string {
  const [, inner] = /^```[\w+-]{0,20}\r?\n([\s\S]*?)\r?\n?```\s*$/.exec(text) ?? [];
  return inner === undefined || inner.includes("```") ? text : inner;
}

function terminalBlock(terminal: TerminalContent, maxLines: number, options: BlockOptions): TerminalBlock {
  const shown = options.isWhole ? wholeLine : visibleLine;
  const { terminalId, output } = terminal;
  const lines = output ? terminalLines(shownText(output), options) : [];
  const hiddenLinesAbove = Math.max(0, lines.length - maxLines);
  return {
    type: "terminal",
    terminalId,
    exit: exitWords(terminal),
    output: outputState(terminal, lines.length),
    lines: options.keepsColours
      ? colouredLines(lines, hiddenLinesAbove, shown)
      : lines.slice(hiddenLinesAbove).map((line) => shown(line)),
    hiddenLinesAbove,
    isCut: output !== undefined && leftOut(output) > 0,
  };
}

function terminalLines(text: string, { keepsColours = false }: BlockOptions): readonly string[] {
  if (!keepsColours) return linesOf(withoutColours(text)).map(overwrittenLine);
  const lines = linesOf(text);
  // A last line of codes only is no line.
  return withoutColours(lines.at(-1) ?? "x") === "" ? lines.slice(0, -1) : lines;
}

function outputState({ output, exit }: TerminalContent, lineCount: number): TerminalBlock["output"] {
  if (!output) return "elsewhere";
  if (lineCount > 0) return "shown";
  return exit ? "none" : "none-yet";
}

function linesOf(text: string): readonly string[] {
  const lines = text.split(/\r?\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
