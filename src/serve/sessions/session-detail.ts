/** All about one session beside its entries: turns, plan, mode, counts, and whether the page can prompt it. */
import type { SessionBook, ToolCall } from "../../call/index.js";
import { redactedRecord } from "../../history/redaction/redact-event.js";
import type { CardStatus } from "../../view/index.js";
import { cardStatus } from "../../view/card-facts.js";
import type { SessionDetail, SessionSummary, SessionTurn } from "../api/session-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import { whyNot } from "./page-turns.js";

const MAX_TURNS = 50;

export async function sessionDetail(
  context: ServeContext,
  summary: SessionSummary,
  book: SessionBook,
): Promise<SessionDetail> {
  const { info, modeId, plan } = book;
  const { redactPatterns, ledger, apps } = context;
  const holder = await ledger.holder?.(summary.sessionId);
  const isOfApp = apps.serves(info);
  const isOwn = !isOfApp && (await context.agentFor(info)) !== undefined;
  const why = isOfApp || isOwn ? undefined : whyNot(info);
  const isElsewhere =
    isOwn && holder !== undefined && summary.state !== "running" && summary.state !== "waiting";
  const follow = lastLocation(book);
  const shown = { plan: [...plan], turns: book.snapshot().turns.slice(-MAX_TURNS).map(turnOf), follow };
  // The walk changes texts and nothing else.
  const { follow: place, ...redacted } = redactedRecord(shown, redactPatterns) as typeof shown;
  return {
    ...summary,
    ...redacted,
    ...(modeId !== undefined && { modeId }),
    ...(place && { follow: place }),
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

function lastLocation(book: SessionBook): SessionDetail["follow"] {
  let found: ToolCall | undefined;
  for (const call of book.calls()) if (call.locations.length > 0) found = call;
  const location = found?.locations.at(-1);
  if (!found || !location) return undefined;
  const { path, line } = location;
  return { path, toolCallId: found.toolCallId, ...(line !== undefined && { line }) };
}
