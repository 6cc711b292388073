/** Opens a session on a server: a new one with all tools of its agent, where only the named tools are trusted, or a resumed one. */
import { AapError } from "../aap/client/index.js";
import type { AapClient, AgentInfo } from "../aap/client/index.js";
import { visibleText } from "../call/index.js";
import type { RunFlags } from "./commands/run.js";
import { conversationsOf } from "./page-session.js";
import type { PageServer } from "./page-session.js";

export type OpenedRemote = {
  readonly sessionId: string;
  readonly agent: AgentInfo | undefined;
  /** The session is of the page's API: apps do not know it. */
  readonly isOfPage?: boolean;
};

/**
 * `asksByRules`: all tools are trusted as far as the server's own rules allow their calls. `page`: new sessions of the
 * server's own agent are made there, where their mode and model can be changed.
 */
export type OpenRemoteOptions = { readonly asksByRules?: boolean; readonly page?: PageServer | undefined };

export async function openRemote(
  client: AapClient,
  flags: RunFlags,
  options: OpenRemoteOptions = {},
): Promise<OpenedRemote> {
  try {
    const { agents } = await client.meta().catch(askWhetherItRuns);
    return await openSession(client, agents, flags, options);
  } catch (error) {
    if (!(error instanceof AapError) || error.status !== 401) throw error;
    throw new AapError(
      "REFUSED",
      `${error.message} Give the server's token with --token-file or in TOOLGATE_TOKEN.`,
      { status: error.status },
    );
  }
}

/** A server that does not respond was most often not started. */
function askWhetherItRuns(error: unknown): never {
  if (!(error instanceof AapError) || error.code !== "UNREACHABLE") throw error;
  throw new AapError(error.code, `${error.message} Nothing was done; is "toolgate serve" running there?`);
}

async function openSession(
  client: AapClient,
  agents: readonly AgentInfo[],
  { agent: wanted, resume, trust = [], url = "" }: RunFlags,
  { asksByRules = false, page }: OpenRemoteOptions,
): Promise<OpenedRemote> {
  const named = (wantedName: string | undefined) => agents.find(({ name }) => name === wantedName);
  if (resume !== undefined) {
    const sessionId = resume === true ? await newest(client, page) : resume;
    const found = await client.session(sessionId).catch(unlessMissing);
    if (found) return { sessionId, agent: named(found.agent.name) };
    const ofPage = await page?.client.session(sessionId).catch(unlessMissing);
    if (!ofPage) throw noSession(sessionId, url);
    if (!ofPage.canPrompt)
      throw trouble("NO_SESSION", `${ofPage.whyNotPrompt ?? NOT_ITS_OWN} Nothing was done.`);
    return { sessionId, agent: named(ofPage.agent), isOfPage: true };
  }
  const agent = wanted === undefined ? agents[0] : named(wanted);
  if (!agent) throw noAgent(agents, wanted);
  const names = (agent.tools ?? []).map(({ name }) => name);
  const unknown = trust.find((name) => !names.includes(name));
  if (unknown !== undefined) throw noTool(agent, unknown);
  if (page?.me.agents.some(({ name, type }) => name === agent.name && type === "own"))
    return { ...(await page.client.createSession({ agent: agent.name })), agent, isOfPage: true };
  const tools = names.map((name) => ({
    name,
    ...((asksByRules || trust.includes(name)) && { trust: true }),
  }));
  return { ...(await client.createSession({ agent: { name: agent.name, tools } })), agent };
}

const NOT_ITS_OWN = "The server cannot continue this session.";

function unlessMissing(error: unknown): undefined {
  if (!(error instanceof AapError) || error.status !== 404) throw error;
}

async function newest(client: AapClient, page: PageServer | undefined): Promise<string> {
  // Toolgate servers list the newest session first.
  const [first] = page ? await conversationsOf(page) : (await client.sessions()).sessions;
  if (first) return first.sessionId;
  throw trouble("NO_SESSION", "The server has no session to resume. Nothing was done.");
}

const noSession = (sessionId: string, url: string): Error =>
  trouble(
    "NO_SESSION",
    `The server has no session "${visibleText(sessionId)}". Nothing was done. If that is what the agent should do, put it after --: toolgate run --url ${visibleText(url)} --resume -- ${visibleText(sessionId)}`,
  );

function noAgent(agents: readonly AgentInfo[], wanted: string | undefined): Error {
  const names = agents.map(({ name }) => `"${visibleText(name)}"`).join(", ");
  const text =
    wanted === undefined
      ? "The server offers no agent."
      : `The server has no agent "${visibleText(wanted)}", only ${names || "none"}.`;
  return trouble("NO_AGENT", `${text} Nothing was done.`);
}

function noTool({ name, tools = [] }: AgentInfo, unknown: string): Error {
  const names = tools.map((tool) => visibleText(tool.name)).join(", ");
  return trouble(
    "NO_TOOL",
    `Agent "${visibleText(name)}" has no tool "${visibleText(unknown)}", only ${names || "none"}. Nothing was done.`,
  );
}

const trouble = (code: string, message: string): Error => Object.assign(new Error(message), { code });
