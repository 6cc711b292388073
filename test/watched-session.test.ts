/** A client that follows a session of another process: it waits for that process, and never spins meanwhile. */
import { expect, test } from "vitest";
import { WatchedSession } from "../src/acp/agent/watched-session.js";
import { waitForTurn } from "../src/agent/index.js";
import { asked, event, turn, withdrawn } from "../src/call/events.samples.js";
import type { SessionEvent } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { until } from "./until.js";

const SESSION = "session-1";

async function watched(...past: readonly SessionEvent[]) {
  const ledger = new MemoryLedger();
  const lease = await ledger.claim(SESSION, "another process", { milliseconds: 60_000 });
  await ledger.append(lease, past, { durable: true });
  const session = await WatchedSession.open(ledger, SESSION, "another process");
  const client = new AbortController();
  const shown: AbortSignal[] = [];
  const neverAnswers = (_: unknown, signal: AbortSignal) => {
    shown.push(signal);
    return new Promise<never>(() => undefined);
  };
  const end = waitForTurn(session, neverAnswers, client.signal, () => session.advance(client.signal));
  const append = (...events: readonly SessionEvent[]) => ledger.append(lease, events, { durable: true });
  return { client, shown, end, append };
}

test("waits for the owner to withdraw a question that has expired, and then for the next one", async () => {
  const expired = { ...event.asked, question: { ...event.asked.question, expiresAt: Date.now() + 20 } };
  const { client, shown, end, append } = await watched(turn.started, asked[0], asked[1], expired);
  await until(() => shown[0]?.aborted === true);
  // The timers of this process still run, although the book has the question open.
  await new Promise((resolve) => setTimeout(resolve, 5));
  const next = { ...event.asked.question, questionId: "q2", toolCallId: "call_2" };
  await append(
    withdrawn,
    { ...event.cancelled, toolCallId: "call_1" },
    { ...event.announced, toolCallId: "call_2" },
    { ...event.ready, toolCallId: "call_2" },
    { ...event.asked, toolCallId: "call_2", question: next },
  );
  await until(() => shown.length === 2);
  client.abort();
  expect(await end).toEqual({ status: "stopped", stopReason: "cancelled" });
});

test("ends when its client leaves while a settled question still looks open", async () => {
  const expired = { ...event.asked, question: { ...event.asked.question, expiresAt: Date.now() + 20 } };
  const { client, shown, end } = await watched(turn.started, asked[0], asked[1], expired);
  await until(() => shown[0]?.aborted === true);
  client.abort();
  expect(await end).toEqual({ status: "stopped", stopReason: "cancelled" });
});
