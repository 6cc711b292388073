/** All about one session beside its entries: turns, plan, mode, counts, and whether the page can prompt it. */
import { sessionModel } from "../../call/index.js";
import type { SessionBook, ToolCall } from "../../call/index.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import type { CardStatus } from "../../view/index.js";
import { cardStatus } from "../../view/card-facts.js";
import type { SessionDetail, SessionSummary, SessionTurn } from "../api/session-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import { whyNot } from "./page-turns.js";

const MAX_TURNS = 50;
const MAX_TOUCHED = 8;

export async function sessionDetail(
  context: ServeContext,
  summary: SessionSummary,
  book: SessionBook,
  isOpenHere: boolean,
): Promise<SessionDetail> {
  const { info, plan, modeId = info.cwd === undefined ? undefined : context.modeIn(info.cwd) } = book;
  const { redactPatterns, ledger, apps } = context;
  const holder = await ledger.holder?.(summary.sessionId);
  const isOfApp = apps.serves(info);
  const isOwn = !isOfApp && (await context.agentFor(info)) !== undefined;
  const why = isOfApp || isOwn ? undefined : whyNot(info);
  const isElsewhere =
    isOwn &&
    !isOpenHere &&
    holder !== undefined &&
    summary.state !== "running" &&
    summary.state !== "waiting";
  const { model } = sessionModel(info);
  const shown = {
    plan: [...plan],
    turns: book.snapshot().turns.slice(-MAX_TURNS).map(turnOf),
    touched: touchedFiles(book),
  };
  // The walk changes texts and nothing else.
  const redacted = redactedRecord(shown, redactPatterns) as typeof shown;
  return {
    ...summary,
    ...redacted,
    ...(modeId !== undefined && { modeId }),
    ...(model !== undefined && { model }),
    statuses: statuses(book),
    canPrompt: why === undefined && !isElsewhere,
    ...((why ?? (isElsewhere ? OPEN_ELSEWHERE : undefined)) !== undefined && {
      whyNotPrompt: why ?? OPEN_ELSEWHERE,
    }),
    canCancel: (isOfApp || isOwn) && (summary.state === "running" || summary.state === "waiting"),
  };
}

const OPEN_ELSEWHERE = "Another process has this session open. Prompt it there.";

function turnOf({
  turnId,
  startedAt,
  state,
}: ReturnType<SessionBook["snapshot"]>["turns"][number]): SessionTurn {
  if (state.status !== "stopped") return { turnId, startedAt, status: state.status };
  const { stopReason, error, endedAt } = state;
  return { turnId, startedAt, status: "stopped", stopReason, endedAt, ...(error !== undefined && { error }) };
}

function statuses(book: SessionBook): Partial<Record<CardStatus, number>> {
  const counts: Partial<Record<CardStatus, number>> = {};
  for (const call of book.calls()) {
    const status = cardStatus(call);
    counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** The files that calls touched last, each once, the newest first. */
function touchedFiles(book: SessionBook): SessionDetail["touched"] {
  const placed: ToolCall[] = [];
  for (const call of book.calls()) if (call.locations.length > 0) placed.push(call);
  const found = new Map<string, SessionDetail["touched"][number]>();
  for (const { locations, toolCallId, kind, times } of placed.toReversed()) {
    for (const { path, line } of locations.toReversed())
      if (!found.has(path))
        found.set(path, {
          path,
          toolCallId,
          kind,
          isNow: times.ended === undefined,
          ...(line !== undefined && { line }),
        });
    if (found.size >= MAX_TOUCHED) break;
  }
  return [...found.values()].slice(0, MAX_TOUCHED);
}
