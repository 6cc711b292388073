/**
 * An external ACP agent, served to apps under our rules and recorded in our history. Its process starts with the first
 * session and restarts after it died; which sessions it can resume then is up to the agent.
 */
import type { ExternalAgent, ExternalRequest } from "../aap/index.js";
import { AgentConnection } from "../acp/index.js";
import type { OnBreach } from "../acp/index.js";
import type { Agent } from "../agent/index.js";
import { LEASE_WAIT } from "./lease-wait.js";
import { packageVersion } from "./package-version.js";

export type ExternalAcpAgent = ExternalAgent & { readonly close: () => Promise<void> };

export type ExternalAcpAgentOptions = {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  /** The agent whose rules and grants apply to its calls. */
  readonly rules: Pick<Agent, "policy" | "remember" | "onRulesChanged" | "onCleared" | "limits">;
  readonly onBreach?: OnBreach;
};

export function externalAcpAgent({
  name,
  argv,
  cwd,
  rules,
  onBreach,
}: ExternalAcpAgentOptions): ExternalAcpAgent {
  let running: Promise<AgentConnection> | undefined;
  const connect = async (): Promise<AgentConnection> => {
    const connection = await AgentConnection.open({
      agent: { argv, cwd },
      client: { name: "toolgate", version: packageVersion() },
    });
    void connection.closed.finally(() => {
      running = undefined;
    });
    return connection;
  };
  const connected = (): Promise<AgentConnection> => {
    running ??= connect();
    // The next session tries again after a failed start.
    running.catch(() => {
      running = undefined;
    });
    return running;
  };
  return {
    name,
    open: async ({ sessionId, ledger, workspace, info }) => {
      const { policy, remember, onRulesChanged, onCleared, limits } = rules;
      const options = {
        sessionId,
        ledger,
        workspace,
        info,
        policy,
        ...(remember && { remember }),
        ...(onRulesChanged && { onRulesChanged }),
        ...(onCleared && { onCleared }),
        ...(limits && { limits }),
        ...LEASE_WAIT,
        ...(onBreach && { onBreach }),
      };
      const connection = await connected();
      const known = agentSessionIn(info);
      return known === undefined ? connection.newSession(options) : connection.resumeSession(known, options);
    },
    close: async () => {
      const connection = await running?.catch(() => undefined);
      await connection?.close();
    },
  };
}

/** The agent's own id of the session, known after its first turn. */
function agentSessionIn({ _meta }: ExternalRequest["info"]): string | undefined {
  const ours = _meta?.["toolgate"];
  const session = isObject(ours) ? ours["agentSession"] : undefined;
  const id = isObject(session) ? session["sessionId"] : undefined;
  return typeof id === "string" ? id : undefined;
}

const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === "object" && value !== null;
