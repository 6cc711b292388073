/**
 * `toolgate run --url`: one turn of an agent on an AAP server, shown and asked about like our own turns. Without a person
 * to ask, calls that need approval are denied.
 */
import { connect, runTurn } from "../aap/client/index.js";
import type {
  AapClient,
  AgentInfo,
  Permission,
  StreamMode,
  ToolUseBlock,
  TurnResult,
} from "../aap/client/index.js";
import type { Ask } from "../run/index.js";
import { AnswersElsewhere } from "./answers-elsewhere.js";
import { askInTerminal } from "./ask-in-terminal.js";
import { exitNow, SIGNALS } from "./signals.js";
import { jsonText } from "./json-text.js";
import { NamedTrust } from "./named-trust.js";
import { openRemote } from "./open-remote.js";
import { CANCELLING, openScreen } from "./open-screen.js";
import type { RunFlags } from "./commands/run.js";
import { RemoteSession } from "./remote-session.js";
import { endText, exitCode } from "./run-turn.js";
import type { RanTurn } from "./run-turn.js";
import { note, noteLine } from "./stderr.js";
import { tokenFor } from "./url-token.js";

export async function runUrl(prompt: string, flags: RunFlags & { readonly url: string }): Promise<number> {
  const { client, session, take: takeOf } = await openUrl(flags);
  const take = takeOf(prompt);
  return exitCode(await (flags.json ? asJson(session, client, take) : asText(session, client, take)));
}

export type OpenedUrl = {
  readonly client: AapClient;
  readonly session: RemoteSession;
  readonly agent: AgentInfo | undefined;
  readonly take: (prompt: string) => Take;
};

export async function openUrl(flags: RunFlags & { readonly url: string }): Promise<OpenedUrl> {
  const client = connect(flags.url, await tokenFor(flags));
  const { sessionId, agent } = await openRemote(client, flags);
  const session = new RemoteSession(sessionId);
  const stream = bestStream(agent);
  const trust = new NamedTrust(flags);
  const take =
    (prompt: string): Take =>
    (person, showLine, stop) =>
      turnOf(
        { client, session, prompt, stream, showLine, askAbout: ({ name }) => trust.askAbout(name, person) },
        stop,
      );
  return { client, session, agent, take };
}

/** `person` asks the user, if there is one; `showLine` writes a line between the agent's messages. */
export type Take = (
  person: Ask | undefined,
  showLine: (text: string) => void,
  stop: Stop,
) => Promise<TurnResult>;

const CUT_OFF = "The response was cut off because the server stopped; it starts again from the beginning.";

async function asJson(session: RemoteSession, client: AapClient, take: Take): Promise<RanTurn> {
  process.stdout.write(`${jsonText({ type: "session", sessionId: session.sessionId })}\n`);
  session.onRecorded((events) => {
    for (const event of events) process.stdout.write(`${jsonText(event)}\n`);
  });
  return untilStopped(session, client, (stop) => take(undefined, note, stop));
}

async function asText(session: RemoteSession, client: AapClient, take: Take): Promise<RanTurn> {
  const screen = openScreen(session);
  const person = screen.hasPerson ? askInTerminal(screen.live) : undefined;
  const end = await untilStopped(
    session,
    client,
    (stop) => take(person, (text) => screen.live.line(text), stop),
    () => screen.live.note(CANCELLING),
  ).finally(() => screen.live.close());
  const text = endText(end);
  if (text !== undefined) noteLine(text);
  return end;
}

type OneTurn = {
  readonly client: AapClient;
  readonly session: RemoteSession;
  readonly prompt: string;
  readonly stream: StreamMode;
  readonly showLine: (text: string) => void;
  readonly askAbout: (call: ToolUseBlock) => Ask;
};

async function turnOf(turn: OneTurn, stop: Stop): Promise<TurnResult> {
  const { client, session, prompt, stream, showLine, askAbout } = turn;
  session.begin(prompt);
  const over = new AbortController();
  const elsewhere = new AnswersElsewhere();
  const following = elsewhere.follow(
    client,
    session.sessionId,
    AbortSignal.any([over.signal, stop.listening]),
  );
  const request = {
    stream,
    ...(prompt !== "" && { messages: [{ role: "user", content: prompt } as const] }),
  };
  try {
    const result = await runTurn(client, session.sessionId, request, {
      permit: permitIn(session, askAbout, elsewhere, stop.asking),
      onEvent: (event) => {
        session.read(event);
        if (event.event === "answer_cut_off") showLine(CUT_OFF);
      },
      onAnswers: () => session.submit(),
      signal: stop.listening,
    });
    // There was nothing to do, so the server sent no events.
    if (result.messages.length === 0)
      session.read({ event: "turn_stop", data: { stopReason: result.stopReason } });
    return result;
  } finally {
    over.abort();
    await following;
  }
}

/** Asks here until somebody else has answered. */
function permitIn(
  session: RemoteSession,
  askAbout: OneTurn["askAbout"],
  elsewhere: AnswersElsewhere,
  asking: AbortSignal,
) {
  return async (call: ToolUseBlock): Promise<Permission | undefined> => {
    const question = session.ask(call);
    if (!question) return { granted: false, reason: "it cannot be asked about any more" };
    const settled = new AbortController();
    const end = elsewhere.listen(call.toolCallId, () => settled.abort());
    try {
      const answer = await askAbout(call)(question, AbortSignal.any([asking, settled.signal]));
      const granted = session.answer(question, answer);
      return { granted, ...(answer.reason !== undefined && { reason: answer.reason }) };
    } catch (error) {
      const theirs = elsewhere.settled(call.toolCallId);
      if (asking.aborted || !theirs) throw error;
      if (theirs.answer) session.answerAs(question, theirs.answer, theirs.granted);
      return undefined;
    } finally {
      end();
    }
  };
}

/** The first signal aborts `asking`; `listening` is aborted later, when no event can arrive any more. */
type Stop = { readonly asking: AbortSignal; readonly listening: AbortSignal };

/** Calls back for each interrupt, until the returned function is called. */
export type Interrupts = (onInterrupt: (signal: NodeJS.Signals) => void) => () => void;

const bySignal: Interrupts = (onInterrupt) => {
  for (const signal of SIGNALS) process.on(signal, onInterrupt);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onInterrupt);
  };
};

/** The first interrupt cancels the turn on the server, the second one exits. */
export async function untilStopped(
  session: RemoteSession,
  client: AapClient,
  take: (stop: Stop) => Promise<TurnResult>,
  onInterrupt?: () => void,
  interrupts: Interrupts = bySignal,
): Promise<RanTurn> {
  const [asking, listening] = [new AbortController(), new AbortController()];
  let received: NodeJS.Signals | undefined;
  let cancelled: Promise<void> = Promise.resolve();
  const interrupt = (signal: NodeJS.Signals) => {
    if (received) exitNow(signal);
    received = signal;
    onInterrupt?.();
    asking.abort();
    cancelled = cancelOnServer(client, session.sessionId).finally(() => {
      // A cancelled turn sends its own end. Without a running turn, or after a failed cancel, no end arrives.
      setTimeout(() => listening.abort(), CANCEL_TIMEOUT_MS).unref();
    });
  };
  const release = interrupts(interrupt);
  try {
    const { stopReason, error } = await take({ asking: asking.signal, listening: listening.signal });
    if (received) return { status: "stopped", stopReason: "cancelled", signal: received };
    return stopReason === "tool_use"
      ? { status: "parked" }
      : { status: "stopped", stopReason, ...(error !== undefined && { error }) };
  } catch (error) {
    if (!received) {
      session.leave("error");
      throw error;
    }
    session.leave("cancelled");
    return { status: "stopped", stopReason: "cancelled", signal: received };
  } finally {
    await cancelled;
    release();
  }
}

const CANCEL_TIMEOUT_MS = 5_000;

async function cancelOnServer(client: AapClient, sessionId: string): Promise<void> {
  try {
    await client.cancel(sessionId);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    note(`the turn could not be cancelled and may go on at the server. ${why}`);
  }
}

/** A stream mode that the agent does not advertise is not used. */
function bestStream(agent: AgentInfo | undefined): StreamMode {
  const { stream = {} } = agent?.capabilities ?? {};
  if (stream.delta) return "delta";
  return stream.message ? "message" : "none";
}
