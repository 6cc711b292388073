/** One call with all that is recorded of it. */
import { AapProblem } from "../../aap/api/aap-problem.js";
import { eventPages } from "../../call/index.js";
import type { Question, RecordedEvent, SessionBook, SessionEvent, ToolCall } from "../../call/index.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import { shownAsUndone } from "../../view/call-card.js";
import { callCard, diffCard } from "../../view/index.js";
import type { CallDetail, LifeEvent } from "../api/call-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import { eventLine } from "./event-line.js";
import { undoCalls } from "./undo-calls.js";

export const MAX_LINES = 100_000;
const MAX_LIFE = 200;

export async function callDetail(
  context: ServeContext,
  book: SessionBook,
  toolCallId: string,
): Promise<CallDetail> {
  const exact = callOf(book, toolCallId);
  const { redactPatterns } = context;
  // The walk changes texts and nothing else, so a call stays one.
  const call = redactedRecord(exact, redactPatterns) as ToolCall;
  const question = questionOf(exact, book);
  const events = await eventsOfCall(context, book.sessionId, toolCallId);
  return {
    sessionId: book.sessionId,
    toolCallId,
    card: callCard(call, {
      maxLines: MAX_LINES,
      calls: book.calls(),
      question: question && (redactedRecord(question, redactPatterns) as Question),
    }),
    diffs: call.content.flatMap((item) =>
      item.type === "diff"
        ? [diffCard(item, { maxLines: MAX_LINES, isWhole: true, undoneHunks: shownAsUndone(call) })]
        : [],
    ),
    content: [...call.content],
    rawInput: call.rawInput,
    rawOutput: call.rawOutput,
    ...(call.decision?.originalInput !== undefined && { originalInput: call.decision.originalInput }),
    life: life(
      events.map(({ seq, event }) => ({ seq, event: redactedRecord(event, redactPatterns) as SessionEvent })),
    ),
    undo: await undoOf(context, book, toolCallId, events),
  };
}

export function callOf(book: SessionBook, toolCallId: string): ToolCall {
  const call = book.call(toolCallId);
  if (call) return call;
  throw new AapProblem("NOT_FOUND", `There is no call ${toolCallId} in this session. Nothing was done.`);
}

/** The recorded events of a call and of its questions. */
export async function eventsOfCall(
  { ledger }: ServeContext,
  sessionId: string,
  toolCallId: string,
): Promise<readonly RecordedEvent[]> {
  const questionIds = new Set<string>();
  const found: RecordedEvent[] = [];
  for await (const page of eventPages(ledger, sessionId))
    for (const recorded of page) {
      const { event } = recorded;
      if (event.type === "question-asked" && event.toolCallId === toolCallId)
        questionIds.add(event.question.questionId);
      const isOfIt =
        ("toolCallId" in event && event.toolCallId === toolCallId) ||
        ("questionId" in event && questionIds.has(event.questionId));
      if (isOfIt) found.push(recorded);
    }
  return found;
}

function questionOf({ state }: ToolCall, book: SessionBook): Question | undefined {
  if (state.status !== "waiting" || state.waitingFor.type !== "question") return undefined;
  return book.question(state.waitingFor.questionId)?.question;
}

async function undoOf(
  context: ServeContext,
  book: SessionBook,
  toolCallId: string,
  events: readonly RecordedEvent[],
): Promise<CallDetail["undo"]> {
  const kept = events.flatMap(({ event }) => {
    if (event.type !== "file-kept" || !("before" in event.change)) return [];
    const { path, before } = event.change;
    return before && "blob" in before ? [{ path, blob: before.blob }] : [];
  });
  try {
    // The same trial as before an undo: of an edit that was undone in part, the rest can be.
    const { isPossible, why, paths } = await undoCalls(context, book, { toolCallId, dryRun: true });
    return { isPossible, ...(!isPossible && why !== undefined && { why }), paths, kept };
  } catch (error) {
    // The folder may be gone.
    const why =
      error instanceof AapProblem ? error.message : "Its folder cannot be opened. No file was touched.";
    return { isPossible: false, why, paths: [], kept };
  }
}

/** Runs of the same event are one line. */
function life(events: readonly RecordedEvent[]): LifeEvent[] {
  const lines: LifeEvent[] = [];
  for (const { seq, event } of events) {
    const line = eventLine(event);
    if (!line || (line.is === "repeated" && lines.at(-1)?.type === event.type)) continue;
    lines.push({ seq, at: event.at, type: event.type, words: line.words });
    if (lines.length === MAX_LIFE) break;
  }
  return lines;
}
