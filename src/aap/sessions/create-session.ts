/** Creates a session with the settings and the earlier messages that the app sent. */
import { hash, randomUUID } from "node:crypto";
import { readSessionInfo } from "../../call/index.js";
import { SessionRecord } from "../../record/index.js";
import type { ServerContext } from "../server-context.js";
import { AapProblem } from "../api/aap-problem.js";
import type { NewSessionBody } from "../api/request-bodies.js";
import { seedEvents, seedMeta } from "./seed-events.js";
import { changedConfig, configEvent, newConfig } from "./session-config.js";

/** How long the same request on another instance may take to store the session. */
const LEASE_WAIT_MS = 5_000;

/**
 * `key` is the request's `Idempotency-Key`: the session's id comes from it, so the same request makes no second session, on
 * this instance or another, now or later.
 */
export async function createSession(
  server: ServerContext,
  body: NewSessionBody,
  key?: string,
): Promise<string> {
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
  const sessionId = key === undefined ? `session_${randomUUID()}` : sessionIdFor(key);
  const request = key === undefined ? {} : { creation: hash("sha256", JSON.stringify(body)) };
  if (key !== undefined && (await isCreated(ledger, sessionId, request))) return sessionId;
  const config = changedConfig(newConfig(agent.name), body, agent, server.sealFor(sessionId));
  const seeded = seedEvents(messages, { after: 1, at: now() });
  const info = {
    cwd: workspace.root,
    agent: agent.name,
    _meta: {
      ...seedMeta(messages, seeded),
      ...request,
      ...(agent.served && { toolgate: { served: agent.served } }),
    },
  };
  const events = [configEvent(config, info, now()), ...seeded];
  const record = await SessionRecord.open(ledger, sessionId, {
    owner: `aap ${randomUUID()}`,
    leaseWaitMs: LEASE_WAIT_MS,
  });
  try {
    if (key !== undefined && (await isCreated(ledger, sessionId, request))) return sessionId;
    await record.append(events, { durable: true });
  } finally {
    await record.close();
  }
  return sessionId;
}

const sessionIdFor = (key: string): string => `session_${hash("sha256", `creation ${key}`).slice(0, 32)}`;

/** Throws CONFLICT when an earlier request had the same key and other content. */
async function isCreated(
  ledger: ServerContext["ledger"],
  sessionId: string,
  { creation }: { readonly creation?: string },
): Promise<boolean> {
  if (!(await ledger.has(sessionId))) return false;
  const { _meta } = await readSessionInfo(ledger, sessionId);
  if (_meta?.["creation"] === creation) return true;
  throw new AapProblem(
    "CONFLICT",
    "This Idempotency-Key came with another request before. No session was made; use a new key.",
  );
}
