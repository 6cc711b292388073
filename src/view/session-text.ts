/**
 * A whole session as text: the messages and calls in their order, the ends of turns, and finally the plan and the
 * open questions. A call made by another call is indented below it.
 */
import type { Message, PlanEntry, Session } from "../call/index.js";
import { AMOUNT, checkOptions, required, SESSION } from "../call/check-options.js";
import { countOf } from "../call/amounts.js";
import { blockNote } from "./block-note.js";
import { cardText } from "./call-text.js";
import { compactionLine } from "./compaction-line.js";
import { planLines } from "./plan-lines.js";
import { MIN_WIDTH, rows, visibleName, wholeLine } from "./visible-line.js";
import { sessionEntries } from "./session-entries.js";
import type { SessionEntry } from "./session-entries.js";

export type SessionTextOptions = {
  /** The maximum number of lines for each item of a call's content; 20 unless set. Messages are shown whole. */
  readonly maxLines?: number;
  /** Columns; 80 unless set, never less than 20, and 40 where calls made by calls are indented. */
  readonly width?: number;
};

const WIDTH = 80;
const INDENT = "    ";
const LINE = { first: "", next: "        " };
export const CUT_OFF = "[cut off, and repeated below]";

/** Lines that belong together. A blank line comes between two blocks, unless both are compact. */
type Block = { readonly lines: readonly string[]; readonly isCompact?: boolean };

export function sessionText(session: Session, options: SessionTextOptions = {}): string {
  if (!Array.isArray(session?.timeline))
    checkOptions("sessionText", { session }, { session: required(SESSION) });
  if (Object.keys(options ?? {}).length > 0)
    checkOptions<SessionTextOptions>("sessionText", options, { maxLines: AMOUNT, width: AMOUNT });
  const width = Math.max(MIN_WIDTH, options.width ?? WIDTH);
  const blocks = [
    headBlock(session, width),
    ...Array.from(sessionEntries(session, options), (entry) => entryBlock(entry, width)),
    ...planBlocks(session.plan, width),
    ...openBlocks(session, width),
  ];
  return blocks
    .flatMap((block, index) => [...(needsGap(blocks[index - 1], block) ? [""] : []), ...block.lines])
    .join("\n");
}

function needsGap(before: Block | undefined, block: Block): boolean {
  return before !== undefined && !(before.isCompact === true && block.isCompact === true);
}

function headBlock({ sessionId, info, modeId }: Session, width: number): Block {
  const title = info.title === undefined ? "" : `: ${visibleName(info.title)}`;
  const mode = modeId ?? startMode(info);
  const facts = [
    ...(info.agent === undefined ? [] : [`agent ${visibleName(info.agent)}`]),
    ...(mode === undefined ? [] : [`mode ${visibleName(mode)}`]),
    ...(info.cwd === undefined ? [] : [`in ${visibleName(info.cwd)}`]),
  ];
  const lines = [
    `session ${visibleName(sessionId)}${title}`,
    ...(facts.length === 0 ? [] : [facts.join(", ")]),
  ];
  return { lines: lines.flatMap((line) => rows(line, LINE, width)) };
}

/** The mode that the command line set when the session was started. */
function startMode({ _meta }: Session["info"]): string | undefined {
  const ours = _meta?.["toolgate"];
  const flags = isObject(ours) ? ours["flags"] : undefined;
  const mode = isObject(flags) ? flags["mode"] : undefined;
  return typeof mode === "string" ? mode : undefined;
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null;

function entryBlock(entry: SessionEntry, width: number): Block {
  switch (entry.type) {
    case "message":
      return messageBlock(entry.message, width, entry.isCutOff ? CUT_OFF : undefined);
    case "call": {
      const indent = INDENT.repeat(entry.depth);
      const text = cardText(entry.card, { width: width - indent.length });
      const lines = text.split("\n").map((line) => indent + line);
      return { lines, isCompact: lines.length === 1 };
    }
    case "turn-stopped": {
      const error = entry.error === undefined ? "" : `: ${entry.error}`;
      return { lines: rows(`── turn stopped: ${entry.reason}${error}`, LINE, width) };
    }
    case "compaction": {
      const { lines } = proseBlock("summary", proseLines(entry.summary), width);
      return { lines: [...rows(compactionLine(entry), LINE, width), ...lines] };
    }
    default:
      return entry satisfies never;
  }
}

function messageBlock({ role, blocks }: Message, width: number, note: string | undefined): Block {
  const lines = [
    ...blocks.flatMap((block) =>
      block.type === "text" ? proseLines(block.text) : [`[${blockNote(block)}]`],
    ),
    ...(note === undefined ? [] : [note]),
  ];
  return proseBlock(role, lines, width);
}

function proseBlock(name: string, lines: readonly string[], width: number): Block {
  const next = `${" ".repeat(8)}│ `;
  const first = `${name.padEnd(8)}│ `;
  return {
    lines: (lines.length === 0 ? [""] : lines).flatMap((line, index) =>
      rows(line, { first: index === 0 ? first : next, next }, width),
    ),
  };
}

/** All lines of the text, without the blank lines around it. */
function proseLines(text: string): readonly string[] {
  const lines = text.split(/\r?\n/).map((line) => wholeLine(line));
  const start = lines.findIndex(isFilled);
  return start === -1 ? [] : lines.slice(start, lines.findLastIndex(isFilled) + 1);
}

const isFilled = (line: string): boolean => line.trim() !== "";

const planBlocks = (plan: readonly PlanEntry[], width: number): readonly Block[] =>
  plan.length === 0 ? [] : [{ lines: ["plan", ...planLines(plan, width)] }];

function openBlocks({ questions, turns, repairs }: Session, width: number): readonly Block[] {
  const open = questions.filter(({ state }) => state.status === "open").map(({ question }) => question);
  const asked = open.flatMap(({ title, questionId }) =>
    rows(
      `${visibleName(title)} (question ${visibleName(questionId)})`,
      { first: "  ? ", next: LINE.next },
      width,
    ),
  );
  const turn = turns.at(-1)?.state.status;
  const notes = [
    ...(turn === "running" ? ["── the turn is still running"] : []),
    ...(turn === "parked" ? ["── the turn is parked until its calls can go on"] : []),
    ...(repairs.length === 0 ? [] : [`── ${countOf(repairs.length, "repair")} of what the agent sent`]),
  ];
  return [
    ...(open.length === 0 ? [] : [{ lines: [countOf(open.length, "open question"), ...asked] }]),
    ...(notes.length === 0 ? [] : [{ lines: notes.flatMap((note) => rows(note, LINE, width)) }]),
  ];
}
