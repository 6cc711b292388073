/** Turns of our own agents. They live in the log alone: the session is open only while a response is under way. */
import { sessionWorkspace } from "../../tools/scratch/session-workspace.js";
import { AgentSession } from "../../agent/index.js";
import type { Agent, TurnEnd } from "../../agent/index.js";
import { readAll } from "../../call/index.js";
import type { ContentBlock, RecordedEvent, SessionEvent } from "../../call/index.js";
import { AapProblem, problemIfElsewhere } from "../api/aap-problem.js";
import type { ServerContext } from "../server-context.js";
import { optionsInForce } from "../sessions/agent-options.js";
import { seededCallIds, seededInstructions, seedOf } from "../sessions/seed-events.js";
import { toolsOf } from "../sessions/served-agent.js";
import type { Served } from "../sessions/served-agent.js";
import { agentWith, appTools, sameConfig, storedSession } from "../sessions/session-config.js";
import type { SessionConfig } from "../sessions/session-config.js";
import { isEmptyNote, requestEvent } from "../stream/response-log.js";
import type { RequestNote } from "../stream/response-log.js";
import { acceptSubmission } from "./accept-submission.js";
import { OpenSession } from "./open-session.js";
import { retryNotice } from "./retry-notice.js";
import type { RetryNotice } from "./retry-notice.js";
import { sessionJudge } from "./session-judge.js";
import type { Checked } from "./submission.js";
import type { TurnHost, TurnPlan, TurnRunner } from "./turn-host.js";
import { WarmSessions } from "./warm-sessions.js";
import { withQuestionLifetime } from "./with-question-lifetime.js";

/** Another server keeps a session open a moment longer than its response. */
const LEASE_WAIT_MS = 1_000;

export class OwnTurns implements TurnHost {
  readonly agent: Served;
  readonly canResume = true;
  readonly #server: ServerContext;
  readonly #own: Agent;
  readonly #warm = new WarmSessions();

  constructor(server: ServerContext, agent: Served, own: Agent) {
    this.#server = server;
    this.agent = agent;
    this.#own = own;
  }

  find(sessionId: string): OpenSession | undefined {
    return this.#warm.get(sessionId);
  }

  async catchUp(sessionId: string): Promise<void> {
    const open = this.#warm.get(sessionId);
    await open?.session.catchUp();
    await open?.settle();
  }

  /** The log has every turn. */
  hasTurn(): boolean {
    return false;
  }

  async cancelTurn(): Promise<boolean> {
    return false;
  }

  async open(plan: TurnPlan): Promise<TurnRunner> {
    const open = (await this.#warm.take(plan.sessionId, plan.config)) ?? (await this.#open(plan));
    return new OwnTurn(this.#server, plan, open, this.#warm);
  }

  close(sessionId: string): Promise<void> {
    return this.#warm.end(sessionId);
  }

  closeAll(): Promise<void> {
    return this.#warm.close();
  }

  async #open(plan: TurnPlan): Promise<OpenSession<AgentSession>> {
    let open: OpenSession<AgentSession> | undefined;
    const session = await this.#openSession(plan, (retry) => open?.notify(retryNotice(retry)));
    try {
      const log = await newestLog(this.#server, plan, session);
      open = new OpenSession(this.#server, session, { config: plan.config, log, hasSteps: true });
      return open;
    } catch (error) {
      await session.close().catch(() => undefined);
      throw error;
    }
  }

  /** The app's lifetime of questions counts first. */
  #limited(agent: Agent, { questionLifetimeMs: questionLifetime }: SessionConfig): Agent {
    if (questionLifetime === undefined) return withQuestionLifetime(agent, this.#server.questionLifetimeMs);
    return { ...agent, limits: { ...agent.limits, questionLifetime } };
  }

  async #openSession(
    { sessionId, config, stored }: TurnPlan,
    onModelRetry: (notice: RetryNotice) => void,
  ): Promise<AgentSession> {
    const seed = seedOf(stored.log);
    const { ledger, trustable, flushTimer, now, unsealFor } = this.#server;
    const workspace = await sessionWorkspace(this.#server.workspace, sessionId);
    const { isExposed, withOptions, options } = this.agent;
    const values = optionsInForce(options, config.agent, unsealFor(sessionId));
    const chosen = withOptions ? withOptions(this.#own, values) : this.#own;
    const agent = withInstructions(chosen, seededInstructions(seed));
    const tools = () => toolsOf(this.agent);
    const switchedOn = agentWith(config, agent, isExposed);
    try {
      return await AgentSession.open({
        agent: this.#limited(switchedOn, config),
        isAnywhere: isWithoutTools(switchedOn),
        appTools: appTools(config),
        judge: sessionJudge({ config, agent, tools, trustable, isExposed, workspace, sessionId, now }),
        ledger,
        workspace,
        sessionId,
        onModelRetry,
        reservedCallIds: seededCallIds(seed),
        now,
        flushTimer,
        known: wholeLog(stored.log),
        leaseWaitMs: LEASE_WAIT_MS,
      });
    } catch (error) {
      throw problemIfElsewhere(error);
    }
  }
}

class OwnTurn implements TurnRunner {
  readonly open: OpenSession<AgentSession>;
  readonly #server: ServerContext;
  readonly #plan: TurnPlan;
  readonly #warm: WarmSessions;
  #hasAnswers = false;

  constructor(server: ServerContext, plan: TurnPlan, open: OpenSession<AgentSession>, warm: WarmSessions) {
    this.open = open;
    this.#server = server;
    this.#plan = plan;
    this.#warm = warm;
  }

  get openTurn(): TurnRunner["openTurn"] {
    const status = this.open.session.book.turn?.state.status;
    if (status === undefined || status === "stopped") return undefined;
    // The lease on the session is ours, so nobody runs that turn.
    return status === "running" ? "abandoned" : "waiting";
  }

  async note(note: RequestNote): Promise<void> {
    const events = this.#noteEvents(note);
    // `submit` without a call is the one way to append to an open session.
    if (events.length > 0) await this.open.session.gate.submit([], () => events);
  }

  #noteEvents(note: RequestNote): readonly SessionEvent[] {
    const { config, stored, notedAt } = this.#plan;
    const isNoted = notedAt !== undefined || isEmptyNote(note);
    if (isNoted && sameConfig(config, stored.config)) return [];
    return [requestEvent(this.open.session.book.info, config, note, this.#server.now())];
  }

  async accept(checked: Checked): Promise<void> {
    this.#hasAnswers = checked.isNew;
    await acceptSubmission(this.open.session, checked, this.#server.now);
  }

  /** Calls that were just granted run before the prompt, since it closes those that are open. */
  async storePrompt(prompt: readonly ContentBlock[], note: RequestNote | undefined): Promise<boolean> {
    if (this.#hasAnswers) return false;
    const before = note ? this.#noteEvents(note) : [];
    await this.open.session.begin(prompt, { before, durable: !this.#plan.isWhole });
    return true;
  }

  async run(prompt: readonly ContentBlock[] | undefined, signal: AbortSignal): Promise<TurnEnd> {
    const { session } = this.open;
    if (!prompt) return session.advance(signal);
    await session.gate.proceed(signal);
    return session.prompt(prompt, signal);
  }

  async cancelCalls(reason: string): Promise<void> {
    await this.open.session.gate.cancel(reason);
  }

  async release(isReusable: boolean): Promise<void> {
    if (isReusable) this.#warm.keep(this.open);
    else await this.open.close();
  }
}

/** An agent without tools acts by its app's tools alone, so its turns can resume wherever the app can be reached. */
const isWithoutTools = ({ tools, toolSources }: Agent): boolean =>
  tools.length === 0 && toolSources.every((source) => source.tools().length === 0);

/** The app's instructions come after the agent's own. */
function withInstructions(agent: Agent, added: readonly string[]): Agent {
  if (added.length === 0) return agent;
  const { instructions: own } = agent;
  return {
    ...agent,
    instructions: (place) => {
      const first = typeof own === "function" ? own(place) : own;
      return [...(first === undefined ? [] : [first]), ...added].join("\n\n");
    },
  };
}

/** A session that was open here has only an outline of its log. */
const wholeLog = (log: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  log.length === (log.at(-1)?.seq ?? 0) ? log : [];

/** The session was read before its lease was ours, since its tools are chosen when it is opened. */
async function newestLog(
  { ledger }: ServerContext,
  { sessionId, stored }: TurnPlan,
  { writtenSeq }: AgentSession,
): Promise<readonly RecordedEvent[]> {
  const last = stored.log.at(-1)?.seq ?? 0;
  const known = wholeLog(stored.log);
  if (known.length === writtenSeq) return known;
  const added = await readAll(ledger, sessionId, { after: known.length });
  const log = added.length === 0 ? known : [...known, ...added];
  const isChanged = added.some(({ seq, event }) => seq > last && event.type === "info-changed");
  const current = isChanged ? storedSession(log)?.config : stored.config;
  if (current && sameConfig(current, stored.config)) return log;
  throw new AapProblem("BUSY", "The session was changed by another request just now. Nothing was done.");
}
