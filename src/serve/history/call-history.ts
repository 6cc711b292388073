/** Recorded calls that match all filters, the newest first. The archive finds most; the rest is compared here. */
import type { z } from "zod";
import type { FoundCall, SearchHit } from "../../call/index.js";
import type { HistoryCall, HistoryMessage, HistoryPage, historyQuery } from "../api/history-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import type { SessionIndex } from "../sessions/session-index.js";

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
    // As many as there is room for, so that the cursor is exact.
    const page = await found(context, query, { limit: limit - calls.length, before: next });
    for (const one of page.items) {
      if ("role" in one) messages.push(one);
      else calls.push(...(await matching(index, one, query)));
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
  const { text, path, sessionId, tool, kind, status, since, until } = query;
  const page = { limit, ...(before !== undefined && { before }) };
  const filters = {
    ...page,
    ...(sessionId !== undefined && { sessionId }),
    ...(tool !== undefined && { tool }),
    ...(kind !== undefined && { kind }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
  if (text === undefined && path === undefined) {
    const isStatus = status !== undefined && status !== "breach";
    const { items, next } = await archive.calls({ ...filters, ...(isStatus && { status }) });
    return { items: items.map((call) => ({ call })), ...(next !== undefined && { next }) };
  }
  const words = [text ?? "", ...(path === undefined ? [] : [`"${fixedPart(path)}"`])].join(" ");
  const { items, next } = await archive.search({ ...filters, text: words });
  return { items: items.map(ofHit), ...(next !== undefined && { next }) };
}

function ofHit({ call, excerpt, sessionId, at, role = "" }: SearchHit): FoundItem | HistoryMessage {
  return call ? { call, excerpt } : { sessionId, at, role, excerpt: [...excerpt] };
}

/** The part of a pattern before its first `*`; the search has whole words. */
const fixedPart = (pattern: string): string =>
  pattern.replace(/\*.*$/s, "").replaceAll('"', " ").replace(/\/$/, "");

async function matching(
  index: SessionIndex,
  { call, excerpt }: FoundItem,
  { agent, folder, decidedBy, status }: Query,
): Promise<readonly HistoryCall[]> {
  const facts = (await index.read(call.sessionId))?.facts;
  const info = facts?.info ?? {};
  if (agent !== undefined && info.agent !== agent) return [];
  if (folder !== undefined && info.cwd !== folder) return [];
  if (decidedBy !== undefined && (call.decidedBy ?? "nobody") !== decidedBy) return [];
  if (status === "breach" ? call.breach === undefined : status !== undefined && call.status !== status)
    return [];
  const { outputSize: _, ...shown } = call;
  return [
    {
      ...shown,
      ...(info.agent !== undefined && { agent: info.agent }),
      ...(info.cwd !== undefined && { folder: info.cwd }),
      ...(facts && { sessionTitle: facts.title }),
      ...(excerpt && { excerpt: [...excerpt] }),
    },
  ];
}
