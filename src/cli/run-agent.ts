/** `toolgate run --agent`: one turn of an external ACP agent, under our rules and recorded in our history. */
import { realpath } from "node:fs/promises";
import { AgentConnection, AgentTrouble, commandWords } from "../acp/index.js";
import type { ForeignSession, KnownAgent, ListedSession } from "../acp/index.js";
import { readSessionInfo, visibleText } from "../call/index.js";
import type { Ledger } from "../call/index.js";
import { errorCode } from "../call/error-code.js";
import { findResumed } from "./find-session.js";
import { LEASE_WAIT } from "./lease-wait.js";
import { openAgent, openLedger } from "./open-agent.js";
import type { OpenedAgent } from "./open-agent.js";
import { onBreach } from "./on-breach.js";
import { openWorkspace } from "./open-workspace.js";
import { sandboxedAgent } from "./sandboxed-agent.js";
import { packageVersion } from "./package-version.js";
import type { RunFlags } from "./commands/run.js";
import { asJson, asText } from "./run.js";
import { exitCode } from "./run-turn.js";
import { agentSessionOf, keptFlags, withKeptFlags } from "./session-flags.js";

export async function runAgent(
  prompt: string,
  given: RunFlags & { readonly agent: string },
): Promise<number> {
  const { session, opened, close } = await openForeign(given);
  try {
    const end = given.json ? await asJson(session, prompt) : await asText(session, prompt, opened);
    return exitCode(end);
  } finally {
    await close();
  }
}

export type OpenedForeign = {
  readonly session: ForeignSession;
  readonly ledger: Ledger;
  /** Only the rules, grants and mode of our agent apply; the external agent uses its own model. */
  readonly opened: OpenedAgent;
  readonly agent: KnownAgent;
  /** The agent's own list of its sessions; empty where it has none. */
  readonly sessions: () => Promise<readonly ListedSession[]>;
  readonly close: () => Promise<void>;
};

/** Starts the agent and opens a session of it, new or resumed. */
export async function openForeign(given: RunFlags & { readonly agent: string }): Promise<OpenedForeign> {
  const argv = commandWords(given.agent);
  const folder = await realpath(given.cwd ?? process.cwd());
  const ledger = await openLedger(given);
  const ends: (() => Promise<unknown>)[] = [() => ledger.close()];
  const close = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    const found =
      given.resume === undefined ? undefined : await findAgentSession(ledger, given.resume, folder);
    const flags =
      found?.sessionId === undefined ? given : await withKeptFlags(ledger, found.sessionId, given);
    const opened = await openAgent(flags);
    const { auth } = flags;
    const sandboxed = flags.sandbox === true ? await sandboxedAgent(argv, folder, opened) : undefined;
    if (sandboxed) ends.push(() => sandboxed.leave());
    const connection = await AgentConnection.open({
      agent: { argv: sandboxed?.argv ?? argv, cwd: folder },
      client: { name: "toolgate", version: packageVersion() },
      ...(auth !== undefined && { signIn: () => auth }),
    }).catch(withNextStep(given.agent));
    ends.push(() => connection.close());
    const sessions = () => listedSessions(connection);
    if (found?.missing && !(await sessions()).some((one) => one.sessionId === found.agentSessionId))
      throw found.missing;
    const session = await openSession(connection, { flags, folder, ledger, opened, known: found }).catch(
      withNextStep(given.agent),
    );
    return { session, ledger, opened, agent: connection.agent, sessions, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Adds a next step to the error of an agent that ended before its turn: check its command. */
const withNextStep =
  (command: string) =>
  (error: unknown): never => {
    if (!(error instanceof AgentTrouble) || error.code !== "AGENT_GONE") throw error;
    const message = error.message.trimEnd().replace(/\.?$/, ".");
    const next = `Nothing was done. Run the command by itself to see what it prints, and check that it supports ACP: ${visibleText(command)}`;
    // The agent's text stands below the first line, so our own text comes before it.
    throw new AgentTrouble(error.code, message.includes("\n") ? `${next}. ${message}` : `${message} ${next}`);
  };

/** `missing`: our history has no such session; the agent may have one by this id. */
type Known = {
  readonly sessionId?: string;
  readonly agentSessionId: string;
  readonly missing?: Error;
};

/** More than anybody looks through. */
const MAX_LISTED = 500;

async function listedSessions(connection: AgentConnection): Promise<readonly ListedSession[]> {
  if (!connection.agent.canList) return [];
  const listed: ListedSession[] = [];
  for (let cursor: string | undefined; listed.length < MAX_LISTED;) {
    const { sessions, nextCursor } = await connection.listSessions(cursor);
    listed.push(...sessions);
    if (nextCursor === undefined || sessions.length === 0) break;
    cursor = nextCursor;
  }
  return listed;
}

async function openSession(
  connection: AgentConnection,
  from: {
    readonly flags: RunFlags;
    readonly folder: string;
    readonly ledger: Ledger;
    readonly opened: OpenedAgent;
    readonly known: Known | undefined;
  },
): Promise<ForeignSession> {
  const { flags, folder, ledger, opened, known } = from;
  const { policy, remember, onRulesChanged, onCleared, limits } = opened.agent;
  const options = {
    ledger,
    workspace: await openWorkspace(folder, { ...flags, contain: false }, opened),
    policy,
    ...(remember && { remember }),
    ...(onRulesChanged && { onRulesChanged }),
    ...(onCleared && { onCleared }),
    ...(limits && { limits }),
    info: keptFlags(flags),
    ...LEASE_WAIT,
    onBreach: onBreach(flags),
  };
  if (!known) return connection.newSession(options);
  const { agentSessionId, sessionId } = known;
  return connection.resumeSession(agentSessionId, {
    ...options,
    ...(sessionId !== undefined && { sessionId }),
  });
}

/** A session of an external agent, by our id or the newest of the folder, with the agent's own id. */
async function findAgentSession(ledger: Ledger, wanted: string | true, folder: string): Promise<Known> {
  let sessionId: string;
  try {
    sessionId = await findResumed(ledger, wanted, folder, { ofAgent: true });
  } catch (missing) {
    if (wanted === true || !(missing instanceof Error) || errorCode(missing) !== "NO_SESSION") throw missing;
    return { agentSessionId: wanted, missing };
  }
  const agentSessionId = agentSessionOf(await readSessionInfo(ledger, sessionId));
  if (agentSessionId !== undefined) return { sessionId, agentSessionId };
  throw Object.assign(
    new Error(
      `Session ${sessionId} was not one of an agent that --agent starts. Nothing was done; see which there are with: toolgate history list`,
    ),
    { code: "NO_SESSION" },
  );
}
