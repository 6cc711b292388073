/** An agent of ours behind an ACP connection: its sessions are in the ledger, and work in the client's folder. */
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
} from "../../call/check-options.js";
import type { OptionChecks } from "../../call/check-options.js";
import { AgentSession } from "../../agent/index.js";
import type { Agent } from "../../agent/index.js";
import type { Ledger, SessionInfo, Usage } from "../../call/index.js";
import { FlushTimer } from "../../record/index.js";
import type { ToolSource, Workspace } from "../../tools/index.js";
import { isJsonObject } from "../json.js";
import { editorWorkspace } from "./editor-workspace.js";
import { elicitFromClient } from "./elicit-from-client.js";
import type { AcpHost, Choice, Command, HostedSession, OpenRequest } from "./acp-host.js";

export type AgentHostOptions = {
  readonly agent: Agent;
  readonly ledger: Ledger;
  /** The workspace for the folder that the client names, and for those it names beside it. */
  readonly openWorkspace: (cwd: string, also: readonly string[]) => Promise<Workspace>;
  /** Commands run in a sandbox, so not in the client's terminals. */
  readonly isSandboxed?: boolean;
  /** The MCP servers that the client names, as tools. Without it they are not started. */
  readonly openServers?: (servers: readonly unknown[], cwd: string) => Promise<ServersOfSession>;
  /** The modes that the agent's policy knows, and the one that holds in a folder unless another was chosen. */
  readonly modes?: { readonly options: Choice["options"]; readonly usual: (root: string) => string };
  /** Models that can be chosen in mid-session; the first is the agent's own. */
  readonly models?: readonly ModelChoice[];
  readonly commands?: (session: AgentSession, root: string) => readonly Command[];
  /** The cost of the agent's own model. */
  readonly costOf?: CostOf;
  /** The description of new sessions. */
  readonly info?: SessionInfo;
  readonly leaseMs?: number;
  readonly close?: () => Promise<void>;
};

const HOST_OPTIONS: OptionChecks<AgentHostOptions> = {
  agent: required(AGENT),
  ledger: required(LEDGER),
  openWorkspace: required(FUNCTION),
  isSandboxed: FLAG,
  openServers: FUNCTION,
  modes: OBJECT,
  models: LIST,
  commands: FUNCTION,
  costOf: FUNCTION,
  info: OBJECT,
  leaseMs: AMOUNT,
  close: FUNCTION,
};

export type ServersOfSession = ToolSource & { readonly close: () => Promise<void> };

export type ModelChoice = {
  readonly name: string;
  readonly open: () => Promise<UsedModel>;
};

type CostOf = (usage: Usage) => number | undefined;

/** `costOf` in US dollars, where it is known. */
export type UsedModel = Pick<Agent, "model" | "contextWindow"> & { readonly costOf?: CostOf };

/** The agent that has the session may be about to end, with its editor. */
const LEASE_WAIT_MS = 8_000;

export function agentHost(options: AgentHostOptions): AcpHost {
  checkOptions("agentHost", options, HOST_OPTIONS);
  const { ledger, close } = options;
  const flushTimer = new FlushTimer();
  return {
    ledger,
    openSession: (request) => openSession(options, flushTimer, request),
    ...(close && { close }),
  };
}

async function openSession(
  options: AgentHostOptions,
  flushTimer: FlushTimer,
  request: OpenRequest,
): Promise<HostedSession> {
  const { ledger, leaseMs } = options;
  const { sessionId, cwd, client } = request;
  const local = await options.openWorkspace(cwd, request.additionalDirectories);
  const workspace = editorWorkspace(local, client, sessionId, { ownCommands: options.isSandboxed ?? false });
  const servers =
    request.mcpServers.length > 0 ? await options.openServers?.(request.mcpServers, local.root) : undefined;
  const { agent, models } = switchable(options, servers);
  try {
    const session = await AgentSession.open({
      agent,
      ledger,
      workspace,
      // Read before every step of the model: the editor need not be asked for these.
      projectFiles: local,
      sessionId,
      elicit: elicitFromClient(client, sessionId),
      leaseWaitMs: request.leaseWaitMs ?? LEASE_WAIT_MS,
      onLeaseWait: request.onLeaseWait,
      flushTimer,
      ...(leaseMs !== undefined && { leaseMs }),
      ...(options.info && { info: options.info }),
    });
    await models.restore(session).catch(async (error: unknown) => {
      await session.close();
      throw error;
    });
    return {
      session,
      choices: [...modeChoice(options.modes, session, local.root), ...models.choice(session)],
      commands: options.commands?.(session, local.root) ?? [],
      get contextWindow() {
        return session.contextWindow;
      },
      costOf: models.costOf,
      aside: (prompt, answer) => session.aside(prompt, answer),
      close: async () => {
        try {
          await session.close();
        } finally {
          await servers?.close();
        }
      },
    };
  } catch (error) {
    await servers?.close();
    throw error;
  }
}

function modeChoice(
  modes: AgentHostOptions["modes"],
  session: AgentSession,
  root: string,
): readonly Choice[] {
  if (!modes) return [];
  return [
    {
      id: "mode",
      name: "Mode",
      category: "mode",
      options: modes.options,
      current: () => session.book.modeId ?? modes.usual(root),
      choose: (value) => session.setMode(value),
    },
  ];
}

/** The agent for one session, whose model can be changed; the choice is kept with the session. */
function switchable(options: AgentHostOptions, servers: ToolSource | undefined) {
  const { models = [], costOf } = options;
  const { toolSources } = options.agent;
  const base = servers ? { ...options.agent, toolSources: [...toolSources, servers] } : options.agent;
  let name = models[0]?.name ?? "";
  let used: UsedModel = { ...base, ...(costOf && { costOf }) };
  const agent: Agent =
    models.length < 2
      ? base
      : {
          ...base,
          get model() {
            return used.model;
          },
          get contextWindow() {
            return used.contextWindow;
          },
        };
  const use = async (value: string): Promise<void> => {
    used = (await models.find((known) => known.name === value)?.open()) ?? used;
    name = value;
  };
  const restore = async ({ book }: AgentSession): Promise<void> => {
    const kept = flagsOf(book.info._meta)["model"];
    if (typeof kept === "string" && kept !== name && models.some((known) => known.name === kept))
      await use(kept);
  };
  const choice = (session: AgentSession): readonly Choice[] => {
    if (models.length < 2) return [];
    const choose = async (value: string): Promise<void> => {
      await use(value);
      const { _meta } = session.book.info;
      const ours = _meta?.["toolgate"];
      const toolgate = { ...(isJsonObject(ours) && ours), flags: { ...flagsOf(_meta), model: value } };
      await session.describe({ _meta: { ..._meta, toolgate } });
    };
    const offered = models.map((known) => ({ value: known.name, name: known.name }));
    return [{ id: "model", name: "Model", category: "model", options: offered, current: () => name, choose }];
  };
  return { agent, models: { restore, choice, costOf: (usage: Usage) => used.costOf?.(usage) } };
}

/** The flags that the session was started with, as the commands keep them. */
function flagsOf(meta: unknown): { readonly [flag: string]: unknown } {
  const ours = isJsonObject(meta) ? meta["toolgate"] : undefined;
  const flags = isJsonObject(ours) ? ours["flags"] : undefined;
  return isJsonObject(flags) ? flags : {};
}
