/** A session of an agent, open for writing in this process. One turn at a time. */
import {
  AGENT,
  AMOUNT,
  checkOptions,
  FLAG,
  FUNCTION,
  LEDGER,
  LIST,
  OBJECT,
  required,
  SIGNAL,
  STRING,
  TEXT,
  WORKSPACE,
} from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import { randomUUID } from "node:crypto";
import { ToolCallIds } from "../call/index.js";
import type { ContentBlock, Ledger, RecordedEvent, SessionEvent, SessionInfo } from "../call/index.js";
import { VerdictCache } from "../policy/verdict-cache.js";
import type { Intent, Policy, Rule } from "../policy/index.js";
import { SessionRecord } from "../record/index.js";
import type { FlushTimer, LeaseWait } from "../record/index.js";
import { Gate, recoveryEvents } from "../run/index.js";
import type { Elicit, Judge } from "../run/index.js";
import { describedFor } from "../tools/scratch/described-for.js";
import { placesOf, sessionWorkspace } from "../tools/scratch/session-workspace.js";
import { Toolbox } from "../tools/index.js";
import type { AppTool, Workspace } from "../tools/index.js";
import { compact } from "./compact.js";
import { promptLimits } from "./context-window.js";
import { instructionsFor } from "./create-agent.js";
import type { Agent } from "./create-agent.js";
import { checkPrompt, mustBeBlocks, RecordedSession } from "./recorded-session.js";
import type { TurnStart } from "./recorded-session.js";
import { subAgentStep } from "./sub-agent-step.js";
import { advanceTurn } from "./advance-turn.js";
import type { TurnContext, TurnEnd } from "./advance-turn.js";

export type SessionOptions = LeaseWait & {
  readonly agent: Agent;
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  /** A new one when left out. */
  readonly sessionId?: string;
  /** Tools that the app on the other side runs. */
  readonly appTools?: readonly AppTool[];
  /** Instead of the agent's own rules: how this session's intents are judged. */
  readonly judge?: Judge;
  /** Ids that calls of this session must not get. */
  readonly reservedCallIds?: ReadonlySet<string>;
  /** Asks the person at the other side while a call runs. */
  readonly elicit?: Elicit;
  /** Called when a request to the model failed and is sent again. */
  readonly onModelRetry?: TurnContext["onModelRetry"];
  /** The folder of the project's own instructions; the workspace when left out. */
  readonly projectFiles?: Workspace;
  /** The description of a new session. */
  readonly info?: SessionInfo;
  /** How long the lease on the session lasts without a renewal. */
  readonly leaseMs?: number;
  /** No tool needs the workspace: in a store with places, every instance may continue the session. */
  readonly isAnywhere?: boolean;
  /** Shared by sessions that write their text together: one transaction for many of them. */
  readonly flushTimer?: FlushTimer;
  /** The session's log from its start, as far as the caller has read it. */
  readonly known?: readonly RecordedEvent[];
  readonly now?: () => number;
};

const SESSION_OPTIONS: OptionChecks<SessionOptions> = {
  agent: required(AGENT),
  ledger: required(LEDGER),
  workspace: required(WORKSPACE),
  sessionId: TEXT,
  appTools: LIST,
  judge: FUNCTION,
  reservedCallIds: OBJECT,
  elicit: FUNCTION,
  onModelRetry: FUNCTION,
  projectFiles: WORKSPACE,
  info: OBJECT,
  leaseMs: AMOUNT,
  flushTimer: OBJECT,
  known: LIST,
  leaseWaitMs: AMOUNT,
  onLeaseWait: FUNCTION,
  isAnywhere: FLAG,
  now: FUNCTION,
};

export class AgentSession extends RecordedSession {
  readonly #context: TurnContext;
  #isBusy = false;

  private constructor(record: SessionRecord, context: TurnContext, now: () => number) {
    super(record, now);
    this.#context = context;
  }

  /** Opens a session, new or recorded, and first ends the calls that an earlier process left running. */
  static async open(options: SessionOptions): Promise<AgentSession> {
    checkOptions("AgentSession.open", options, SESSION_OPTIONS);
    const { agent, ledger, sessionId = `session_${randomUUID()}`, now = Date.now } = options;
    // A process may have the same session open twice by mistake: each opening is an owner of its own.
    const owner = `${agent.name} ${process.pid} ${randomUUID().slice(0, 8)}`;
    const { leaseMs, leaseWaitMs, onLeaseWait, isAnywhere, flushTimer, known } = options;
    const lease = { owner, leaseMs, leaseWaitMs, onLeaseWait, isAnywhere };
    const record = await SessionRecord.open(ledger, sessionId, { ...lease, flushTimer, known });
    try {
      return await AgentSession.#create(options, record, now);
    } catch (error) {
      await record.close();
      throw error;
    }
  }

  static async #create(
    options: SessionOptions,
    record: SessionRecord,
    now: () => number,
  ): Promise<AgentSession> {
    const { sessionId } = record;
    const { agent, projectFiles = options.workspace } = options;
    const workspace = await sessionWorkspace(options.workspace, sessionId);
    const tools = agent.tools.map((tool) => describedFor(tool, workspace));
    const toolbox = new Toolbox([...tools, ...(options.appTools ?? [])], agent.toolSources);
    const { root } = workspace;
    const places = placesOf(workspace);
    const placeNow = () => {
      const { modeId } = record.book;
      return { root, sessionId, ...(modeId !== undefined && { modeId }) };
    };
    const verdicts = new VerdictCache();
    const judge =
      options.judge ??
      ((intent: Intent, also: readonly Rule[] = []) => {
        // Only commands run in the sandbox, which may no longer hold.
        const place = intent.command === undefined ? places : placesOf(workspace);
        // Each call is judged twice, and V8 copies a second spread thirty times slower than `assign` does.
        const policy: Policy = Object.assign({}, agent.policy(placeNow()), place, { now: now() });
        return verdicts.decide(intent, policy, also);
      });
    const { onCleared, remember, onRulesChanged } = agent;
    const gate = new Gate({
      ...agent.limits,
      record,
      toolbox,
      judge,
      workspace,
      now,
      elicit: options.elicit,
      childStep: (toolCallId, signal) => subAgentStep(context, toolCallId, signal),
      onCleared: onCleared && ((verdict) => onCleared(verdict, placeNow())),
      remember: remember && ((grant) => remember(grant, placeNow())),
      onRulesChanged,
      callIds: freeCallIds(record, options.reservedCallIds),
    });
    const instructions = () => instructionsFor(agent, placeNow(), projectFiles);
    const { onModelRetry } = options;
    const context: TurnContext = { agent, record, gate, toolbox, instructions, onModelRetry, now };
    const session = new AgentSession(record, context, now);
    if (isTraced()) {
      const { traceSession } = await import("./trace-session.js");
      traceSession(session, { name: agent.name, modelId: agent.model.modelId });
    }
    if (record.seq === 0) {
      const info = { cwd: workspace.root, agent: agent.name, ...options.info };
      await record.append([{ type: "info-changed", at: now(), info }], { durable: true });
    }
    await record.append(await recoveryEvents(record, now), { durable: true });
    return session;
  }

  /** How many tokens the model takes, as configured or as learnt from a refusal. */
  get contextWindow(): number {
    return promptLimits(this.#context).contextWindow;
  }

  get gate(): Gate {
    return this.#context.gate;
  }

  /** Starts a turn with the user's message and runs it until it ends or must wait for someone. */
  async prompt(blocks: readonly ContentBlock[], signal: AbortSignal): Promise<TurnEnd> {
    checkPrompt(blocks, signal);
    return this.#alone(async () => {
      await this.#endOpenTurn();
      await this.startTurn(blocks);
      return advanceTurn(this.#context, signal);
    });
  }

  /** Only starts the turn; `advance` runs it. */
  async begin(blocks: readonly ContentBlock[], start: TurnStart = {}): Promise<void> {
    mustBeBlocks("begin", blocks);
    return this.#alone(async () => {
      await this.#endOpenTurn();
      await this.startTurn(blocks, start);
    });
  }

  /** Resumes a turn that was parked, or that an earlier process left open. */
  async advance(signal: AbortSignal): Promise<TurnEnd> {
    checkSignal("advance", signal);
    return this.#alone(() => advanceTurn(this.#context, signal));
  }

  /** Only one turn runs at a time: two would write each other's steps into one log. */
  async #alone<Result>(turn: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) throw new TurnRunning(this.sessionId);
    this.#isBusy = true;
    try {
      return await turn();
    } finally {
      this.#isBusy = false;
    }
  }

  /** Sets the mode for the calls from here on. The agent's policy maps the mode to rules. */
  async setMode(modeId: string): Promise<void> {
    checkOptions("AgentSession.setMode", { modeId }, { modeId: required(TEXT) });
    await this.record.append([{ type: "mode-changed", at: this.now(), modeId }], { durable: true });
  }

  /** Summarizes the session so far to free room in the model's window. False when there was nothing to summarize. */
  async compact(signal: AbortSignal): Promise<boolean> {
    checkSignal("compact", signal);
    return this.afterOthers(() => compact(this.#context, signal));
  }

  /** Adds to the session's description. */
  async describe(info: SessionInfo): Promise<void> {
    checkOptions("AgentSession.describe", { info }, { info: required(OBJECT) });
    await this.record.append([{ type: "info-changed", at: this.now(), info }], { durable: true });
  }

  /**
   * Records messages that the model does not see: a command that the user typed to the client, and its reply.
   * Returns the id of the user's message.
   */
  async aside(typed: readonly ContentBlock[], reply: string): Promise<string> {
    mustBeBlocks("aside", typed);
    checkOptions("AgentSession.aside", { reply }, { reply: required(STRING) });
    const at = this.now();
    const id = `aside_${randomUUID()}`;
    const chunk = (role: "user" | "agent", block: ContentBlock): SessionEvent => ({
      type: "message-chunk",
      at,
      messageId: `${id}-${role}`,
      role,
      block,
    });
    await this.record.append(
      [...typed.map((block) => chunk("user", block)), chunk("agent", { type: "text", text: reply })],
      { durable: true },
    );
    return `${id}-user`;
  }

  /** Reads the events that other processes appended: an answer needs no lease. */
  async catchUp(): Promise<void> {
    await this.record.catchUp();
  }

  async close(): Promise<void> {
    await this.record.close();
  }

  /** Cancels the calls that the last turn still waits for, since the user went on without them. */
  async #endOpenTurn(): Promise<void> {
    const { turn } = this.book;
    if (!turn || turn.state.status === "stopped") return;
    await this.gate.cancel("the user went on without it.");
    await this.record.append(
      [{ type: "turn-stopped", at: this.now(), turnId: turn.turnId, stopReason: "cancelled" }],
      { durable: true },
    );
  }
}

function checkSignal(method: string, signal: AbortSignal): void {
  if (!(signal instanceof AbortSignal))
    checkOptions(`AgentSession.${method}`, { signal }, { signal: required(SIGNAL) });
}

/** Whether the host has set up OpenTelemetry, which registers itself here. Without it the tracer is not loaded. */
const isTraced = (): boolean => Symbol.for("opentelemetry.js.api.1") in globalThis;

/** Undefined where the gate's own ids do. */
function freeCallIds({ book }: SessionRecord, reserved: ReadonlySet<string> = new Set()) {
  if (reserved.size === 0) return undefined;
  return new ToolCallIds({
    get callCount() {
      return book.callCount;
    },
    call: (toolCallId) => (reserved.has(toolCallId) ? toolCallId : book.call(toolCallId)),
  });
}

class TurnRunning extends Error {
  readonly code = "TURN_RUNNING";

  constructor(sessionId: string) {
    super(`A turn of session ${sessionId} is under way. Nothing was started; cancel it or wait for its end.`);
    this.name = "TurnRunning";
  }
}
