/** Doors open a long session without reading its whole log: counted in events that leave the ledger. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { agentHost } from "../src/acp/index.js";
import { readAll } from "../src/call/index.js";
import type { Ledger, RecordedEvent, SessionEvent } from "../src/call/index.js";
import { openLedger } from "../src/history/index.js";
import { SessionRecord } from "../src/record/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { readEvents, World } from "./aap-kit.js";
import type { App, WireEvent } from "./aap-kit.js";
import { folder, scripted } from "./agent-kit.js";
import { rawAgent } from "./raw-agent.js";

const CALLS = 600;

/** Five events a call. */
function callNumber(number: number): SessionEvent[] {
  const [toolCallId, at] = [`call-${number}`, 1_000 + number];
  return [
    { type: "call-announced", toolCallId, at, name: "t", title: "T", kind: "other", kindSource: "declared" },
    { type: "input-ready", toolCallId, at, rawInput: { number } },
    { type: "call-cleared", toolCallId, at, decision: { by: "rule", rule: "r", at } },
    { type: "run-started", toolCallId, at },
    { type: "call-done", toolCallId, at, rawOutput: { number } },
  ];
}

/** The ledger, and how many events were read from it or followed. */
function counting(ledger: Ledger): { readonly ledger: Ledger; events: number } {
  const count = { events: 0 };
  const read: Ledger["read"] = async (...options) => {
    const page = await ledger.read(...options);
    count.events += page.length;
    return page;
  };
  async function* follow(...options: Parameters<Ledger["follow"]>): AsyncGenerator<RecordedEvent> {
    for await (const recorded of ledger.follow(...options)) {
      count.events += 1;
      yield recorded;
    }
  }
  const counted = new Proxy(ledger, {
    get(target, name) {
      if (name === "read") return read;
      if (name === "follow") return follow;
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
  return Object.assign(count, { ledger: counted });
}

async function aLedger(): Promise<Ledger> {
  const ledger = await openLedger(join(await folder(), "ledger.sqlite"));
  onTestFinished(() => ledger.close());
  return ledger;
}

/** Appends the calls to a session and closes it, so that it has a snapshot. */
async function lengthen(
  ledger: Ledger,
  sessionId: string,
  first: readonly SessionEvent[] = [],
): Promise<number> {
  const record = await SessionRecord.open(ledger, sessionId, { owner: "before", leaseWaitMs: 5_000 });
  const calls = Array.from({ length: CALLS }, (_, number) => callNumber(number)).flat();
  await record.append([...first, ...calls]);
  const { seq } = record;
  await record.close();
  return seq;
}

const FEW = 100;

test("session/load reads only the events after the snapshot", async () => {
  const cwd = await folder();
  const exact = await aLedger();
  await lengthen(exact, "session_long", [{ type: "info-changed", at: 0, info: { cwd } }]);
  const count = counting(exact);
  const agent = await rawAgent(
    agentHost({
      agent: scripted([{ say: "Hi." }]),
      ledger: count.ledger,
      openWorkspace: (path, roots) => LocalWorkspace.open(path, { roots }),
    }),
  );
  const params = { sessionId: "session_long", cwd, mcpServers: [] };
  expect(await agent.request("session/load", params)).toHaveProperty("result");
  expect(agent.updates.length).toBeGreaterThanOrEqual(CALLS);
  expect(count.events).toBeLessThan(FEW);
  expect(await agent.request("session/load", { ...params, sessionId: "never-started" })).toHaveProperty(
    "error",
  );
  count.events = 0;
  expect(await agent.request("session/delete", { sessionId: "session_long" })).toHaveProperty("result");
  expect(count.events).toBe(0);
  expect(await exact.has("session_long")).toBe(false);
});

async function eventsAfter(
  app: App,
  sessionId: string,
  after: number,
  last: number,
): Promise<readonly WireEvent[]> {
  const response = await app.send("GET", `/sessions/${sessionId}/events?after=${after}`);
  expect(response.status).toBe(200);
  return readEvents(response, ({ id }) => id === String(last));
}

test("gives a returning app the session and its next events without reading the log before the snapshot", async () => {
  const exact = await aLedger();
  const count = counting(exact);
  const world = await World.open(count.ledger);
  onTestFinished(() => world.close());
  const app = world.app({ steps: [{ say: "Hi." }] });
  const sessionId = await app.createSession({ agent: { name: "clerk" } });
  const atSnapshot = await lengthen(exact, sessionId);
  const lease = await exact.claim(sessionId, "after", { milliseconds: 5_000 });
  const secret = ["sk-ant-api03-", "A".repeat(90), "-".repeat(4), "AA"].join("");
  const chunk = (text: string): SessionEvent => ({
    type: "message-chunk",
    at: 1,
    messageId: "m1",
    role: "agent",
    block: { type: "text", text },
  });
  const later = [...callNumber(CALLS), chunk(`key ${secret.slice(0, 30)}`), chunk(`${secret.slice(30)} end`)];
  const last = await exact.append(lease, [...later, ...callNumber(CALLS + 1)], { durable: false });
  await exact.release(lease);

  count.events = 0;
  expect(await app.ask("GET", `/sessions/${sessionId}`)).toMatchObject({ sessionId });
  expect(count.events).toBeLessThan(FEW);
  const all = await eventsAfter(app, sessionId, 0, last);
  expect(count.events).toBeGreaterThanOrEqual(last);
  // Also in the middle of a secret: the same text is withheld.
  for (const after of [atSnapshot + 1, atSnapshot + 6, atSnapshot + 7, last - 1]) {
    count.events = 0;
    const events = await eventsAfter(app, sessionId, after, last);
    expect(count.events).toBeLessThan(FEW);
    expect(events).toEqual(all.filter(({ id }) => Number(id) > after));
    expect(JSON.stringify(events)).not.toContain("AAAAAAAAAA");
  }
  expect((await app.send("GET", "/sessions/never-started/events")).status).toBe(404);
});

test("reads only the events that were added after the opener read the log", async () => {
  const counted = counting(await aLedger());
  const { ledger } = counted;
  const first = await SessionRecord.open(ledger, "s", { owner: "before" });
  await first.append(callNumber(1));
  const known = await readAll(ledger, "s");
  await first.append(callNumber(2));
  await first.close();
  counted.events = 0;
  const record = await SessionRecord.open(ledger, "s", { owner: "after", known });
  expect(counted.events).toBe(callNumber(2).length);
  expect(record.seq).toBe(known.length + callNumber(2).length);
  expect(record.book.callCount).toBe(2);
  await record.append(callNumber(3));
  expect(await readAll(ledger, "s")).toHaveLength(3 * known.length);
  await record.close();
});
