/**
 * Turns of agents that run outside, and of loops of the host's own. They live in this process: where one waits for a yes
 * or no, the response ends with `tool_use` and the turn goes on waiting; the next response continues where that one
 * ended. The session stays open between turns, since only it has the conversation. When the process ends, such a turn
 * ends with it, and its calls are closed.
 */
import type { SessionHandle } from "../../agent/index.js";
import { LedgerError, readAll } from "../../call/index.js";
import type { SessionEvent } from "../../call/index.js";
import { SessionRecord } from "../../record/index.js";
import { AapProblem } from "../api/aap-problem.js";
import type { ServerContext } from "../server-context.js";
import { optionsInForce } from "../sessions/agent-options.js";
import { toolsOf } from "../sessions/served-agent.js";
import type { ExternalAgent, Served } from "../sessions/served-agent.js";
import { readSessionConfig, sameConfig } from "../sessions/session-config.js";
import type { SessionConfig } from "../sessions/session-config.js";
import { isEmptyNote, requestEvent } from "../stream/response-log.js";
import { ExternalTurn } from "./external-turn.js";
import type { OpenSession } from "./open-session.js";
import type { TurnHost, TurnPlan, TurnRunner } from "./turn-host.js";

export class ExternalTurns implements TurnHost {
  readonly agent: Served;
  readonly canResume = false;
  readonly #server: ServerContext;
  readonly #external: ExternalAgent;
  readonly #turns = new Map<string, ExternalTurn>();

  constructor(server: ServerContext, agent: Served, external: ExternalAgent) {
    this.#server = server;
    this.agent = agent;
    this.#external = external;
  }

  find(sessionId: string): OpenSession | undefined {
    return this.#turns.get(sessionId)?.open;
  }

  /** The session follows the ledger by itself. */
  async catchUp(sessionId: string): Promise<void> {
    await this.find(sessionId)?.settle();
  }

  hasTurn(sessionId: string): boolean {
    return this.#turns.get(sessionId)?.openTurn !== undefined;
  }

  async cancelTurn(sessionId: string): Promise<boolean> {
    return (await this.#turns.get(sessionId)?.cancel()) ?? false;
  }

  async open(plan: TurnPlan): Promise<TurnRunner> {
    const { sessionId, submission } = plan;
    const { name } = this.agent;
    if (!submission)
      throw new AapProblem("CONFLICT", `A turn of ${name} ends with its process. Nothing was done.`);
    const isChanged = !sameConfig(plan.config, plan.stored.config);
    if (isChanged && this.hasTurn(sessionId))
      throw new AapProblem(
        "CONFLICT",
        `The settings of a session of ${name} cannot change while a turn of it is under way. Nothing was done; answer or cancel the turn first.`,
      );
    const isOpen = this.#turns.has(sessionId);
    // The open session holds the lease, so only a closed one can be written to here.
    if (isChanged || (!isOpen && !isEmptyNote(plan.note))) await this.#recordRequest(plan);
    // The agent may be gone; opened again, it may be there.
    if (this.#turns.get(sessionId)?.isBroken) await this.close(sessionId);
    const turn = this.#turns.get(sessionId) ?? (await this.#open(sessionId, plan.config));
    turn.isNoted = isChanged || !isOpen;
    return turn;
  }

  async close(sessionId: string): Promise<void> {
    const turn = this.#turns.get(sessionId);
    this.#turns.delete(sessionId);
    await turn?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.allSettled([...this.#turns.keys()].map((sessionId) => this.close(sessionId)));
  }

  async #recordRequest({ sessionId, stored, config, note }: TurnPlan): Promise<void> {
    await this.close(sessionId);
    const { ledger, now } = this.#server;
    const event: SessionEvent = requestEvent(stored.info, config, note, now());
    const session = await SessionRecord.open(ledger, sessionId, { owner: `aap ${process.pid}` });
    try {
      await session.append([event], { durable: true });
    } finally {
      await session.close();
    }
  }

  async #open(sessionId: string, config: SessionConfig): Promise<ExternalTurn> {
    let session: SessionHandle;
    try {
      session = await this.#openSession(sessionId, config);
    } catch (error) {
      if (error instanceof LedgerError && error.code === "LEASE_HELD")
        throw new AapProblem("BUSY", error.message);
      throw error;
    }
    const log = await readAll(this.#server.ledger, sessionId);
    const turn = new ExternalTurn(this.#server, session, config, log);
    this.#turns.set(sessionId, turn);
    return turn;
  }

  async #openSession(sessionId: string, config: SessionConfig): Promise<SessionHandle> {
    const { ledger, workspace, trustable, unsealFor } = this.#server;
    const tools = new Map(toolsOf(this.agent).map((tool) => [tool.name, tool]));
    const { info } = await readSessionConfig(ledger, sessionId);
    return this.#external.open({
      sessionId,
      ledger,
      workspace,
      info,
      options: optionsInForce(this.agent.options, config.agent, unsealFor(sessionId)),
      tools: config.agent.tools.map(({ name, trust }) => {
        const tool = tools.get(name);
        return { name, isTrusted: trust && tool !== undefined && trustable(tool) };
      }),
    });
  }
}
