/**
 * Sessions of agents that somebody else runs, or a loop of the host's own. Their turns live in this process: where one
 * waits for a yes or no, the response ends with `tool_use` and the turn goes on waiting; the next response goes on
 * telling where that one ended. When the process ends, such a turn ends with it, and its calls are closed.
 */
import type { HeldSession, TurnEnd } from "../agent/index.js";
import type { ContentBlock, RecordedEvent } from "../call/index.js";
import { LedgerError, readAll } from "../call/index.js";
import type { AapSetting } from "./aap-setting.js";
import { lastAt, turnStart } from "./event-id.js";
import { hearRecorded } from "./hear-recorded.js";
import type { Hearing } from "./hear-recorded.js";
import { LiveResponse } from "./live-response.js";
import type { Listener } from "./live-response.js";
import type { RunningTurn } from "./running-turns.js";
import { brokenText, busy } from "./start-turn.js";
import { answeredProblem, checkSubmission, missingProblem } from "./submission.js";
import type { Submission } from "./submission.js";
import { takeAnswers } from "./take-submission.js";
import { TurnEvents } from "./turn-events.js";
import type { Told } from "./turn-events.js";
import { lastEnd, NO_ENDS } from "./turn-log.js";
import type { KnownEnds, NotedRequest, RequestNote } from "./turn-log.js";
import { turnStop } from "./turn-stop.js";

/** How long nothing must happen before a turn that has asked counts as waiting: agents ask several things at once. */
const QUIET_MILLISECONDS = 100;

type Turn = { readonly end: Promise<TurnEnd>; readonly abort: AbortController };

export class HeldTurns {
  readonly #setting: AapSetting;
  readonly #held = new Map<string, Held>();

  constructor(setting: AapSetting) {
    this.#setting = setting;
  }

  /** Where responses ended that only this process knows of. */
  endsOf(sessionId: string): KnownEnds {
    return this.#held.get(sessionId)?.ends ?? NO_ENDS;
  }

  isOpen(sessionId: string): boolean {
    return this.#held.has(sessionId);
  }

  /** Whether a turn of it is under way here, told or not. */
  hasTurn(sessionId: string): boolean {
    return this.#held.get(sessionId)?.hasTurn ?? false;
  }

  /** Keeps what a request was noted with, as long as the session is open here. */
  note(sessionId: string, note: RequestNote, seq: number): void {
    if (note.key !== undefined) this.#held.get(sessionId)?.notes.set(note.key, { seq, note });
  }

  noted(sessionId: string, key: string): NotedRequest | undefined {
    return this.#held.get(sessionId)?.notes.get(key);
  }

  async start(
    sessionId: string,
    submission: Submission,
    open: () => Promise<HeldSession>,
  ): Promise<RunningTurn> {
    // What is behind it may be gone; opened anew, it may be there again.
    if (this.#held.get(sessionId)?.isBroken) await this.close(sessionId);
    const held = this.#held.get(sessionId) ?? (await this.#open(sessionId, open));
    return { session: held.session, response: await held.respond(submission), discard: () => undefined };
  }

  /** Ends its turn, or only one call. False when there was nothing to end. */
  async cancel(sessionId: string, toolCallId?: string, reason?: string): Promise<boolean> {
    return (await this.#held.get(sessionId)?.cancel(toolCallId, reason)) ?? false;
  }

  async close(sessionId: string): Promise<void> {
    const held = this.#held.get(sessionId);
    this.#held.delete(sessionId);
    await held?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#held.keys()].map((sessionId) => this.close(sessionId)));
  }

  async #open(sessionId: string, open: () => Promise<HeldSession>): Promise<Held> {
    let session: HeldSession;
    try {
      session = await open();
    } catch (error) {
      if (error instanceof LedgerError && error.code === "LEASE_HELD") throw busy(sessionId);
      throw error;
    }
    const held = new Held(this.#setting, session, await readAll(this.#setting.ledger, sessionId));
    this.#held.set(sessionId, held);
    return held;
  }
}

class Held {
  readonly session: HeldSession;
  /** Requests that came while it was open, by their keys. */
  readonly notes = new Map<string, NotedRequest>();
  /** Its last turn ended with an error. */
  isBroken = false;
  readonly ends = { also: new Set<number>(), except: new Set<number>() };
  readonly #setting: AapSetting;
  readonly #hearing: Hearing;
  readonly #events: TurnEvents;
  /** What nobody has been told yet. */
  #untold: Told[] = [];
  #listener: Listener | undefined;
  #lastEnd: number;
  #turn: Turn | undefined;
  #isResponding = false;
  /** The user went on: the old turn stops in the middle of the response. */
  #isGoingOn = false;
  #onQuiet: (() => void) | undefined;
  #quiet: NodeJS.Timeout | undefined;

  constructor(setting: AapSetting, session: HeldSession, log: readonly RecordedEvent[]) {
    this.session = session;
    this.#setting = setting;
    this.#hearing = hearRecorded(session, log, setting.isRedacted, (recorded) => this.#take(recorded));
    this.#events = new TurnEvents(this.#hearing.book, { hasSteps: false });
    for (const { event, seq } of log) this.#events.read(event, seq);
    this.#lastEnd = lastEnd(log);
  }

  get hasTurn(): boolean {
    return this.#turn !== undefined;
  }

  async respond(submission: Submission): Promise<LiveResponse> {
    const { sessionId, book } = this.session;
    if (this.#isResponding) throw busy(sessionId);
    const { ledger, now } = this.#setting;
    const checked = checkSubmission(submission, book, this.#events, now());
    const { userBlocks } = submission;
    if (!userBlocks) {
      if (!checked.isNew && (checked.over.length > 0 || !this.#turn))
        throw answeredProblem(checked.over, checked.missing);
      if (checked.missing.length > 0) throw missingProblem(checked.missing);
    }
    this.#isResponding = true;
    try {
      await takeAnswers(ledger, checked, now);
      this.session.gate.wake();
    } catch (error) {
      this.#isResponding = false;
      throw error;
    }
    const start = this.#lastEnd;
    const unwritten = () => this.session.unwritten;
    return new LiveResponse(start, unwritten, (listener, signal) =>
      this.#run(start, userBlocks, listener, signal),
    );
  }

  async cancel(toolCallId?: string, reason = "it was cancelled."): Promise<boolean> {
    if (toolCallId !== undefined) return this.session.gate.cancelCall(toolCallId, reason);
    const turn = this.#turn;
    turn?.abort.abort();
    await turn?.end.catch(() => undefined);
    return turn !== undefined;
  }

  async close(): Promise<void> {
    await this.cancel();
    this.#hearing.end();
    await this.session.close().catch(() => undefined);
  }

  async #run(
    start: number,
    userBlocks: readonly ContentBlock[] | undefined,
    listener: Listener,
    signal: AbortSignal,
  ): Promise<void> {
    listener([turnStart(start), ...this.#untold.splice(0)]);
    this.#listener = listener;
    const stop = () => void this.cancel();
    signal.addEventListener("abort", stop, { once: true });
    let end: TurnEnd;
    try {
      if (userBlocks) {
        // What the last turn still waited for will not come.
        this.#isGoingOn = this.#turn !== undefined;
        await this.cancel();
        this.#isGoingOn = false;
        this.#begin(userBlocks);
      }
      if (signal.aborted) stop();
      end = await this.#stopsOrWaits();
    } catch (error) {
      this.#setting.onError(error);
      end = { status: "stopped", stopReason: "error", error: brokenText(error) };
    } finally {
      signal.removeEventListener("abort", stop);
    }
    this.#listener = undefined;
    this.#isResponding = false;
    listener([lastAt(this.#lastEnd, turnStop(end))]);
  }

  #begin(blocks: readonly ContentBlock[]): void {
    const abort = new AbortController();
    const end = this.#prompt(blocks, abort.signal);
    // Whoever waits for it hears of a failure; nobody may.
    end.catch(() => undefined);
    this.#turn = { end, abort };
  }

  async #prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    try {
      const end = await this.session.prompt(blocks, signal);
      this.isBroken = end.status === "stopped" && end.stopReason === "error";
      return end;
    } catch (error) {
      this.isBroken = true;
      throw error;
    } finally {
      this.#turn = undefined;
    }
  }

  async #stopsOrWaits(): Promise<TurnEnd> {
    const turn = this.#turn;
    // It ended between the answer and this: what came of it is told already.
    if (!turn) return { status: "stopped", stopReason: "end_turn" };
    const waits = new Promise<TurnEnd>((resolve) => {
      this.#onQuiet = () => {
        const { seq } = this.session;
        this.ends.also.add(seq);
        this.#lastEnd = seq;
        const told = this.#events.pause(seq);
        if (told.length > 0) this.#listener?.(told);
        resolve({ status: "parked" });
      };
    });
    this.#look();
    try {
      return await Promise.race([turn.end, waits]);
    } finally {
      this.#onQuiet = undefined;
      clearTimeout(this.#quiet);
    }
  }

  #take(recorded: readonly RecordedEvent[]): void {
    for (const { event, seq } of recorded) {
      const told = this.#events.read(event, seq);
      if (told.length > 0) {
        if (this.#listener) this.#listener(told);
        else this.#untold.push(...told);
      }
      if (event.type !== "turn-stopped") continue;
      if (this.#isGoingOn) {
        this.ends.except.add(seq);
        continue;
      }
      this.#lastEnd = seq;
      // Nobody asked for that response: the history tells of it.
      this.#untold = [];
    }
    this.#look();
  }

  /** The turn waits for the app when all that is open waits, and nothing moves. */
  #look(): void {
    clearTimeout(this.#quiet);
    if (!this.#onQuiet || !this.#waits()) return;
    this.#quiet = setTimeout(() => {
      if (this.#waits()) this.#onQuiet?.();
    }, QUIET_MILLISECONDS);
  }

  #waits(): boolean {
    const { book } = this.session;
    const open = book.openCalls();
    return (
      open.some(({ state }) => state.status === "waiting") &&
      open.every(
        ({ state }) =>
          state.status === "waiting" &&
          state.waitingFor.type === "question" &&
          book.question(state.waitingFor.questionId)?.state.status === "open",
      )
    );
  }
}
