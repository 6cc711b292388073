/**
 * Submits to a session and receives the turn, also where another client was faster: calls that were answered elsewhere
 * are left out, and when nothing is left to submit, the turn is received as it goes on by itself.
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

export type Received = { readonly result: TurnResult; readonly open: readonly ToolUseBlock[] };

type SubmitterOptions = { readonly onEvent?: (event: TurnEvent) => void; readonly signal?: AbortSignal };

/** The interval and the maximum wait of checks whether a turn has continued. */
const CHECK_MS = 250;
const WAIT_MS = 30_000;

export class TurnSubmitter {
  readonly #client: AapClient;
  readonly #sessionId: string;
  readonly #onEvent: (event: TurnEvent) => void;
  readonly #signal: { readonly signal?: AbortSignal };
  /** The first event id of the turn that was received last. */
  #lastTurn: string | undefined;

  constructor(client: AapClient, sessionId: string, { onEvent, signal }: SubmitterOptions) {
    this.#client = client;
    this.#sessionId = sessionId;
    this.#onEvent = onEvent ?? (() => undefined);
    this.#signal = { ...(signal && { signal }) };
  }

  async submit(request: TurnRequest): Promise<Received> {
    if (request.messages.length === 0) return this.#followTurn(request.stream);
    try {
      return await this.#receive(this.#client.turn(this.#sessionId, request, this.#signal));
    } catch (error) {
      if (await this.#isGoingOn(error, request)) return this.#followTurn(request.stream);
      const answered = answeredBefore(error);
      const messages = request.messages.filter((message) => !isAbout(message, answered));
      if (messages.length === request.messages.length) throw error;
      return this.submit({ ...request, messages });
    }
  }

  /** True when the server is busy because it already has the answers and runs the turn. */
  async #isGoingOn(error: unknown, { messages }: TurnRequest): Promise<boolean> {
    const isBusy = error instanceof AapError && error.problem === "BUSY";
    return isBusy && messages.every(({ role }) => role !== "user") && this.#client.offers("event-ids");
  }

  /** The client has the current turn from the history. */
  async skipCurrent(): Promise<void> {
    // Without event ids turns cannot be distinguished; but then none is resumed from elsewhere either.
    if (!(await this.#client.offers("event-ids"))) return;
    const turn = this.#client.currentTurn(this.#sessionId, this.#signal);
    const events = turn[Symbol.asyncIterator]();
    await events.next();
    await events.return?.();
    this.#lastTurn = turn.firstEventId;
  }

  async #followTurn(wanted: StreamMode = "delta"): Promise<Received> {
    const { signal } = this.#signal;
    // Only a stream has event ids, which identify turns.
    const stream = wanted === "none" ? "delta" : wanted;
    for (let waited = 0; waited < WAIT_MS; waited += CHECK_MS) {
      const turn = this.#client.currentTurn(this.#sessionId, { ...this.#signal, stream });
      const events = turn[Symbol.asyncIterator]();
      const first = await events.next();
      if (!first.done && turn.firstEventId !== this.#lastTurn) return this.#receive(turn, first.value);
      await events.return?.();
      await sleep(CHECK_MS, signal);
    }
    throw new AapError(
      "STREAM_CUT",
      `All calls of session ${this.#sessionId} were answered elsewhere, and its turn has not gone on since. Nothing was submitted; read the history for its result.`,
    );
  }

  async #receive(turn: Turn, first?: TurnEvent): Promise<Received> {
    const open = new OpenCalls();
    const read = (event: TurnEvent) => {
      open.read(event);
      this.#onEvent(event);
    };
    if (first) read(first);
    for await (const event of turn) read(event);
    this.#lastTurn = turn.firstEventId;
    // When events are missing, the history has the open calls.
    return { result: await turn, open: turn.isFromHistory ? [] : open.toAnswer() };
  }
}

/** The calls that the server refuses because they were answered before. */
function answeredBefore(error: unknown): ReadonlySet<unknown> {
  if (!(error instanceof AapError) || error.problem !== "ALREADY_ANSWERED") return new Set();
  const { recorded } = error.details;
  return new Set(
    Array.isArray(recorded) ? recorded.map((one: { toolCallId?: unknown }) => one.toolCallId) : [],
  );
}

const isAbout = (message: TurnMessage, toolCallIds: ReadonlySet<unknown>): boolean =>
  "toolCallId" in message && toolCallIds.has(message.toolCallId);
