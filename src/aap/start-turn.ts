/**
 * A turn of an agent of ours, from the request to the response that will tell of it. Everything that can be wrong
 * with the request is found before this returns; what it returns then runs to its end, whoever listens.
 */
import { AgentSession } from "../agent/index.js";
import type { Agent, TurnEnd } from "../agent/index.js";
import { LedgerError, readAll } from "../call/index.js";
import type { RecordedEvent } from "../call/index.js";
import type { AapSetting } from "./aap-setting.js";
import { optionsInForce } from "./agent-options.js";
import { lastAt, turnStart } from "./event-id.js";
import { judgeFor } from "./judge-for.js";
import { LiveResponse } from "./live-response.js";
import { OwnSession } from "./own-session.js";
import type { WarmSessions } from "./own-session.js";
import { AapProblem } from "./problem.js";
import type { RunningTurn } from "./running-turns.js";
import { agentWith, appTools, sameConfig, storedSession } from "./session-config.js";
import type { SessionConfig } from "./session-config.js";
import { toolsOf } from "./served-agent.js";
import type { Served } from "./served-agent.js";
import { answeredProblem, checkSubmission, missingProblem } from "./submission.js";
import type { Checked, Submission } from "./submission.js";
import { takeSubmission } from "./take-submission.js";
import { requestEvent } from "./turn-log.js";
import type { RequestNote } from "./turn-log.js";
import { turnStop } from "./turn-stop.js";

export type TurnPlan = {
  readonly sessionId: string;
  readonly agent: Served & { readonly behind: { readonly type: "own" } };
  /** The log as it was when the request came, and the settings then. */
  readonly log: readonly RecordedEvent[];
  readonly before: SessionConfig;
  /** The settings from here on. */
  readonly config: SessionConfig;
  /** Undefined where a turn that was left is gone on with. */
  readonly submission: Submission | undefined;
  readonly note: RequestNote;
  /** Where the same request was noted before, when its process died in the middle. */
  readonly notedAt?: number;
};

export async function startTurn(
  setting: AapSetting,
  plan: TurnPlan,
  warm: WarmSessions,
): Promise<RunningTurn> {
  const own = (await warm.take(plan.sessionId, plan.config)) ?? (await open(setting, plan));
  try {
    const response = await prepare(setting, plan, own, warm);
    return { session: own.session, response, discard: () => warm.keep(own) };
  } catch (error) {
    if (error instanceof AapProblem) warm.keep(own);
    else await own.close();
    throw error;
  }
}

async function open(setting: AapSetting, plan: TurnPlan): Promise<OwnSession> {
  const session = await openSession(setting, plan);
  try {
    return new OwnSession(setting, session, plan.config, await newestLog(setting, plan));
  } catch (error) {
    await session.close().catch(() => undefined);
    throw error;
  }
}

async function prepare(
  setting: AapSetting,
  plan: TurnPlan,
  own: OwnSession,
  warm: WarmSessions,
): Promise<LiveResponse> {
  const { now, onError } = setting;
  const { session, events, log } = own;
  const { book } = session;
  const { submission } = plan;
  const start = own.lastEnd;
  const isOpen = book.turn !== undefined && book.turn.state.status !== "stopped";
  const hasPrompted = plan.notedAt !== undefined && log.some(isPromptAfter(plan.notedAt));
  const userBlocks = hasPrompted ? undefined : submission?.userBlocks;
  const checked = submission && checkSubmission(submission, book, events, now());
  if (checked && !submission.userBlocks) mustGoOn(checked, book.turn?.state.status);
  if (!userBlocks && !isOpen)
    throw new AapProblem("CONFLICT", "There is no turn to go on with. Nothing was done.");

  const note: RequestNote = { ...plan.note, ...(userBlocks && isOpen && { endsTurn: true }) };
  const isNoted = plan.notedAt !== undefined || Object.keys(note).length === 0;
  if (!isNoted || !sameConfig(plan.config, plan.before)) {
    const noted = requestEvent(book.info, plan.config, note, now());
    // `submit` without a call is the one way to append to an open session.
    await session.gate.submit([], () => [noted]);
  }
  if (checked) await takeSubmission(session, checked, now);

  const go = async (signal: AbortSignal): Promise<TurnEnd> => {
    if (!userBlocks) return session.advance(signal);
    // What was just granted runs; what nobody answered is closed by the prompt.
    if (checked?.isNew) await session.gate.proceed(signal);
    return session.prompt(userBlocks, signal);
  };
  return new LiveResponse(
    start,
    () => session.unwritten,
    async (listener, signal) => {
      own.tellTo(listener, turnStart(start));
      try {
        const end = await go(signal);
        await own.endTelling();
        const { seq } = session;
        // Before the stop is told: the next request may come at once, and needs the session. A turn that waits holds nothing.
        if (end.status === "parked") await own.close();
        else warm.keep(own);
        listener([lastAt(seq, turnStop(end))]);
      } catch (error) {
        onError(error);
        await closeCalls(session);
        await own.endTelling().catch(() => undefined);
        const { seq } = session;
        await own.close();
        const end = { status: "stopped", stopReason: "error", error: brokenText(error) } as const;
        listener([lastAt(seq, turnStop(end))]);
      }
    },
  );
}

/** The session was read before it was ours, since its tools are chosen when it is opened. */
async function newestLog({ ledger }: AapSetting, plan: TurnPlan): Promise<readonly RecordedEvent[]> {
  const last = plan.log.at(-1)?.seq ?? 0;
  // Of a session that was open here, what was said is not kept.
  const known = plan.log.length === last ? plan.log : [];
  const added = await readAll(ledger, plan.sessionId, { after: known.length });
  const log = added.length === 0 ? known : [...known, ...added];
  const isChanged = added.some(({ seq, event }) => seq > last && event.type === "info-changed");
  const current = isChanged ? storedSession(log)?.config : plan.before;
  if (current && sameConfig(current, plan.before)) return log;
  throw new AapProblem("BUSY", "The session was changed by another request just now. Nothing was done.");
}

const isPromptAfter =
  (noted: number) =>
  ({ seq, event }: RecordedEvent): boolean =>
    seq > noted && event.type === "turn-started";

/** A submission by itself must be whole, and must not be one that was answered before. */
function mustGoOn({ isNew, over, missing }: Checked, turn: string | undefined): void {
  // A turn that runs, and is ours to open, was left by a process that died: whoever asks again has it gone on with.
  if (!isNew && over.length > 0 && turn !== "running") throw answeredProblem(over, missing);
  if (missing.length > 0) throw missingProblem(missing);
}

/** After an error the app must find no open call. Where even this cannot be recorded, nothing more can be done. */
async function closeCalls({ gate }: AgentSession): Promise<void> {
  await gate.cancel("the server failed.").catch(() => undefined);
}

/** Milliseconds: another server keeps a session open a moment longer than its response. */
const PATIENCE = 1_000;

async function openSession(setting: AapSetting, plan: TurnPlan): Promise<AgentSession> {
  const { ledger, workspace, trustable, now } = setting;
  const { sessionId, config, agent: served } = plan;
  const { isExposed, withOptions, behind } = served;
  const values = optionsInForce(served.options, config.agent, setting.unsealFor(sessionId));
  const agent: Agent = withOptions ? withOptions(behind.agent, values) : behind.agent;
  const toolNamed = (name: string) => toolsOf(served).find((tool) => tool.name === name);
  try {
    return await AgentSession.open({
      agent: agentWith(config, agent, isExposed),
      appTools: appTools(config),
      judge: judgeFor({ config, agent, toolNamed, trustable, isExposed, workspace, sessionId, now }),
      ledger,
      workspace,
      sessionId,
      now,
      patience: PATIENCE,
    });
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== "LEASE_HELD") throw error;
    throw busy(sessionId);
  }
}

export const busy = (sessionId: string): AapProblem =>
  new AapProblem("BUSY", `A turn of session ${sessionId} is under way. Nothing was done; try again later.`);

export function brokenText(error: unknown): string {
  return error instanceof LedgerError
    ? error.message
    : "The server failed in the middle of the turn. What was recorded before is kept.";
}
