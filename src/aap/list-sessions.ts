/**
 * The sessions that apps have made, a page at a time, the most recently written first.
 *
 * What must stay true: of a log only what tells of the session is read, once, and from then on only what was added to
 * it; a session of another door is known as such after one look. What is remembered for that is bounded, however many
 * sessions there are and however long their settings. Between two logs others are served: a store may hold up its whole
 * process while it reads one. A request looks at so many sessions and no more: where most are an editor's, a page may be
 * short and still have a next one.
 */
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { readAll } from "../call/index.js";
import type { Ledger, SessionInfo as StoredInfo, SessionSummary } from "../call/index.js";
import type { AapSetting } from "./aap-setting.js";
import type { SessionInfo, SessionPage } from "./client/protocol.js";
import { AapProblem } from "./problem.js";
import { configIn, infoAfter, wireSession } from "./session-config.js";
import type { SessionConfig } from "./session-config.js";

const PAGE = 20;
/** Sessions that are asked for at a time, and that one request looks at. */
const BATCH = 100;
const MOST_LOOKED_AT = 1_000;
/** Characters that are remembered of all sessions together; those that nobody has listed for longest are read again. */
const MOST_KNOWN = 16 * 1024 * 1024;
/** What one costs beside its settings, which may be long: apps describe their tools there. */
const COST = 1_000;

const summary = z.object({ sessionId: z.string(), createdAt: z.number(), updatedAt: z.number() });

/** `seq` is the last event that was looked at, `cost` what it takes to remember it, in characters. */
type Known = {
  readonly createdAt: number;
  readonly seq: number;
  readonly info: StoredInfo;
  readonly cost: number;
};

export class ListedSessions {
  readonly #setting: Pick<AapSetting, "ledger" | "agents">;
  /** Those that were listed last come last. */
  readonly #known = new Map<string, Known>();
  #cost = 0;

  constructor(setting: Pick<AapSetting, "ledger" | "agents">) {
    this.#setting = setting;
  }

  async page(after: string | undefined): Promise<SessionPage> {
    let before = after === undefined ? undefined : readCursor(after);
    let looked = 0;
    const sessions: SessionInfo[] = [];
    for (;;) {
      const batch = await this.#setting.ledger.sessions({ limit: BATCH, ...(before && { before }) });
      for (const at of batch) {
        const config = await this.#config(at);
        if (config && sessions.length === PAGE) return { sessions, next: cursorAt(before ?? at) };
        before = at;
        looked += 1;
        if (config) sessions.push(this.#shown(at, config));
      }
      if (batch.length < BATCH) return { sessions };
      if (before && looked >= MOST_LOOKED_AT) return { sessions, next: cursorAt(before) };
    }
  }

  #shown({ sessionId }: SessionSummary, config: SessionConfig): SessionInfo {
    return wireSession(sessionId, config, this.#setting.agents.get(config.agent.name)?.options ?? []);
  }

  /** Undefined for sessions of other doors. */
  async #config(at: SessionSummary): Promise<SessionConfig | undefined> {
    const { sessionId, createdAt, lastSeq } = at;
    const before = this.#known.get(sessionId);
    const isKnown = before?.createdAt === createdAt;
    // A session is an app's from its first event on, or never.
    const known =
      isKnown && (before.seq === lastSeq || !configIn(before.info))
        ? before
        : await readOn(
            this.#setting.ledger,
            at,
            isKnown ? before : { createdAt, seq: 0, info: {}, cost: COST },
          );
    this.#remember(sessionId, known);
    return configIn(known.info);
  }

  #remember(sessionId: string, known: Known): void {
    this.#forget(sessionId);
    this.#known.set(sessionId, known);
    this.#cost += known.cost;
    for (const oldest of this.#known.keys()) {
      if (this.#cost <= MOST_KNOWN) return;
      this.#forget(oldest);
    }
  }

  #forget(sessionId: string): void {
    this.#cost -= this.#known.get(sessionId)?.cost ?? 0;
    this.#known.delete(sessionId);
  }
}

async function readOn(
  ledger: Ledger,
  { sessionId, lastSeq = 0 }: SessionSummary,
  before: Known,
): Promise<Known> {
  const added = await readAll(ledger, sessionId, { after: before.seq, type: "info-changed" });
  await setImmediate();
  const seq = Math.max(before.seq, lastSeq, added.at(-1)?.seq ?? 0);
  const info = infoAfter(before.info, added);
  if (info === before.info) return { ...before, seq };
  return { ...before, seq, info, cost: COST + JSON.stringify(info).length };
}

function cursorAt({ sessionId, createdAt, updatedAt }: SessionSummary): string {
  return Buffer.from(JSON.stringify({ sessionId, createdAt, updatedAt })).toString("base64url");
}

function readCursor(cursor: string): SessionSummary {
  try {
    return summary.parse(JSON.parse(Buffer.from(cursor, "base64url").toString()));
  } catch {
    throw new AapProblem("BAD_REQUEST", 'This "after" is not one that this server gave. Nothing was listed.');
  }
}
