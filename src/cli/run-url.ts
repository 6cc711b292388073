/**
 * `toolgate run --url`: one turn of an agent on an AAP server, shown and asked about like our own turns. Without a person
 * to ask, calls that need approval are denied.
 */
import { connect, runTurn } from "../aap/client/index.js";
import type {
  AapClient,
  AgentInfo,
  MessageContent,
  Permission,
  StreamMode,
  ToolUseBlock,
  TurnResult,
} from "../aap/client/index.js";
import type { Ask } from "../run/index.js";
import { AnswersElsewhere } from "./answers-elsewhere.js";
import { askInTerminal, refuseAllWith } from "./ask-in-terminal.js";
import { exitNow, SIGNALS } from "./signals.js";
import { jsonText } from "./json-text.js";
import { CANCEL_TIMEOUT_MS, MirroredSession } from "./mirrored-session.js";
import { NamedTrust } from "./named-trust.js";
import { openRemote } from "./open-remote.js";
import { CANCELLING, hasPerson, openScreen } from "./open-screen.js";
import type { RunFlags } from "./commands/run.js";
import { findPage, PageSession, pageWire } from "./page-session.js";
import { RemoteSession } from "./remote-session.js";
import { endText, exitCode, untilInterrupted } from "./run-turn.js";
import type { RanTurn } from "./run-turn.js";
import { note, noteLine } from "./stderr.js";
import { tokenFor } from "./token-for.js";
import { errorMessage } from "../call/error-message.js";

export async function runUrl(prompt: string, flags: RunFlags & { readonly url: string }): Promise<number> {
  // Without a person, `--trust` alone says which tools may run.
  const {
    client,
    session,
    mirrored,
    take: takeOf,
  } = await openUrl(flags, {
    mirrors: !flags.json && hasPerson(),
    // A conversation of `toolgate chat --url` is known there only.
    asksPage: flags.resume !== undefined,
  });
  if (mirrored) return exitCode(await asServerShows(mirrored, prompt, flags));
  const take = takeOf(prompt);
  return exitCode(await (flags.json ? asJson(session, client, take) : asText(session, client, take)));
}

export type OpenedUrl = {
  readonly client: AapClient;
  readonly session: RemoteSession;
  /** The same session as the server's own events show it, where it is wanted and the server sends them. */
  readonly mirrored?: MirroredSession;
  /** The same session in the page's API, where that is wanted and the server has it. */
  readonly page?: PageSession;
  readonly agent: AgentInfo | undefined;
  readonly take: (prompt: MessageContent) => Take;
};

export async function openUrl(
  flags: RunFlags & { readonly url: string },
  { mirrors = false, asksPage = false }: OpenUrlOptions = {},
): Promise<OpenedUrl> {
  const token = await tokenFor(flags);
  const client = connect(flags.url, token);
  const canMirror = (mirrors || asksPage) && (await MirroredSession.isOffered(client));
  const page = canMirror && asksPage ? await findPage(flags.url, token) : undefined;
  const opened = await openRemote(client, flags, { asksByRules: mirrors && canMirror, page });
  const { sessionId, agent, isOfPage = false } = opened;
  // A session of the page is reached in no other way.
  const isMirrored = canMirror && (mirrors || isOfPage);
  const wire = page && isOfPage ? pageWire(page, sessionId) : undefined;
  const mirrored = isMirrored ? new MirroredSession(client, sessionId, wire) : undefined;
  if (flags.resume !== undefined) await mirrored?.past();
  const session = new RemoteSession(sessionId);
  const stream = bestStream(agent);
  const trust = new NamedTrust(flags, agent);
  const take =
    (prompt: MessageContent): Take =>
    (person, showLine, stop) =>
      turnOf({ client, session, prompt, stream, showLine, trust, person }, stop);
  return {
    client,
    session,
    agent,
    take,
    ...(mirrored && { mirrored }),
    ...(page && { page: new PageSession(page, sessionId) }),
  };
}

/** `asksPage`: the page's API is used where the server has it. */
export type OpenUrlOptions = { readonly mirrors?: boolean; readonly asksPage?: boolean };

/** `person` asks the user, if there is one; `showLine` writes a line between the agent's messages. */
export type Take = (
  person: Ask | undefined,
  showLine: (text: string) => void,
  stop: Stop,
) => Promise<TurnResult>;

const CUT_OFF = "The response was cut off because the server stopped; it starts again from the beginning.";

async function asJson(session: RemoteSession, client: AapClient, take: Take): Promise<RanTurn> {
  printEvents(session);
  return untilStopped(session, client, (stop) => take(undefined, note, stop));
}

function printEvents(session: Pick<MirroredSession, "sessionId" | "onRecorded">): void {
  process.stdout.write(`${jsonText({ type: "session", sessionId: session.sessionId })}\n`);
  session.onRecorded((events) => {
    for (const event of events) process.stdout.write(`${jsonText(event)}\n`);
  });
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

/** A Toolgate server sends its own events, so its calls and questions are shown as our own are. */
async function asServerShows(
  session: MirroredSession,
  prompt: string,
  { json = false }: Pick<RunFlags, "json">,
): Promise<RanTurn> {
  const screen = json ? undefined : openScreen(session);
  if (!screen) printEvents(session);
  const ask = screen?.hasPerson ? askInTerminal(screen.live) : refuseAllWith(ANSWER_THERE);
  const message = prompt === "" ? undefined : [{ type: "text" as const, text: prompt }];
  try {
    const end = await untilInterrupted(
      (signal) =>
        session.turn(message, {
          ask,
          signal,
          onRetry: (text) => (screen ? screen.live.line(text) : note(text)),
        }),
      () => screen?.live.note(CANCELLING),
    ).finally(() => screen?.live.close());
    const text = screen && endText(end);
    if (text !== undefined) noteLine(text);
    return end;
  } finally {
    await session.close();
  }
}

const ANSWER_THERE = "run it in one, or allow it where the server runs, with: toolgate rules add";

type OneTurn = {
  readonly client: AapClient;
  readonly session: RemoteSession;
  readonly prompt: MessageContent;
  readonly stream: StreamMode;
  readonly showLine: (text: string) => void;
  readonly trust: NamedTrust;
  readonly person: Ask | undefined;
};

async function turnOf(turn: OneTurn, stop: Stop): Promise<TurnResult> {
  const { client, session, prompt, stream, showLine, trust } = turn;
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
      permit: permitIn(turn, elsewhere, stop.asking),
      settings: () => trust.settings(),
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
function permitIn({ session, trust, person }: OneTurn, elsewhere: AnswersElsewhere, asking: AbortSignal) {
  return async (call: ToolUseBlock): Promise<Permission | undefined> => {
    const question = session.ask(call, trust.offerFor(call.name, person));
    if (!question) return { granted: false, reason: "it cannot be asked about any more" };
    const settled = new AbortController();
    const end = elsewhere.listen(call.toolCallId, () => settled.abort());
    try {
      const answer = await trust.askAbout(call.name, person)(
        question,
        AbortSignal.any([asking, settled.signal]),
      );
      const granted = session.answer(question, answer);
      if (granted) trust.takeAnswer(call.name, answer.outcome);
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

async function cancelOnServer(client: AapClient, sessionId: string): Promise<void> {
  try {
    await client.cancel(sessionId);
  } catch (error) {
    const why = errorMessage(error);
    note(`the turn could not be cancelled and may continue at the server. ${why}`);
  }
}

/** A stream mode that the agent does not advertise is not used. */
function bestStream(agent: AgentInfo | undefined): StreamMode {
  const { stream = {} } = agent?.capabilities ?? {};
  if (stream.delta) return "delta";
  return stream.message ? "message" : "none";
}
