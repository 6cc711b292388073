import { expect, test } from "vitest";
import type { Ledger } from "../../call/index.js";
import { MemoryLedger } from "../../history/index.js";
import { SessionList } from "./session-list.js";
import { configEvent, newConfig } from "./session-config.js";

/** A server's list, with what was read of the ledger since one last looked, each as "session after event". */
function aList(asKnown: (ledger: Ledger) => Partial<Ledger> = () => ({})) {
  const ledger = new MemoryLedger();
  const read: string[] = [];
  const known: Ledger = Object.assign(Object.create(ledger) as Ledger, {
    sessions: ledger.sessions.bind(ledger),
    read: ledger.read.bind(ledger),
    ...asKnown(ledger),
  });
  const watched: Ledger = Object.assign(Object.create(known) as Ledger, {
    read: async (sessionId: string, options: Parameters<Ledger["read"]>[1]) => {
      read.push(`${sessionId} after ${options?.after}`);
      return known.read(sessionId, options);
    },
  });
  const listed = new SessionList({ ledger: watched, agents: new Map(), trustable: () => false });
  const write = async (sessionId: string, description?: string) => {
    const lease = await ledger.claim(sessionId, "app", { milliseconds: 1_000 });
    const tools = [{ name: "show", description: description ?? "", parameters: {} }];
    const made = configEvent({ ...newConfig("clerk"), tools }, {}, 1);
    const title = { type: "info-changed", at: 1, info: { title: "An editor's" } } as const;
    await ledger.append(lease, [description === undefined ? title : made], { durable: false });
    await ledger.release(lease);
  };
  const say = async (sessionId: string) => {
    const lease = await ledger.claim(sessionId, "app", { milliseconds: 1_000 });
    const block = { type: "text", text: "Hello." } as const;
    const words = { type: "message-chunk", at: 1, messageId: "m1", role: "agent", block } as const;
    await ledger.append(lease, [words, words], { durable: false });
    await ledger.release(lease);
  };
  const page = async () => {
    read.length = 0;
    const { sessions } = await listed.page(undefined);
    return {
      ids: sessions.map(({ sessionId }) => sessionId).toSorted(),
      tools: sessions.map(({ tools }) => tools?.[0]?.description),
      read: read.toSorted(),
    };
  };
  return { write, say, page };
}

test("reads each log from its start once, and later only added events", async () => {
  const { write, say, page } = aList();
  await write("s1", "Shows.");
  await say("s1");
  await write("s2");
  expect(await page()).toEqual({ ids: ["s1"], tools: ["Shows."], read: ["s1 after 0", "s2 after 0"] });
  expect(await page()).toEqual({ ids: ["s1"], tools: ["Shows."], read: [] });
  await say("s1");
  await write("s1", "Shows more.");
  await write("s2");
  expect(await page()).toEqual({ ids: ["s1"], tools: ["Shows more."], read: ["s1 after 3"] });
  await say("s1");
  expect(await page()).toEqual({ ids: ["s1"], tools: ["Shows more."], read: ["s1 after 6"] });
  expect((await page()).read).toEqual([]);
});

test("lists a ledger that ignores the type and order options", async () => {
  const { write, say, page } = aList((ledger) => ({
    read: async (sessionId, { after = 0 } = {}) => ledger.read(sessionId, { after }),
    sessions: async (options) =>
      (await ledger.sessions(options)).map(({ sessionId, createdAt, updatedAt }) => ({
        sessionId,
        createdAt,
        updatedAt,
      })),
  }));
  await write("s1", "Shows.");
  await say("s1");
  await write("s2");
  expect(await page()).toEqual({ ids: ["s1"], tools: ["Shows."], read: ["s1 after 0", "s2 after 0"] });
  await write("s1", "Shows more.");
  expect(await page()).toEqual({ ids: ["s1"], tools: ["Shows more."], read: ["s1 after 3"] });
  expect(await page()).toEqual({ ids: ["s1"], tools: ["Shows more."], read: ["s1 after 4"] });
});

test("lists sessions with long settings without caching all of them", async () => {
  const { write, page } = aList();
  const megabytes = "x".repeat(2 * 1024 * 1024);
  const ids = Array.from({ length: 12 }, (_, index) => `long-${index + 10}`);
  for (const id of ids) await write(id, megabytes);
  await page();
  const again = await page();
  expect(again.ids).toEqual(ids);
  expect(again.read.length).toBeGreaterThanOrEqual(ids.length - 8);
});
