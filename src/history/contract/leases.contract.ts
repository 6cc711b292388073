/** Leases: who may write to a session, and until when. */
import { expect, test } from "vitest";
import type { Given } from "./contract.samples.js";
import {
  NOON,
  QUICK,
  SESSION,
  claim,
  codeOf,
  expectLost,
  outcomeOf,
  said,
  textsOf,
  withdrawn,
} from "./contract.samples.js";

export function leases({ store }: Given): void {
  test("returns a lease with its session, its owner and its end", async () => {
    const lease = await claim(store().ledger, { owner: "ann", milliseconds: 30_000 });
    expect(lease).toEqual({
      sessionId: SESSION,
      owner: "ann",
      fence: expect.any(Number),
      expiresAt: NOON + 30_000,
    });
  });

  test("names the owner of the lease that lasts as the holder", async () => {
    const { ledger, elsewhere } = store();
    if (!elsewhere.holder) return;
    expect(await elsewhere.holder(SESSION)).toBeUndefined();
    const lease = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    expect(await elsewhere.holder(SESSION)).toBe("ann");
    await ledger.release(lease);
    expect(await elsewhere.holder(SESSION)).toBeUndefined();
    await claim(ledger, { owner: "bob", milliseconds: 30_000 });
    store().time += 30_000;
    expect(await elsewhere.holder(SESSION)).toBeUndefined();
  });

  test("refuses to claim a session that another holds, and names the holder and the next step", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    store().time += 29_999;
    const claiming = claim(elsewhere, { owner: "bob" });
    await expect(claiming).rejects.toMatchObject({
      code: "LEASE_HELD",
      message: expect.stringMatching(
        /session-1.*\bann\b.*Nothing was done; end it there, or try again later\./,
      ),
    });
    expect(await ledger.append(lease, [said("still mine")], QUICK)).toBe(1);
  });

  test("refuses an illegal event for the lost lease when the lease is lost", async () => {
    const { ledger } = store();
    const lost = await claim(ledger, { owner: "ann" });
    const newest = await claim(ledger, { owner: "ann" });
    const illegal = [withdrawn("question-of-nobody")];
    await expect(ledger.append(lost, illegal, QUICK)).rejects.toMatchObject({
      code: "LEASE_LOST",
      message: expect.stringMatching(/Nothing was appended; open the session again to continue it\.$/),
    });
    expect(await codeOf(ledger.append(newest, illegal, QUICK))).toBe("ILLEGAL_EVENT");
    expect(await ledger.append(newest, [said("still mine")], QUICK)).toBe(1);
  });

  test("grants a lease for ever", async () => {
    const { ledger, elsewhere } = store();
    await claim(ledger, { owner: "ann", milliseconds: Infinity });
    store().time += 1e12;
    const claiming = claim(elsewhere, { owner: "bob" });
    await expect(claiming).rejects.toMatchObject({ code: "LEASE_HELD" });
  });

  test("ends a lease that nobody renews when the clock is set back, before that time comes again", async () => {
    const { ledger, elsewhere } = store();
    const dead = await claim(ledger, { owner: "ann", milliseconds: 5_000 });
    store().time -= 5_001;
    const lease = await claim(elsewhere, { owner: "bob", milliseconds: 5_000 });
    await expectLost(ledger, dead);
    expect(await elsewhere.append(lease, [said("by bob")], QUICK)).toBeGreaterThan(0);
  });

  test("keeps a lease when the clock is set back a little, or its holder renews", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann", milliseconds: 5_000 });
    store().time -= 5_000;
    expect(await codeOf(claim(elsewhere, { owner: "bob" }))).toBe("LEASE_HELD");
    store().time -= 7_200_000;
    const renewed = await ledger.renew(lease, { milliseconds: 5_000 });
    expect(await codeOf(claim(elsewhere, { owner: "bob" }))).toBe("LEASE_HELD");
    expect(await ledger.append(renewed, [said("still mine")], QUICK)).toBe(1);
    await claim(elsewhere, { owner: "bob", sessionId: "for ever", milliseconds: Infinity });
    store().time -= 1e12;
    expect(await codeOf(claim(ledger, { owner: "ann", sessionId: "for ever" }))).toBe("LEASE_HELD");
  });

  test("leaves other sessions free while one is held", async () => {
    const { ledger, elsewhere } = store();
    await claim(ledger, { owner: "ann" });
    const lease = await claim(elsewhere, { owner: "bob", sessionId: "session-2" });
    expect(lease).toMatchObject({ owner: "bob", sessionId: "session-2" });
  });

  test("lets the same owner claim again, and ends the older lease", async () => {
    const { ledger, elsewhere } = store();
    const older = await claim(ledger, { owner: "ann" });
    const newer = await claim(elsewhere, { owner: "ann" });
    expect(newer.fence).toBeGreaterThan(older.fence);
    await expectLost(ledger, older);
    expect(await elsewhere.append(newer, [said("mine")], QUICK)).toBe(1);
  });

  test("gives the lease to one of two who claim at once", async () => {
    const { ledger, elsewhere } = store();
    const claims = Array.from({ length: 20 }, (_, index) =>
      outcomeOf(claim(index % 2 === 0 ? ledger : elsewhere, { owner: `owner ${index}` })),
    );
    const codes = (await Promise.all(claims)).map((outcome) => ("code" in outcome ? outcome.code : "held"));
    expect(codes.filter((code) => code === "held")).toHaveLength(1);
    expect(codes.filter((code) => code === "LEASE_HELD")).toHaveLength(19);
  });

  test("lets another owner claim a session whose lease ran out, and refuses the first owner's appends", async () => {
    const { ledger, elsewhere } = store();
    const first = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    await ledger.append(first, [said("by ann")], QUICK);
    store().time += 30_000;
    const second = await claim(elsewhere, { owner: "bob" });
    expect(second.fence).toBeGreaterThan(first.fence);
    await expectLost(ledger, first);
    expect(await elsewhere.append(second, [said("by bob")], QUICK)).toBe(2);
    await expectLost(ledger, first);
    expect(await textsOf(ledger)).toEqual(["by ann", "by bob"]);
  });

  test("finishes or drops writes of the older lease before it gives the newer one", async () => {
    const { ledger, elsewhere } = store();
    for (let round = 0; round < 20; round++) {
      const older = await claim(ledger);
      const writing = codeOf(ledger.append(older, [said("one"), said("two")], QUICK));
      await claim(elsewhere);
      const log = await elsewhere.read(SESSION);
      const code = await writing;
      expect(["none", "LEASE_LOST"]).toContain(code);
      expect(await elsewhere.read(SESSION)).toEqual(log);
    }
  });

  test("appends with a lease that ran out while nobody took the session", async () => {
    const { ledger } = store();
    const lease = await claim(ledger, { milliseconds: 30_000 });
    store().time += 60_000;
    expect(await ledger.append(lease, [said("late, and alone")], QUICK)).toBe(1);
  });

  test("extends a lease from now when it is renewed", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    store().time += 20_000;
    const renewed = await ledger.renew(lease, { milliseconds: 30_000 });
    expect(renewed).toEqual({ ...lease, expiresAt: NOON + 50_000 });
    store().time = NOON + 49_999;
    expect(await codeOf(claim(elsewhere, { owner: "bob" }))).toBe("LEASE_HELD");
    // Only the fence counts: the lease as it was before it was renewed is the same one.
    expect(await ledger.append(lease, [said("mine")], QUICK)).toBe(1);
    store().time = NOON + 50_000;
    expect((await claim(elsewhere, { owner: "bob" })).owner).toBe("bob");
  });

  test("renews a lease that ran out while nobody took the session", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann", milliseconds: 30_000 });
    store().time += 60_000;
    const renewed = await ledger.renew(lease, { milliseconds: 30_000 });
    expect(renewed.expiresAt).toBe(NOON + 90_000);
    expect(await codeOf(claim(elsewhere, { owner: "bob" }))).toBe("LEASE_HELD");
  });

  test("frees the session at once when the lease is released, and the released lease is lost", async () => {
    const { ledger, elsewhere } = store();
    const lease = await claim(ledger, { owner: "ann" });
    await ledger.release(lease);
    await expectLost(ledger, lease);
    const next = await claim(elsewhere, { owner: "bob" });
    expect(next.fence).toBeGreaterThan(lease.fence);
    expect(await elsewhere.append(next, [said("by bob")], QUICK)).toBe(1);
  });

  test("keeps a released lease lost when its owner claims again", async () => {
    const { ledger } = store();
    const released = await claim(ledger, { owner: "ann" });
    await ledger.release(released);
    const again = await claim(ledger, { owner: "ann" });
    expect(again.fence).toBeGreaterThan(released.fence);
    await expectLost(ledger, released);
  });

  test("does nothing when a lost lease is released", async () => {
    const { ledger, elsewhere } = store();
    const older = await claim(ledger, { owner: "ann" });
    const newer = await claim(elsewhere, { owner: "ann" });
    await ledger.release(older);
    await ledger.release(older);
    expect(await codeOf(claim(ledger, { owner: "bob" }))).toBe("LEASE_HELD");
    expect(await elsewhere.append(newer, [said("still mine")], QUICK)).toBe(1);
  });
}
