/**
 * Submits to a session and hears what comes of it, also where somebody else was faster: what was answered elsewhere is
 * left out, and when nothing is left to submit, the turn is heard as it goes on by itself.
 */
import type { AapClient } from "./aap-client.js";
import { AapError } from "./aap-error.js";
import { OpenCalls } from "./open-calls.js";
import type {
  StreamMode,
  ToolUseBlock,
  TurnEvent,
  TurnMessage,
  TurnRequest,
  TurnResult,
} from "./protocol.js";
import { sleep } from "./retries.js";
import type { Turn } from "./turn.js";

export type Heard = { readonly result: TurnResult; readonly open: readonly ToolUseBlock[] };

type HearingOptions = { readonly onEvent?: (event: TurnEvent) => void; readonly signal?: AbortSignal };

/** Milliseconds between two looks whether a turn has gone on, and how long it may take to. */
const LOOK = 250;
const PATIENCE = 30_000;

export class Hearing {
  readonly #client: AapClient;
  readonly #sessionId: string;
  readonly #onEvent: (event: TurnEvent) => void;
  readonly #signal: { readonly signal?: AbortSignal };
  /** The first id of the turn that was heard last. */
  #heard: string | undefined;

  constructor(client: AapClient, sessionId: string, { onEvent, signal }: HearingOptions) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#onEvent = onEvent ?? (() => undefined);
    this.#signal = { ...(signal && { signal }) };
  }

  async submit(request: TurnRequest): Promise<Heard> {
    if (request.messages.length === 0) return this.#goneOn(request.stream);
    try {
      return await this.#hear(this.#client.turn(this.#sessionId, request, this.#signal));
    } catch (error) {
      if (await this.#isGoingOn(error, request)) return this.#goneOn(request.stream);
      const answered = answeredBefore(error);
      const messages = request.messages.filter((message) => !isAbout(message, answered));
      if (messages.length === request.messages.length) throw error;
      return this.submit({ ...request, messages });
    }
  }

  /** Whether the server has no time for answers because it has them already, and the turn is under way. */
  async #isGoingOn(error: unknown, { messages }: TurnRequest): Promise<boolean> {
    const isBusy = error instanceof AapError && error.problem === "BUSY";
    return isBusy && messages.every(({ role }) => role !== "user") && this.#client.offers("event-ids");
  }

  /** The turn that is there now is known from the history. */
  async skipCurrent(): Promise<void> {
    // Where it cannot be told apart from what comes, nothing comes from elsewhere either.
    if (!(await this.#client.offers("event-ids"))) return;
    const turn = this.#client.currentTurn(this.#sessionId, this.#signal);
    const events = turn[Symbol.asyncIterator]();
    await events.next();
    await events.return?.();
    this.#heard = turn.firstEventId;
  }

  async #goneOn(wanted: StreamMode = "delta"): Promise<Heard> {
    const { signal } = this.#signal;
    // Only a stream has the ids by which turns are told apart.
    const stream = wanted === "none" ? "delta" : wanted;
    for (let waited = 0; waited < PATIENCE; waited += LOOK) {
      const turn = this.#client.currentTurn(this.#sessionId, { ...this.#signal, stream });
      const events = turn[Symbol.asyncIterator]();
      const first = await events.next();
      if (!first.done && turn.firstEventId !== this.#heard) return this.#hear(turn, first.value);
      await events.return?.();
      await sleep(LOOK, signal);
    }
    throw new AapError(
      "STREAM_CUT",
      `All calls of session ${this.#sessionId} were answered elsewhere, and its turn has not gone on since. Nothing was submitted; read the history to see what became of it.`,
    );
  }

  async #hear(turn: Turn, first?: TurnEvent): Promise<Heard> {
    const open = new OpenCalls();
    const read = (event: TurnEvent) => {
      open.read(event);
      this.#onEvent(event);
    };
    if (first) read(first);
    for await (const event of turn) read(event);
    this.#heard = turn.firstEventId;
    return { result: await turn, open: open.toAnswer() };
  }
}

/** The calls that the server names when it says that they were answered before. */
function answeredBefore(error: unknown): ReadonlySet<unknown> {
  if (!(error instanceof AapError) || error.problem !== "ALREADY_ANSWERED") return new Set();
  const { recorded } = error.details;
  return new Set(
    Array.isArray(recorded) ? recorded.map((one: { toolCallId?: unknown }) => one.toolCallId) : [],
  );
}

const isAbout = (message: TurnMessage, toolCallIds: ReadonlySet<unknown>): boolean =>
  "toolCallId" in message && toolCallIds.has(message.toolCallId);
