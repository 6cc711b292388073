/**
 * A session whose turns run in the host's own loop. The loop emits text, thoughts and plans, and its calls go through
 * the session's gate: announced, checked, asked about, run and recorded like all others.
 */
import {
  AMOUNT,
  checkOptions,
  FUNCTION,
  LEDGER,
  LIST,
  OBJECT,
  required,
  TEXT,
  TOOLS,
  WORKSPACE,
} from "../call/check-options.js";
import { errorMessage } from "../call/error-message.js";
import type { OptionChecks } from "../call/check-options.js";
import { randomUUID } from "node:crypto";
import type {
  ContentBlock,
  Ledger,
  PlanEntry,
  SessionEvent,
  SessionInfo,
  StopReason,
} from "../call/index.js";
import { decide } from "../policy/index.js";
import type { Rule } from "../policy/index.js";
import { SessionRecord } from "../record/index.js";
import type { FlushTimer, LeaseWait } from "../record/index.js";
import { Gate, mustBeRules, recoveryEvents } from "../run/index.js";
import { answeredElsewhere } from "../run/askers.js";
import type { Elicit, GateOptions } from "../run/index.js";
import { placesOf, sessionWorkspace } from "../tools/scratch/session-workspace.js";
import { Toolbox } from "../tools/index.js";
import type { Tool, Workspace } from "../tools/index.js";
import type { SessionHandle } from "./session-handle.js";
import { MessageIds, TurnGate } from "./turn-gate.js";
import { checkPrompt, RecordedSession } from "./recorded-session.js";
import type { TurnEnd } from "./advance-turn.js";

/** The part of the session that a loop may use during one turn. */
export type LoopTurn = {
  readonly sessionId: string;
  readonly workspace: Workspace;
  /** Aborts when the person cancels. */
  readonly signal: AbortSignal;
  /** Emits text for the person; consecutive pieces form one message. */
  readonly say: (text: string) => void;
  readonly think: (text: string) => void;
  readonly plan: (entries: readonly PlanEntry[]) => void;
};

export type Loop = {
  readonly name: string;
  /** Tools that the loop calls by name through the gate; it may also wrap its own (`gate.wrapTools`). */
  readonly tools?: readonly Tool[];
  /** Calls that no rule covers ask a person first. */
  readonly rules?: readonly Rule[];
  /** Runs one turn and returns its stop reason; `undefined` means that the turn is done. */
  readonly prompt: (
    turn: LoopTurn,
    input: readonly ContentBlock[],
    gate: Gate,
  ) => Promise<Exclude<StopReason, "error"> | void>;
};

export type LoopSessionOptions = LeaseWait & {
  readonly loop: Loop;
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  readonly sessionId: string;
  readonly elicit?: Elicit;
  /** Shared by sessions that write their text together: one transaction for many of them. */
  readonly flushTimer?: FlushTimer;
  readonly now?: () => number;
};

const LOOP: OptionChecks<Loop> = {
  name: required(TEXT),
  tools: TOOLS,
  rules: LIST,
  prompt: required(FUNCTION),
};

const LOOP_SESSION_OPTIONS: OptionChecks<LoopSessionOptions> = {
  loop: required(OBJECT),
  ledger: required(LEDGER),
  workspace: required(WORKSPACE),
  sessionId: required(TEXT),
  elicit: FUNCTION,
  flushTimer: OBJECT,
  leaseWaitMs: AMOUNT,
  onLeaseWait: FUNCTION,
  now: FUNCTION,
};

export class LoopSession extends RecordedSession implements SessionHandle {
  readonly #options: LoopSessionOptions;
  /** Each turn gets its own gate, since the tools that a loop wraps belong to one turn. */
  readonly #gateOptions: () => GateOptions;
  /** The gate of the running turn, or of the last one. */
  gate: Gate;

  private constructor(options: LoopSessionOptions, record: SessionRecord) {
    const { loop, workspace, elicit, now = Date.now } = options;
    const { tools = [], rules = [] } = loop;
    super(record, now);
    this.#options = options;
    this.#gateOptions = () => ({
      record,
      toolbox: new Toolbox(tools),
      workspace,
      now,
      elicit,
      ask: answeredElsewhere,
      judge: (intent, also = []) =>
        decide(intent, { ...placesOf(workspace), rules: [...rules, ...also], now: now() }),
    });
    this.gate = new Gate(this.#gateOptions());
  }

  static async open(options: LoopSessionOptions): Promise<LoopSession> {
    checkOptions("LoopSession.open", options, LOOP_SESSION_OPTIONS);
    checkOptions("LoopSession.open, loop", options.loop, LOOP);
    const { loop, ledger, sessionId, workspace, leaseWaitMs, onLeaseWait, flushTimer } = options;
    mustBeRules(loop.rules ?? []);
    const owner = `${loop.name} ${process.pid} ${randomUUID().slice(0, 8)}`;
    const lease = { owner, leaseWaitMs, onLeaseWait };
    const record = await SessionRecord.open(ledger, sessionId, { ...lease, flushTimer });
    const own = await sessionWorkspace(workspace, sessionId);
    const session = new LoopSession({ ...options, workspace: own }, record);
    try {
      await session.#begin({ cwd: workspace.root, agent: loop.name });
    } catch (error) {
      await record.close();
      throw error;
    }
    return session;
  }

  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    checkPrompt(blocks, signal);
    const turnId = await this.startTurn(blocks);
    // A turn that was cancelled while it was queued does not start.
    const ended = signal.aborted ? CANCELLED_TURN : await this.#run(turnId, blocks, signal);
    return this.#stop(turnId, ended);
  }

  /** Stops the open turn: its state was in the loop, so no other process can resume it. */
  async advance(): Promise<TurnEnd> {
    const { turn } = this.book;
    return turn && turn.state.status !== "stopped"
      ? this.#stop(turn.turnId, { stopReason: "cancelled" })
      : { status: "stopped", stopReason: "end_turn" };
  }

  async setMode(modeId: string): Promise<void> {
    checkOptions("LoopSession.setMode", { modeId }, { modeId: required(TEXT) });
    await this.#write([{ type: "mode-changed", at: this.now(), modeId }]);
  }

  async close(): Promise<void> {
    await this.gate.close();
  }

  async #begin(info: SessionInfo): Promise<void> {
    if (this.seq === 0) await this.#write([{ type: "info-changed", at: this.now(), info }]);
    await this.#write(await recoveryEvents(this.record, this.now));
    await this.advance();
  }

  async #run(turnId: string, blocks: readonly ContentBlock[], signal: AbortSignal): Promise<Ended> {
    const { loop, workspace } = this.#options;
    const writer = this.record.writer();
    let isOver = false;
    const isOpen = () => !isOver && !signal.aborted;
    const gate = new TurnGate(this.#gateOptions(), isOpen);
    this.gate = gate;
    const messageIds = new MessageIds(turnId);
    const stopListening = this.onRecorded((events) => {
      if (events.some(({ type }) => type === "call-announced")) messageIds.interrupt();
    });
    const add = (event: SessionEvent) => {
      if (isOpen()) writer.add(event);
    };
    const say = (role: "agent" | "thought") => (text: string) =>
      add(chunk(this.now(), messageIds.idFor(role), role, { type: "text", text }));
    // The turn's calls end at once, also when the loop ignores the signal.
    const cancelCalls = () => void gate.cancel(CANCELLED).catch(() => undefined);
    signal.addEventListener("abort", cancelCalls, { once: true });
    try {
      const running = loop.prompt(
        {
          sessionId: this.sessionId,
          workspace,
          signal,
          say: say("agent"),
          think: say("thought"),
          plan: (entries) => add({ type: "plan-updated", at: this.now(), entries }),
        },
        blocks,
        gate,
      );
      const stopReason = await Promise.race([running, givenUp(signal)]);
      await writer.flush();
      return { stopReason: signal.aborted ? "cancelled" : (stopReason ?? "end_turn") };
    } catch (error) {
      if (signal.aborted) return { stopReason: "cancelled" };
      return { stopReason: "error", error: errorMessage(error) };
    } finally {
      isOver = true;
      stopListening();
      signal.removeEventListener("abort", cancelCalls);
    }
  }

  async #stop(turnId: string, ended: Ended): Promise<TurnEnd> {
    await this.gate.cancel(ended.stopReason === "cancelled" ? CANCELLED : "the turn ended without it.");
    await this.#write([{ type: "turn-stopped", at: this.now(), turnId, ...ended }]);
    return { status: "stopped", ...ended };
  }

  async #write(events: readonly SessionEvent[]): Promise<void> {
    await this.record.append(events, { durable: true });
  }
}

type Ended = { readonly stopReason: StopReason; readonly error?: string };

const CANCELLED_TURN: Ended = { stopReason: "cancelled" };
const CANCELLED = "the turn was cancelled.";
/** The time that a cancelled loop has to end. */
const CANCEL_WAIT_MS = 10_000;

function givenUp(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wait = () => void setTimeout(resolve, CANCEL_WAIT_MS).unref();
    if (signal.aborted) wait();
    else signal.addEventListener("abort", wait, { once: true });
  });
}

function chunk(at: number, messageId: string, role: "agent" | "thought", block: ContentBlock): SessionEvent {
  return { type: "message-chunk", at, messageId, role, block };
}
