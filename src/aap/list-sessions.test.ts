import { expect, test } from "vitest";
import type { Ledger } from "../call/index.js";
import { MemoryLedger } from "../history/index.js";
import { ListedSessions } from "./list-sessions.js";
import { configEvent, newConfig } from "./session-config.js";

/** A server's list, with the sessions that were read from their start on since one last looked. */
function aList() {
  const ledger = new MemoryLedger();
  const read: string[] = [];
  const watched: Ledger = Object.assign(Object.create(ledger) as Ledger, {
    sessions: ledger.sessions.bind(ledger),
    read: (sessionId: string, options?: { readonly after?: number }) => {
      if (!options?.after) read.push(sessionId);
      return ledger.read(sessionId, options);
    },
  });
  const listed = new ListedSessions({ ledger: watched, agents: new Map() });
  const write = async (sessionId: string, description?: string) => {
    const lease = await ledger.claim(sessionId, "app", { milliseconds: 1_000 });
    const tools = [{ name: "show", description: description ?? "", parameters: {} }];
    const made = configEvent({ ...newConfig("clerk"), tools }, {}, 1);
    const title = { type: "info-changed", at: 1, info: { title: "An editor's" } } as const;
    await ledger.append(lease, [description === undefined ? title : made], { durable: false });
    await ledger.release(lease);
  };
  const page = async () => {
    read.length = 0;
    const { sessions } = await listed.page(undefined);
    return { ids: sessions.map(({ sessionId }) => sessionId).toSorted(), read: [...read] };
  };
  return { write, page };
}

test("a log is read from its start once, an editor's too, and what was added is seen", async () => {
  const { write, page } = aList();
  await write("s1", "Shows.");
  await write("s2");
  expect(await page()).toEqual({ ids: ["s1"], read: expect.arrayContaining(["s1", "s2"]) });
  await write("s1", "Shows more.");
  expect(await page()).toEqual({ ids: ["s1"], read: [] });
});

test("sessions with long settings are not all kept in memory, and are listed all the same", async () => {
  const { write, page } = aList();
  const megabytes = "x".repeat(2 * 1024 * 1024);
  const ids = Array.from({ length: 12 }, (_, index) => `long-${index + 10}`);
  for (const id of ids) await write(id, megabytes);
  await page();
  const again = await page();
  expect(again.ids).toEqual(ids);
  expect(again.read.length).toBeGreaterThanOrEqual(ids.length - 8);
});
