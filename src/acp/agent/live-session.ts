/**
 * A session as an ACP client sees it: recorded events are sent as they happen, questions go to the client, and one
 * turn runs at a time.
 */
import type { TurnEnd } from "../../agent/index.js";
import { waitForEnd } from "../../agent/wait-for-turn.js";
import type { ContentBlock, RecordedCompaction, SessionEvent, Usage } from "../../call/index.js";
import { responseUsage } from "../../call/response-usage.js";
import { SerialQueue } from "../../call/serial-queue.js";
import { ClientGone } from "../../run/client-gone.js";
import type { Ask } from "../../run/index.js";
import { ConnectionClosed } from "../connection/peer.js";
import type { Peer } from "../connection/peer.js";
import type { AgentDialect } from "../agent-dialect.js";
import type { Command, HostedSession } from "./acp-host.js";
import { AskClient } from "./ask-client.js";
import { OutboundQueue } from "./outbound-queue.js";
import type { Outbound } from "./outbound-queue.js";

export type LiveSessionOptions = {
  readonly hosted: HostedSession;
  readonly peer: Peer;
  readonly dialect: AgentDialect;
  readonly clientName: string;
};

/** Characters that may be in transit to the client. Above that, updates stay in the queue. */
const MAX_UNSENT_CHARACTERS = 1024 * 1024;

export class LiveSession {
  readonly hosted: HostedSession;
  readonly #peer: Peer;
  readonly #dialect: AgentDialect;
  readonly #client: AskClient;
  readonly #notify: (update: object) => void;
  readonly #stopListening: () => void;
  readonly #outbound = new OutboundQueue();
  /** For the turn that runs and the turns in the queue. */
  readonly #aborts = new Set<AbortController>();
  /** Settles when all turns have ended and their updates are sent. */
  readonly #turns = new SerialQueue();
  #commands: Promise<unknown> = Promise.resolve();
  #isBlocked = false;
  #cost = 0;

  constructor({ hosted, peer, dialect, clientName }: LiveSessionOptions) {
    this.hosted = hosted;
    this.#peer = peer;
    this.#dialect = dialect;
    this.#client = new AskClient({
      book: this.#session.book,
      peer,
      dialect,
      clientName,
      sendCall: (toolCallId) => {
        this.#outbound.addCall(toolCallId);
        this.flush();
      },
    });
    const { sessionId } = this.#session;
    this.#notify = peer.notifier("session/update", (update: object | null) => ({ sessionId, update }));
    for (const usage of responseUsage(this.#session.book)) this.#addCost(usage);
    this.#stopListening = this.#session.onRecorded((events) => this.#report(events));
  }

  get #session() {
    return this.hosted.session;
  }

  get isBusy(): boolean {
    return this.#aborts.size > 0;
  }

  /** Everything that is remembered, in the order in which it happened. */
  replay(): void {
    const { timeline, compactions, plan, info } = this.#session.book.snapshot();
    const started = new Set<string>();
    const unsent = [...compactions];
    for (const entry of timeline) {
      const at = entry.type === "call" ? entry.call.times.announced : entry.message.at;
      while ((unsent[0]?.at ?? Infinity) <= at) this.#addCompaction(unsent.shift());
      if (entry.type === "call") this.#outbound.addCall(entry.call.toolCallId);
      else {
        const { messageId } = entry.message;
        const updates = this.#dialect.message(entry.message, !started.has(messageId));
        for (const update of updates) this.#outbound.addUpdate(update);
        started.add(messageId);
      }
    }
    for (const compaction of unsent) this.#addCompaction(compaction);
    if (plan.length > 0) this.#outbound.addEvent({ type: "plan-updated", at: 0, entries: plan });
    if (info.title !== undefined) this.#outbound.addEvent({ type: "info-changed", at: 0, info });
    this.flush();
  }

  #addCompaction(compaction: RecordedCompaction | undefined): void {
    if (compaction) this.#outbound.addEvent({ type: "context-compacted", ...compaction });
  }

  /** Sends an update that is not part of the record. */
  send(update: object): void {
    this.#outbound.addUpdate(update);
    this.#flushWhenReady();
  }

  /** The use of the model's window, and the session's cost. */
  sendUsage(usage: Usage | undefined = this.#session.book.steps.at(-1)?.usage): void {
    const { contextWindow: size } = this.hosted;
    if (size === undefined || usage?.inputTokens === undefined) return;
    const used = usage.inputTokens + (usage.outputTokens ?? 0);
    const cost = this.#cost > 0 && { cost: { amount: this.#cost, currency: "USD" } };
    this.send({ sessionUpdate: "usage_update", used, size, ...cost });
  }

  /** Starts a turn; one that is still under way ends first. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    // The questions of a session that is open elsewhere are being shown: a turn would wait for them.
    if (this.hosted.isWatched) return this.#session.prompt(blocks, signal);
    return this.#runTurn(signal, (stop) => this.#session.prompt(blocks, stop));
  }

  /** Starts a turn and does not wait for its end. Resolves with the id of the user's message when that is recorded. */
  async insert(blocks: readonly ContentBlock[]): Promise<string> {
    const never = new AbortController().signal;
    if (this.hosted.isWatched) await this.#session.prompt(blocks, never);
    return new Promise((resolve, reject) => {
      const turn = this.#runTurn(never, async (stop) => {
        const stopListening = this.#session.onRecorded((events) => {
          const messageId = promptMessageId(events);
          if (messageId !== undefined) resolve(messageId);
        });
        try {
          return await this.#session.prompt(blocks, stop);
        } finally {
          stopListening();
        }
      });
      // When it was recorded and then broke, the turn's end says so; a promise is settled once.
      turn.then(() => reject(new Error("The turn ended before it began.")), reject);
    });
  }

  /** Runs a command that is for us and not for the model. A command is no turn, and waits for none. */
  async runCommand({ run }: Command, words: string, typed: readonly ContentBlock[]): Promise<CommandRun> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    const { signal } = abort;
    const done = Promise.race([run(words, signal), cancelled(signal)])
      .catch((error: unknown) => (error instanceof Error ? error.message : "That could not be done."))
      .then((answer) => this.hosted.aside(typed, answer))
      .finally(() => this.#aborts.delete(abort));
    // Closing the session waits for it too.
    this.#commands = Promise.allSettled([this.#commands, done]);
    const messageId = await done;
    this.flush();
    return { messageId, isCancelled: signal.aborted };
  }

  /** Continues the turn that an earlier process left, if there is one; or shows the questions of another process. */
  async resume(): Promise<void> {
    const status = this.#session.book.turn?.state.status;
    if (status === "running" || status === "parked" || this.hosted.isWatched)
      await this.#runTurn(new AbortController().signal, (stop) => this.#session.advance(stop));
  }

  /** Ends the turn under way and those that wait. Resolves when they have really ended and the client has the updates. */
  async cancel(): Promise<void> {
    this.#abortTurns(undefined);
    await this.#turns.idle();
    await this.#commands;
  }

  async close(): Promise<void> {
    await this.cancel();
    await this.#release();
  }

  /** The client is gone: the turn parks, and its questions stay open. */
  async leave(): Promise<void> {
    if (this.isBusy) this.#abortTurns(new ClientGone());
    await this.#turns.idle();
    await this.#commands;
    await this.#release();
  }

  async #release(): Promise<void> {
    this.#stopListening();
    await this.hosted.close();
  }

  #abortTurns(reason: unknown): void {
    for (const abort of this.#aborts) abort.abort(reason);
  }

  /** Sends the whole queue, also to a client that does not keep up: the next message must follow it. */
  flush(): void {
    this.#outbound.take().forEach((item) => this.#sendItem(item));
  }

  #sendItem(item: Outbound): void {
    if (item.type === "update") return this.#notify(item.update);
    if (item.type === "event") {
      const update = this.#dialect.event(item.event);
      if (update) this.#notify(update);
      return;
    }
    const call = this.#session.book.call(item.toolCallId);
    if (call) this.#dialect.call(call).forEach(this.#notify);
  }

  async #runTurn(signal: AbortSignal, start: (stop: AbortSignal) => Promise<TurnEnd>): Promise<TurnEnd> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    const { signal: stop } = abort;
    const onAbort = () =>
      abort.abort(signal.reason instanceof ConnectionClosed ? new ClientGone() : signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    return this.#turns
      .run(async () => {
        // A prompt in the queue must not end the turn that was left.
        if (stop.reason instanceof ClientGone) return { status: "parked" } as const;
        const end = await waitForEnd(this.#session, this.#ask, stop, () => start(stop));
        // All of a turn's updates go out before its response.
        this.flush();
        return end;
      })
      .finally(() => this.#aborts.delete(abort));
  }

  readonly #ask: Ask = async (question, signal) => {
    try {
      return await this.#client.ask(question, signal);
    } catch (error) {
      // A client that is gone has refused nothing.
      if (error instanceof ConnectionClosed) this.#abortTurns(new ClientGone());
      throw error;
    }
  };

  #report(events: readonly SessionEvent[]): void {
    events.forEach((event) => this.#queueEvent(event));
    this.#flushWhenReady();
  }

  #queueEvent(event: SessionEvent): void {
    if (event.type === "child-stepped") this.#addCost(event.usage);
    if (event.type === "call-cleared" || event.type === "call-refused") {
      const why = event.decision?.notStored;
      if (why !== undefined) this.#outbound.addEvent(notStoredThought(event, why));
    }
    if ("toolCallId" in event) return this.#outbound.addCall(event.toolCallId);
    if (this.#dialect.echoesUser || event.type !== "message-chunk" || event.role !== "user")
      this.#outbound.addEvent(event);
    if (event.type === "step-ended" && event.usage) {
      this.#addCost(event.usage);
      this.sendUsage(event.usage);
    }
    if (event.type === "context-compacted") this.#addCost(event.usage);
  }

  #addCost(usage: Usage | undefined): void {
    if (usage) this.#cost += this.hosted.costOf?.(usage) ?? 0;
  }

  /** Sends at once while the client keeps up, and otherwise when the client has read the earlier messages. */
  #flushWhenReady(): void {
    if (this.#isBlocked) return;
    if (this.#peer.unsent < MAX_UNSENT_CHARACTERS) return this.flush();
    this.#isBlocked = true;
    void this.#flushLater();
  }

  async #flushLater(): Promise<void> {
    await this.#peer.drained();
    this.#isBlocked = false;
    this.flush();
  }
}

/** Editors have no place for it at a call. Not recorded: the decision is. */
function notStoredThought(
  { at, toolCallId }: { readonly at: number; readonly toolCallId: string },
  why: string,
): SessionEvent {
  const text = `The answer holds for this once: its rule was not stored, ${why}.`;
  const messageId = `not-stored_${toolCallId}`;
  return { type: "message-chunk", at, messageId, role: "thought", block: { type: "text", text } };
}

/** `messageId`: the id of the typed message. */
export type CommandRun = { readonly messageId: string; readonly isCancelled: boolean };

function cancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("The command was cancelled.")), { once: true });
  });
}

/** The id of the prompt that starts a turn. Text of a command may have been recorded before it. */
function promptMessageId(events: readonly SessionEvent[]): string | undefined {
  const start = events.findIndex(({ type }) => type === "turn-started");
  const turn = start === -1 ? [] : events.slice(start);
  return turn.flatMap((event) =>
    event.type === "message-chunk" && event.role === "user" ? [event.messageId] : [],
  )[0];
}
