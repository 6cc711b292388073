/** A new session: what the app set up, and what it says was said before, as turns that are over. */
import { randomUUID } from "node:crypto";
import type { ContentBlock, SessionEvent } from "../call/index.js";
import { SessionRecord } from "../run/index.js";
import { AapProblem } from "./problem.js";
import type { NewSessionBody, SeedMessage } from "./request-bodies.js";
import { changedConfig, configEvent } from "./session-config.js";
import type { TurnSetting } from "./start-turn.js";

export async function createSession(setting: TurnSetting, body: NewSessionBody): Promise<string> {
  const { agents, ledger, workspace, now } = setting;
  const agent = agents.get(body.agent.name);
  if (!agent) {
    const names = [...agents.keys()].join(", ");
    throw new AapProblem(
      "NOT_FOUND",
      `There is no agent "${body.agent.name}", only ${names}. No session was made.`,
    );
  }
  const config = changedConfig({ agent: { name: agent.name, tools: [] }, tools: [] }, body, agent);
  const made = configEvent(config, { cwd: workspace.root, agent: agent.name }, now());
  const events = [made, ...seedEvents(body.messages ?? [], { after: 1, at: now() })];
  const sessionId = `session_${randomUUID()}`;
  const record = await SessionRecord.open(ledger, sessionId, { owner: `aap ${randomUUID()}` });
  try {
    await record.record(events, { durable: true });
  } finally {
    await record.close();
  }
  return sessionId;
}

/** Named as the agent names its turns and steps: by the place of their first event in the log. */
function seedEvents(
  messages: readonly SeedMessage[],
  { after, at }: { readonly after: number; readonly at: number },
): readonly SessionEvent[] {
  const events: SessionEvent[] = [];
  let turnId: string | undefined;
  const endTurn = () => {
    if (turnId !== undefined) events.push({ type: "turn-stopped", at, turnId, stopReason: "end_turn" });
  };
  for (const { role, content } of messages) {
    const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
    const say = (messageId: string, speaker: "user" | "agent") =>
      events.push(...blocks.map((block) => chunk(messageId, speaker, block, at)));
    if (role === "user") {
      endTurn();
      turnId = `turn_${after + events.length + 1}`;
      events.push({ type: "turn-started", at, turnId });
      say(`user-${turnId}`, "user");
    } else {
      if (turnId === undefined) {
        throw new AapProblem(
          "BAD_REQUEST",
          'The first of the messages must be of the role "user". No session was made.',
        );
      }
      const stepId = `step_${after + events.length + 1}`;
      say(stepId, "agent");
      events.push({ type: "step-ended", at, turnId, stepId, toolCallIds: [] });
    }
  }
  endTurn();
  return events;
}

function chunk(messageId: string, role: "user" | "agent", block: ContentBlock, at: number): SessionEvent {
  return { type: "message-chunk", at, messageId, role, block };
}
