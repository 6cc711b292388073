/**
 * The settings that an app gave a session: its agent, the server's tools that are switched on and trusted, the options,
 * and the tools that the app runs itself. They are kept in the log, so that any process can resume the session.
 */
import { z } from "zod";
import type { Agent } from "../../agent/index.js";
import { readAll, readSessionInfo } from "../../call/index.js";
import type { Ledger, RecordedEvent, SessionEvent, SessionInfo } from "../../call/index.js";
import type { AppTool, Tool } from "../../tools/index.js";
import { changedOptions, shownOptions } from "./agent-options.js";
import type { SessionInfo as WireSessionInfo } from "../client/protocol.js";
import { AapProblem } from "../api/aap-problem.js";
import type { ServerContext } from "../server-context.js";
import { serverToolRef, toolSpec } from "../api/request-bodies.js";
import type { AgentOverrides } from "../api/request-bodies.js";
import { exposedTools, toolsOf } from "./served-agent.js";
import type { Served } from "./served-agent.js";

const sessionConfig = z.object({
  agent: z.object({
    name: z.string(),
    tools: z.array(serverToolRef),
    options: z.record(z.string(), z.string()).default({}),
    sealed: z.array(z.tuple([z.string(), z.string()])).default([]),
  }),
  tools: z.array(toolSpec),
  questionLifetimeMs: z.number().exactOptional(),
});
export type SessionConfig = z.output<typeof sessionConfig>;

export const newConfig = (name: string): SessionConfig => ({
  agent: { name, tools: [], options: {}, sealed: [] },
  tools: [],
});

export type StoredSession = { readonly config: SessionConfig; readonly info: SessionInfo };

/** Sessions of editors and terminals have no such settings; for apps they do not exist. */
export async function readSession(
  ledger: Ledger,
  sessionId: string,
): Promise<StoredSession & { readonly log: readonly RecordedEvent[] }> {
  const log = await readAll(ledger, sessionId);
  const stored = storedSession(log);
  if (stored) return { ...stored, log };
  throw noSession(sessionId);
}

/** Reads the config without the log, at a cost that does not grow with it. */
export async function readSessionConfig(ledger: Ledger, sessionId: string): Promise<StoredSession> {
  const info = await readSessionInfo(ledger, sessionId);
  const config = configIn(info);
  if (config) return { config, info };
  throw noSession(sessionId);
}

const noSession = (sessionId: string): AapProblem =>
  new AapProblem("NOT_FOUND", `There is no session ${sessionId}. Nothing was done.`);

export function storedSession(log: readonly RecordedEvent[]): StoredSession | undefined {
  const info = infoAfter({}, log);
  const config = configIn(info);
  return config && { config, info };
}

/** The info of a session after these events. */
export function infoAfter(before: SessionInfo, added: readonly RecordedEvent[]): SessionInfo {
  let info = before;
  for (const { event } of added) if (event.type === "info-changed") info = { ...info, ...event.info };
  return info;
}

/** Undefined for sessions that no app created. */
export function configIn(info: SessionInfo): SessionConfig | undefined {
  const parsed = sessionConfig.safeParse(info._meta?.["aap"]);
  return parsed.success ? parsed.data : undefined;
}

export function configEvent(config: SessionConfig, info: SessionInfo, at: number): SessionEvent {
  return { type: "info-changed", at, info: { ...info, _meta: { ...info._meta, aap: config } } };
}

export function sameConfig(one: SessionConfig, other: SessionConfig): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Given values replace the earlier ones: tools as whole lists, options one by one. */
export function changedConfig(
  config: SessionConfig,
  changes: Partial<Pick<SessionConfig, "tools" | "questionLifetimeMs">> & { readonly agent?: AgentOverrides },
  agent: Served,
  seal: (name: string, secret: string) => string,
): SessionConfig {
  const { name = agent.name, tools: refs = config.agent.tools, options = {} } = changes.agent ?? {};
  const tools = changes.tools ?? config.tools;
  if (name !== agent.name) {
    throw new AapProblem(
      "BAD_REQUEST",
      `A session keeps its agent: this one's is ${agent.name}, not ${name}. Nothing was done.`,
    );
  }
  // A tool that the agent has lost since the session was created is not an error of this request.
  if (changes.agent?.tools) checkKnown(refs, agent);
  if (agent.behind.type === "external") checkExternal(name, tools, changes.questionLifetimeMs);
  checkUnique([...refs, ...tools]);
  if (changes.tools) checkNotHidden(tools, agent);
  const chosen = changedOptions(name, agent.options, config.agent, options, seal);
  const { questionLifetimeMs = config.questionLifetimeMs } = changes;
  return {
    agent: { name, tools: refs, options: chosen.options, sealed: pairs(chosen.sealed) },
    tools,
    ...(questionLifetimeMs !== undefined && { questionLifetimeMs }),
  };
}

/** An external agent has its own tools and its own question lifetime. */
function checkExternal(name: string, tools: SessionConfig["tools"], lifetimeMs: number | undefined): void {
  if (tools.length > 0)
    throw new AapProblem(
      "BAD_REQUEST",
      `Agent ${name} cannot call tools of the app. Nothing was done; leave "tools" out.`,
    );
  if (lifetimeMs !== undefined)
    throw new AapProblem(
      "BAD_REQUEST",
      `Agent ${name} decides itself how long it waits for an answer. Nothing was done; leave "questionLifetimeMs" out.`,
    );
}

const pairs = (sealed: readonly (readonly [string, string])[]): [string, string][] =>
  sealed.map(([name, text]) => [name, text]);

function checkKnown(refs: SessionConfig["agent"]["tools"], agent: Served): void {
  const names = exposedTools(agent).map((tool) => tool.name);
  const unknown = refs.filter((ref) => !names.includes(ref.name)).map((ref) => `"${ref.name}"`);
  if (unknown.length === 0) return;
  throw new AapProblem(
    "BAD_REQUEST",
    `Agent ${agent.name} has no tool ${unknown.join(", ")}, only ${names.join(", ")}. Nothing was done.`,
  );
}

function checkUnique(tools: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) throw nameTaken(name);
    seen.add(name);
  }
}

/** Tools that apps do not see are always on, so their names are taken. The name of a tool that is switched off is free. */
function checkNotHidden(tools: SessionConfig["tools"], agent: Served): void {
  const hidden = new Set(toolsOf(agent).flatMap((tool) => (agent.isExposed(tool) ? [] : [tool.name])));
  for (const { name } of tools) if (hidden.has(name)) throw nameTaken(name);
}

const nameTaken = (name: string): AapProblem =>
  new AapProblem(
    "BAD_REQUEST",
    `Two tools are named "${name}". A name must be unique among the server's and the app's tools. Nothing was done.`,
  );

/**
 * The agent with only the tools that the app has switched on, and those that the app does not see. A tool that the agent
 * got since the session was created gives way to the app's tool of that name.
 */
export function agentWith(
  { agent: { tools: refs }, tools: ofApp }: SessionConfig,
  agent: Agent,
  isExposed: (tool: Tool) => boolean,
): Agent {
  const names = new Set(refs.map(({ name }) => name));
  const taken = new Set(ofApp.map(({ name }) => name));
  const isOn = (tool: Tool) => (names.has(tool.name) || !isExposed(tool)) && !taken.has(tool.name);
  return {
    ...agent,
    tools: agent.tools.filter(isOn),
    toolSources: agent.toolSources.map((source) => ({
      tools: () => source.tools().filter(isOn),
      get: (name) => {
        const tool = source.get(name);
        return tool && isOn(tool) ? tool : undefined;
      },
    })),
  };
}

export function appTools({ tools }: SessionConfig): readonly AppTool[] {
  return tools.map((tool) => ({ ...tool, kind: "other", runsInApp: true }));
}

/** `trust` as the server applies it: a tool that may not be trusted is asked about, whatever the app set. */
export function wireSession(
  sessionId: string,
  { agent, tools, questionLifetimeMs }: SessionConfig,
  { agents, trustable }: Pick<ServerContext, "agents" | "trustable">,
): WireSessionInfo {
  const served = agents.get(agent.name);
  const options = shownOptions(served?.options ?? [], agent);
  const trusted = new Set((served ? exposedTools(served) : []).filter(trustable).map(({ name }) => name));
  const refs = agent.tools.map(({ name, trust }) => ({ name, trust: trust && trusted.has(name) }));
  return {
    sessionId,
    agent: { name: agent.name, tools: refs, ...(Object.keys(options).length > 0 && { options }) },
    ...(tools.length > 0 && { tools }),
    ...(questionLifetimeMs !== undefined && { questionLifetimeMs }),
  };
}
