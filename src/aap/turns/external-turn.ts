/** The turn of an external agent's session. A turn outlives the response that started it: where it waits, the next response continues it. */
import type { SessionHandle, TurnEnd } from "../../agent/index.js";
import type { ContentBlock, RecordedEvent } from "../../call/index.js";
import type { ServerContext } from "../server-context.js";
import type { SessionConfig } from "../sessions/session-config.js";
import type { RequestNote } from "../stream/response-log.js";
import { acceptAnswers } from "./accept-submission.js";
import { OpenSession } from "./open-session.js";
import type { Checked } from "./submission.js";
import type { TurnRunner } from "./turn-host.js";

/** How long nothing must happen before a turn that has asked counts as waiting: agents ask several questions at once. */
const QUIET_MS = 100;

type Turn = { readonly end: Promise<TurnEnd>; readonly abort: AbortController };

export class ExternalTurn implements TurnRunner {
  readonly open: OpenSession;
  /** The last turn ended with an error: the agent behind the session may be gone. */
  isBroken = false;
  /** The request is in the log. */
  isNoted = false;
  readonly #server: ServerContext;
  #turn: Turn | undefined;
  /** The turn of the prompt that was just stored; it may be over before its response begins. */
  #started: Turn | undefined;
  #onQuiet: (() => void) | undefined;
  #quietTimer: NodeJS.Timeout | undefined;

  constructor(
    server: ServerContext,
    session: SessionHandle,
    config: SessionConfig,
    log: readonly RecordedEvent[],
  ) {
    this.#server = server;
    this.open = new OpenSession(server, session, { config, log, hasSteps: false }, () => this.#watchQuiet());
  }

  get openTurn(): TurnRunner["openTurn"] {
    return this.#turn && "waiting";
  }

  /** The open session alone writes to the log, so a note is kept beside it. */
  async note(note: RequestNote): Promise<void> {
    if (!this.isNoted) this.open.keepNote(note, this.open.lastEnd + 1);
  }

  async accept(checked: Checked): Promise<void> {
    await acceptAnswers(this.#server.ledger, checked, this.#server.now);
    this.open.session.gate.wake();
  }

  /** Starts the turn: the agent's session stores the prompt first. `run` goes on with the started turn. */
  async storePrompt(prompt: readonly ContentBlock[], note: RequestNote | undefined): Promise<boolean> {
    if (note) await this.note(note);
    this.#started = await this.#replaceTurn(prompt);
    return true;
  }

  async run(_prompt: readonly ContentBlock[] | undefined, signal: AbortSignal): Promise<TurnEnd> {
    const stop = () => void this.cancel();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const turn = this.#started ?? this.#turn;
      this.#started = undefined;
      if (signal.aborted) stop();
      // Without one, the turn ended after the answer was accepted, and its events are sent already.
      return turn ? await this.#untilItWaits(turn) : { status: "stopped", stopReason: "end_turn" };
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** Nothing to do: the session closes its calls, or is closed because it is broken. */
  async cancelCalls(): Promise<void> {}

  /** Nothing to do: the session stays open. */
  async release(): Promise<void> {}

  async cancel(): Promise<boolean> {
    const turn = this.#turn;
    turn?.abort.abort();
    await turn?.end.catch(() => undefined);
    return turn !== undefined;
  }

  async close(): Promise<void> {
    await this.cancel();
    await this.open.close();
  }

  /** The last turn no longer gets the answers that it waits for. Throws when the new turn cannot be recorded. */
  async #replaceTurn(prompt: readonly ContentBlock[]): Promise<Turn> {
    this.open.keepUnsent();
    this.open.isReplacingTurn = this.#turn !== undefined;
    await this.cancel();
    await this.open.settle();
    this.open.isReplacingTurn = false;
    const abort = new AbortController();
    const end = this.#prompt(prompt, abort.signal);
    // `run` reports a failure; without a response nobody waits for it.
    end.catch(() => undefined);
    const turn = { end, abort };
    this.#turn = turn;
    try {
      await this.#turnRecorded(end);
      return turn;
    } catch (error) {
      await this.open.endEmitting().catch(() => undefined);
      throw error;
    }
  }

  /** Resolves when the start of the turn is recorded, or the turn is over already. */
  #turnRecorded(end: Promise<TurnEnd>): Promise<void> {
    return new Promise((resolve, reject) => {
      const stopListening = this.open.session.onRecorded((events) => {
        if (events.some(({ type }) => type === "turn-started")) resolve();
      });
      void end.then(() => resolve(), reject).finally(stopListening);
    });
  }

  async #prompt(prompt: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    try {
      const end = await this.open.session.prompt(prompt, signal);
      this.isBroken = end.status === "stopped" && end.stopReason === "error";
      return end;
    } catch (error) {
      this.isBroken = true;
      throw error;
    } finally {
      this.#turn = undefined;
    }
  }

  async #untilItWaits({ end }: Turn): Promise<TurnEnd> {
    const waits = new Promise<TurnEnd>((resolve) => {
      this.#onQuiet = () => {
        this.open.pause();
        resolve({ status: "parked" });
      };
    });
    this.#watchQuiet();
    try {
      return await Promise.race([end, waits]);
    } finally {
      this.#onQuiet = undefined;
      clearTimeout(this.#quietTimer);
    }
  }

  /** The turn waits for the app when all open calls wait, and nothing is recorded for a while. */
  #watchQuiet(): void {
    clearTimeout(this.#quietTimer);
    if (!this.#onQuiet || !this.#isWaiting()) return;
    this.#quietTimer = setTimeout(() => {
      if (this.#isWaiting()) this.#onQuiet?.();
    }, QUIET_MS);
  }

  #isWaiting(): boolean {
    const { book } = this.open.session;
    const open = book.openCalls();
    return (
      open.length > 0 &&
      open.every(
        ({ state }) =>
          state.status === "waiting" &&
          state.waitingFor.type === "question" &&
          book.question(state.waitingFor.questionId)?.state.status === "open",
      )
    );
  }
}
