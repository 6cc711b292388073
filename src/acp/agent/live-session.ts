/**
 * A session as an ACP client sees it: what is recorded is told as it happens, questions are put to the client,
 * and one turn runs at a time.
 */
import type { TurnEnd } from "../../agent/index.js";
import { holdTurn } from "../../agent/index.js";
import type { ContentBlock, Question, SessionEvent, Usage } from "../../call/index.js";
import type { Ask } from "../../run/index.js";
import { ConnectionClosed } from "../connection/peer.js";
import type { Peer } from "../connection/peer.js";
import type { AgentDialect } from "../agent-dialect.js";
import type { Command, HostedSession } from "./host.js";
import { reasonOf } from "./reject-reason.js";
import { OutboundQueue } from "./outbound-queue.js";

export type LiveSessionOptions = {
  readonly hosted: HostedSession;
  readonly peer: Peer;
  readonly dialect: AgentDialect;
  readonly clientName: string;
};

/** Characters that may be on their way to the client. Until it has taken them, what happens is gathered. */
const MOST_UNSENT = 1024 * 1024;

export class LiveSession {
  readonly hosted: HostedSession;
  readonly #peer: Peer;
  readonly #dialect: AgentDialect;
  readonly #clientName: string;
  readonly #send: (update: object) => void;
  readonly #stopListening: () => void;
  readonly #waiting = new OutboundQueue();
  /** Those of the turn under way and of the turns that wait for their turn. */
  readonly #aborts = new Set<AbortController>();
  /** Over when all turns have ended and the client was told of it. */
  #turns: Promise<unknown> = Promise.resolve();
  #commands: Promise<unknown> = Promise.resolve();
  #isHeldUp = false;
  #cost = 0;

  constructor({ hosted, peer, dialect, clientName }: LiveSessionOptions) {
    this.hosted = hosted;
    this.#peer = peer;
    this.#dialect = dialect;
    this.#clientName = clientName;
    const { sessionId } = this.#session;
    this.#send = peer.notifier("session/update", (update: object | null) => ({ sessionId, update }));
    for (const { usage } of this.#session.book.steps) this.#addCost(usage);
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
    const { timeline, plan, info } = this.#session.book.snapshot();
    const begun = new Set<string>();
    for (const entry of timeline) {
      if (entry.type === "call") this.#waiting.addCall(entry.call.toolCallId);
      else {
        const { messageId } = entry.message;
        const updates = this.#dialect.message(entry.message, !begun.has(messageId));
        for (const update of updates) this.#waiting.addUpdate(update);
        begun.add(messageId);
      }
    }
    if (plan.length > 0) this.#waiting.addEvent({ type: "plan-updated", at: 0, entries: plan });
    if (info.title !== undefined) this.#waiting.addEvent({ type: "info-changed", at: 0, info });
    this.tellAllNow();
  }

  /** Tells something that is not part of the record. */
  tell(update: object): void {
    this.#waiting.addUpdate(update);
    this.#tell();
  }

  /** How full the model's window is, and what the session has cost. */
  tellUsage(usage: Usage | undefined = this.#session.book.steps.at(-1)?.usage): void {
    const { contextWindow: size } = this.hosted;
    if (size === undefined || usage?.inputTokens === undefined) return;
    const used = usage.inputTokens + (usage.outputTokens ?? 0);
    const cost = this.#cost > 0 && { cost: { amount: this.#cost, currency: "USD" } };
    this.tell({ sessionUpdate: "usage_update", used, size, ...cost });
  }

  /** Starts a turn; one that is still under way ends first. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    return this.#hold(signal, (stop) => this.#session.prompt(blocks, stop));
  }

  /** Starts a turn and lets it go on. Comes back with the id of the person's message when that is recorded. */
  async insert(blocks: readonly ContentBlock[]): Promise<string> {
    const never = new AbortController().signal;
    return new Promise((resolve, reject) => {
      const turn = this.#hold(never, async (stop) => {
        const stopListening = this.#session.onRecorded((events) => {
          const said = firstWords(events);
          if (said !== undefined) resolve(said);
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

  /** What is typed to us and not to the model. It is no turn, and waits for none. */
  async runCommand({ run }: Command, words: string, said: readonly ContentBlock[]): Promise<RanCommand> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    const { signal } = abort;
    const done = Promise.race([run(words, signal), cancelled(signal)])
      .catch((error: unknown) => (error instanceof Error ? error.message : "It could not be done."))
      .then((answer) => this.hosted.aside(said, answer))
      .finally(() => this.#aborts.delete(abort));
    // Whoever closes the session waits for it too.
    this.#commands = Promise.allSettled([this.#commands, done]);
    const messageId = await done;
    this.tellAllNow();
    return { messageId, isCancelled: signal.aborted };
  }

  /** Goes on with the turn that an earlier process left, if there is one. */
  async resume(): Promise<void> {
    const status = this.#session.book.turn?.state.status;
    if (status === "running" || status === "parked")
      await this.#hold(new AbortController().signal, (stop) => this.#session.advance(stop));
  }

  /** Ends the turn under way and those that wait. Comes back when they have really ended and the client was told. */
  async cancel(): Promise<void> {
    for (const abort of this.#aborts) abort.abort();
    await this.#turns;
    await this.#commands;
  }

  async close(): Promise<void> {
    await this.cancel();
    this.#stopListening();
    await this.hosted.close();
  }

  /** Puts all that is recorded by now on its way, also to a client that does not keep up: what comes next must follow it. */
  tellAllNow(): void {
    for (const item of this.#waiting.take()) {
      if (item.type === "update") this.#send(item.update);
      else if (item.type === "event") {
        const update = this.#dialect.event(item.event);
        if (update) this.#send(update);
      } else {
        const call = this.#session.book.call(item.toolCallId);
        if (call) for (const update of this.#dialect.call(call)) this.#send(update);
      }
    }
  }

  async #hold(signal: AbortSignal, start: (stop: AbortSignal) => Promise<TurnEnd>): Promise<TurnEnd> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    const stop = AbortSignal.any([signal, abort.signal]);
    const turn = this.#turns
      .then(async () => {
        const end = await holdTurn(this.#session, this.#ask, stop, () => start(stop));
        // All of a turn's updates go out before its response.
        this.tellAllNow();
        return end;
      })
      .finally(() => this.#aborts.delete(abort));
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  readonly #ask: Ask = async (question: Question, signal: AbortSignal) => {
    const call = this.#session.book.call(question.toolCallId);
    if (!call) throw new Error(`call ${question.toolCallId} is not known`);
    // A client is asked only about what it has been told.
    this.#waiting.addCall(question.toolCallId);
    this.tellAllNow();
    const params = this.#dialect.permission(question, call);
    let result: unknown;
    try {
      result = await this.#peer.request("session/request_permission", params, { signal });
    } catch (error) {
      // A client that is gone has cancelled, and refused nothing.
      if (error instanceof ConnectionClosed) for (const abort of this.#aborts) abort.abort();
      throw error;
    }
    const outcome = this.#dialect.outcome(result, question);
    const reason = reasonOf(result);
    const by = { by: "person", who: this.#clientName } as const;
    if (outcome === "cancelled")
      return { outcome: { type: "refused" }, ...by, reason: reason ?? "the question was dismissed" };
    return { outcome, ...by, ...(reason !== undefined && { reason }) };
  };

  #report(events: readonly SessionEvent[]): void {
    for (const event of events) {
      if ("toolCallId" in event) this.#waiting.addCall(event.toolCallId);
      else if (this.#dialect.echoesUser || event.type !== "message-chunk" || event.role !== "user")
        this.#waiting.addEvent(event);
      if (event.type === "step-ended" && event.usage) {
        this.#addCost(event.usage);
        this.tellUsage(event.usage);
      }
    }
    this.#tell();
  }

  #addCost(usage: Usage | undefined): void {
    if (usage) this.#cost += this.hosted.costOf?.(usage) ?? 0;
  }

  /** At once while the client keeps up; else when it has taken what it was sent. */
  #tell(): void {
    if (this.#isHeldUp) return;
    if (this.#peer.unsent < MOST_UNSENT) return this.tellAllNow();
    this.#isHeldUp = true;
    void this.#tellLater();
  }

  async #tellLater(): Promise<void> {
    await this.#peer.drained();
    this.#isHeldUp = false;
    this.tellAllNow();
  }
}

/** `messageId` is what was typed. */
export type RanCommand = { readonly messageId: string; readonly isCancelled: boolean };

function cancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(new Error("It was cancelled.")), { once: true });
  });
}

/** The id of the message that a turn begins with. What was typed to us may have been recorded with it. */
function firstWords(events: readonly SessionEvent[]): string | undefined {
  const start = events.findIndex(({ type }) => type === "turn-started");
  const said = start === -1 ? [] : events.slice(start);
  return said.flatMap((event) =>
    event.type === "message-chunk" && event.role === "user" ? [event.messageId] : [],
  )[0];
}
