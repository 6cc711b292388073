/**
 * A whole session as text: the messages and calls in their order, the ends of turns, and finally the plan and the
 * open questions. A call made by another call is indented below it.
 */
import type {
  Message,
  PlanEntry,
  PlanStatus,
  RecordedCompaction,
  Session,
  TimelineEntry,
  ToolCall,
  Turn,
} from "../call/index.js";
import { countOf } from "./amounts.js";
import { blockNote } from "./block-note.js";
import { callText } from "./call-text.js";
import { compactionLine } from "./compaction-line.js";
import { cutOffMessages } from "./cut-off-messages.js";
import { nestedOrder } from "./nested-order.js";
import { rows } from "./rows.js";
import { visibleName, wholeLine } from "./visible-line.js";

export type SessionTextOptions = {
  /** The maximum number of lines for each item of a call's content; 20 unless set. Messages are shown whole. */
  readonly maxLines?: number;
  /** Columns; 80 unless set, never less than 60. */
  readonly width?: number;
};

const WIDTH = 80;
const NARROWEST = 60;
const DEEPEST = 4;
const INDENT = "    ";
const NEAR = 50;
const LINE = { first: "", next: "        " };
const CUT_OFF = "[cut off, and said again below]";

/** Lines that belong together. A blank line comes between two blocks, unless both are compact. */
type Block = { readonly lines: readonly string[]; readonly isCompact?: boolean };

export function sessionText(session: Session, options: SessionTextOptions = {}): string {
  const width = Math.max(NARROWEST, options.width ?? WIDTH);
  const blocks = [
    headBlock(session, width),
    ...timelineBlocks(session, { ...options, width }),
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

function timelineBlocks(
  session: Session,
  options: Required<Pick<SessionTextOptions, "width">> & SessionTextOptions,
): readonly Block[] {
  const questions = new Map(session.questions.map(({ question }) => [question.questionId, question]));
  const depths = depthsOf(session.timeline);
  const cutOff = cutOffMessages(session);
  const ends: readonly TimedBlock[] = [
    ...session.turns.flatMap((turn) => turnEnd(turn, options.width) ?? []),
    ...session.compactions.map((compaction) => compactionBlock(compaction, options.width)),
  ].toSorted((one, other) => one.at - other.at);
  const blocks: Block[] = [];
  let ended = 0;
  const ordered = nestedOrder(session.timeline);
  for (const [index, entry] of ordered.entries()) {
    for (let end = ends[ended]; end && comesBefore(end, entry); end = ends[(ended += 1)]) blocks.push(end);
    if (entry.type === "message") {
      const note = cutOff.has(entry.message.messageId) ? CUT_OFF : undefined;
      blocks.push(messageBlock(entry.message, options.width, note));
      continue;
    }
    const indent = INDENT.repeat(depths.get(entry.call.toolCallId) ?? 0);
    const question = questions.get(questionIdOf(entry.call) ?? "");
    const width = options.width - indent.length;
    const text = callText(entry.call, {
      ...options,
      width,
      // A nested call stands below its parent, which already names the owner.
      calls: entry.call.parentToolCallId === undefined ? near(ordered, index) : [],
      ...(question && { question }),
    });
    const lines = text.split("\n").map((line) => indent + line);
    blocks.push({ lines, isCompact: lines.length === 1 });
  }
  return [...blocks, ...ends.slice(ended)];
}

/** The calls before and after a call: the only ones that it can belong to. */
function near(timeline: readonly TimelineEntry[], index: number): readonly ToolCall[] {
  return timeline
    .slice(Math.max(0, index - NEAR), index + NEAR)
    .flatMap((entry) => (entry.type === "call" ? [entry.call] : []));
}

/**
 * The nesting depth of each call. A parent counts only when it came first, so a cycle of parents cannot loop.
 */
function depthsOf(timeline: readonly TimelineEntry[]): ReadonlyMap<string, number> {
  const depths = new Map<string, number>();
  for (const entry of timeline) {
    if (entry.type !== "call") continue;
    const { toolCallId, parentToolCallId } = entry.call;
    const parentDepth = parentToolCallId === undefined ? undefined : depths.get(parentToolCallId);
    depths.set(toolCallId, parentDepth === undefined ? 0 : Math.min(DEEPEST, parentDepth + 1));
  }
  return depths;
}

function startOf(entry: TimelineEntry): number {
  return entry.type === "message" ? entry.message.at : entry.call.times.announced;
}

function questionIdOf({ state }: ToolCall): string | undefined {
  return state.status === "waiting" && state.waitingFor.type === "question"
    ? state.waitingFor.questionId
    : undefined;
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
  const lines = text.split(/\r?\n/).map(wholeLine);
  const start = lines.findIndex(isFilled);
  return start === -1 ? [] : lines.slice(start, lines.findLastIndex(isFilled) + 1);
}

const isFilled = (line: string): boolean => line.trim() !== "";

/** A block with a time of its own. `isEarly`: it comes before an entry of the same millisecond. */
type TimedBlock = Block & { readonly at: number; readonly isEarly?: boolean };

function comesBefore({ at, isEarly = false }: TimedBlock, entry: TimelineEntry): boolean {
  const start = startOf(entry);
  return at < start || (isEarly && at === start);
}

function compactionBlock(compaction: RecordedCompaction, width: number): TimedBlock {
  const { lines } = proseBlock("summary", proseLines(compaction.summary), width);
  return {
    lines: [...rows(compactionLine(compaction), LINE, width), ...lines],
    at: compaction.at,
    isEarly: true,
  };
}

function turnEnd({ state }: Turn, width: number): TimedBlock | undefined {
  if (state.status !== "stopped" || state.stopReason === "end_turn") return undefined;
  const error = state.error === undefined ? "" : `: ${visibleName(state.error)}`;
  return { lines: rows(`── turn stopped: ${state.stopReason}${error}`, LINE, width), at: state.endedAt };
}

const PLAN_MARKS: Readonly<Record<PlanStatus, string>> = {
  pending: "☐",
  in_progress: "◐",
  completed: "☑",
  cancelled: "☒",
};

function planBlocks(plan: readonly PlanEntry[], width: number): readonly Block[] {
  if (plan.length === 0) return [];
  const entries = plan.flatMap(({ content, status, priority }) => {
    const notes = [
      ...(priority === "high" ? ["high priority"] : []),
      ...(status === "cancelled" ? ["cancelled"] : []),
    ];
    const line = `${visibleName(content)}${notes.length === 0 ? "" : ` (${notes.join(", ")})`}`;
    return rows(line, { first: `  ${PLAN_MARKS[status]} `, next: LINE.next }, width);
  });
  return [{ lines: ["plan", ...entries] }];
}

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
    ...(notes.length === 0 ? [] : [{ lines: notes }]),
  ];
}
