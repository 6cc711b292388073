/** Recorded calls that match all filters, the newest first. The archive finds most; the rest is compared here. */
import type { z } from "zod";
import type { FoundCall, SearchHit } from "../../call/index.js";
import type { HistoryCall, HistoryMessage, HistoryPage, historyQuery } from "../api/history-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import { redact } from "../../history/index.js";
import type { SessionIndex } from "../sessions/session-index.js";
import { fixedParts } from "./call-paths.js";

type Query = z.output<typeof historyQuery>;

const PAGE_SIZE = 50;
/** Pages that one request reads at most; the next request continues there. */
const MAX_BATCHES = 20;

export async function callHistory(
  context: ServeContext,
  index: SessionIndex,
  { before, limit = PAGE_SIZE, ...query }: Query,
): Promise<HistoryPage> {
  const started = performance.now();
  const calls: HistoryCall[] = [];
  const messages: HistoryMessage[] = [];
  let next = before;
  for (let batches = 0; batches < MAX_BATCHES; batches += 1) {
    // Reads only as many as fit, so that the cursor is exact.
    const page = await found(context, query, { limit: limit - calls.length, before: next });
    for (const one of page.items) {
      if ("role" in one) messages.push(...(await matchingMessage(index, one, query)));
      else calls.push(...(await matching(index, one, query, context.redactPatterns)));
    }
    next = page.next;
    if (next === undefined || calls.length >= limit) break;
  }
  return {
    calls,
    messages,
    ...(next !== undefined && { next }),
    tookMs: Math.round(performance.now() - started),
  };
}

type Found = {
  readonly items: readonly (FoundItem | HistoryMessage)[];
  readonly next?: string;
};
type FoundItem = { readonly call: FoundCall; readonly excerpt?: SearchHit["excerpt"] };

async function found(
  { archive }: ServeContext,
  query: Query,
  { limit, before }: { readonly limit: number; readonly before: string | undefined },
): Promise<Found> {
  const { text = "", path = "", sessionId, tool, kind, status, since, until, agent, folder } = query;
  const page = { limit, ...(before !== undefined && { before }) };
  const filters = {
    ...page,
    ...(sessionId !== undefined && { sessionId }),
    ...(tool !== undefined && { tool }),
    ...(kind !== undefined && { kind }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  const words = [text, ...fixedParts(path)].join(" ");
  if (words === "") {
    const isStatus = status !== undefined && !OWN_STATUSES.has(status);
    const { items, next } = await archive.calls({
      ...filters,
      ...(isStatus && { status }),
      ...(agent !== undefined && { agent }),
      ...(folder !== undefined && { cwd: folder }),
    });
    return { items: items.map((call) => ({ call })), ...(next !== undefined && { next }) };
  }
  const { items, next } = await archive.search({ ...filters, text: words });
  return { items: items.map(ofHit), ...(next !== undefined && { next }) };
}

/** Statuses that the archive does not know. */
const OWN_STATUSES: ReadonlySet<string> = new Set(["breach", "undone"]);

function ofHit({ call, excerpt, sessionId, at, role = "" }: SearchHit): FoundItem | HistoryMessage {
  return call ? { call, excerpt } : { sessionId, at, role, excerpt: [...excerpt] };
}

/** A message has no path, status and decision. */
async function matchingMessage(
  index: SessionIndex,
  message: HistoryMessage,
  { agent, folder, path, status, decidedBy }: Query,
): Promise<readonly HistoryMessage[]> {
  if ([path, status, decidedBy].some((filter) => filter !== undefined)) return [];
  const info = (await index.read(message.sessionId))?.facts.info;
  const isThere =
    (agent === undefined || info?.agent === agent) && (folder === undefined || info?.cwd === folder);
  return isThere ? [message] : [];
}

async function matching(
  index: SessionIndex,
  { call, excerpt }: FoundItem,
  { agent, folder, decidedBy, status, path }: Query,
  patterns: ServeContext["redactPatterns"],
): Promise<readonly HistoryCall[]> {
  const facts = (await index.read(call.sessionId))?.facts;
  const info = facts?.info ?? {};
  if (agent !== undefined && info.agent !== agent) return [];
  if (folder !== undefined && info.cwd !== folder) return [];
  if (path !== undefined && facts?.paths.has(call.toolCallId, path, info.cwd) !== true) return [];
  if (decidedBy !== undefined && (call.decidedBy ?? "nobody") !== decidedBy) return [];
  const undone = facts?.undoneCalls.get(call.toolCallId);
  if (status !== undefined && !hasStatus(call, undone, status)) return [];
  const { outputSize: _, ...shown } = call;
  const failure = call.status === "done" ? facts?.failedCommands.get(call.toolCallId) : undefined;
  return [
    {
      ...shown,
      ...(failure !== undefined && { failure }),
      ...(undone !== undefined && { undone }),
      ...(info.agent !== undefined && { agent: info.agent }),
      ...(info.cwd !== undefined && { folder: info.cwd }),
      ...(facts && { sessionTitle: redact(facts.title, patterns) }),
      ...(excerpt && { excerpt: [...excerpt] }),
    },
  ];
}

function hasStatus({ breach, status }: FoundCall, undone: HistoryCall["undone"], wanted: string): boolean {
  if (wanted === "breach") return breach !== undefined;
  if (wanted === "undone") return undone !== undefined;
  return status === wanted && undone !== "whole";
}
