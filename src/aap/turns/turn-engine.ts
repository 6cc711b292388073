/**
 * The turns of a server's sessions: started, sent again, cancelled, resumed. One response of a session is under way at a
 * time; a second request is refused with `BUSY`.
 */
import { createHash } from "node:crypto";
import { readAll } from "../../call/index.js";
import type { RecordedEvent, SessionBook, SessionInfo } from "../../call/index.js";
import { bookOfLog } from "../../call/ledger.js";
import { CANCELLED } from "../../run/running-calls.js";
import { AapProblem } from "../api/aap-problem.js";
import type { CancelBody, TurnBody } from "../api/request-bodies.js";
import type { ServerContext } from "../server-context.js";
import type { Served } from "../sessions/served-agent.js";
import { changedConfig, configIn, readSession } from "../sessions/session-config.js";
import type { SessionConfig, StoredSession } from "../sessions/session-config.js";
import type { EventId } from "../stream/event-id.js";
import type { ResponseSource } from "../stream/follow-response.js";
import { lastEnd, NO_ENDS, requestWithKey, responseAt } from "../stream/response-log.js";
import type { ExtraEnds } from "../stream/response-log.js";
import type { SendResponse } from "../stream/in-stream-mode.js";
import { ActiveTurns } from "./active-turns.js";
import type { ActiveTurn } from "./active-turns.js";
import { ExternalTurns } from "./external-turns.js";
import type { OpenSession } from "./open-session.js";
import { OwnTurns } from "./own-turns.js";
import { sendAgain, sendNew } from "./send-response.js";
import { startResponse } from "./start-response.js";
import { readSubmission } from "./submission.js";
import type { Submission } from "./submission.js";
import type { TurnHost, TurnPlan } from "./turn-host.js";
import type { TakeOver } from "./take-over-work.js";
import { isWaiting, turnStatus } from "./turn-status.js";

type Stored = StoredSession & { readonly log: readonly RecordedEvent[]; readonly book?: SessionBook };

type Wanted = Pick<TurnPlan, "config" | "submission" | "note" | "notedAt" | "isWhole">;

export class TurnEngine {
  readonly #server: ServerContext;
  readonly #active = new ActiveTurns();
  readonly #hosts: ReadonlyMap<string, TurnHost>;
  /** Requests with a key that are being prepared, by session and key. */
  readonly #preparing = new Map<string, Promise<void>>();
  #isDraining = false;

  constructor(server: ServerContext) {
    this.#server = server;
    this.#hosts = new Map([...server.agents].map(([name, agent]) => [name, hostFor(server, agent)]));
  }

  /** A request for a turn. `key` is its `Idempotency-Key`; `after` the last event that its client received. */
  async start(
    sessionId: string,
    body: TurnBody,
    { key, after }: { readonly key?: string | undefined; readonly after?: EventId | undefined },
  ): Promise<SendResponse> {
    if (this.#isDraining)
      throw new AapProblem("UNAVAILABLE", "The server is about to end. Nothing was done; send it again.");
    const submission = readSubmission(body.messages);
    if (key === undefined) return this.#start(sessionId, body, submission, { key, after });
    // The same request may have come a moment before: its note is in the log once it is prepared.
    const name = JSON.stringify([sessionId, key]);
    for (let first = this.#preparing.get(name); first; first = this.#preparing.get(name)) await first;
    const prepared = this.#start(sessionId, body, submission, { key, after });
    const settled = prepared.then(
      () => undefined,
      () => undefined,
    );
    this.#preparing.set(name, settled);
    try {
      return await prepared;
    } finally {
      this.#preparing.delete(name);
    }
  }

  async #start(
    sessionId: string,
    body: TurnBody,
    submission: Submission,
    { key, after }: { readonly key: string | undefined; readonly after: EventId | undefined },
  ): Promise<SendResponse> {
    let stored = await this.#read(sessionId);
    const host = this.#hostOf(stored.config);
    checkImages(submission, host.agent);
    const find = () =>
      key === undefined ? undefined : this.#noted(sessionId, host, stored, body, { key, after });
    let noted = find();
    if (noted && !noted.send) {
      // The response may have ended after the log was read.
      stored = await this.#read(sessionId);
      noted = find();
    }
    if (noted?.send) return noted.send;
    const config = changedConfig(stored.config, body, host.agent, this.#server.sealFor(sessionId));
    const note = key === undefined ? {} : { key, body: bodyHash(body) };
    const notedAt = noted && host.canResume ? { notedAt: noted.seq } : {};
    try {
      const turn = await this.#open(sessionId, stored, host, {
        config,
        submission,
        note,
        isWhole: body.stream === "none",
        ...notedAt,
      });
      const begin = () => this.#active.run(sessionId, turn);
      return sendNew(this.#source(sessionId, host), turn.response, begin, after);
    } catch (error) {
      if (key === undefined || !(error instanceof AapProblem) || error.code !== "BUSY") throw error;
      // The very same request may have come a moment before, and be noted by now.
      const now = await readSession(this.#server.ledger, sessionId);
      const again = this.#noted(sessionId, host, now, body, { key, after });
      if (!again) throw error;
      const { start } = responseAt(now.log, again.seq, endsOf(host, sessionId));
      return sendAgain(this.#source(sessionId, host), start, after);
    }
  }

  /** The rest of the response that has the event `after`; without one, the newest response from its start. */
  async replay(sessionId: string, after: EventId | undefined): Promise<SendResponse> {
    const { log, config } = await readSession(this.#server.ledger, sessionId);
    const host = this.#hostOf(config);
    const live = this.#active.get(sessionId)?.response;
    const ends = endsOf(host, sessionId);
    const last = log.at(-1)?.seq ?? 0;
    const source = this.#source(sessionId, host);
    if (after) {
      if (after.seq > last + 1 && (!live || after.seq > live.start + 1))
        throw new AapProblem("BAD_REQUEST", "Last-Event-ID is ahead of this session. No events were sent.");
      return sendAgain(source, responseAt(log, after.seq, ends).start, after);
    }
    const ended = lastEnd(log, ends);
    const isRunning = live !== undefined || turnStatus(log) === "running";
    if (!isRunning && ended === 0)
      throw new AapProblem("NOT_FOUND", `Session ${sessionId} has had no turn yet. No events were sent.`);
    const start = live?.start ?? (isRunning ? ended : responseAt(log, ended, ends).start);
    return sendAgain(source, start, undefined);
  }

  /** Ends the turn that runs or waits, or one call of it. False when there was nothing to end. */
  async cancel(sessionId: string, { toolCallId, reason }: CancelBody): Promise<boolean> {
    let stored = await this.#read(sessionId);
    const host = this.#hostOf(stored.config);
    const open = host.canResume ? undefined : host.find(sessionId);
    const session = this.#active.get(sessionId)?.session ?? open?.session;
    if (session && toolCallId !== undefined) return session.gate.cancelCall(toolCallId, reason ?? CANCELLED);
    const wasActive = await this.#active.cancel(sessionId, reason);
    if (!host.canResume) return wasActive || host.cancelTurn(sessionId);
    if (wasActive) stored = await this.#read(sessionId);
    const status = turnStatus(stored.log);
    // A turn that was parking has not seen the cancel: its question would stay open.
    if (wasActive && status !== "parked") return true;
    if (status === "none" || status === "stopped") return false;
    const turn = await this.#open(sessionId, stored, host, { config: stored.config, ...NOTHING_NEW });
    if (toolCallId !== undefined)
      return this.#cancelWaiting(sessionId, turn, toolCallId, reason ?? CANCELLED);
    const done = this.#active.run(sessionId, turn);
    await turn.response.cancel(reason);
    await done;
    return true;
  }

  /** Ends the session's open turns, calls and questions before it is deleted. */
  async end(sessionId: string): Promise<void> {
    await this.#active.cancel(sessionId);
    for (const host of this.#hosts.values()) await host.close(sessionId);
  }

  /**
   * A question was answered elsewhere: where nothing else is open, the turn resumes by itself, and followers see it.
   * Resolves when that response is over; false when nothing was resumed.
   */
  async resume(sessionId: string): Promise<boolean> {
    // An external agent's session follows the ledger by itself.
    if (this.#isDraining || this.#find(sessionId)?.host.canResume === false) return false;
    // The turn may be about to wait for just this answer.
    for (let turn = this.#active.get(sessionId); turn; turn = this.#active.get(sessionId)) {
      turn.session.gate.wake();
      await turn.response.over();
    }
    try {
      const stored = await this.#read(sessionId);
      const host = this.#hostOf(stored.config);
      if (!host.canResume || turnStatus(stored.log) !== "parked" || isWaiting(bookOf(stored))) return false;
      const turn = await this.#open(sessionId, stored, host, { config: stored.config, ...NOTHING_NEW });
      await this.#active.run(sessionId, turn);
      return true;
    } catch (error) {
      // Not an app's session, or another process or place has it, or it still waits.
      if (!(error instanceof AapProblem)) this.#server.onError(error);
      return false;
    }
  }

  /** Takes over a turn that another instance has left, or whose question was answered there. */
  async takeOver(sessionId: string): Promise<TakeOver> {
    if (this.#isDraining || this.#active.get(sessionId)) return "left";
    const stored = await readSession(this.#server.ledger, sessionId).catch(() => undefined);
    if (!stored) return "foreign";
    const host = this.#hosts.get(stored.config.agent.name);
    if (!host) return "left";
    if (turnStatus(stored.log) === "running")
      return (await this.#resumeAbandoned(sessionId, host)) === "resumed" ? "taken" : "left";
    return (await this.resume(sessionId)) ? "taken" : "left";
  }

  /** Whether this server has the session open: its turn runs, or waits with the session kept open. */
  readonly isOpen = (sessionId: string): boolean =>
    this.#active.get(sessionId) !== undefined || this.#find(sessionId) !== undefined;

  /** Decides who continues a turn of this session that no process has; undefined for sessions of no agent here. */
  readonly continuer = async (info: SessionInfo): Promise<"here" | "nobody" | undefined> => {
    const host = this.#hosts.get(configIn(info)?.agent.name ?? "");
    return host && (host.canResume ? "here" : "nobody");
  };

  /** Takes no new turns, and resolves when those under way are over or parked. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#active.over();
  }

  async close(): Promise<void> {
    await this.#active.cancelAll();
    for (const host of this.#hosts.values()) await host.closeAll();
  }

  #find(sessionId: string): { readonly host: TurnHost; readonly open: OpenSession } | undefined {
    for (const host of this.#hosts.values()) {
      const open = host.find(sessionId);
      if (open) return { host, open };
    }
    return undefined;
  }

  /** The recorded session. A session that is open here is not read again. */
  async #read(sessionId: string): Promise<Stored> {
    const found = this.#find(sessionId);
    if (!found) return readSession(this.#server.ledger, sessionId);
    await found.host.catchUp(sessionId);
    const { config, outline, session } = found.open;
    return { config, info: session.book.info, log: outline, book: session.book };
  }

  /** Where the same request was noted before, and its response, unless the turn has to be resumed first. */
  #noted(
    sessionId: string,
    host: TurnHost,
    { log }: Stored,
    body: TurnBody,
    { key, after }: { readonly key: string; readonly after: EventId | undefined },
  ): { readonly seq: number; readonly send?: SendResponse } | undefined {
    const noted = requestWithKey(log, key) ?? host.find(sessionId)?.noteWithKey(key);
    if (!noted) return undefined;
    if (noted.note.body !== bodyHash(body))
      throw new AapProblem(
        "CONFLICT",
        "This Idempotency-Key came with another request before. Nothing was done; use a new key.",
      );
    const { seq } = noted;
    const live = this.#active.get(sessionId)?.response;
    const isHere = live !== undefined && live.start < seq;
    const { start, end } = responseAt(log, seq, endsOf(host, sessionId));
    if (!isHere && end === undefined) return { seq };
    return { seq, send: sendAgain(this.#source(sessionId, host), start, after) };
  }

  #source(sessionId: string, host: TurnHost): ResponseSource {
    const { ledger, redactPatterns } = this.#server;
    return {
      redactPatterns,
      follow: (after, signal) => ledger.follow(sessionId, { after, signal }),
      newest: async (after) => (await readAll(ledger, sessionId, { after })).at(-1)?.seq,
      ends: () => endsOf(host, sessionId),
      hasSteps: host.canResume,
      running: () => {
        const turn = this.#active.get(sessionId);
        return turn && { response: turn.response, seq: turn.session.writtenSeq };
      },
      resume: () => this.#resumeAbandoned(sessionId, host),
    };
  }

  /** A turn that its process left is resumed when a client asks for its response. */
  async #resumeAbandoned(sessionId: string, host: TurnHost): Promise<"resumed" | "busy" | "none"> {
    if (host.hasTurn(sessionId)) return "busy";
    if (!host.canResume) return "none";
    try {
      const stored = await this.#read(sessionId);
      if (turnStatus(stored.log) !== "running") return "none";
      const turn = await this.#open(sessionId, stored, host, { config: stored.config, ...NOTHING_NEW });
      void this.#active.run(sessionId, turn);
      return "resumed";
    } catch (error) {
      if (!(error instanceof AapProblem)) throw error;
      return error.code === "BUSY" ? "busy" : "none";
    }
  }

  async #open(sessionId: string, stored: Stored, host: TurnHost, wanted: Wanted): Promise<ActiveTurn> {
    const unlock = this.#active.lock(sessionId);
    try {
      const plan: TurnPlan = { sessionId, stored, ...wanted };
      const runner = await host.open(plan);
      const response = await startResponse(this.#server, plan, runner);
      response.onOver(unlock);
      const discard = () => {
        void runner.release(true);
        unlock();
      };
      return { session: runner.open.session, response, discard };
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** Cancels one call of a waiting turn; the rest of the turn may then resume. */
  async #cancelWaiting(
    sessionId: string,
    { session, discard }: ActiveTurn,
    toolCallId: string,
    reason: string,
  ): Promise<boolean> {
    try {
      return await session.gate.cancelCall(toolCallId, reason);
    } finally {
      discard();
      void this.resume(sessionId);
    }
  }

  #hostOf({ agent: { name } }: SessionConfig): TurnHost {
    const host = this.#hosts.get(name);
    if (host) return host;
    throw new AapProblem(
      "CONFLICT",
      `The session's agent, ${name}, is not served here any more. Nothing was done; its history can still be read.`,
    );
  }
}

const NOTHING_NEW = { submission: undefined, note: {} } as const;

const hostFor = (server: ServerContext, agent: Served): TurnHost =>
  agent.behind.type === "own"
    ? new OwnTurns(server, agent, agent.behind.agent)
    : new ExternalTurns(server, agent, agent.behind.agent);

const endsOf = (host: TurnHost, sessionId: string): ExtraEnds => host.find(sessionId)?.ends ?? NO_ENDS;

function bookOf({ book, log }: Stored): SessionBook {
  return book ?? bookOfLog("", log);
}

function checkImages({ userBlocks = [] }: Submission, { name, behind }: Served): void {
  const takesImages = behind.type === "own" || behind.agent.takesImages;
  if (takesImages || !userBlocks.some(({ type }) => type === "image")) return;
  throw new AapProblem("BAD_REQUEST", `Agent ${name} takes no images. Nothing was done.`);
}

/** A hash of the request's content, the same in each stream mode. */
function bodyHash({ stream: _stream, ...body }: TurnBody): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("hex");
}
