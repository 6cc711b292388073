/**
 * `toolgate run --url`: one turn of an agent that a server offers over AAP, shown and asked about as our own turns are.
 *
 * What must stay true: this machine's own token goes to this machine only, and no token goes over a network that others
 * can read unless the user says so; what nobody here can be asked about is denied.
 */
import { readFile } from "node:fs/promises";
import { constants } from "node:os";
import { AapError, connect, runTurn } from "../aap/client/index.js";
import type { AapClient, AgentInfo, StreamMode, ToolUseBlock, TurnResult } from "../aap/client/index.js";
import { visibleText } from "../call/index.js";
import type { Ask } from "../run/index.js";
import { askInTerminal, refuseAll } from "./ask-in-terminal.js";
import { jsonText } from "./json-text.js";
import { CANCELLING, openScreen } from "./open-screen.js";
import type { RunFlags } from "./program.js";
import { RemoteSession } from "./remote-session.js";
import { endText, exitCode } from "./run-turn.js";
import type { RanTurn } from "./run-turn.js";
import { keptServerToken } from "./server-token.js";
import { tell, tellLine } from "./tell.js";

export async function runUrl(prompt: string, flags: RunFlags & { readonly url: string }): Promise<number> {
  const client = connect(flags.url, await tokenFor(flags));
  const { agents } = await client.meta();
  const { sessionId, agent } = await withHint(openSession(client, agents, flags));
  const session = new RemoteSession(sessionId);
  const stream = bestStream(agent);
  const take: Take = (ask, stop) => turnOf({ client, session, prompt, stream, ask }, stop);
  return exitCode(await (flags.json ? asJson(session, client, take) : asText(session, client, take)));
}

type Take = (ask: Ask, stop: Stop) => Promise<TurnResult>;

async function asJson(session: RemoteSession, client: AapClient, take: Take): Promise<RanTurn> {
  process.stdout.write(`${jsonText({ type: "session", sessionId: session.sessionId })}\n`);
  session.onRecorded((events) => {
    for (const event of events) process.stdout.write(`${jsonText(event)}\n`);
  });
  return untilStopped(session, client, (stop) => take(refuseAll, stop));
}

async function asText(session: RemoteSession, client: AapClient, take: Take): Promise<RanTurn> {
  const screen = openScreen(session);
  const ask = screen.hasPerson ? askInTerminal(screen.live) : refuseAll;
  const end = await untilStopped(
    session,
    client,
    (stop) => take(ask, stop),
    () => screen.live.note(CANCELLING),
  ).finally(() => screen.live.close());
  const text = endText(end);
  if (text !== undefined) tellLine(text);
  return end;
}

type OneTurn = {
  readonly client: AapClient;
  readonly session: RemoteSession;
  readonly prompt: string;
  readonly stream: StreamMode;
  readonly ask: Ask;
};

async function turnOf({ client, session, prompt, stream, ask }: OneTurn, stop: Stop): Promise<TurnResult> {
  session.begin(prompt);
  const permit = async (call: ToolUseBlock) => {
    const question = session.ask(call);
    if (!question) return { granted: false, reason: "it cannot be asked about any more" };
    const answer = await ask(question, stop.asking);
    const granted = session.answer(question, answer);
    return { granted, ...(answer.reason !== undefined && { reason: answer.reason }) };
  };
  const request = {
    stream,
    ...(prompt !== "" && { messages: [{ role: "user", content: prompt } as const] }),
  };
  const result = await runTurn(client, session.sessionId, request, {
    permit,
    onEvent: (event) => session.read(event),
    onAnswers: () => session.submit(),
    signal: stop.listening,
  });
  // Nothing waited, so nothing was told either.
  if (result.messages.length === 0)
    session.read({ event: "turn_stop", data: { stopReason: result.stopReason } });
  return result;
}

/** `asking` ends with the first signal; `listening` only when there is nothing to wait for. */
type Stop = { readonly asking: AbortSignal; readonly listening: AbortSignal };

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal cancels at the server, the second one leaves. */
async function untilStopped(
  session: RemoteSession,
  client: AapClient,
  take: (stop: Stop) => Promise<TurnResult>,
  onInterrupt?: () => void,
): Promise<RanTurn> {
  const [asking, listening] = [new AbortController(), new AbortController()];
  let heard: NodeJS.Signals | undefined;
  let cancelled: Promise<void> = Promise.resolve();
  const interrupt = (signal: NodeJS.Signals) => {
    if (heard) process.exit(128 + constants.signals[signal]);
    heard = signal;
    onInterrupt?.();
    asking.abort();
    cancelled = cancelThere(client, session.sessionId).finally(() => {
      // What was cancelled tells its own end; where nothing is under way, or nothing can be ended, none comes.
      setTimeout(() => listening.abort(), PATIENCE).unref();
    });
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const { stopReason, error } = await take({ asking: asking.signal, listening: listening.signal });
    if (heard) return { status: "stopped", stopReason: "cancelled", signal: heard };
    return stopReason === "tool_use"
      ? { status: "parked" }
      : { status: "stopped", stopReason, ...(error !== undefined && { error }) };
  } catch (error) {
    if (!heard) {
      session.leave("error");
      throw error;
    }
    session.leave("cancelled");
    return { status: "stopped", stopReason: "cancelled", signal: heard };
  } finally {
    await cancelled;
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** Milliseconds. */
const PATIENCE = 5_000;

async function cancelThere(client: AapClient, sessionId: string): Promise<void> {
  try {
    await client.cancel(sessionId);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    tell(`the turn could not be cancelled and may go on at the server. ${why}`);
  }
}

type Opened = { readonly sessionId: string; readonly agent: AgentInfo | undefined };

async function openSession(
  client: AapClient,
  agents: readonly AgentInfo[],
  { agent: wanted, resume, trust = [] }: RunFlags,
): Promise<Opened> {
  if (resume !== undefined) {
    const sessionId = resume === true ? await newest(client) : resume;
    const { agent } = await client.session(sessionId);
    return { sessionId, agent: agents.find(({ name }) => name === agent.name) };
  }
  const agent = wanted === undefined ? agents[0] : agents.find(({ name }) => name === wanted);
  if (!agent) throw noAgent(agents, wanted);
  const names = (agent.tools ?? []).map(({ name }) => name);
  const unknown = trust.find((name) => !names.includes(name));
  if (unknown !== undefined) throw noTool(agent, unknown);
  const tools = names.map((name) => ({ name, ...(trust.includes(name) && { trust: true }) }));
  return { ...(await client.createSession({ agent: { name: agent.name, tools } })), agent };
}

async function newest(client: AapClient): Promise<string> {
  // Ours lists the newest first.
  const [first] = (await client.sessions()).sessions;
  if (first) return first.sessionId;
  throw trouble("NO_SESSION", "The server has no session to go on with. Nothing was done.");
}

/** What the agent does not say that it can, it cannot. */
function bestStream(agent: AgentInfo | undefined): StreamMode {
  const { stream = {} } = agent?.capabilities ?? {};
  if (stream.delta) return "delta";
  return stream.message ? "message" : "none";
}

async function tokenFor({ url, tokenFile, insecureUrl = false }: RunFlags): Promise<string | undefined> {
  const { protocol, hostname } = URL.canParse(url ?? "")
    ? new URL(url ?? "")
    : { protocol: "", hostname: "" };
  const isHere = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
  const given =
    tokenFile === undefined ? process.env["TOOLGATE_TOKEN"] : (await readFile(tokenFile, "utf8")).trim();
  // The token of this machine's own servers opens this machine, so nobody else is told it.
  const token = given ?? (isHere ? keptServerToken() : undefined);
  if (token === undefined || protocol !== "http:" || isHere || insecureUrl) return token;
  throw trouble(
    "TOKEN_UNSAFE",
    `The token would go to ${visibleText(hostname)} without TLS, where others on the way can read it. Nothing was sent. Use https://, or --insecure-url where the way is safe.`,
  );
}

async function withHint<Value>(value: Promise<Value>): Promise<Value> {
  try {
    return await value;
  } catch (error) {
    if (!(error instanceof AapError) || error.status !== 401) throw error;
    throw new AapError(
      "REFUSED",
      `${error.message} Give the server's token with --token-file or in TOOLGATE_TOKEN.`,
      { status: error.status },
    );
  }
}

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
