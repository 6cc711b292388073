/**
 * A turn of an agent that somebody else runs. Its session is opened with the settings that the app gave, and stays
 * open: only it knows what was said so far. Settings that change open it anew.
 */
import type { HeldSession } from "../agent/index.js";
import type { SessionEvent } from "../call/index.js";
import { SessionRecord } from "../run/index.js";
import type { AapSetting } from "./aap-setting.js";
import { optionsInForce } from "./agent-options.js";
import type { HeldTurns } from "./held-turns.js";
import { AapProblem } from "./problem.js";
import type { RunningTurn } from "./running-turns.js";
import { toolsOf } from "./served-agent.js";
import type { HeldAgent, Served } from "./served-agent.js";
import { readSessionConfig, sameConfig } from "./session-config.js";
import type { SessionConfig, StoredSession } from "./session-config.js";
import type { Submission } from "./submission.js";
import { requestEvent } from "./turn-log.js";
import type { RequestNote } from "./turn-log.js";

export type HeldPlan = {
  readonly sessionId: string;
  readonly served: Served;
  readonly agent: HeldAgent;
  readonly stored: StoredSession;
  /** The settings from here on. */
  readonly config: SessionConfig;
  readonly submission: Submission;
  readonly note: RequestNote;
};

export async function startHeldTurn(
  setting: AapSetting,
  plan: HeldPlan,
  held: HeldTurns,
): Promise<RunningTurn> {
  const { sessionId, stored, config, note, submission } = plan;
  const isChanged = !sameConfig(config, stored.config);
  if (isChanged && held.hasTurn(sessionId))
    throw new AapProblem(
      "CONFLICT",
      `The settings of a session of ${plan.agent.name} cannot change while a turn of it is under way. Nothing was done; answer or cancel the turn first.`,
    );
  const hasNote = Object.keys(note).length > 0;
  // Whoever holds a session open is the one that writes to it: what is noted then is kept beside it.
  const isNotedBeside = hasNote && !isChanged && held.isOpen(sessionId);
  if (isChanged || (hasNote && !isNotedBeside)) {
    await held.close(sessionId);
    await record(setting, sessionId, requestEvent(stored.info, config, note, setting.now()));
  }
  const turn = await held.start(sessionId, submission, () => open(setting, plan));
  if (isNotedBeside) held.note(sessionId, note, turn.response.start + 1);
  return turn;
}

async function record({ ledger }: AapSetting, sessionId: string, event: SessionEvent): Promise<void> {
  const session = await SessionRecord.open(ledger, sessionId, { owner: `aap ${process.pid}` });
  try {
    await session.record([event], { durable: true });
  } finally {
    await session.close();
  }
}

async function open(
  { ledger, workspace, trustable, unsealFor }: AapSetting,
  { sessionId, served, agent, config }: HeldPlan,
): Promise<HeldSession> {
  const tools = new Map(toolsOf(served).map((tool) => [tool.name, tool]));
  const { info } = await readSessionConfig(ledger, sessionId);
  return agent.open({
    sessionId,
    ledger,
    workspace,
    info,
    options: optionsInForce(served.options, config.agent, unsealFor(sessionId)),
    tools: config.agent.tools.map(({ name, trust }) => {
      const tool = tools.get(name);
      return { name, isTrusted: trust && tool !== undefined && trustable(tool) };
    }),
  });
}
