/**
 * A session of a Toolgate server, as the server records it: its events are folded here as they are there, so that its
 * calls, diffs, terminals and questions look as our own do. Questions are answered at the server, with all that they offer.
 * Other AAP servers do not send their events (see RemoteSession).
 */
import { AapError } from "../aap/client/index.js";
import type { AapClient, QuestionAnswer, RecordedSessionEvent } from "../aap/client/index.js";
import type { TurnEnd } from "../agent/index.js";
import { SessionBook, shownQuestion } from "../call/index.js";
import type { ContentBlock, Question, SessionEvent } from "../call/index.js";
import { ClientGone } from "../run/client-gone.js";
import { openQuestions } from "../run/index.js";
import type { Ask } from "../run/index.js";
import { messageContentOf } from "./message-content-of.js";

type Listener = (events: readonly SessionEvent[]) => void;

/** The past of a session arrives at once; after such a pause all of it is here. */
const PAST_PAUSE_MS = 300;
const MAX_PAST_MS = 5_000;
export const CANCEL_TIMEOUT_MS = 5_000;

/** How the events and turns of a session are reached. `send` fails where the message was not taken. */
export type SessionWire = {
  readonly events: (
    signal: AbortSignal,
    onRetry: (text: string) => void,
  ) => AsyncIterable<RecordedSessionEvent>;
  readonly send: (
    message: readonly ContentBlock[],
    options: { readonly signal: AbortSignal; readonly onRetry: (text: string) => void },
  ) => Promise<void>;
  readonly cancel: () => Promise<void>;
};

export class MirroredSession {
  readonly book: SessionBook;
  readonly #client: AapClient;
  readonly #wire: SessionWire;
  readonly #listeners = new Set<Listener>();
  readonly #closing = new AbortController();
  readonly #wakers = new Set<() => void>();
  #failure: { readonly error: unknown } | undefined;
  /** Called during a turn when the model's request is sent again. */
  #onRetry: ((text: string) => void) | undefined;

  constructor(
    client: AapClient,
    readonly sessionId: string,
    wire: SessionWire = appWire(client, sessionId),
  ) {
    this.#client = client;
    this.#wire = wire;
    this.book = new SessionBook(sessionId);
    void this.#follow();
  }

  static async isOffered(client: AapClient): Promise<boolean> {
    return (await client.offers("session-events")) && (await client.offers("questions"));
  }

  readonly now = (): number => Date.now();

  onRecorded(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Returns when the events of a session that is resumed are here. */
  async past(): Promise<void> {
    const deadline = Date.now() + MAX_PAST_MS;
    while (!this.#failure && Date.now() < deadline) {
      const isQuiet = await this.#nextEvent(PAST_PAUSE_MS);
      if (isQuiet && this.book.turn) return;
    }
  }

  /** Sends a message and returns at the end of its turn; without a message, at the end of the turn that is open. */
  async turn(
    message: readonly ContentBlock[] | undefined,
    { ask, signal, onRetry }: { ask: Ask; signal: AbortSignal; onRetry: (text: string) => void },
  ): Promise<TurnEnd> {
    const before = message === undefined ? undefined : this.book.turn?.turnId;
    this.#onRetry = onRetry;
    const over = new AbortController();
    const asking = this.#askAll(ask, AbortSignal.any([signal, over.signal]));
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake);
    try {
      const sent = message === undefined ? undefined : this.#send(message, over.signal);
      await this.#until(() => signal.aborted || this.#isOver(before) || sent?.failure !== undefined);
      if (signal.reason instanceof ClientGone) return { status: "parked" };
      if (signal.aborted) await this.#cancel(before);
      else if (sent?.failure) throw sent.failure.error;
      return this.#end();
    } finally {
      signal.removeEventListener("abort", wake);
      asking.stop();
      over.abort();
      this.#onRetry = undefined;
    }
  }

  close(): Promise<void> {
    this.#closing.abort();
    return Promise.resolve();
  }

  #send(message: readonly ContentBlock[], signal: AbortSignal): { failure?: { readonly error: unknown } } {
    const sent: { failure?: { readonly error: unknown } } = {};
    const onRetry = (text: string): void => this.#onRetry?.(text);
    this.#wire.send(message, { signal, onRetry }).catch((error: unknown) => {
      // The server runs the turn: its events show how it continues, unless the server never accepted it.
      if (error instanceof AapError && error.code === "STREAM_CUT") return;
      sent.failure = { error };
      this.#wake();
    });
    return sent;
  }

  /** `before`: the turn that was the newest when the message was sent. */
  #isOver(before: string | undefined): boolean {
    const { turn } = this.book;
    if (!turn || turn.turnId === before) return false;
    return turn.state.status === "stopped" || (turn.state.status === "parked" && this.#waitsForApp);
  }

  /** Whether only another app can go on: it runs the tool that is called. */
  get #waitsForApp(): boolean {
    return (
      openQuestions(this.book).length === 0 &&
      this.book.openCalls().some(({ state }) => state.status === "waiting" && state.waitingFor.type === "app")
    );
  }

  #end(): TurnEnd {
    const state = this.book.turn?.state;
    if (state?.status !== "stopped") return { status: "parked" };
    const { stopReason, error } = state;
    return { status: "stopped", stopReason, ...(error !== undefined && { error }) };
  }

  async #cancel(before: string | undefined): Promise<void> {
    await this.#wire.cancel();
    const deadline = Date.now() + CANCEL_TIMEOUT_MS;
    while (!this.#failure && !this.#isOver(before) && Date.now() < deadline)
      await this.#nextEvent(deadline - Date.now());
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    try {
      for await (const { event } of this.#wire.events(signal, (text) => this.#onRetry?.(text))) {
        this.book.apply(event);
        for (const listener of this.#listeners) listener([event]);
        this.#wake();
      }
    } catch (error) {
      this.#failure = { error };
      this.#wake();
    }
  }

  #askAll(ask: Ask, signal: AbortSignal): { readonly stop: () => void } {
    const asked = new Map<string, AbortController>();
    const show = (question: Question): void => {
      const { questionId } = question;
      const call = this.book.call(question.toolCallId);
      if (!call || asked.has(questionId)) return;
      const settled = new AbortController();
      asked.set(questionId, settled);
      const until = AbortSignal.any([signal, settled.signal]);
      ask(shownQuestion(question, call), until)
        .then((given) => this.#answer(questionId, given))
        .catch((error: unknown) => {
          if (until.aborted) return;
          this.#failure ??= { error };
          this.#wake();
        });
    };
    const stop = this.onRecorded((events) => {
      for (const event of events)
        if (event.type === "question-asked") show(event.question);
        else if (event.type === "question-answered" || event.type === "question-withdrawn")
          asked.get(event.questionId)?.abort();
    });
    for (const question of openQuestions(this.book)) show(question);
    return { stop };
  }

  async #answer(questionId: string, given: Awaited<ReturnType<Ask>>): Promise<void> {
    try {
      await this.#client.answerQuestion(questionId, answerOf(given));
    } catch (error) {
      // Somebody else was faster: the events show that answer.
      if (!(error instanceof AapError) || error.problem !== "ALREADY_ANSWERED") throw error;
    }
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (!isSo()) {
      if (this.#failure) throw this.#failure.error;
      await this.#nextEvent();
    }
  }

  /** True when the time is over and nothing has happened. */
  #nextEvent(timeoutMs?: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => end(true), timeoutMs);
      const wake = (): void => end(false);
      const end = (isQuiet: boolean): void => {
        clearTimeout(timer);
        this.#wakers.delete(wake);
        resolve(isQuiet);
      };
      this.#wakers.add(wake);
    });
  }

  #wake(): void {
    for (const wake of this.#wakers) wake();
  }
}

/** Turns of an app's session. */
function appWire(client: AapClient, sessionId: string): SessionWire {
  return {
    events: (signal) => client.sessionEvents(sessionId, { signal }),
    send: async (message, { signal, onRetry }) =>
      void (await client.turn(
        sessionId,
        { stream: "message", messages: [{ role: "user", content: messageContentOf(message) }] },
        { signal, onEvent: (event) => event.event === "model_retry" && onRetry(event.data.message) },
      )),
    cancel: async () => void (await client.cancel(sessionId)),
  };
}

function answerOf({ outcome, reason, who, input, keptHunks }: Awaited<ReturnType<Ask>>): QuestionAnswer {
  const chosen =
    outcome.type === "selected"
      ? {
          optionId: outcome.optionId,
          ...(outcome.width !== undefined && { width: outcome.width }),
          ...(outcome.scope !== undefined && { scope: outcome.scope }),
          ...(outcome.expires !== undefined && { expires: outcome.expires }),
        }
      : { granted: false };
  return {
    ...chosen,
    ...(reason !== undefined && { reason }),
    ...(who !== undefined && { who }),
    ...(isInput(input) && { input }),
    ...(keptHunks !== undefined && { keptHunks }),
  };
}

const isInput = (input: unknown): input is { readonly [name: string]: unknown } =>
  typeof input === "object" && input !== null;
