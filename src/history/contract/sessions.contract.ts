/** Sessions: listed while they have events, and forgotten whole. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Ledger, SessionSummary } from "../../call/index.js";
import type { Given } from "./contract.samples.js";
import {
  DURABLE,
  NO,
  NOON,
  QUESTION,
  QUICK,
  SECOND,
  SESSION,
  YES,
  aQuestion,
  answersIn,
  ask,
  claim,
  codeOf,
  expectLost,
  said,
  textsOf,
} from "./contract.samples.js";
import { soon, startFollowing } from "./following.samples.js";

export function sessions({ store }: Given): void {
  test("lists no session at first, nor one that was only claimed", async () => {
    const { ledger, elsewhere } = store();
    expect(await ledger.sessions()).toEqual([]);
    await ledger.append(await claim(ledger), [], DURABLE);
    expect(await elsewhere.sessions()).toEqual([]);
  });

  test("has a session from its first event until it is removed", async () => {
    const { ledger, elsewhere } = store();
    expect(await ledger.has(SESSION)).toBe(false);
    const lease = await claim(ledger);
    await ledger.append(lease, [], DURABLE);
    expect(await elsewhere.has(SESSION)).toBe(false);
    await ledger.append(lease, [said("one")], QUICK);
    expect([await ledger.has(SESSION), await elsewhere.has(SESSION)]).toEqual([true, true]);
    expect(await ledger.has("session-2")).toBe(false);
    await ledger.remove(lease);
    expect([await ledger.has(SESSION), await elsewhere.has(SESSION)]).toEqual([false, false]);
  });

  test("lists a session with the times of its first and last write, by the ledger's clock, and its last event", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [said("one")], QUICK);
    store().time += 1000;
    await ledger.append(lease, [said("two")], DURABLE);
    store().time += 1000;
    await ledger.append(lease, [], DURABLE);
    await ledger.renew(lease, { milliseconds: 1000 });
    expect(await elsewhere.sessions()).toEqual([
      { sessionId: SESSION, createdAt: NOON, updatedAt: NOON + 1000, lastSeq: 2 },
    ]);
  });

  test("lists the most recently written session first, and counts an answer as a write", async () => {
    const { ledger, elsewhere } = store();
    for (const sessionId of ["a", "b", "c"]) {
      await ask(ledger, aQuestion(`question-${sessionId}`, "call-1", { sessionId }));
      store().time += 1;
    }
    expect(await idsOf(elsewhere)).toEqual(["c", "b", "a"]);
    await elsewhere.answer("question-b", YES);
    expect(await idsOf(ledger)).toEqual(["b", "c", "a"]);
    store().time += 1;
    await elsewhere.answer("question-c", { ...YES, intentHash: "another-intent" }).catch(() => undefined);
    await elsewhere.answer("question-b", NO);
    expect(await idsOf(ledger)).toEqual(["b", "c", "a"]);
  });

  test("pages go on after the last session of the page before, also among those of the same moment", async () => {
    const { ledger } = store();
    const names = ["d", "b", "f", "a", "e", "c", "g"];
    for (const [index, sessionId] of names.entries()) {
      if (index === 3) store().time += 1;
      await ledger.append(await claim(ledger, { sessionId }), [said("one")], QUICK);
    }
    const all = await ledger.sessions();
    // Sessions of the second time come first, and those of one time by their ids.
    expect(all.map(({ sessionId }) => sessionId)).toEqual(["a", "c", "e", "g", "b", "d", "f"]);
    for (const limit of [1, 2, 3, 7, 8]) {
      const paged: SessionSummary[] = [];
      for (let page = await ledger.sessions({ limit }); page.length > 0;) {
        expect(page.length).toBeLessThanOrEqual(limit);
        paged.push(...page);
        page = await ledger.sessions({ before: page.at(-1)!, limit });
      }
      expect(paged).toEqual(all);
    }
    expect(await ledger.sessions({ before: all[4]! })).toEqual(all.slice(5));
    expect(await ledger.sessions({ limit: 0 })).toEqual([]);
  });

  test("names with anything in them are kept apart and come back as they were", async () => {
    const { ledger, elsewhere } = store();
    const names = ["a", "a\u0000b", "a\u0000c", "\uD83D", "\uDE00", `"`, `\\"`, "\\u0000", "", "😀"];
    for (const [index, name] of names.entries()) {
      const lease = await claim(ledger, { sessionId: name, owner: `${name}'s` });
      await ledger.append(lease, [said(`${index}`)], QUICK);
      expect(lease).toMatchObject({ sessionId: name, owner: `${name}'s` });
      await expect(claim(elsewhere, { sessionId: name, owner: "bob" })).rejects.toThrow(`${name}'s`);
    }
    expect((await idsOf(elsewhere)).toSorted()).toEqual(names.toSorted());
    for (const [index, name] of names.entries()) expect(await textsOf(elsewhere, name)).toEqual([`${index}`]);
  });
}

export function removing({ store }: Given): void {
  test("removes a session with its events, questions, list entry and lease", async () => {
    const { ledger, elsewhere } = store();
    const lease = await ask(ledger, QUESTION, SECOND);
    await elsewhere.answer("question-2", YES);
    await ledger.remove(lease);
    expect(await elsewhere.read(SESSION)).toEqual([]);
    expect(await elsewhere.openQuestions()).toEqual([]);
    expect(await elsewhere.sessions()).toEqual([]);
    expect(await codeOf(elsewhere.answer("question-1", YES))).toBe("NO_SUCH_QUESTION");
    expect(await codeOf(elsewhere.answer("question-2", YES))).toBe("NO_SUCH_QUESTION");
    await expectLost(ledger, lease);
    expect(await codeOf(ledger.remove(lease))).toBe("LEASE_LOST");
  });

  test("leaves other sessions unchanged", async () => {
    const { ledger } = store();
    const other = aQuestion("question-3", "call-1", { sessionId: "session-2" });
    const kept = await ask(ledger, other);
    await ledger.remove(await ask(ledger, QUESTION));
    expect(await ledger.openQuestions()).toEqual([other]);
    expect(await ledger.append(kept, [said("still here")], QUICK)).toBe(4);
    expect((await ledger.sessions()).map(({ sessionId }) => sessionId)).toEqual(["session-2"]);
  });

  test("removes a session only for the newest lease, and keeps all others", async () => {
    const { ledger, elsewhere } = store();
    const older = await ask(ledger, QUESTION);
    const newer = await claim(elsewhere);
    const before = await ledger.read(SESSION);
    expect(await codeOf(ledger.remove(older))).toBe("LEASE_LOST");
    expect(await elsewhere.read(SESSION)).toEqual(before);
    expect(await elsewhere.openQuestions()).toEqual([QUESTION]);
    expect(await elsewhere.append(newer, [said("mine")], QUICK)).toBe(4);
  });

  test("starts a removed session again under its name, and no old lease writes to it", async () => {
    const { ledger, elsewhere } = store();
    const first = await claim(ledger, { owner: "bob" });
    const second = await claim(elsewhere, { owner: "bob" });
    await ledger.append(second, [said("before")], QUICK);
    await elsewhere.remove(second);
    store().time += 1000;
    const lease = await ask(ledger, QUESTION);
    expect(lease.fence).toBeGreaterThan(second.fence);
    await expectLost(ledger, first);
    await expectLost(elsewhere, second);
    expect((await elsewhere.read(SESSION)).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await elsewhere.sessions()).toEqual([
      { sessionId: SESSION, createdAt: NOON + 1000, updatedAt: NOON + 1000, lastSeq: 3 },
    ]);
    expect((await elsewhere.answer("question-1", NO)).counted).toBe(true);
    expect(await answersIn(ledger)).toEqual([NO]);
  });

  test("followers end, here and elsewhere, those that wait and those that still read; others go on", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    const events = Array.from({ length: 500 }, (_, index) => said(`${index}`));
    await ledger.append(lease, events, QUICK);
    const ending = [
      startFollowing(ledger, { after: 499 }),
      startFollowing(elsewhere, { after: 499 }),
      startFollowing(ledger, { pause: 2 }),
      startFollowing(elsewhere, { pause: 2 }),
    ];
    const other = startFollowing(ledger, { sessionId: "session-2" });
    for (const follower of ending) await follower.has(1);
    await ledger.remove(lease);
    for (const follower of ending) await soon(follower.ended, "the follower of a removed session ends");
    expect(ending[2]?.seen.length).toBeLessThan(500);
    await ledger.append(await claim(ledger, { sessionId: "session-2" }), [said("here")], QUICK);
    await other.has(1);
    await other.stop();
  });

  test("ends a follower even when the session is started again before its next read", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger);
    await ledger.append(lease, [said("old")], QUICK);
    const followers = [startFollowing(ledger), startFollowing(elsewhere)];
    for (const follower of followers) await follower.has(1);
    const removal = ledger.remove(lease);
    const again = await claim(ledger);
    await ledger.append(again, [said("new one"), said("new two")], QUICK);
    await removal;
    for (const follower of followers) {
      await soon(follower.ended, "the follower of a removed session ends");
      expect(follower.seen.map(({ event }) => event)).toEqual([said("old")]);
    }
  });

  test("removes a session that was claimed and never written to, and lets its followers go on waiting", async () => {
    const { ledger } = store();
    const follower = startFollowing(ledger);
    await setImmediate();
    const lease = await claim(ledger);
    await ledger.remove(lease);
    await expectLost(ledger, lease);
    await ledger.append(await claim(ledger, { owner: "bob" }), [said("at last")], QUICK);
    await follower.has(1);
    await follower.stop();
    expect(follower.seen).toEqual([{ seq: 1, event: said("at last") }]);
  });
}

async function idsOf(ledger: Ledger): Promise<readonly string[]> {
  return (await ledger.sessions()).map(({ sessionId }) => sessionId);
}
