/** Sessions of all doors as rows: one, and a page of those that match. */
import { z } from "zod";
import { redact } from "../../history/index.js";
import { readCursor, writeCursor } from "../../aap/api/cursor.js";
import type { SessionSummary as StoredSummary } from "../../call/index.js";
import type { SessionPage, SessionState, SessionSummary } from "../api/session-bodies.js";
import type { sessionQuery } from "../api/session-bodies.js";
import type { ServeContext } from "../server/serve-context.js";
import type { SessionFacts } from "./session-facts.js";
import { usageOf } from "./session-facts.js";
import type { IndexedSession, SessionIndex } from "./session-index.js";

type Query = z.output<typeof sessionQuery>;

const PAGE_SIZE = 50;
const BATCH_SIZE = 50;
/** Sessions that one request reads at most; the next page continues there. */
const MAX_READ = 500;

const RESUME_MS = 5_000;

const place = z.object({ sessionId: z.string(), createdAt: z.number(), updatedAt: z.number() });

export class SessionSummaries {
  readonly #context: ServeContext;
  readonly #index: SessionIndex;

  constructor(context: ServeContext, index: SessionIndex) {
    this.#context = context;
    this.#index = index;
  }

  async summary(session: IndexedSession): Promise<SessionSummary> {
    const { facts, createdAt, updatedAt, seq } = session;
    const { redactPatterns, costOf } = this.#context;
    const { cwd, agent } = facts.info;
    const usage = usageOf(facts, costOf);
    return {
      sessionId: facts.sessionId,
      title: redact(facts.title, redactPatterns),
      ...(cwd !== undefined && { folder: cwd }),
      ...(agent !== undefined && { agent }),
      door: facts.door,
      state: await this.#state(facts, updatedAt),
      createdAt,
      updatedAt,
      calls: facts.calls,
      messages: facts.messages,
      breaches: facts.breaches,
      openQuestions: facts.openQuestions.size,
      ...(usage && { usage }),
      seq,
    };
  }

  async page({ before, limit = PAGE_SIZE, ...query }: Query): Promise<SessionPage> {
    let from: StoredSummary | undefined = before === undefined ? undefined : readCursor(before, place);
    const sessions: SessionSummary[] = [];
    for (let read = 0; ;) {
      const batch = await this.#context.ledger.sessions({ limit: BATCH_SIZE, ...(from && { before: from }) });
      for (const at of batch) {
        if (from && (sessions.length === limit || read === MAX_READ))
          return { sessions, next: cursorAt(from) };
        from = at;
        read += 1;
        const found = await this.#index.read(at.sessionId, at.lastSeq);
        const summary = found && (await this.summary(found));
        if (summary && matches(summary, query)) sessions.push(summary);
      }
      if (batch.length < BATCH_SIZE) return { sessions };
    }
  }

  async #state(facts: SessionFacts, updatedAt: number): Promise<SessionState> {
    if (facts.openQuestions.size > 0) return "waiting";
    const { turn, sessionId } = facts;
    if (!turn || turn.status === "stopped") return turn?.isError === true ? "error" : "idle";
    const { ledger, now } = this.#context;
    // The last question of a parked turn was answered just now: the turn goes on as soon as a process has it.
    if (turn.status === "parked" && now() - updatedAt < RESUME_MS) return "running";
    // A turn whose process is gone does not run, whatever the log says.
    const holder = await ledger.holder?.(sessionId);
    return holder === undefined && ledger.holder ? "idle" : "running";
  }
}

function matches(
  { title, folder = "", agent = "", state }: SessionSummary,
  query: Pick<Query, "text" | "folder" | "agent" | "state">,
): boolean {
  const words = (query.text ?? "").toLowerCase().split(/\s+/);
  const text = `${title} ${folder} ${agent}`.toLowerCase();
  return (
    words.every((word) => text.includes(word)) &&
    (query.folder === undefined || query.folder === folder) &&
    (query.agent === undefined || query.agent === agent) &&
    (query.state === undefined || query.state === state)
  );
}

const cursorAt = ({ sessionId, createdAt, updatedAt }: StoredSummary): string =>
  writeCursor({ sessionId, createdAt, updatedAt });
