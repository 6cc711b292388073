/**
 * A session of someone else's agent, recorded and decided on here. Doors hold it like one of our own.
 *
 * What must stay true: what the agent sends is taken in, in order; a decision is on record before the agent
 * hears of it; a turn stops only when every call of it has ended, if need be by an end that we assume; when the
 * agent dies nothing hangs.
 */
import { randomUUID } from "node:crypto";
import { RecordedSession } from "../../agent/index.js";
import type { SessionHandle, TurnEnd } from "../../agent/index.js";
import { breachSentence, oneLine } from "../../call/index.js";
import type { ContentBlock, SessionEvent } from "../../call/index.js";
import { SessionRecord } from "../../record/index.js";
import type { Workspace } from "../../tools/index.js";
import type { Asked } from "../connection/peer.js";
import { isJsonObject } from "../json.js";
import type { Acts } from "./acts.js";
import { AgentRequests } from "./agent-requests.js";
import type { AgentSide } from "./agent-side.js";
import { AgentTrouble } from "./agent-trouble.js";
import { AgentTurn } from "./agent-turn.js";
import type { TurnEnded } from "./agent-turn.js";
import { Breaches } from "./breaches.js";
import { Decisions } from "./decisions.js";
import { AGENT_GONE, CANCELLED, endCalls, questionTakenBack, TURN_OVER } from "./end-calls.js";
import type { Why } from "./end-calls.js";
import { judgeFor } from "./foreign-options.js";
import type { ForeignSessionOptions } from "./foreign-options.js";
import { FollowedAnswers } from "./followed-answers.js";
import { Inbox } from "./inbox.js";
import { SessionWriter, tell } from "./session-writer.js";
import { TurnUnderWay } from "./turn-under-way.js";
import { UpdateFold } from "./update-fold.js";

const CANCEL_PATIENCE_MS = 5_000;
const LONGEST_TITLE = 80;

export class ForeignSession extends RecordedSession implements SessionHandle {
  readonly #options: ForeignSessionOptions;
  readonly #agent: AgentSide;
  readonly #inbox: Inbox;
  readonly #fold: UpdateFold;
  readonly #decisions: Decisions;
  readonly #breaches: Breaches;
  readonly #requests: AgentRequests;
  readonly #writer: SessionWriter;
  readonly #followed: FollowedAnswers;
  /** What the agent calls this session. */
  readonly agentSessionId: string;
  #turn: TurnUnderWay | undefined;
  /** The turn is being cancelled: nothing is asked any more. */
  #isCancelling = false;
  #running: AgentTurn | undefined;
  /** Replayed updates are on record already. */
  isReplaying = false;

  /** What the agent tells of before is taken into the record, and judged by no rule. */
  set isLoading(isLoading: boolean) {
    this.#breaches.isReplaying = isLoading;
  }

  /** Comes when all that the agent has sent is taken in. */
  async takenIn(): Promise<void> {
    await this.#inbox.empty();
  }

  private constructor(
    options: ForeignSessionOptions,
    record: SessionRecord,
    agent: AgentSide,
    agentSessionId: string,
  ) {
    const { workspace, now = Date.now, remember, onCleared } = options;
    super(record, now);
    this.#options = options;
    this.#agent = agent;
    this.agentSessionId = agentSessionId;
    this.#inbox = new Inbox((updates) => this.#take(updates));
    this.#followed = new FollowedAnswers({
      record,
      waiting: () => this.#decisions.waiting,
      settle: () => this.#settle(),
    });
    this.#fold = new UpdateFold({
      book: record.book,
      agent: agent.name,
      terminalEnd: (terminalId) => agent.terminalEnd(terminalId),
      reader: (session) => agent.spoken.reader(session, workspace.root),
      isEchoing: () => agent.spoken.echoesUser && this.#turn !== undefined,
      now,
    });
    const place = { root: workspace.root, sessionId: record.sessionId };
    this.#breaches = new Breaches({
      record,
      fold: this.#fold,
      place: { cwd: workspace.root, agent: agent.name, workspace },
      judge: judgeFor(options, place, { now }),
      judgeByRule: judgeFor(options, place, { now, isByRule: true }),
      later: (make) => void this.#inbox.do(async () => this.record.append(await make())).catch(tell),
      now,
    });
    this.#writer = new SessionWriter(record, this.#fold, { breaches: this.#breaches, now });
    this.onRecorded((events) => this.#heedBreaches(events));
    this.#decisions = new Decisions({
      record,
      judge: judgeFor(options, place, { now }),
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
        breaches: this.#breaches,
        inbox: this.#inbox,
        fold: this.#fold,
        isCancelling: () => this.#isCancelling,
        onAsked: () => {
          this.#followed.follow();
          this.#decisions.tellAsked();
        },
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
      ...(patience !== undefined && { leaseWaitMs: patience }),
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

  /** Says something to the agent. Comes back when its turn is over, or parked on a question. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    if (this.#turn && !this.#isParked)
      throw new AgentTrouble(
        "TURN_RUNNING",
        `A turn of session ${this.sessionId} is under way. Nothing was started; cancel it or wait for its end.`,
      );
    // The user went on: what the last turn still waited for will not come.
    await this.#turn?.cancelled();
    this.#turn = new TurnUnderWay((stop) => {
      const held = this.record.whileHeld(stop);
      return this.#runTurn(blocks, held.signal).finally(held.letGo);
    });
    return this.#untilParked(this.#turn, signal);
  }

  /** Goes on with a turn that is parked or under way. One that another process left cannot be gone on with. */
  async advance(signal: AbortSignal): Promise<TurnEnd> {
    // What was answered meanwhile is no longer waited for.
    await this.#settle();
    if (this.#turn) return this.#untilParked(this.#turn, signal);
    throw new AgentTrouble(
      "NO_TURN",
      `Session ${this.sessionId} has no turn under way, and ${this.#agent.name} cannot go on with one that was left. Say something to it.`,
    );
  }

  get #isParked(): boolean {
    return this.book.turn?.state.status === "parked";
  }

  async #untilParked(turn: TurnUnderWay, signal: AbortSignal): Promise<TurnEnd> {
    const { parksOnQuestions = false } = this.#options;
    await this.#inbox.do(() => this.#mark("turn-resumed", this.#isParked));
    const asked = parksOnQuestions ? () => this.#decisions.oneWaits() : undefined;
    const end = await turn.until(asked, signal);
    if (end) {
      this.#turn = undefined;
      return end;
    }
    await this.#inbox.do(() => this.#mark("turn-parked", this.book.turn?.state.status === "running"));
    return { status: "parked" };
  }

  async #mark(type: "turn-parked" | "turn-resumed", isNew: boolean): Promise<void> {
    const turnId = this.book.turn?.turnId;
    if (!isNew || turnId === undefined) return;
    await this.record.append([{ type, at: this.now(), turnId }], { durable: true });
  }

  /** The agent's own mode, by the agent's own name for it. */
  async setMode(modeId: string): Promise<void> {
    await this.#agent.ask("session/set_mode", { sessionId: this.agentSessionId, modeId });
    const named = `${this.#agent.name}/${modeId}`;
    await this.#inbox.do(() =>
      this.record.append(
        this.book.modeId === named ? [] : [{ type: "mode-changed", at: this.now(), modeId: named }],
        { durable: true },
      ),
    );
  }

  async setConfigOption(configId: string, value: string | boolean): Promise<void> {
    const typed = typeof value === "boolean" ? { type: "boolean", value } : { value };
    await this.#agent.ask("session/set_config_option", {
      sessionId: this.agentSessionId,
      configId,
      ...typed,
    });
  }

  /** A message about this session. */
  receive(update: unknown): void {
    if (this.isReplaying) return;
    this.#inbox.add(update);
    this.#running?.see(update);
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
    this.#followed.close();
    this.#breaches.close();
    await this.record.close();
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
    await this.record.appendLatest(() => [
      { type: "info-changed", at, info: { cwd: workspace.root, ...info, agent, _meta } },
      ...endCalls(this.book, AGENT_GONE, at),
      ...(isOpen
        ? [{ type: "turn-stopped", at, turnId: turn.turnId, stopReason: "cancelled" } as const]
        : []),
    ]);
  }

  async #runTurn(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    const turnId = `turn_${this.record.seq + 1}`;
    this.#isCancelling = false;
    await this.#inbox.do(() => this.#startTurn(turnId, blocks));
    const { cancelPatience: patience = CANCEL_PATIENCE_MS } = this.#options;
    const turn = new AgentTurn({
      agent: this.#agent,
      agentSessionId: this.agentSessionId,
      patience,
      onCancel: () => {
        this.#isCancelling = true;
        return this.#inbox.do(() => this.#withdrawQuestions());
      },
    });
    this.#running = turn;
    const ended = await turn.run(blocks, signal);
    this.#running = undefined;
    await this.#inbox.empty();
    const { stopReason, error } = await this.#inbox.do(async () => {
      await this.#markRunning();
      const known = this.#endedForBreach(ended);
      await this.#stopTurn(turnId, known);
      return known;
    });
    return { status: "stopped", stopReason, ...(error !== undefined && { error }) };
  }

  async #startTurn(turnId: string, blocks: readonly ContentBlock[]): Promise<void> {
    const at = this.now();
    const text = blocks.find((block) => block.type === "text")?.text ?? "";
    const title = oneLine(text, LONGEST_TITLE);
    const isUnnamed = title !== "" && this.book.info.title === undefined;
    const messageId = `user-${turnId}`;
    await this.record.append(
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

  async #stopTurn(turnId: string, { stopReason, error, why }: TurnEnded): Promise<void> {
    await this.#writer.recordMade(() => [
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
    this.#breaches.turnOver();
  }

  /** The agent may have said that its turn is over just before it was ended. */
  #endedForBreach(ended: TurnEnded): TurnEnded {
    const reason = this.#agent.endReason();
    if (reason === undefined || ended.stopReason === "cancelled") return ended;
    return { stopReason: "error", why: AGENT_GONE, error: `${this.#agent.name} was ended: ${reason}` };
  }

  /** What runs unasked is judged before it is given up. */
  async #markRunning(): Promise<void> {
    try {
      await this.record.append(await this.#breaches.amongRunning());
    } catch (error) {
      tell(error);
    }
  }

  async #endCalls(why: Why): Promise<void> {
    await this.#markRunning();
    await this.#writer.recordMade(() => endCalls(this.book, why, this.now()));
    this.#decisions.closeWithdrawn();
  }

  async #withdrawQuestions(): Promise<void> {
    await this.#writer.recordMade(() =>
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
      await this.#writer.recordMade(() => {
        const events = this.#withdrawn(toolCallId, reason);
        isTaken = events.length > 0;
        return events;
      });
      this.#decisions.closeWithdrawn();
      return isTaken;
    });
  }

  async #take(updates: readonly unknown[]): Promise<void> {
    await this.#writer.take(updates);
    this.#decisions.closeWithdrawn();
  }

  /** Ends the agent where the session is opened so. Not waited for: the inbox must go on until the agent is gone. */
  #heedBreaches(events: readonly SessionEvent[]): void {
    const breached = events.find((event) => event.type === "call-breached");
    const call = breached && this.book.call(breached.toolCallId);
    if (!call || this.#options.onBreach !== "end") return;
    const what = `${oneLine(call.title, LONGEST_TITLE)}: ${breachSentence(call) ?? ""}`;
    void this.#agent.end(`it broke the rules in session ${this.sessionId} (${what})`).catch(tell);
  }

  async #settle(): Promise<void> {
    await this.#inbox.do(() => this.#decisions.settle()).catch(tell);
  }
}
