/**
 * A turn, from the request to what will be streamed of it. Everything that can be wrong with the request
 * is found before this returns; what it returns then runs to its end, whoever listens.
 */
import { AgentSession } from "../agent/index.js";
import type { Agent, TurnEnd } from "../agent/index.js";
import { LedgerError } from "../call/index.js";
import type { Ledger, SessionEvent } from "../call/index.js";
import type { Tool, Workspace } from "../tools/index.js";
import type { TurnEvent } from "./client/protocol.js";
import { judgeFor } from "./judge-for.js";
import { AapProblem } from "./problem.js";
import { recordedResponse } from "./recorded-response.js";
import type { TurnBody } from "./request-bodies.js";
import {
  agentWith,
  appTools,
  changedConfig,
  configEvent,
  readSession,
  sameConfig,
  storedSession,
} from "./session-config.js";
import type { SessionConfig, StoredSession } from "./session-config.js";
import { checkSubmission, missingProblem, readSubmission } from "./submission.js";
import type { Checked, Submission } from "./submission.js";
import { TurnEvents } from "./turn-events.js";
import { recordedEnd, turnStop } from "./turn-stop.js";

export type TurnSetting = {
  readonly agents: ReadonlyMap<string, Agent>;
  readonly ledger: Ledger;
  readonly workspace: Workspace;
  readonly trustable: (tool: Tool) => boolean;
  readonly onError: (error: unknown) => void;
  readonly now: () => number;
};

/** Runs the turn and tells of it, `turn_start` first and one `turn_stop` last. Never rejects. */
export type StartedTurn = (tell: (event: TurnEvent) => void, signal: AbortSignal) => Promise<void>;

export async function startTurn(
  setting: TurnSetting,
  sessionId: string,
  body: TurnBody,
): Promise<StartedTurn> {
  const submission = readSubmission(body.messages);
  const stored = await readSession(setting.ledger, sessionId);
  const agent = agentOf(setting, stored.config);
  const config = changedConfig(stored.config, body, agent);
  const session = await openSession(setting, sessionId, config, agent);
  try {
    return await prepare({ setting, session, submission, stored, config });
  } catch (error) {
    await closeQuietly(session);
    throw error;
  }
}

type Preparation = {
  readonly setting: TurnSetting;
  readonly session: AgentSession;
  readonly submission: Submission;
  readonly stored: StoredSession;
  readonly config: SessionConfig;
};

async function prepare({ setting, session, submission, stored, config }: Preparation): Promise<StartedTurn> {
  const { ledger, onError, now } = setting;
  const recorded = await ledger.read(session.sessionId);
  const current = storedSession(recorded);
  // The session was read before it was ours, since its tools are chosen when it is opened.
  if (!current || !sameConfig(current.config, stored.config)) {
    throw new AapProblem("BUSY", "The session was changed by another request just now. Nothing was done.");
  }
  const log = recorded.map(({ event }) => event);
  const told = new TurnEvents(session.book, log);
  const checked = checkSubmission(submission, session.book, told);
  const isNew = checked.results.length + checked.answers.length + checked.stopped.length > 0;
  const ids = new Set([...submission.results.keys(), ...submission.permissions.keys()]);
  const { userBlocks } = submission;

  if (!userBlocks && isNew && checked.missing.length > 0) throw missingProblem(checked.missing);
  const again = userBlocks || isNew ? undefined : recordedResponse(log, ids);
  if (again && !again.end && checked.missing.length > 0) throw missingProblem(checked.missing);

  if (!sameConfig(config, stored.config)) {
    // `submit` without a call is the one way to append to an open session.
    await session.gate.submit([], () => [configEvent(config, current.info, now())]);
  }
  if (again?.end) return replay(session, again.before, again.response, recordedEnd(again.end));
  const events = again ? new TurnEvents(session.book, again.before) : told;
  const early = again ? again.response.flatMap((event) => events.read(event)) : [];
  const listening = listen(session, events, early);
  await take(session, checked, now);
  return run({ session, listening, onError }, async (signal) => {
    if (!userBlocks) return session.advance(signal);
    // What was just granted runs; what nobody answered is closed by the prompt.
    if (isNew) await session.gate.proceed(signal);
    return session.prompt(userBlocks, signal);
  });
}

/** Records the app's results and answers. Each counts once, so doing it again changes nothing. */
async function take({ gate, ledger }: AgentSession, checked: Checked, now: () => number): Promise<void> {
  for (const { toolCallId, content } of checked.results) await gate.finishForApp(toolCallId, content);
  for (const { question, permission } of checked.answers) {
    const { questionId, intentHash, options } = question;
    const { granted, reason } = permission;
    const option = options.find(({ kind }) => kind === (granted ? "allow_once" : "reject_once"));
    const outcome = option ? ({ type: "selected", optionId: option.optionId } as const) : REFUSED;
    const answer = {
      outcome,
      intentHash,
      by: "person",
      at: now(),
      ...(reason !== undefined && { reason }),
    } as const;
    await ledger.answer(questionId, answer);
  }
  for (const { toolCallId, reason } of checked.stopped)
    await gate.cancelCall(toolCallId, reason ?? "the app denied it while it was being worked on.");
}

const REFUSED = { type: "refused" } as const;

type Listening = { readonly hear: (tell: (event: TurnEvent) => void) => void; readonly end: () => void };

/** Keeps what happens until someone hears it. */
function listen(session: AgentSession, events: TurnEvents, early: readonly TurnEvent[]): Listening {
  const kept = [...early];
  let tell = (event: TurnEvent): void => void kept.push(event);
  const end = session.onRecorded((recorded) => {
    for (const event of recorded) for (const told of events.read(event)) tell(told);
  });
  return {
    end,
    hear: (listener) => {
      tell = listener;
      for (const event of kept) listener(event);
    },
  };
}

type Running = {
  readonly session: AgentSession;
  readonly listening: Listening;
  readonly onError: (error: unknown) => void;
};

function run(
  { session, listening, onError }: Running,
  go: (signal: AbortSignal) => Promise<TurnEnd>,
): StartedTurn {
  return async (tell, signal) => {
    tell(TURN_START);
    listening.hear(tell);
    let end: TurnEnd;
    try {
      end = await go(signal);
    } catch (error) {
      onError(error);
      end = { status: "stopped", stopReason: "error", error: brokenText(error) };
      await closeCalls(session);
    }
    listening.end();
    // Before the stop is told: the next request may come at once, and needs the session.
    await closeQuietly(session);
    tell(turnStop(end));
  };
}

function replay(
  session: AgentSession,
  before: readonly SessionEvent[],
  response: readonly SessionEvent[],
  end: TurnEnd,
): StartedTurn {
  const events = new TurnEvents(session.book, before);
  return async (tell) => {
    await closeQuietly(session);
    tell(TURN_START);
    for (const event of response) for (const told of events.read(event)) tell(told);
    tell(turnStop(end));
  };
}

const TURN_START: TurnEvent = { event: "turn_start", data: {} };

/** After an error the app must find no open call. Where even this cannot be recorded, nothing more can be done. */
async function closeCalls({ gate }: AgentSession): Promise<void> {
  await gate.cancel("the server failed.").catch(() => undefined);
}

/** A lease that cannot be given back runs out. */
async function closeQuietly(session: AgentSession): Promise<void> {
  await session.close().catch(() => undefined);
}

function agentOf({ agents }: TurnSetting, { agent: { name } }: SessionConfig): Agent {
  const agent = agents.get(name);
  if (agent) return agent;
  throw new AapProblem(
    "CONFLICT",
    `The session's agent, ${name}, is not served here any more. Nothing was done; its history can still be read.`,
  );
}

async function openSession(
  { ledger, workspace, trustable, now }: TurnSetting,
  sessionId: string,
  config: SessionConfig,
  agent: Agent,
): Promise<AgentSession> {
  try {
    return await AgentSession.open({
      agent: agentWith(config, agent),
      appTools: appTools(config),
      judge: judgeFor(config, agent, trustable, { root: workspace.root, sessionId }),
      ledger,
      workspace,
      sessionId,
      now,
    });
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "LEASE_HELD") throw error;
    throw new AapProblem(
      "BUSY",
      `A turn of session ${sessionId} is under way. Nothing was done; try again later.`,
    );
  }
}

function brokenText(error: unknown): string {
  return error instanceof LedgerError
    ? error.message
    : "The server failed in the middle of the turn. What was recorded before is kept.";
}
