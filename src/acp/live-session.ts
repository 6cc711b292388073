/**
 * A session as an ACP client sees it: what is recorded is sent as it happens, questions are put to the
 * client, and one turn runs at a time.
 */
import type { AgentContext, RequestPermissionRequest, SessionUpdate } from "@agentclientprotocol/sdk";
import { methods } from "@agentclientprotocol/sdk";
import type { AgentSession, TurnEnd } from "../agent/index.js";
import { holdTurn } from "../agent/index.js";
import type { ContentBlock, Question, Session, SessionEvent } from "../call/index.js";
import type { Ask } from "../run/index.js";
import { encodeV1Event } from "./v1/encode-event.js";
import { V1Encoder } from "./v1/encoder.js";
import { encodeV1Permission, readV1Outcome } from "./v1/permission.js";
import type { V1Update } from "./v1/wire.js";

export class LiveSession {
  readonly session: AgentSession;
  readonly #client: AgentContext;
  readonly #clientName: string;
  readonly #encoder = new V1Encoder();
  readonly #stopListening: () => void;
  /** Those of the turn under way and of the turns that wait for their turn. */
  readonly #aborts = new Set<AbortController>();
  /** Over when all turns have ended and the client has heard of it. */
  #turns: Promise<unknown> = Promise.resolve();
  #sent: Promise<void> = Promise.resolve();
  /** Calls that changed since they were last told, in order. */
  readonly #changed = new Set<string>();
  #isTelling = false;

  constructor(session: AgentSession, client: AgentContext, clientName: string) {
    this.session = session;
    this.#client = client;
    this.#clientName = clientName;
    this.#stopListening = session.onRecorded((events) => this.#report(events));
  }

  /** Everything that is remembered, in the order in which it happened. */
  async replay(): Promise<void> {
    const session = this.session.book.snapshot();
    for (const entry of session.timeline) {
      if (entry.type === "call") this.#send(this.#encoder.encode(entry.call));
      else
        this.#send(entry.message.blocks.flatMap((block) => encodeV1Event(chunk(entry.message, block)) ?? []));
    }
    this.#send(planOf(session));
    await this.#sent;
  }

  /** Starts a turn; one that is still under way ends first. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    return this.#hold(signal, (stop) => this.session.prompt(blocks, stop));
  }

  /** Goes on with the turn that an earlier process left, if there is one. */
  async resume(): Promise<void> {
    const status = this.session.book.turn?.state.status;
    if (status === "running" || status === "parked") {
      await this.#hold(new AbortController().signal, (stop) => this.session.advance(stop));
    }
  }

  /** Ends the turn under way and those that wait. Returns when they have really ended and the client has heard of it. */
  async cancel(): Promise<void> {
    for (const abort of this.#aborts) abort.abort();
    await this.#turns;
  }

  async close(): Promise<void> {
    await this.cancel();
    this.#stopListening();
    await this.session.close();
  }

  async #hold(signal: AbortSignal, start: (stop: AbortSignal) => Promise<TurnEnd>): Promise<TurnEnd> {
    const abort = new AbortController();
    this.#aborts.add(abort);
    const stop = AbortSignal.any([signal, abort.signal]);
    const turn = this.#turns
      .then(async () => {
        const end = await holdTurn(this.session, this.#ask, stop, () => start(stop));
        // All of a turn's updates go out before its response.
        await this.#drained();
        return end;
      })
      .finally(() => this.#aborts.delete(abort));
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  readonly #ask: Ask = async (question: Question, signal: AbortSignal) => {
    const call = this.session.book.call(question.toolCallId);
    if (!call) throw new Error(`call ${question.toolCallId} is not known`);
    await this.#drained();
    // The SDK's type is the same, only not readonly.
    const request = encodeV1Permission(question, call) as RequestPermissionRequest;
    const result = await this.#client.request(methods.client.session.requestPermission, request, {
      cancellationSignal: signal,
      stopWaitingOnCancel: true,
    });
    const outcome = readV1Outcome(result, question);
    if (outcome === "cancelled")
      return { outcome: { type: "refused" }, by: "person", reason: "the question was dismissed" };
    return { outcome, by: "person", who: this.#clientName };
  };

  #report(events: readonly SessionEvent[]): void {
    for (const event of events) {
      if ("toolCallId" in event) {
        this.#changed.add(event.toolCallId);
        continue;
      }
      // The client wrote the user's messages itself.
      const update =
        event.type === "message-chunk" && event.role === "user" ? undefined : encodeV1Event(event);
      if (!update) continue;
      this.#tellCalls();
      this.#send([update]);
    }
    void this.#tellInTime();
  }

  /** A client that reads slowly gets fewer messages, not more to read: what changed meanwhile goes into one. */
  async #tellInTime(): Promise<void> {
    if (this.#isTelling) return;
    this.#isTelling = true;
    await this.#drained();
    this.#isTelling = false;
  }

  async #drained(): Promise<void> {
    do {
      await this.#sent;
      this.#tellCalls();
      await this.#sent;
    } while (this.#changed.size > 0);
  }

  #tellCalls(): void {
    for (const toolCallId of this.#changed) {
      const call = this.session.book.call(toolCallId);
      if (call) this.#send(this.#encoder.encode(call));
    }
    this.#changed.clear();
  }

  /** In order; a client that is gone is no reason to stop what is being recorded. */
  #send(updates: readonly V1Update[]): void {
    const { sessionId } = this.session;
    for (const update of updates) {
      // The SDK's type is the same, only not readonly.
      const notification = { sessionId, update: update as SessionUpdate };
      this.#sent = this.#client.notify(methods.client.session.update, notification).catch(() => undefined);
    }
  }
}

type Said = { readonly messageId: string; readonly role: "user" | "agent" | "thought"; readonly at: number };

function chunk({ messageId, role, at }: Said, block: ContentBlock): SessionEvent {
  return { type: "message-chunk", at, messageId, role, block };
}

function planOf({ plan }: Session): readonly V1Update[] {
  const update = plan.length > 0 ? encodeV1Event({ type: "plan-updated", at: 0, entries: plan }) : undefined;
  return update ? [update] : [];
}
