import { statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Ledger, SessionEvent } from "../call/index.js";
import { asked, callAt, aQuestion } from "./contract/contract.samples.js";
import { aRun, aStore, NOON, record, said } from "./history.samples.js";
import { MemoryLedger } from "./memory/memory-ledger.js";
import { removeSession, retainSessions } from "./forget-sessions.js";
import { tidyLedger } from "./sqlite/tidy-ledger.js";

const store = aStore();
const DAY = 86_400_000;
const ids = async (ledger: Ledger) => (await ledger.sessions()).map(({ sessionId }) => sessionId);

describe.each([
  ["in memory", async (now: () => number): Promise<Ledger> => new MemoryLedger({ now })],
  ["in a file", async (now: () => number) => store.ledger(store.newFile(), now)],
])("%s", (_where, open) => {
  /** s1 is the oldest; each is a day younger than the one before. */
  const aged = async () => {
    const clock = { time: NOON };
    const ledger = await open(() => clock.time);
    for (const sessionId of ["s1", "s2", "s3", "s4"]) {
      await record(ledger, sessionId, [said(sessionId)]);
      clock.time += DAY;
    }
    return { ledger, clock, now: () => clock.time };
  };

  test("a session is removed, unless someone holds it", async () => {
    const { ledger } = await aged();
    const lease = await ledger.claim("s2", "bob", { milliseconds: 60_000 });
    await removeSession(ledger, "s1");
    await expect(removeSession(ledger, "s2")).rejects.toMatchObject({ code: "LEASE_HELD" });
    await ledger.release(lease);
    expect(await ids(ledger)).toEqual(["s4", "s3", "s2"]);
  });

  test("removes sessions beyond the wanted age, but never the newest ones", async () => {
    const { ledger, now } = await aged();
    expect(await retainSessions(ledger, { olderThanMs: 2.5 * DAY, now })).toEqual({
      removed: ["s2", "s1"],
      kept: [],
    });
    expect(await ids(ledger)).toEqual(["s4", "s3"]);
    expect(await retainSessions(ledger, { olderThanMs: 0, keepLast: 1, now })).toEqual({
      removed: ["s3"],
      kept: [],
    });
    expect(await ids(ledger)).toEqual(["s4"]);
  });

  test("keeps a session with a lease, and one that waits for an answer unless asked to remove it", async () => {
    const { ledger, clock, now } = await aged();
    const question = aQuestion("q1", "c1", { sessionId: "s2" });
    await record(ledger, "s2", [...callAt("c1"), asked(question)]);
    clock.time += 10 * DAY;
    await ledger.claim("s1", "bob", { milliseconds: 60_000 });
    expect(await retainSessions(ledger, { olderThanMs: DAY, now })).toEqual({
      removed: ["s4", "s3"],
      kept: [
        { sessionId: "s2", why: "waiting" },
        { sessionId: "s1", why: "held" },
      ],
    });
    expect(await retainSessions(ledger, { olderThanMs: DAY, evenWaiting: true, now })).toMatchObject({
      removed: ["s2"],
    });
    expect(await ids(ledger)).toEqual(["s1"]);
  });

  test("keeps a session that was written to after it was selected", async () => {
    const { ledger, now } = await aged();
    const late: Ledger = Object.assign(Object.create(ledger) as Ledger, {
      claim: async (...claim: Parameters<Ledger["claim"]>) => {
        if (claim[0] === "s1") await record(ledger, "s1", [said("just now")]);
        return ledger.claim(...claim);
      },
      openQuestions: ledger.openQuestions.bind(ledger),
      sessions: ledger.sessions.bind(ledger),
      remove: ledger.remove.bind(ledger),
      release: ledger.release.bind(ledger),
    });
    expect(await retainSessions(late, { olderThanMs: 0, now })).toEqual({
      removed: ["s4", "s3", "s2"],
      kept: [{ sessionId: "s1", why: "written" }],
    });
  });
});

describe("a ledger that is tidied", () => {
  const kept = (blob: string): SessionEvent => ({
    type: "file-kept",
    toolCallId: "c1",
    at: NOON,
    change: { type: "written", path: "/a", before: { type: "file", blob, mode: 0o644 }, after: "h" },
  });

  test("removes the kept files that no call refers to, except the newest", async () => {
    const file = store.newFile();
    const clock = { time: NOON };
    const ledger = await store.ledger(file, () => clock.time);
    const put = (text: string) => ledger.putBlob(Buffer.from(text));
    const [used, unused, again] = [await put("used"), await put("unused"), await put("put again")];
    await record(ledger, "s1", [...aRun("c1").slice(0, 4), kept(used)]);
    clock.time += 2 * DAY;
    const young = await put("young");
    await put("put again");
    const has = async () =>
      Promise.all(
        [used, unused, again, young].map(async (hash) => (await ledger.getBlob(hash)) !== undefined),
      );
    expect(await tidyLedger(file, { now: () => clock.time })).toMatchObject({ blobs: 1 });
    expect(await has()).toEqual([true, false, true, true]);
    await removeSession(ledger, "s1");
    clock.time += 2 * DAY;
    expect(await tidyLedger(file, { now: () => clock.time })).toMatchObject({ blobs: 3 });
    expect(await has()).toEqual([false, false, false, false]);
  });

  test("shrinks the file when it is compacted, and not before", async () => {
    const file = store.newFile();
    const ledger = await store.ledger(file);
    await record(
      ledger,
      "s1",
      Array.from({ length: 500 }, () => said("x".repeat(1000))),
    );
    await removeSession(ledger, "s1");
    await ledger.close();
    const { bytesBefore, bytesAfter } = await tidyLedger(file);
    expect(bytesAfter).toBe(bytesBefore);
    const vacuumed = await tidyLedger(file, { vacuum: true });
    expect(vacuumed.bytesAfter).toBeLessThan(bytesBefore / 4);
    expect(statSync(file).size).toBe(vacuumed.bytesAfter);
  });
});
