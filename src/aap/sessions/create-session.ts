/** Creates a session with the settings and the earlier messages that the app sent. */
import { randomUUID } from "node:crypto";
import { SessionRecord } from "../../record/index.js";
import type { ServerContext } from "../server-context.js";
import { AapProblem } from "../api/aap-problem.js";
import type { NewSessionBody } from "../api/request-bodies.js";
import { seedEvents, seedMeta } from "./seed-events.js";
import { changedConfig, configEvent, newConfig } from "./session-config.js";

export async function createSession(server: ServerContext, body: NewSessionBody): Promise<string> {
  const { agents, ledger, workspace, now } = server;
  const agent = agents.get(body.agent.name);
  if (!agent) {
    const names = [...agents.keys()].join(", ");
    throw new AapProblem(
      "NOT_FOUND",
      `There is no agent "${body.agent.name}", only ${names}. No session was made.`,
    );
  }
  const { messages = [] } = body;
  if (messages.length > 0 && agent.behind.type === "external")
    throw new AapProblem(
      "BAD_REQUEST",
      `Agent ${agent.name} cannot start from earlier messages. No session was made; leave "messages" out.`,
    );
  const sessionId = `session_${randomUUID()}`;
  const config = changedConfig(newConfig(agent.name), body, agent, server.sealFor(sessionId));
  const seeded = seedEvents(messages, { after: 1, at: now() });
  const info = { cwd: workspace.root, agent: agent.name, _meta: seedMeta(messages, seeded) };
  const events = [configEvent(config, info, now()), ...seeded];
  const record = await SessionRecord.open(ledger, sessionId, { owner: `aap ${randomUUID()}` });
  try {
    await record.append(events, { durable: true });
  } finally {
    await record.close();
  }
  return sessionId;
}
