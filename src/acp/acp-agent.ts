/**
 * An agent as ACP v1 editors know it, on the SDK's own dispatch. Sessions live in the ledger: one that
 * was left in another process, even in the middle of a question, is loaded and goes on here.
 */
import { agent as acpAgent, methods, PROTOCOL_VERSION, RequestError } from "@agentclientprotocol/sdk";
import type { AgentApp, AgentContext } from "@agentclientprotocol/sdk";
import { AgentSession } from "../agent/index.js";
import type { Agent, TurnEnd } from "../agent/index.js";
import { LedgerError } from "../call/index.js";
import type { Ledger } from "../call/index.js";
import type { Workspace } from "../tools/index.js";
import { LiveSession } from "./live-session.js";

export type AcpAgentOptions = {
  readonly agent: Agent;
  readonly ledger: Ledger;
  /** The workspace for the folder that the client names. */
  readonly openWorkspace: (cwd: string) => Promise<Workspace>;
  readonly version: string;
  readonly leaseMilliseconds?: number;
};

const PATIENCE = 8_000;

/** `close` ends what is under way: a client that is gone has cancelled. */
export function createAcpAgent(options: AcpAgentOptions): {
  readonly app: AgentApp;
  readonly close: () => Promise<void>;
} {
  const sessions = new AcpSessions(options);
  const app = acpAgent({ name: options.agent.name })
    .onRequest(methods.agent.initialize, ({ params }) => {
      sessions.clientName = params.clientInfo?.title ?? params.clientInfo?.name ?? "the editor";
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true } },
        agentInfo: { name: options.agent.name, version: options.version },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const live = await sessions.open(params.cwd, client);
      return { sessionId: live.session.sessionId };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const live = await sessions.load(params.sessionId, params.cwd, client);
      await live.replay();
      // After the response: a question that was open is asked again, and the turn goes on.
      setImmediate(() => void live.resume().catch(() => undefined));
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params, signal }) => {
      // ACP's blocks are ours.
      const end = await sessions.get(params.sessionId).prompt(params.prompt, signal);
      return { stopReason: stopReason(end) };
    })
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions.get(params.sessionId).cancel();
    });
  return { app, close: () => sessions.close() };
}

class AcpSessions {
  clientName = "the editor";
  readonly #options: AcpAgentOptions;
  readonly #live = new Map<string, LiveSession>();

  constructor(options: AcpAgentOptions) {
    this.#options = options;
  }

  get(sessionId: string): LiveSession {
    const live = this.#live.get(sessionId);
    if (!live) throw RequestError.resourceNotFound(sessionId);
    return live;
  }

  async open(cwd: string, client: AgentContext, sessionId?: string): Promise<LiveSession> {
    const { agent, ledger, leaseMilliseconds } = this.#options;
    const workspace = await this.#workspace(cwd);
    const session = await AgentSession.open({
      agent,
      ledger,
      workspace,
      ...(sessionId !== undefined && { sessionId }),
      ...(leaseMilliseconds !== undefined && { leaseMilliseconds }),
      // An editor that crashed opens its session again at once, and the lease of its last agent may not be over.
      patience: PATIENCE,
    });
    const live = new LiveSession(session, client, this.clientName);
    this.#live.set(session.sessionId, live);
    return live;
  }

  async #workspace(cwd: string): Promise<Workspace> {
    try {
      return await this.#options.openWorkspace(cwd);
    } catch (error) {
      throw RequestError.invalidParams({ cwd }, error instanceof Error ? error.message : String(error));
    }
  }

  async load(sessionId: string, cwd: string, client: AgentContext): Promise<LiveSession> {
    await this.#workspace(cwd);
    await this.#live.get(sessionId)?.close();
    this.#live.delete(sessionId);
    if ((await this.#options.ledger.read(sessionId)).length === 0)
      throw RequestError.resourceNotFound(sessionId);
    try {
      return await this.open(cwd, client, sessionId);
    } catch (error) {
      if (!(error instanceof LedgerError)) throw error;
      throw RequestError.invalidRequest({ sessionId }, error.message);
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#live.values()].map((live) => live.close()));
    this.#live.clear();
  }
}

/** A turn that ended in an error is an error to the client, with the reason; one that waits for an app cannot be here. */
function stopReason(end: TurnEnd): "end_turn" | "max_tokens" | "max_turn_requests" | "refusal" | "cancelled" {
  if (end.status === "parked")
    throw RequestError.internalError(undefined, "the turn waits for something this client cannot give");
  if (end.stopReason === "error") throw RequestError.internalError(undefined, end.error ?? "the turn failed");
  return end.stopReason;
}
