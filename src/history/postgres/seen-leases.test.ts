/** Leases as looks for work find them, while the server's clock is set. */
import { expect, test } from "vitest";
import type { WorkRow } from "./ledger-values.js";
import { SeenLeases } from "./seen-leases.js";

const LEASE_MS = 2_000;
const row = (lease_until: number, left_ms: number, fence = 1): WorkRow => ({
  session_id: "s",
  holder: null,
  fence,
  lease_until,
  lease_ms: LEASE_MS,
  left_ms,
});
/** A look takes 10 ms. */
const lookAt = (leases: SeenLeases, sentAt: number, seen: WorkRow) =>
  leases.look([seen], { sentAt, answeredAt: sentAt + 10 })[0];

test("counts down a lease by its own clock when the server's clock was set back", () => {
  const leases = new SeenLeases();
  expect(lookAt(leases, 0, row(9_000, 1_500))).toBe(1_510);
  // The clock went back by a second: the server says 2,100 ms.
  expect(lookAt(leases, 400, row(9_000, 2_100))).toBe(1_110);
  expect(lookAt(leases, 1_509, row(9_000, 1_000))).toBe(1);
  expect(leases.isOver("s", 1, 9_000)).toBe(false);
  expect(lookAt(leases, 1_510, row(9_000, 999))).toBe(0);
  expect(leases.isOver("s", 1, 9_000)).toBe(true);
});

test("gives a lease no more than its length when it is first seen after the clock was set back", () => {
  const leases = new SeenLeases();
  expect(lookAt(leases, 0, row(9_000, 3_900))).toBe(LEASE_MS + 10);
});

test("counts again when the lease was renewed or claimed", () => {
  const leases = new SeenLeases();
  lookAt(leases, 0, row(9_000, 2_000));
  expect(lookAt(leases, 2_500, row(9_700, 200))).toBe(210);
  expect(lookAt(leases, 5_000, row(9_700, 1_000, 2))).toBe(1_010);
  expect(leases.isOver("s", 2, 9_700)).toBe(false);
});

test("says nothing of a lease that the server says is over, or that is not there any more", () => {
  const leases = new SeenLeases();
  expect(lookAt(leases, 0, row(9_000, 0))).toBe(0);
  expect(leases.isOver("s", 1, 9_000)).toBe(false);
  lookAt(leases, 0, row(9_000, 5));
  lookAt(leases, 100, row(9_000, 5));
  expect(leases.isOver("s", 1, 9_000)).toBe(true);
  leases.look([], { sentAt: 200, answeredAt: 201 });
  expect(leases.isOver("s", 1, 9_000)).toBe(false);
});
