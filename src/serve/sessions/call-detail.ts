/** One call with all that is recorded of it. */
import { AapProblem } from "../../aap/api/aap-problem.js";
import { eventPages, oneLine } from "../../call/index.js";
import type { Question, RecordedEvent, SessionBook, SessionEvent, ToolCall } from "../../call/index.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import { UndoRefused } from "../../run/index.js";
import { previewUndo } from "../../run/undo-call.js";
import { callCard, diffCard } from "../../view/index.js";
import type { CallDetail, LifeEvent } from "../api/call-bodies.js";
import type { ServeContext } from "../server/serve-context.js";

const MAX_LINES = 100_000;
const MAX_LIFE = 200;
const MAX_WORDS = 200;

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
      item.type === "diff" ? [diffCard(item, { maxLines: MAX_LINES, isWhole: true })] : [],
    ),
    content: [...call.content],
    rawInput: call.rawInput,
    rawOutput: call.rawOutput,
    ...(call.decision?.originalInput !== undefined && { originalInput: call.decision.originalInput }),
    life: life(
      events.map(({ seq, event }) => ({ seq, event: redactedRecord(event, redactPatterns) as SessionEvent })),
    ),
    undo: await undoOf(context, book, exact, events),
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
  { toolCallId }: ToolCall,
  events: readonly RecordedEvent[],
): Promise<CallDetail["undo"]> {
  const kept = events.flatMap(({ event }) => {
    if (event.type !== "file-kept" || !("before" in event.change)) return [];
    const { path, before } = event.change;
    return before && "blob" in before ? [{ path, blob: before.blob }] : [];
  });
  const { cwd } = book.info;
  try {
    if (cwd === undefined) throw new UndoRefused(toolCallId, "its session has no folder");
    const session = { book, ledger: context.ledger, sessionId: book.sessionId };
    const { paths } = await previewUndo(session, await context.openWorkspace(cwd), toolCallId);
    return { isPossible: true, paths: [...paths], kept };
  } catch (error) {
    // The folder may be gone.
    const why =
      error instanceof UndoRefused ? error.message : "Its folder cannot be opened. No file was touched.";
    return { isPossible: false, why, paths: [], kept };
  }
}

/** Runs of the same event are one line. */
function life(events: readonly RecordedEvent[]): LifeEvent[] {
  const lines: LifeEvent[] = [];
  for (const { seq, event } of events) {
    const words = wordsOf(event);
    if (words === undefined || (lines.at(-1)?.type === event.type && REPEATED.has(event.type))) continue;
    lines.push({ seq, at: event.at, type: event.type, words });
    if (lines.length === MAX_LIFE) break;
  }
  return lines;
}

const REPEATED: ReadonlySet<string> = new Set([
  "input-delta",
  "terminal-output",
  "call-revised",
  "content-appended",
]);

const line = (text: string): string => oneLine(text, MAX_WORDS);

function wordsOf(event: SessionEvent): string | undefined {
  switch (event.type) {
    case "call-announced":
      return `Announced as ${line(event.name || "a tool")}, kind ${event.kind}`;
    case "input-delta":
      return "The model writes its input";
    case "input-ready":
      return `Input complete, ${JSON.stringify(event.rawInput ?? null).length} characters`;
    case "question-asked":
      return `Asked${event.question.reason === undefined ? "" : ` because ${line(event.question.reason)}`}`;
    case "question-answered":
      return `Answered by ${event.answer.by === "rule" ? `rule ${line(event.answer.rule ?? "")}` : line(event.answer.who ?? "a person")}`;
    case "question-withdrawn":
      return `Question withdrawn: ${line(event.reason)}`;
    case "call-cleared":
      return event.decision?.by === "sandbox" ? "Allowed in the sandbox" : "Allowed";
    case "call-refused":
      return `Refused. Nothing was run.${event.decision?.reason === undefined ? "" : ` ${line(event.decision.reason)}`}`;
    case "run-started":
      return "Started, recorded before it ran";
    case "process-started":
      return `Process ${event.process.pid} started`;
    case "file-kept":
      return `Kept for undo: ${line(event.change.path)}`;
    case "terminal-output":
      return "Output";
    case "terminal-exited":
      return `Command ended with ${event.exit.signal ?? `exit code ${event.exit.exitCode ?? "unknown"}`}`;
    case "cancel-requested":
      return "Cancel requested";
    case "sandbox-refused":
      return `Stopped by the sandbox: ${line(event.refusals.map(({ text }) => text).join("; "))}`;
    case "call-breached":
      return "Reported as run although it was not allowed";
    case "call-done":
      return event.assumed === true ? "Assumed done" : "Done";
    case "call-failed":
      return `Failed: ${line(event.error)}`;
    case "call-cancelled":
      return `Cancelled: ${line(event.reason)}`;
    case "call-unknown":
      return `Outcome unknown: ${line(event.reason)}`;
    case "call-undone":
      return "Undone: its files were restored";
    default:
      return undefined;
  }
}
