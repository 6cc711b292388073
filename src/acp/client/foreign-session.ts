/**
 * A session of someone else's agent, recorded and decided on here, with the interface of our own
 * agent's sessions.
 *
 * Invariants: the agent's messages are processed in order; a decision is recorded before it is sent to the agent; a
 * turn stops only when every call of it has ended, if need be by an assumed end; nothing hangs when the agent dies.
 */
import { randomUUID } from "node:crypto";
import { RecordedSession } from "../../agent/index.js";
import { checkPrompt } from "../../agent/recorded-session.js";
import type { SessionHandle, TurnEnd } from "../../agent/index.js";
import { breachSentence, oneLine } from "../../call/index.js";
import { refusalPromptId } from "../../call/refusal-prompt.js";
import type { ContentBlock, SessionEvent } from "../../call/index.js";
import { emitWarning } from "../../run/emit-warning.js";
import { settlesWithin } from "../../process/index.js";
import { SessionRecord } from "../../record/index.js";
import type { Gate } from "../../run/index.js";
import type { ReportedCalls } from "../../run/reported-calls.js";
import { sessionWorkspace } from "../../tools/scratch/session-workspace.js";
import type { Workspace } from "../../tools/index.js";
import { CODE, RpcError } from "../connection/message.js";
import type { Asked } from "../connection/peer.js";
import type { AgentSide } from "./agent-side.js";
import { AgentTrouble } from "./agent-trouble.js";
import { AgentSettings } from "./agent-settings.js";
import { AGENT_GONE, AgentTurn, CANCELLED, TURN_OVER } from "./agent-turn.js";
import type { TurnEnded } from "./agent-turn.js";
import { answerElicitation } from "./answer-elicitation.js";
import { foreignGate } from "./foreign-gate.js";
import type { ForeignSessionOptions } from "./foreign-session-options.js";
import { Inbox } from "./inbox.js";
import { Permissions } from "./permissions.js";
import { ProxiedCalls } from "./proxied-calls.js";
import { RefusalReasons } from "./refusal-reasons.js";
import { TurnEvents } from "./turn-events.js";
import { TurnUnderWay, untilAsked } from "./turn-under-way.js";
import { UnannouncedCalls } from "./unannounced-calls.js";
import { UpdateFold } from "./update-fold.js";
import { UpdateWriter } from "./update-writer.js";

const CANCEL_GRACE_MS = 5_000;
/** The maximum time of a command in our own terminal tool. */
const COMMAND_LIMIT_MS = 3_600_000;
const MAX_TITLE = 80;
const TURN_END_WAIT_MS = 3_000;

export class ForeignSession extends RecordedSession implements SessionHandle {
  readonly #options: ForeignSessionOptions;
  readonly #agent: AgentSide;
  readonly #inbox: Inbox;
  readonly #fold: UpdateFold;
  readonly #permissions: Permissions;
  readonly #writer: UpdateWriter;
  readonly #unannounced: UnannouncedCalls;
  /** The calls that the agent runs. */
  readonly #reported: ReportedCalls;
  readonly gate: Gate;
  /** The calls that we run for the agent. */
  readonly proxied: ProxiedCalls;
  /** The agent's own id of this session. */
  readonly agentSessionId: string;
  /** The modes, models and other options that the agent offers here. */
  readonly settings = new AgentSettings();
  readonly #turns: TurnEvents;
  readonly #reasons: RefusalReasons | undefined;
  #turn: TurnUnderWay | undefined;
  /** The turn is being cancelled: nothing is asked any more. */
  #isCancelling = false;
  #running: AgentTurn | undefined;
  /** Settles when the last turn has recorded its end. */
  #ended: Promise<unknown> = Promise.resolve();
  /** Replayed updates are on record already. */
  isReplaying = false;

  /** True while the agent replays a loaded session: its updates are recorded, and no rule judges them. */
  set isLoading(isLoading: boolean) {
    this.#reported.isReplaying = isLoading;
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
    const { workspace, now = Date.now } = options;
    super(record, now);
    this.#options = options;
    this.#agent = agent;
    this.agentSessionId = agentSessionId;
    this.#turns = new TurnEvents(record, now);
    this.#reasons = agent.takesReasons ? undefined : new RefusalReasons();
    this.#inbox = new Inbox((updates) => this.#writer.write(updates));
    this.#fold = new UpdateFold({
      book: record.book,
      agent: agent.name,
      terminalEnd: (terminalId) => agent.terminalEnd(terminalId),
      reader: (session) => agent.dialect.reader(session, workspace.root),
      isEchoing: () => agent.dialect.echoesUser && this.#turn !== undefined,
      now,
    });
    const { gate, reported } = foreignGate(options, {
      record,
      fold: this.#fold,
      inbox: this.#inbox,
      agent: agent.name,
      now,
    });
    this.gate = gate;
    this.#reported = reported;
    this.#unannounced = new UnannouncedCalls(record.book);
    const fold = this.#fold;
    const unannounced = this.#unannounced;
    this.#writer = new UpdateWriter({ reported, fold, unannounced, now });
    this.onRecorded((events) => this.#heedBreaches(events));
    const parts = {
      agent: agent.name,
      dialect: agent.dialect,
      workspace,
      book: record.book,
      gate,
      reported,
      inbox: this.#inbox,
      fold,
      unannounced,
      reasons: this.#reasons,
      isCancelling: () => this.#isCancelling,
      now,
    };
    this.#permissions = new Permissions(parts);
    this.proxied = new ProxiedCalls(parts);
  }

  /** Opens a new or a recorded session. Calls that an earlier process left open are ended first. */
  static async open(
    options: ForeignSessionOptions,
    agent: AgentSide,
    agentSessionId: string,
  ): Promise<ForeignSession> {
    const { ledger, sessionId = `session_${randomUUID()}`, leaseWaitMs, onLeaseWait } = options;
    const owner = `${agent.name} ${process.pid} ${randomUUID().slice(0, 8)}`;
    const record = await SessionRecord.open(ledger, sessionId, { owner, leaseWaitMs, onLeaseWait });
    try {
      const workspace = await sessionWorkspace(options.workspace, sessionId);
      const session = new ForeignSession({ ...options, workspace }, record, agent, agentSessionId);
      const { info } = options;
      const cwd = workspace.root;
      await session.#turns.open({ cwd, ...info }, { agent: agent.name, sessionId: agentSessionId });
      return session;
    } catch (error) {
      await record.close();
      throw error;
    }
  }

  /** How much is still to be taken in. */
  get backlog(): number {
    return this.#inbox.length;
  }

  /** Sends a prompt to the agent. Returns when the turn is over, or parked on a question. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    checkPrompt(blocks, signal);
    if (this.#turn && !this.#isParked)
      throw new AgentTrouble(
        "TURN_RUNNING",
        `A turn of session ${this.sessionId} is under way. Nothing was started; cancel it or wait for its end.`,
      );
    // The user went on: what the last turn still waited for will not come.
    await this.#turn?.cancelled();
    this.#turn = new TurnUnderWay((stop) => {
      const held = this.record.whileHeld(stop);
      const ended = this.#runTurn(blocks, held.signal).finally(held.letGo);
      this.#ended = ended;
      return ended;
    });
    return this.#untilParked(this.#turn, signal);
  }

  /** Continues a turn that is parked or running. A turn of another process cannot be continued. */
  async advance(signal: AbortSignal): Promise<TurnEnd> {
    // A question that was answered meanwhile must not park the turn again.
    await this.gate.settle();
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
    await this.#inbox.do(() => this.#turns.mark("turn-resumed", this.#isParked));
    const question = parksOnQuestions ? untilAsked(this) : undefined;
    const end = await turn.until(question?.asked, signal).finally(question?.stop);
    if (end) {
      this.#turn = undefined;
      return end;
    }
    await this.#inbox.do(() => this.#turns.mark("turn-parked", this.book.turn?.state.status === "running"));
    return { status: "parked" };
  }

  /** The agent's own mode, by the agent's own name for it. */
  async setMode(modeId: string): Promise<void> {
    const setting = this.settings.ofCategory("mode");
    if (setting) await this.setSetting(setting.id, modeId);
    else await this.#agent.ask("session/set_mode", { sessionId: this.agentSessionId, modeId });
    const named = `${this.#agent.name}/${modeId}`;
    await this.#inbox.do(() =>
      this.record.append(
        this.book.modeId === named ? [] : [{ type: "mode-changed", at: this.now(), modeId: named }],
        { durable: true },
      ),
    );
  }

  /** Sets one of the agent's settings to a value that it offers. */
  async setSetting(id: string, value: string): Promise<void> {
    const { method, params } = this.settings.request(id, value, this.#agent.dialect.version);
    const result = await this.#agent.ask(method, { sessionId: this.agentSessionId, ...params });
    this.settings.wasSet(id, value, result);
  }

  /** A message about this session. */
  receive(update: unknown): void {
    this.settings.see(update);
    if (this.isReplaying) return;
    this.#inbox.add(update);
    this.#running?.see(update);
  }

  /** A request of the agent in this session. */
  answer(asked: Asked): unknown {
    const { method } = asked;
    if (method === "session/request_permission") return this.#permissions.answer(asked);
    if (method === "elicitation/create")
      return answerElicitation(asked, this.#agent.name, this.#options.elicit);
    throw new RpcError(CODE.methodNotFound, `There is no method ${method} here. Nothing was done.`);
  }

  get workspace(): Workspace {
    return this.#options.workspace;
  }

  /** The agent's name. */
  get agent(): string {
    return this.#agent.name;
  }

  /** After how many milliseconds a command that we run for the agent is ended. */
  get commandLimitMs(): number {
    return this.#options.limits?.timeLimit ?? COMMAND_LIMIT_MS;
  }

  /** The agent is gone: all its open calls and questions end. */
  async agentGone(): Promise<void> {
    await this.#inbox.do(() => this.#reported.assumeEnds(AGENT_GONE));
  }

  /** Reads the messages that have arrived, ends all open calls and questions, and releases the session. */
  async close(): Promise<void> {
    await this.#agent.endCommands(this.agentSessionId);
    // A turn whose agent is gone still has its end to record.
    await settlesWithin(this.#ended, TURN_END_WAIT_MS);
    await this.#inbox.empty();
    await this.#inbox.do(() => this.#reported.assumeEnds(TURN_OVER));
    this.#reported.close();
    await this.gate.close();
  }

  async #runTurn(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    this.#isCancelling = false;
    const turnId = await this.#inbox.do(() => this.startTurn(blocks));
    this.#reasons?.clear();
    const ended = await this.#runPrompts(turnId, blocks, signal);
    await this.proxied.filesDone();
    const { stopReason, error } = await this.#inbox.do(async () => {
      // A breach among the calls that still run ends the agent too.
      await this.#reported.markRunning();
      const known = this.#endedForBreach(ended);
      await this.#reported.assumeEnds(known.why, () => [this.#turns.stopped(turnId, known)]);
      this.#reported.turnOver();
      this.#fold.reported.clear();
      this.#unannounced.turnOver();
      return known;
    });
    return { status: "stopped", stopReason, ...(error !== undefined && { error }) };
  }

  /** The user's prompt, then the reasons of the user's refusals, until the agent has got all of them. */
  async #runPrompts(
    turnId: string,
    blocks: readonly ContentBlock[],
    signal: AbortSignal,
  ): Promise<TurnEnded> {
    for (let prompt = blocks, count = 1; ; count += 1) {
      const ended = await this.#runPrompt(prompt, signal);
      const mayPromptAgain = ended.stopReason === "end_turn" || ended.stopReason === "refusal";
      const reasons = mayPromptAgain && !signal.aborted ? this.#reasons?.take() : undefined;
      if (!reasons) return ended;
      prompt = reasons;
      await this.#inbox.do(() => this.#turns.prompted(refusalPromptId(turnId, count), reasons));
    }
  }

  async #runPrompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnded> {
    const { cancelGraceMs = CANCEL_GRACE_MS } = this.#options;
    const turn = new AgentTurn({
      agent: this.#agent,
      agentSessionId: this.agentSessionId,
      cancelGraceMs,
      onCancel: () => {
        this.#isCancelling = true;
        return this.#inbox.do(() => this.#reported.withdrawAll(CANCELLED.waiting));
      },
    });
    this.#running = turn;
    const ended = await turn.run(blocks, signal);
    this.#running = undefined;
    await this.#inbox.empty();
    return ended;
  }

  /** The agent may have said that its turn is over just before it was ended. */
  #endedForBreach(ended: TurnEnded): TurnEnded {
    const reason = this.#agent.endReason();
    if (reason === undefined || ended.stopReason === "cancelled") return ended;
    return { stopReason: "error", why: AGENT_GONE, error: `${this.#agent.name} was ended: ${reason}` };
  }

  /**
   * Ends the agent if the session's options ask for that. Nobody waits for it: the inbox must be read until the agent
   * is gone.
   */
  #heedBreaches(events: readonly SessionEvent[]): void {
    // A breach that no rule denies and nobody refused is shown, but does not end the agent.
    const breached = events.find(
      (event) => event.type === "call-breached" && !event.breach.isOtherThanAllowed,
    );
    const call = breached?.type === "call-breached" ? this.book.call(breached.toolCallId) : undefined;
    if (!call || this.#options.onBreach !== "end") return;
    const what = `${oneLine(call.title, MAX_TITLE)}: ${breachSentence(call) ?? ""}`;
    void this.#agent.end(`it broke the rules in session ${this.sessionId} (${what})`).catch(emitWarning);
  }
}
