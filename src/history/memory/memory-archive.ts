/**
 * The archive of a ledger in memory: every query reads the logs, by the simplest code that is correct. The contract
 * suite compares it with the archives that keep an index.
 */
import { checkOptions, FUNCTION, LEDGER, required } from "../../call/check-options.js";
import type {
  Archive,
  CallQuery,
  CallStatistics,
  ExportFormat,
  FileChange,
  ForgetOptions,
  Forgotten,
  FoundCall,
  FoundSession,
  ModelUsage,
  Page,
  PageOptions,
  Period,
  SearchHit,
  SearchQuery,
  SessionQuery,
  StatisticsQuery,
  UsageQuery,
  Verified,
  VerifyOptions,
} from "../../call/index.js";
import { checkQuery } from "../check-query.js";
import { cursorNumbers, pageLimit } from "../archive-queries.js";
import { storable } from "../archive-text.js";
import { exportRecorded } from "../export/export-recorded.js";
import { forgetSessions, UNUSED_BLOB_MS } from "../forget-sessions.js";
import { PATTERNS } from "../redaction/redaction-pattern.js";
import type { RedactionPattern } from "../redaction/redaction-pattern.js";
import { searchTerms } from "../search-terms.js";
import type { ArchivedDocument, ArchivedSession } from "./archived-documents.js";
import { archivedDocuments, archivedSessions } from "./archived-documents.js";
import { callStatistics, isOfQuery, modelUsage } from "./archive-statistics.js";
import { matchTerms } from "../match-terms.js";
import type { MemoryLedger } from "./memory-ledger.js";

export type MemoryArchiveOptions = {
  /** Further secrets that no query and no export may show. */
  readonly patterns?: readonly RedactionPattern[];
  readonly now?: () => number;
};

export class MemoryArchive implements Archive {
  readonly #ledger: MemoryLedger;
  readonly #patterns: readonly RedactionPattern[];
  readonly #now: () => number;

  constructor(ledger: MemoryLedger, options: MemoryArchiveOptions = {}) {
    checkOptions("MemoryArchive", { ledger }, { ledger: required(LEDGER) });
    checkOptions<MemoryArchiveOptions>("MemoryArchive", options, { patterns: PATTERNS, now: FUNCTION });
    const { patterns = [], now = Date.now } = options;
    this.#ledger = ledger;
    this.#patterns = patterns;
    this.#now = now;
  }

  async sessions(query: SessionQuery = {}): Promise<Page<FoundSession>> {
    checkQuery("sessions", query);
    const { cwd } = query;
    const found = (await this.#sessions())
      .filter(({ facts }) => cwd === undefined || facts.cwd === storable(cwd))
      .map((session) => ({ ...session, at: session.found.updatedAt }));
    return page(found, query, ({ found: session }) => session);
  }

  async calls(query: CallQuery = {}): Promise<Page<FoundCall>> {
    checkQuery("calls", query);
    const { sessionId, tool, kind, status } = query;
    const isMeant = isOfQuery(query);
    const found = (await this.#documents(query)).filter(
      ({ call, of }) =>
        call &&
        isMeant(of) &&
        (sessionId === undefined || call.found.sessionId === sessionId) &&
        (tool === undefined || call.found.tool === storable(tool)) &&
        (kind === undefined || call.found.kind === storable(kind)) &&
        (status === undefined || call.found.status === status),
    );
    return page(found, query, ({ call }) => call?.found);
  }

  async search(query: SearchQuery): Promise<Page<SearchHit>> {
    checkQuery("search", query);
    const { sessionId, tool, kind } = query;
    const terms = searchTerms(query.text);
    const found = (await this.#documents(query)).flatMap((document) => {
      const { of, call } = document;
      if (sessionId !== undefined && of.found.sessionId !== sessionId) return [];
      if (tool !== undefined && call?.found.tool !== storable(tool)) return [];
      if (kind !== undefined && call?.found.kind !== storable(kind)) return [];
      const excerpt = matchTerms(document.text, terms);
      return excerpt ? [{ ...document, excerpt }] : [];
    });
    return page(found, query, ({ at, of, call, role, excerpt }) => ({
      sessionId: of.found.sessionId,
      at,
      ...(call && { call: call.found }),
      ...(role !== undefined && { role }),
      excerpt,
    }));
  }

  async statistics(query: StatisticsQuery): Promise<readonly CallStatistics[]> {
    checkQuery("statistics", query);
    const documents = await this.#documents({});
    return callStatistics(
      documents.flatMap(({ call }) => call ?? []),
      query,
    );
  }

  async modelUsage(query: UsageQuery = {}): Promise<readonly ModelUsage[]> {
    checkQuery("modelUsage", query);
    return modelUsage(await this.#sessions(), query);
  }

  /** Memory has no chain, since no other process can change the events. */
  async verify(options: VerifyOptions = {}): Promise<Verified> {
    checkQuery("verify", options);
    const { onProgress } = options;
    const sessions = await this.#sessions();
    const events = sessions.reduce((sum, session) => sum + session.events.length, 0);
    onProgress?.({ sessions: sessions.length, ofSessions: sessions.length, events, ofEvents: events });
    return { sessions: sessions.length, events, notCovered: events, brokenCount: 0, broken: [], heads: [] };
  }

  export(
    sessionId: string,
    format: ExportFormat,
    options: { readonly redacted?: boolean } = {},
  ): AsyncIterable<string> {
    checkQuery("export", { ...options, sessionId, format });
    const { redacted = true } = options;
    return exportRecorded(this.#ledger, sessionId, format, { redacted, patterns: this.#patterns });
  }

  async forget(options: ForgetOptions = {}): Promise<Forgotten> {
    checkQuery("forget", options);
    const forgotten = await forgetSessions(this.#ledger, { ...options, now: this.#now });
    const events = (await this.#sessions()).flatMap((session) => session.events);
    const used = new Set(
      events.flatMap(({ event }) => (event.type === "file-kept" ? blobOf(event.change) : [])),
    );
    return { ...forgotten, blobs: this.#ledger.removeBlobs(used, this.#now() - UNUSED_BLOB_MS) };
  }

  async refresh(): Promise<void> {}

  /** Leaves the ledger open for its owner. */
  async close(): Promise<void> {}

  #sessions(): Promise<readonly ArchivedSession[]> {
    return archivedSessions(this.#ledger, this.#patterns);
  }

  async #documents({ since = 0, until = Infinity }: Period): Promise<readonly ArchivedDocument[]> {
    const documents = archivedDocuments(await this.#sessions(), this.#patterns);
    return documents.filter(({ at }) => at >= Math.floor(since) && at < Math.floor(until));
  }
}

function blobOf(change: FileChange): readonly string[] {
  return "before" in change && change.before && "blob" in change.before ? [change.before.blob] : [];
}

/** The newest items first. A cursor is the time of an item, and the number of items of that time from it to the end. */
function page<Item extends { readonly at: number }, Found>(
  items: readonly Item[],
  { before, ...options }: PageOptions,
  found: (item: Item) => Found | undefined,
): Page<Found> {
  const limit = pageLimit(options);
  const [time = Infinity, place = Infinity] = cursorNumbers(before, 2);
  const places = new Map<number, number>();
  const placed = items
    .toReversed()
    .map((item) => {
      const count = (places.get(item.at) ?? 0) + 1;
      places.set(item.at, count);
      return { item, place: count };
    })
    .toReversed()
    .filter((one) => one.item.at < time || (one.item.at === time && one.place < place));
  const shown = placed.slice(0, limit);
  const last = shown.at(-1);
  const next = shown.length < limit || !last ? {} : { next: `${last.item.at},${last.place}` };
  return { items: shown.flatMap(({ item }) => found(item) ?? []), ...next };
}
