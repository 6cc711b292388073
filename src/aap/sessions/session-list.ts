/**
 * The sessions that apps have created, a page at a time, the most recently written first.
 *
 * Invariants: only the info events of a log are read, once, and later only added ones; a session of
 * an editor or terminal is cached as such after one read. The cache for that is bounded, however many sessions there are
 * and however long their settings. Other requests are served between two logs: a store may block the process while it
 * reads one. One request reads a bounded number of sessions: where most are an editor's, a page may be short and still
 * have a next one.
 */
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { readAll } from "../../call/index.js";
import type { Ledger, SessionInfo as StoredInfo, SessionSummary } from "../../call/index.js";
import type { ServerContext } from "../server-context.js";
import type { SessionInfo, SessionPage } from "../client/protocol.js";
import { readCursor, writeCursor } from "../api/cursor.js";
import { configIn, infoAfter, wireSession } from "./session-config.js";
import type { SessionConfig } from "./session-config.js";

const PAGE_SIZE = 20;
/** Sessions that are read from the ledger at a time, and by one request. */
const BATCH_SIZE = 100;
const MAX_READ = 1_000;
/** Characters of all cached sessions together; the least recently listed are dropped first. */
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;
/** Characters that a session costs beside its settings, which may be long: apps describe their tools there. */
const BASE_COST = 1_000;

const summary = z.object({ sessionId: z.string(), createdAt: z.number(), updatedAt: z.number() });

/** `seq` is the last event that was read, `cost` the size in the cache, in characters. */
type Cached = {
  readonly createdAt: number;
  readonly seq: number;
  readonly info: StoredInfo;
  readonly cost: number;
};

export class SessionList {
  readonly #server: Pick<ServerContext, "ledger" | "agents" | "trustable">;
  /** The most recently listed come last. */
  readonly #cache = new Map<string, Cached>();
  #cost = 0;

  constructor(server: Pick<ServerContext, "ledger" | "agents" | "trustable">) {
    this.#server = server;
  }

  async page(after: string | undefined): Promise<SessionPage> {
    let before = after === undefined ? undefined : readCursor(after, summary);
    let read = 0;
    const sessions: SessionInfo[] = [];
    for (;;) {
      const batch = await this.#server.ledger.sessions({ limit: BATCH_SIZE, ...(before && { before }) });
      for (const at of batch) {
        const config = await this.#config(at);
        if (config && sessions.length === PAGE_SIZE) return { sessions, next: cursorAt(before ?? at) };
        before = at;
        read += 1;
        if (config) sessions.push(this.#shown(at, config));
      }
      if (batch.length < BATCH_SIZE) return { sessions };
      if (before && read >= MAX_READ) return { sessions, next: cursorAt(before) };
    }
  }

  #shown({ sessionId }: SessionSummary, config: SessionConfig): SessionInfo {
    return wireSession(sessionId, config, this.#server);
  }

  /** Undefined for sessions of editors and terminals. */
  async #config(at: SessionSummary): Promise<SessionConfig | undefined> {
    const { sessionId, createdAt, lastSeq } = at;
    const before = this.#cache.get(sessionId);
    const isCached = before?.createdAt === createdAt;
    // The first event of an app's session has its settings.
    const cached =
      isCached && (before.seq === lastSeq || !configIn(before.info))
        ? before
        : await readOn(
            this.#server.ledger,
            at,
            isCached ? before : { createdAt, seq: 0, info: {}, cost: BASE_COST },
          );
    this.#store(sessionId, cached);
    return configIn(cached.info);
  }

  #store(sessionId: string, cached: Cached): void {
    this.#drop(sessionId);
    this.#cache.set(sessionId, cached);
    this.#cost += cached.cost;
    for (const oldest of this.#cache.keys()) {
      if (this.#cost <= MAX_CACHED_CHARACTERS) return;
      this.#drop(oldest);
    }
  }

  #drop(sessionId: string): void {
    this.#cost -= this.#cache.get(sessionId)?.cost ?? 0;
    this.#cache.delete(sessionId);
  }
}

async function readOn(
  ledger: Ledger,
  { sessionId, lastSeq = 0 }: SessionSummary,
  before: Cached,
): Promise<Cached> {
  const added = await readAll(ledger, sessionId, { after: before.seq, type: "info-changed" });
  await setImmediate();
  const seq = Math.max(before.seq, lastSeq, added.at(-1)?.seq ?? 0);
  const info = infoAfter(before.info, added);
  if (info === before.info) return { ...before, seq };
  return { ...before, seq, info, cost: BASE_COST + JSON.stringify(info).length };
}

const cursorAt = ({ sessionId, createdAt, updatedAt }: SessionSummary): string =>
  writeCursor({ sessionId, createdAt, updatedAt });
