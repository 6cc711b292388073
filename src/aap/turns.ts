/**
 * The turns of a server's sessions: taken, told again, cancelled, gone on with. One response of a session is under
 * way at a time; who asks for a second is told to come back.
 */
import { createHash } from "node:crypto";
import { readAll } from "../call/index.js";
import type { RecordedEvent } from "../call/index.js";
import type { AapSetting } from "./aap-setting.js";
import type { EventId } from "./event-id.js";
import { followResponse } from "./follow-response.js";
import type { Followed } from "./follow-response.js";
import { hearLive, Telling } from "./hear-live.js";
import type { Hearer } from "./hear-live.js";
import { HeldTurns } from "./held-turns.js";
import type { LiveResponse } from "./live-response.js";
import { WarmSessions } from "./own-session.js";
import { AapProblem } from "./problem.js";
import type { CancelBody, TurnBody } from "./request-bodies.js";
import { RunningTurns } from "./running-turns.js";
import type { RunningTurn } from "./running-turns.js";
import { changedConfig, readSession } from "./session-config.js";
import type { SessionConfig, StoredSession } from "./session-config.js";
import type { Served } from "./served-agent.js";
import { startHeldTurn } from "./start-held-turn.js";
import { busy, startTurn } from "./start-turn.js";
import type { TurnPlan } from "./start-turn.js";
import { readSubmission } from "./submission.js";
import type { Submission } from "./submission.js";
import { lastEnd, requestWith, responseOf } from "./turn-log.js";
import { stillWaits, turnStatus } from "./turn-status.js";

/** Tells a response; comes back when it is told, or nobody listens any more. */
export type ToldTurn = (hearer: Hearer) => Promise<void>;

type TurnAsked = Pick<TurnPlan, "submission" | "note" | "notedAt">;

type Stored = StoredSession & { readonly log: readonly RecordedEvent[] };

export class Turns {
  readonly #setting: AapSetting;
  readonly #running = new RunningTurns();
  readonly #warm = new WarmSessions();
  /** Sessions whose response is being prepared or is under way: nobody else's turn here. */
  readonly #taken = new Set<string>();
  readonly #held: HeldTurns;

  constructor(setting: AapSetting) {
    this.#setting = setting;
    this.#held = new HeldTurns(setting);
  }

  /** A request for a turn. `key` is its `Idempotency-Key`; `after` the last that its client heard of the response. */
  async take(
    sessionId: string,
    body: TurnBody,
    { key, after }: { readonly key?: string | undefined; readonly after?: EventId | undefined },
  ): Promise<ToldTurn> {
    const submission = readSubmission(body.messages);
    const stored = await this.#read(sessionId);
    const agent = this.#agentOf(stored.config);
    checkImages(submission, agent);
    const noted = key === undefined ? undefined : await this.#noted(sessionId, stored, body, key, after);
    if (noted?.told) return noted.told;
    const config = changedConfig(stored.config, body, agent, this.#setting.sealFor(sessionId));
    const note = key === undefined ? {} : { key, body: bodyHash(body) };
    try {
      const turn = await this.#start(sessionId, stored, agent, config, {
        submission,
        note,
        ...(noted && { notedAt: noted.seq }),
      });
      const begin = once(() => this.#running.run(sessionId, turn));
      return this.#tell(sessionId, agent, turn.response, begin, after);
    } catch (error) {
      if (key === undefined || !(error instanceof AapProblem) || error.code !== "BUSY") throw error;
      // The very same request may have come a moment before, and be noted by now.
      const now = await readSession(this.#setting.ledger, sessionId);
      const again = await this.#noted(sessionId, now, body, key, after);
      if (!again) throw error;
      return this.#follow(sessionId, agent, this.#startOf(sessionId, now.log, again.seq), after);
    }
  }

  /** The response that holds what was heard last, from there on; the newest one from its start when nothing was. */
  async again(sessionId: string, after: EventId | undefined): Promise<ToldTurn> {
    const { log, config } = await readSession(this.#setting.ledger, sessionId);
    const agent = this.#agentOf(config);
    const live = this.#running.get(sessionId)?.response;
    const last = log.at(-1)?.seq ?? 0;
    if (after) {
      if (after.seq > last + 1 && (!live || after.seq > live.start + 1))
        throw new AapProblem("BAD_REQUEST", "This session has not come to that event. Nothing was told.");
      return this.#follow(sessionId, agent, this.#startOf(sessionId, log, after.seq), after);
    }
    const ended = lastEnd(log, this.#held.endsOf(sessionId));
    const isRunning = live !== undefined || turnStatus(log) === "running";
    const start = live?.start ?? (isRunning ? ended : this.#startOf(sessionId, log, ended));
    if (isRunning || ended > 0) return this.#follow(sessionId, agent, start, undefined);
    throw new AapProblem("NOT_FOUND", `Session ${sessionId} has had no turn yet. Nothing was told.`);
  }

  /** Ends the turn that runs or waits, or one call of it. False when there was nothing to end. */
  async cancel(sessionId: string, { toolCallId, reason }: CancelBody): Promise<boolean> {
    const stored = await this.#read(sessionId);
    const agent = this.#agentOf(stored.config);
    if (this.#held.isOpen(sessionId)) return this.#held.cancel(sessionId, toolCallId, reason);
    const running = this.#running.get(sessionId);
    if (running && toolCallId === undefined) return this.#running.cancel(sessionId);
    if (running && toolCallId !== undefined)
      return running.session.gate.cancelCall(toolCallId, reason ?? CANCELLED);
    const status = turnStatus(stored.log);
    if (agent.behind.type === "held" || status === "none" || status === "stopped") return false;
    const turn = await this.#start(sessionId, stored, agent, stored.config, {
      submission: undefined,
      note: {},
    });
    if (toolCallId !== undefined) return this.#cancelWaiting(sessionId, turn, toolCallId, reason);
    const done = this.#running.run(sessionId, turn);
    await turn.response.cancel();
    await done;
    return true;
  }

  /** Ends what is open of a session before it is forgotten. */
  async end(sessionId: string): Promise<void> {
    await this.#held.close(sessionId);
    await this.#running.cancel(sessionId);
    await this.#warm.end(sessionId);
  }

  /**
   * Somebody has answered elsewhere: where nothing else is waited for, the turn goes on by itself, and whoever follows
   * the session sees it.
   */
  async goOn(sessionId: string): Promise<void> {
    const { onError } = this.#setting;
    if (this.#held.isOpen(sessionId)) return;
    // It may be about to wait for just this answer.
    for (let running = this.#running.get(sessionId); running; running = this.#running.get(sessionId)) {
      running.session.gate.wake();
      await running.response.over();
    }
    try {
      const stored = await this.#read(sessionId);
      const agent = this.#agentOf(stored.config);
      if (agent.behind.type === "held" || turnStatus(stored.log) !== "parked") return;
      if (stillWaits(stored.log)) return;
      const turn = await this.#start(sessionId, stored, agent, stored.config, NOTHING_NEW);
      await this.#running.run(sessionId, turn);
    } catch (error) {
      // Not an app's session, or somebody is at it, or it still waits.
      if (!(error instanceof AapProblem)) onError(error);
    }
  }

  async close(): Promise<void> {
    await this.#held.closeAll();
    await this.#running.cancelAll();
    await this.#warm.close();
  }

  /** What is on record of a session; of one that is still open here, without reading all of it again. */
  async #read(sessionId: string): Promise<Stored> {
    const own = this.#warm.get(sessionId);
    if (!own) return readSession(this.#setting.ledger, sessionId);
    await own.catchUp();
    return { config: own.config, info: own.session.book.info, log: own.log };
  }

  /** Where the same request was noted before; and what it is told, unless it has to be gone on with. */
  async #noted(
    sessionId: string,
    { log, config }: Stored,
    body: TurnBody,
    key: string,
    after: EventId | undefined,
  ): Promise<{ readonly seq: number; readonly told?: ToldTurn } | undefined> {
    const noted = requestWith(log, key) ?? this.#held.noted(sessionId, key);
    if (!noted) return undefined;
    if (noted.note.body !== bodyHash(body))
      throw new AapProblem(
        "CONFLICT",
        "This Idempotency-Key came with another request before. Nothing was done; use a new key.",
      );
    const { seq } = noted;
    const live = this.#running.get(sessionId)?.response;
    const isHere = live !== undefined && live.start < seq;
    const { start, end } = responseOf(log, seq, this.#held.endsOf(sessionId));
    return isHere || end
      ? { seq, told: this.#follow(sessionId, this.#agentOf(config), start, after) }
      : { seq };
  }

  #startOf(sessionId: string, log: readonly RecordedEvent[], seq: number): number {
    return responseOf(log, seq, this.#held.endsOf(sessionId)).start;
  }

  #tell(
    sessionId: string,
    agent: Served,
    response: LiveResponse,
    begin: () => Promise<void>,
    after: EventId | undefined,
  ): ToldTurn {
    const from = this.#followed(sessionId, agent);
    return async (hearer) => {
      const telling = new Telling(hearer, after);
      await hearLive(response, telling, hearer, begin);
      if (!telling.isOver) await followResponse(from, response.start, telling, hearer);
    };
  }

  #follow(sessionId: string, agent: Served, start: number, after: EventId | undefined): ToldTurn {
    const from = this.#followed(sessionId, agent);
    return (hearer) => followResponse(from, start, new Telling(hearer, after), hearer);
  }

  #followed(sessionId: string, agent: Served): Followed {
    const { ledger } = this.#setting;
    return {
      follow: (after, signal) => ledger.follow(sessionId, { after, signal }),
      newest: async (after) => (await readAll(ledger, sessionId, { after })).at(-1)?.seq,
      ends: () => this.#held.endsOf(sessionId),
      hasSteps: agent.behind.type === "own",
      running: () => {
        const turn = this.#running.get(sessionId);
        return turn && { response: turn.response, seq: turn.session.writtenSeq };
      },
      takeUp: () => this.#takeUp(sessionId, agent),
    };
  }

  /** A turn that its process left in the middle is gone on with when somebody asks for it. */
  async #takeUp(sessionId: string, agent: Served): Promise<"taken" | "held" | "nothing"> {
    if (this.#held.hasTurn(sessionId)) return "held";
    if (agent.behind.type === "held") return "nothing";
    try {
      const stored = await this.#read(sessionId);
      if (turnStatus(stored.log) !== "running") return "nothing";
      const turn = await this.#start(sessionId, stored, agent, stored.config, NOTHING_NEW);
      void this.#running.run(sessionId, turn);
      return "taken";
    } catch (error) {
      if (!(error instanceof AapProblem)) throw error;
      return error.code === "BUSY" ? "held" : "nothing";
    }
  }

  /** One at a time: whoever comes second is told so at once, and not by the ledger. */
  async #start(
    sessionId: string,
    stored: Stored,
    agent: Served,
    config: SessionConfig,
    request: TurnAsked,
  ): Promise<RunningTurn> {
    if (this.#taken.has(sessionId)) throw busy(sessionId);
    this.#taken.add(sessionId);
    const release = () => void this.#taken.delete(sessionId);
    try {
      const turn = await this.#startTaken(sessionId, stored, agent, config, request);
      turn.response.onOver(release);
      const discard = () => {
        turn.discard();
        release();
      };
      return { ...turn, discard };
    } catch (error) {
      release();
      throw error;
    }
  }

  async #startTaken(
    sessionId: string,
    stored: Stored,
    agent: Served,
    config: SessionConfig,
    request: TurnAsked,
  ): Promise<RunningTurn> {
    const { behind } = agent;
    if (behind.type === "own") {
      const { log, config: before } = stored;
      const plan = { sessionId, agent: { ...agent, behind }, log, before, config, ...request };
      return startTurn(this.#setting, plan, this.#warm);
    }
    const { submission, note } = request;
    if (!submission)
      throw new AapProblem("CONFLICT", `A turn of ${agent.name} ends with its process. Nothing was done.`);
    const plan = { sessionId, served: agent, agent: behind.agent, stored, config, submission, note };
    return startHeldTurn(this.#setting, plan, this.#held);
  }

  /** One call of a turn that waits: what is left of it may be able to go on. */
  async #cancelWaiting(
    sessionId: string,
    { session, discard }: RunningTurn,
    toolCallId: string,
    reason = CANCELLED,
  ): Promise<boolean> {
    try {
      return await session.gate.cancelCall(toolCallId, reason);
    } finally {
      discard();
      void this.goOn(sessionId);
    }
  }

  #agentOf({ agent: { name } }: SessionConfig): Served {
    const agent = this.#setting.agents.get(name);
    if (agent) return agent;
    throw new AapProblem(
      "CONFLICT",
      `The session's agent, ${name}, is not served here any more. Nothing was done; its history can still be read.`,
    );
  }
}

const CANCELLED = "it was cancelled.";
const NOTHING_NEW = { submission: undefined, note: {} } as const;

function checkImages({ userBlocks = [] }: Submission, { name, behind }: Served): void {
  const takesImages = behind.type === "own" || behind.agent.takesImages;
  if (takesImages || !userBlocks.some(({ type }) => type === "image")) return;
  throw new AapProblem("BAD_REQUEST", `Agent ${name} takes no images. Nothing was done.`);
}

/** Lets go of what it has called: whoever still reads must not keep the session that a response was about. */
function once(call: () => Promise<void>): () => Promise<void> {
  let left: typeof call | undefined = call;
  return async () => {
    const now = left;
    left = undefined;
    await now?.();
  };
}

/** What the request asks for, whichever way it wants to be told. */
function bodyHash({ stream: _stream, ...body }: TurnBody): string {
  return createHash("sha256").update(JSON.stringify(body)).digest("hex");
}
