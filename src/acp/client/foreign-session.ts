/**
 * A session of someone else's agent, recorded and decided on here. Doors hold it like one of our own.
 *
 * What must stay true: what the agent sends is taken in, in order; a decision is on record before the agent
 * hears of it; a turn stops only when every call of it has ended, if need be by an end that we assume; when the
 * agent dies nothing hangs.
 */
import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import type { HeldSession, PolicyFor, TurnEnd } from "../../agent/index.js";
import { IllegalEvent, oneLine } from "../../call/index.js";
import type {
  ContentBlock,
  Ledger,
  SessionBook,
  SessionEvent,
  SessionInfo,
  StopReason,
} from "../../call/index.js";
import { decide } from "../../policy/index.js";
import type { Verdict } from "../../policy/index.js";
import { SessionRecord } from "../../run/index.js";
import type { Elicit, Judge, RememberedGrant } from "../../run/index.js";
import type { Workspace } from "../../tools/index.js";
import { ConnectionClosed } from "../connection/peer.js";
import type { Asked, RequestOptions } from "../connection/peer.js";
import { CODE, RpcError } from "../connection/message.js";
import { isJsonObject } from "../json.js";
import type { JsonObject } from "../json.js";
import { AgentTrouble } from "./agent-trouble.js";
import type { Acts } from "./acts.js";
import { Decisions } from "./decisions.js";
import { AGENT_GONE, CANCELLED, endCalls, questionTakenBack, TURN_OVER } from "./end-calls.js";
import type { Why } from "./end-calls.js";
import { Inbox } from "./inbox.js";
import { AgentRequests } from "./agent-requests.js";
import type { Spoken } from "./spoken.js";
import { repaired, UpdateFold } from "./update-fold.js";
import type { TerminalEnd } from "./update-fold.js";

/** The agent at the other side of the connection, as one of its sessions sees it. */
export type AgentSide = {
  /** Its name, for people and for rules. */
  readonly name: string;
  readonly spoken: Spoken;
  request(method: string, params: object, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params: object): void;
  /** Comes when nothing more is heard from it. */
  readonly gone: Promise<void>;
  /** What is known of how it ended. */
  lastWords(): Promise<string>;
  /** Ends it, since it does not listen any more. */
  end(): Promise<void>;
  /** What a command printed that we ran for it, once it has ended. */
  terminalEnd(terminalId: string): TerminalEnd | undefined;
  /** Ends the commands that run for a session. */
  endCommands(agentSessionId: string): Promise<void>;
};

export type ForeignSessionOptions = {
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  /** The rules in force, asked for anew with each decision. */
  readonly policy: PolicyFor;
  /** Stores what an "always" says. Without it no question offers one. */
  readonly remember?: (grant: RememberedGrant, place: { root: string; sessionId: string }) => Promise<void>;
  /** Hears of each call that a rule let through. */
  readonly onCleared?: (verdict: Verdict, place: { root: string; sessionId: string }) => void;
  /** Asks the person at this side what the agent wants to know. */
  readonly elicit?: Elicit;
  /** Ours; a new one when left out. */
  readonly sessionId?: string;
  readonly info?: SessionInfo;
  /** How long to wait for a session that someone else holds, who may have died a moment ago. */
  readonly patience?: number;
  /** How long an agent may take to end a turn that was cancelled. */
  readonly cancelPatience?: number;
  readonly now?: () => number;
};

const CANCEL_PATIENCE_MS = 5_000;
const MOST_TRIES = 5;
const LONGEST_TITLE = 80;

export class ForeignSession implements HeldSession {
  readonly #options: ForeignSessionOptions;
  readonly #record: SessionRecord;
  readonly #agent: AgentSide;
  readonly #inbox: Inbox;
  readonly #fold: UpdateFold;
  readonly #decisions: Decisions;
  readonly #requests: AgentRequests;
  readonly #closed = new AbortController();
  /** What the agent calls this session. */
  readonly agentSessionId: string;
  readonly now: () => number;
  #held: Promise<unknown> = Promise.resolve();
  #turn: Promise<TurnEnd> | undefined;
  /** The turn is being cancelled: nothing is asked any more. */
  #isCancelling = false;
  #isFollowing = false;
  /** Who waits for the session's state to say that the turn is over, and whether it has begun. */
  #turnState: TurnState | undefined;
  /** What the agent replays is on record already. */
  isReplaying = false;

  private constructor(
    options: ForeignSessionOptions,
    record: SessionRecord,
    agent: AgentSide,
    agentSessionId: string,
  ) {
    const { workspace, now = Date.now, remember, onCleared } = options;
    this.#options = options;
    this.#record = record;
    this.#agent = agent;
    this.agentSessionId = agentSessionId;
    this.now = now;
    this.#inbox = new Inbox((updates) => this.#take(updates));
    this.#fold = new UpdateFold({
      book: record.book,
      agent: agent.name,
      terminalEnd: (terminalId) => agent.terminalEnd(terminalId),
      reader: (session) => agent.spoken.reader(session, workspace.root),
      isEchoing: () => agent.spoken.echoesUser && this.#turn !== undefined,
      now,
    });
    const place = { root: workspace.root, sessionId: record.sessionId };
    this.#decisions = new Decisions({
      record,
      judge: judgeFor(options, place, now),
      roots: workspace.roots,
      remember: remember && ((grant) => remember(grant, place)),
      onCleared: onCleared && ((verdict) => onCleared(verdict, place)),
      now,
    });
    this.#requests = new AgentRequests(
      {
        agent: agent.name,
        spoken: agent.spoken,
        workspace,
        record,
        decisions: this.#decisions,
        inbox: this.#inbox,
        fold: this.#fold,
        isCancelling: () => this.#isCancelling,
        onAsked: () => this.#follow(),
        takeBack: (toolCallId, reason) => this.#takeBack(toolCallId, reason),
        now,
      },
      options.elicit,
    );
  }

  /** Takes up a session in the record, new or known. What an earlier process left open has ended with it. */
  static async open(
    options: ForeignSessionOptions,
    agent: AgentSide,
    agentSessionId: string,
  ): Promise<ForeignSession> {
    const { ledger, sessionId = `session_${randomUUID()}`, patience } = options;
    const owner = `${agent.name} ${process.pid} ${randomUUID().slice(0, 8)}`;
    const record = await SessionRecord.open(ledger, sessionId, {
      owner,
      ...(patience !== undefined && { patience }),
    });
    try {
      const session = new ForeignSession(options, record, agent, agentSessionId);
      await session.#begin();
      return session;
    } catch (error) {
      await record.close();
      throw error;
    }
  }

  get sessionId(): string {
    return this.#record.sessionId;
  }

  get seq(): number {
    return this.#record.seq;
  }

  get book(): SessionBook {
    return this.#record.book;
  }

  get ledger(): Ledger {
    return this.#record.ledger;
  }

  readonly gate = {
    /** An answer has come in. */
    wake: (): void => void this.#settle(),
    /** A call that waits for an answer gets none; one that runs is the agent's own. */
    cancelCall: (toolCallId: string, reason: string): Promise<boolean> => this.#takeBack(toolCallId, reason),
  };

  /** How much is still to be taken in. */
  get backlog(): number {
    return this.#inbox.length;
  }

  onRecorded(listener: (events: readonly SessionEvent[]) => void): () => void {
    return this.#record.onRecorded(listener);
  }

  /** Turns that somebody holds, one after the other. */
  async afterOthers<Result>(turn: () => Promise<Result>): Promise<Result> {
    const done = this.#held.then(turn, turn);
    this.#held = done.catch(() => undefined);
    return done;
  }

  /** Says something to the agent. Comes back when its turn is over; questions are held by whoever calls this. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    if (this.#turn)
      throw new AgentTrouble(
        "TURN_RUNNING",
        `A turn of session ${this.sessionId} is under way. Nothing was started; cancel it or wait for its end.`,
      );
    this.#turn = this.#runTurn(blocks, AbortSignal.any([signal, this.#record.lost]));
    try {
      return await this.#turn;
    } finally {
      this.#turn = undefined;
    }
  }

  /** The agent goes on by itself: this waits for the end of the turn that is under way. */
  async advance(_signal: AbortSignal): Promise<TurnEnd> {
    if (this.#turn) return this.#turn;
    throw new AgentTrouble(
      "NO_TURN",
      `Session ${this.sessionId} has no turn under way, and ${this.#agent.name} cannot go on with one that was left. Say something to it.`,
    );
  }

  /** The agent's own mode, by the agent's own name for it. */
  async setMode(modeId: string): Promise<void> {
    await this.#agent.request("session/set_mode", { sessionId: this.agentSessionId, modeId });
    const named = `${this.#agent.name}/${modeId}`;
    await this.#inbox.do(() =>
      this.#record.record(
        this.book.modeId === named ? [] : [{ type: "mode-changed", at: this.now(), modeId: named }],
        { durable: true },
      ),
    );
  }

  async setConfigOption(configId: string, value: string | boolean): Promise<void> {
    const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
    await this.#agent.request("session/set_config_option", {
      sessionId: this.agentSessionId,
      configId,
      ...typed,
    });
  }

  /** A message about this session. */
  receive(update: unknown): void {
    if (this.isReplaying) return;
    this.#inbox.add(update);
    if (this.#turnState) this.#seeState(this.#turnState, this.#agent.spoken.stateIn(update));
  }

  /** Idle without a reason may be what the session was before the prompt. */
  #seeState(turn: TurnState, state: JsonObject | undefined): void {
    if (state?.["state"] === "running") turn.hasRun = true;
    const isOver = turn.hasRun || typeof state?.["stopReason"] === "string";
    if (state?.["state"] === "idle" && isOver) turn.resolve({ stopReason: "end_turn", ...state });
  }

  /** A request of the agent in this session. */
  answer(asked: Asked): unknown {
    return this.#requests.answer(asked);
  }

  /** What the agent does through us. */
  get acts(): Acts {
    return this.#requests.acts;
  }

  /** The agent's name. */
  get agent(): string {
    return this.#agent.name;
  }

  get workspace(): Workspace {
    return this.#options.workspace;
  }

  /** The agent is gone: what it had open ends. */
  async agentGone(): Promise<void> {
    await this.#inbox.do(() => this.#endCalls(AGENT_GONE));
  }

  /** Takes in what has come, ends what is open, and gives the session back. */
  async close(): Promise<void> {
    await this.#agent.endCommands(this.agentSessionId);
    await this.#inbox.empty();
    await this.#inbox.do(() => this.#endCalls(TURN_OVER));
    this.#closed.abort();
    await this.#record.close();
  }

  async #begin(): Promise<void> {
    const { info, workspace } = this.#options;
    const agent = this.#agent.name;
    const { turn } = this.book;
    const at = this.now();
    const toolgate = isJsonObject(info?._meta?.["toolgate"]) ? info._meta["toolgate"] : {};
    const _meta = {
      ...info?._meta,
      toolgate: { ...toolgate, agentSession: { agent, sessionId: this.agentSessionId } },
    };
    const isOpen = turn !== undefined && turn.state.status !== "stopped";
    await this.#record.recordMade(() => [
      { type: "info-changed", at, info: { cwd: workspace.root, ...info, agent, _meta } },
      ...endCalls(this.book, AGENT_GONE, at),
      ...(isOpen
        ? [{ type: "turn-stopped", at, turnId: turn.turnId, stopReason: "cancelled" } as const]
        : []),
    ]);
  }

  async #runTurn(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    const turnId = `turn_${this.#record.seq + 1}`;
    this.#isCancelling = false;
    await this.#inbox.do(() => this.#startTurn(turnId, blocks));
    const ended = await this.#askAgent(blocks, signal);
    await this.#inbox.empty();
    await this.#inbox.do(() => this.#stopTurn(turnId, ended));
    const { stopReason, error } = ended;
    return { status: "stopped", stopReason, ...(error !== undefined && { error }) };
  }

  async #startTurn(turnId: string, blocks: readonly ContentBlock[]): Promise<void> {
    const at = this.now();
    const text = blocks.find((block) => block.type === "text")?.text ?? "";
    const title = oneLine(text, LONGEST_TITLE);
    const isUnnamed = title !== "" && this.book.info.title === undefined;
    const messageId = `user-${turnId}`;
    await this.#record.record(
      [
        ...(isUnnamed ? [{ type: "info-changed", at, info: { title } } as const] : []),
        { type: "turn-started", at, turnId },
        ...blocks.map((block): SessionEvent => ({
          type: "message-chunk",
          at,
          messageId,
          role: "user",
          block,
        })),
      ],
      { durable: true },
    );
  }

  async #askAgent(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<Ended> {
    if (signal.aborted) return { stopReason: "cancelled", why: CANCELLED };
    const { agentSessionId: sessionId } = this;
    const answered = this.#answered(sessionId, blocks);
    const told = await Promise.race([answered, aborted(signal)]);
    return told ?? this.#cancelled(answered);
  }

  /** How the agent says that the turn ended: by its answer, or by the session's state after it. */
  async #answered(sessionId: string, blocks: readonly ContentBlock[]): Promise<Ended> {
    const { gone, spoken } = this.#agent;
    const request = (method: string, params: object) => this.#agent.request(method, params);
    const params = { sessionId, prompt: blocks };
    try {
      if (spoken.version === 1) return endedBy(await request("session/prompt", params));
      const idle = new Promise<JsonObject>((resolve) => {
        this.#turnState = { resolve, hasRun: false };
      });
      await request("session/prompt", params);
      const silenced = gone.then((): never => {
        throw new ConnectionClosed();
      });
      return endedBy(await Promise.race([idle, silenced]));
    } catch (error) {
      return this.#broken(error);
    } finally {
      this.#turnState = undefined;
    }
  }

  /** The agent is told, its questions are taken back, and it has a while to say how it all ended. */
  async #cancelled(answered: Promise<Ended>): Promise<Ended> {
    this.#isCancelling = true;
    this.#agent.notify("session/cancel", { sessionId: this.agentSessionId });
    await this.#inbox.do(() => this.#withdrawQuestions());
    const { cancelPatience = CANCEL_PATIENCE_MS } = this.#options;
    const ended = await Promise.race([answered, aborted(AbortSignal.timeout(cancelPatience))]);
    if (!ended) await this.#agent.end();
    await this.#agent.endCommands(this.agentSessionId);
    // A turn that came to its end all the same was cancelled for whoever cancelled it.
    const error = ended?.stopReason === "error" ? ended.error : undefined;
    return { stopReason: "cancelled", why: CANCELLED, ...(error !== undefined && { error }) };
  }

  async #broken(error: unknown): Promise<Ended> {
    if (error instanceof ConnectionClosed) {
      const words = await this.#agent.lastWords();
      const text = `${this.#agent.name} is gone${words === "" ? "" : `: ${words}`}`;
      return { stopReason: "error", why: AGENT_GONE, error: text };
    }
    const said = error instanceof Error ? oneLine(error.message, 1_000) : "no reason given";
    if (error instanceof RpcError && error.code === CODE.cancelled)
      return { stopReason: "cancelled", why: CANCELLED };
    return { stopReason: "error", why: TURN_OVER, error: `${this.#agent.name} said: ${said}` };
  }

  async #stopTurn(turnId: string, { stopReason, error, why }: Ended): Promise<void> {
    await this.#recordMade(() => [
      ...endCalls(this.book, why, this.now()),
      {
        type: "turn-stopped",
        at: this.now(),
        turnId,
        stopReason,
        ...(error !== undefined && { error }),
      },
    ]);
    this.#decisions.closeWithdrawn();
    this.#requests.turnOver();
  }

  async #endCalls(why: Why): Promise<void> {
    await this.#recordMade(() => endCalls(this.book, why, this.now()));
    this.#decisions.closeWithdrawn();
  }

  async #withdrawQuestions(): Promise<void> {
    await this.#recordMade(() =>
      this.book
        .openCalls()
        .filter(({ state }) => state.status === "waiting")
        .flatMap((call) => this.#withdrawn(call.toolCallId, CANCELLED.waiting)),
    );
    this.#decisions.closeWithdrawn();
  }

  #withdrawn(toolCallId: string, reason: string): readonly SessionEvent[] {
    const call = this.book.call(toolCallId);
    const at = this.now();
    const withdrawn = call ? questionTakenBack(this.book, call, reason, at) : [];
    if (withdrawn.length === 0) return [];
    return [...withdrawn, { type: "call-cancelled", toolCallId, at, reason, assumed: true }];
  }

  async #takeBack(toolCallId: string, reason: string): Promise<boolean> {
    return this.#inbox.do(async () => {
      let isTaken = false;
      await this.#recordMade(() => {
        const events = this.#withdrawn(toolCallId, reason);
        isTaken = events.length > 0;
        return events;
      });
      this.#decisions.closeWithdrawn();
      return isTaken;
    });
  }

  /** Answers need no lease, so one may come in at any moment: then it is looked at anew. */
  async #recordMade(make: () => readonly SessionEvent[]): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#record.recordMade(make);
      } catch (error) {
        if (!(error instanceof IllegalEvent) || tries >= MOST_TRIES) throw error;
      }
    }
  }

  /** Records what the agent said. When an answer has come in between it is read anew; nothing is lost for one bad update. */
  async #take(updates: readonly unknown[]): Promise<void> {
    try {
      await this.#record.record(this.#fold.read(updates));
    } catch (error) {
      if (!(error instanceof IllegalEvent)) return this.#tell(error);
      try {
        await this.#recordMade(() => this.#fold.read(updates));
      } catch (again) {
        if (!(again instanceof IllegalEvent)) return this.#tell(again);
        if (updates.length > 1) for (const update of updates) await this.#take([update]);
        else await this.#leaveOut(again.message);
      }
    }
    this.#decisions.closeWithdrawn();
  }

  async #leaveOut(why: string): Promise<void> {
    await this.#record
      .record([repaired(this.now(), "update-left-out", why)])
      .catch((error: unknown) => this.#tell(error));
  }

  /** The record cannot be written: what was said is lost, and someone should know. */
  #tell(error: unknown): void {
    process.emitWarning(error instanceof Error ? error : String(error));
  }

  async #settle(): Promise<void> {
    await this.#inbox.do(() => this.#decisions.settle()).catch((error: unknown) => this.#tell(error));
  }

  /** While questions wait, answers may come from anywhere. */
  #follow(): void {
    if (this.#isFollowing) return;
    this.#isFollowing = true;
    void this.#followAnswers().finally(() => {
      this.#isFollowing = false;
      // One may have been asked in the very moment the last was answered.
      if (this.#decisions.waiting > 0 && !this.#closed.signal.aborted) this.#follow();
    });
  }

  async #followAnswers(): Promise<void> {
    const stop = new AbortController();
    const signal = AbortSignal.any([stop.signal, this.#closed.signal]);
    try {
      for await (const { event } of this.ledger.follow(this.sessionId, { after: this.seq, signal })) {
        if (event.type !== "question-answered" && event.type !== "question-withdrawn") continue;
        await this.#settle();
        if (this.#decisions.waiting === 0) return;
      }
    } catch (error) {
      if (!signal.aborted) this.#tell(error);
    } finally {
      stop.abort();
    }
  }
}

type TurnState = { readonly resolve: (state: JsonObject) => void; hasRun: boolean };

type Ended = { readonly stopReason: StopReason; readonly why: Why; readonly error?: string };

const STOP_REASONS: ReadonlyMap<unknown, StopReason> = new Map(
  (["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"] as const).map((one) => [one, one]),
);

function endedBy(result: unknown): Ended {
  const said = isJsonObject(result) ? result["stopReason"] : undefined;
  const stopReason = STOP_REASONS.get(said);
  if (stopReason) return { stopReason, why: stopReason === "cancelled" ? CANCELLED : TURN_OVER };
  const failure =
    isJsonObject(result) && isJsonObject(result["error"]) ? result["error"]["message"] : undefined;
  if (typeof failure === "string")
    return { stopReason: "error", why: TURN_OVER, error: oneLine(failure, 1_000) };
  const error = `the agent ended its turn with no reason that is known (${oneLine(JSON.stringify(said) ?? "none", 80)})`;
  return { stopReason: "error", why: TURN_OVER, error };
}

/** Comes with nothing when the signal aborts. */
function aborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** The modes that an agent has are its own: they are no part of what our rules are asked with. */
function judgeFor(
  { policy, workspace }: ForeignSessionOptions,
  place: { readonly root: string; readonly sessionId: string },
  now: () => number,
): Judge {
  return (intent, also = []) => {
    const inForce = policy(place);
    const rules = [...inForce.rules, ...also];
    return decide(intent, { ...inForce, rules, roots: workspace.roots, home: homedir(), now: now() });
  };
}
