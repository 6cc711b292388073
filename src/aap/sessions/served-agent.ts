/**
 * The agents that a server offers: our own, loops of the host's own, and agents that run outside. Sessions of our own
 * agents wait in the log alone; those of the others live in this process, since no other process can resume their turns.
 */
import type { Agent, SessionHandle, Loop } from "../../agent/index.js";
import type { Ledger, SessionInfo } from "../../call/index.js";
import type { Tool, Workspace } from "../../tools/index.js";
import type { AgentOption, OptionValues } from "./agent-options.js";
import type { AgentInfo } from "../client/protocol.js";
import { externalLoop } from "./external-loop.js";

/** An agent that runs outside, behind another protocol for example: a way to open sessions of it. */
export type ExternalAgent = {
  readonly name: string;
  /** The tools that an app may switch on and trust. */
  readonly tools?: readonly Tool[];
  readonly open: (request: ExternalRequest) => Promise<SessionHandle>;
  /** Whether prompts may have images. */
  readonly takesImages?: boolean;
};

export type ExternalRequest = {
  readonly sessionId: string;
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  /** The recorded info of the session: an agent that records it again keeps its fields. */
  readonly info: SessionInfo;
  readonly options: OptionValues;
  /** The tools that the app has switched on, and whether each may run unasked. */
  readonly tools: readonly { readonly name: string; readonly isTrusted: boolean }[];
};

/** An agent, and how it is presented to apps. */
export type ServedAgent = {
  readonly agent: Agent | Loop | ExternalAgent;
  readonly title?: string;
  readonly description?: string;
  /** The version as semver; by default the server's own. */
  readonly version?: string;
  /** The model by name, which is recorded with each session. `isElsewhere`: at an address without the usual prices. */
  readonly served?: { readonly model: string; readonly isElsewhere?: boolean };
  /** The options that an app may set, and the agent with these values. */
  readonly options?: readonly AgentOption[];
  readonly withOptions?: (agent: Agent, values: OptionValues) => Agent;
  /** Tools that apps do not see are always on, and only the agent's own rules decide on them. By default apps see all. */
  readonly isExposed?: (tool: Tool) => boolean;
};

export type Served = Omit<ServedAgent, "agent" | "options" | "isExposed"> & {
  readonly name: string;
  readonly options: readonly AgentOption[];
  readonly isExposed: (tool: Tool) => boolean;
  readonly behind:
    | { readonly type: "own"; readonly agent: Agent }
    | { readonly type: "external"; readonly agent: ExternalAgent };
};

export function served(given: Agent | Loop | ExternalAgent | ServedAgent): Served {
  const {
    agent,
    options = [],
    isExposed = () => true,
    ...about
  } = "agent" in given ? given : { agent: given };
  const behind =
    "model" in agent
      ? ({ type: "own", agent } as const)
      : ({ type: "external", agent: "open" in agent ? agent : externalLoop(agent) } as const);
  return { ...about, name: agent.name, options, isExposed, behind };
}

/** All tools of an agent as they are now, those of its sources included. */
export function toolsOf({ behind }: Served): readonly Tool[] {
  if (behind.type === "external") return behind.agent.tools ?? [];
  const { tools, toolSources } = behind.agent;
  const all = new Map(tools.map((tool) => [tool.name, tool]));
  for (const source of toolSources)
    for (const tool of source.tools()) if (!all.has(tool.name)) all.set(tool.name, tool);
  return [...all.values()];
}

export const exposedTools = (one: Served): readonly Tool[] => toolsOf(one).filter(one.isExposed);

type AgentInfoOptions = {
  readonly version: string;
  readonly isRedacted: boolean;
  readonly trustable: (tool: Tool) => boolean;
};

export function agentInfo(one: Served, { version, isRedacted, trustable }: AgentInfoOptions): AgentInfo {
  const { name, title, description, options, behind } = one;
  const isOwn = behind.type === "own";
  const takesImages = isOwn || (behind.agent.takesImages ?? false);
  return {
    name,
    ...(title !== undefined && { title }),
    version: one.version ?? version,
    ...(description !== undefined && { description }),
    tools: exposedTools(one).map((tool) => ({
      name: tool.name,
      ...(tool.label !== undefined && { title: tool.label }),
      description: tool.description,
      parameters: { ...tool.parameters },
      kind: tool.kind,
      trustable: trustable(tool),
    })),
    ...(options.length > 0 && { options }),
    capabilities: {
      // A redacted history is not exact.
      history: { compacted: {}, ...(!isRedacted && { full: {} }) },
      stream: { delta: {}, message: {}, none: {} },
      ...(isOwn && { application: { tools: {} } }),
      ...(takesImages && { image: { data: {} } }),
    },
  };
}
