/**
 * What an app has set up for a session: its agent, the server's tools that are switched on and trusted,
 * and the tools that the app runs itself. It is kept in the log, so any process can go on with it.
 */
import { z } from "zod";
import type { Agent } from "../agent/index.js";
import type { Ledger, RecordedEvent, SessionEvent, SessionInfo } from "../call/index.js";
import type { AppTool } from "../tools/index.js";
import type { SessionInfo as WireSessionInfo } from "./client/protocol.js";
import { AapProblem } from "./problem.js";
import { serverToolRef, toolSpec } from "./request-bodies.js";
import type { AgentOverrides } from "./request-bodies.js";

const sessionConfig = z.object({
  agent: z.object({ name: z.string(), tools: z.array(serverToolRef) }),
  tools: z.array(toolSpec),
});
export type SessionConfig = z.output<typeof sessionConfig>;

export type StoredSession = { readonly config: SessionConfig; readonly info: SessionInfo };

/** Sessions of other doors are none of an app's: they have no such config, and count as not there. */
export async function readSession(
  ledger: Ledger,
  sessionId: string,
): Promise<StoredSession & { readonly log: readonly RecordedEvent[] }> {
  const log = await ledger.read(sessionId);
  const stored = storedSession(log);
  if (stored) return { ...stored, log };
  throw new AapProblem("NOT_FOUND", `There is no session ${sessionId}. Nothing was done.`);
}

export function storedSession(log: readonly RecordedEvent[]): StoredSession | undefined {
  let info: SessionInfo = {};
  for (const { event } of log) if (event.type === "info-changed") info = { ...info, ...event.info };
  const parsed = sessionConfig.safeParse(info._meta?.["aap"]);
  return parsed.success ? { config: parsed.data, info } : undefined;
}

export function configEvent(config: SessionConfig, info: SessionInfo, at: number): SessionEvent {
  return { type: "info-changed", at, info: { ...info, _meta: { ...info._meta, aap: config } } };
}

export function sameConfig(one: SessionConfig, other: SessionConfig): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** What is given replaces what was, list by list. */
export function changedConfig(
  config: SessionConfig,
  changes: { readonly agent?: AgentOverrides; readonly tools?: SessionConfig["tools"] },
  agent: Agent,
): SessionConfig {
  const { name = agent.name, tools: refs = config.agent.tools, options = {} } = changes.agent ?? {};
  const tools = changes.tools ?? config.tools;
  if (name !== agent.name) {
    throw new AapProblem(
      "BAD_REQUEST",
      `A session keeps its agent: this one's is ${agent.name}, not ${name}. Nothing was done.`,
    );
  }
  const unknownOption = Object.keys(options)[0];
  if (unknownOption !== undefined) {
    throw new AapProblem(
      "BAD_REQUEST",
      `Agent ${agent.name} has no options, so no "${unknownOption}". Nothing was done.`,
    );
  }
  // A tool that the agent has lost since the session was made is no mistake of this request.
  if (changes.agent?.tools) checkKnown(refs, agent);
  checkUnique([...refs, ...tools]);
  return { agent: { name, tools: refs }, tools };
}

function checkKnown(refs: SessionConfig["agent"]["tools"], { name, tools }: Agent): void {
  const names = tools.map((tool) => tool.name);
  const unknown = refs.filter((ref) => !names.includes(ref.name)).map((ref) => `"${ref.name}"`);
  if (unknown.length === 0) return;
  throw new AapProblem(
    "BAD_REQUEST",
    `Agent ${name} has no tool ${unknown.join(", ")}, only ${names.join(", ")}. Nothing was done.`,
  );
}

function checkUnique(tools: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) {
      throw new AapProblem(
        "BAD_REQUEST",
        `Two tools are named "${name}". A name must be unique among the server's and the app's tools. Nothing was done.`,
      );
    }
    seen.add(name);
  }
}

/** The agent with only the tools that the app has switched on. */
export function agentWith({ agent: { tools: refs } }: SessionConfig, agent: Agent): Agent {
  const names = new Set(refs.map(({ name }) => name));
  return { ...agent, tools: agent.tools.filter(({ name }) => names.has(name)) };
}

export function appTools({ tools }: SessionConfig): readonly AppTool[] {
  return tools.map((tool) => ({ ...tool, kind: "other", runsInApp: true }));
}

export function wireSession(sessionId: string, { agent, tools }: SessionConfig): WireSessionInfo {
  return { sessionId, agent, ...(tools.length > 0 && { tools }) };
}
