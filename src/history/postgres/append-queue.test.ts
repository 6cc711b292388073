/** Appends whose lease is found lost while they wait. */
import { expect, test } from "vitest";
import { claim, codeOf, said, SESSION } from "../contract/contract.samples.js";
import { storedEvent } from "../stored-json.js";
import { AppendQueue } from "./append-queue.js";
import { ledgerStatements } from "./ledger-statements.js";
import { postgresAddress } from "./postgres-address.js";
import { openPostgresLedger } from "./open-postgres-ledger.js";
import { SeenLeases } from "./seen-leases.js";
import { SqlConnections } from "./sql-connections.js";
import { emptyAddress } from "./store.samples.js";

test("refuses an append as LEASE_LOST when a renewal finds the loss first", async () => {
  const address = await emptyAddress();
  const ledger = await openPostgresLedger(address);
  const sql = await SqlConnections.open(postgresAddress(address));
  const lost = await claim(ledger);
  const { fence } = await claim(ledger);
  const context = {
    sql,
    statements: ledgerStatements(sql.address.schema),
    time: () => null,
    place: undefined,
    seenLeases: new SeenLeases(),
  };
  const queue = new AppendQueue(context, () => undefined);
  const [head] = await sql.run(context.statements.head, SESSION);
  if (!head) throw new Error("The session has no head.");
  expect(head.fence).toBe(fence);
  queue.learn(lost.fence, head);
  const refused = codeOf(queue.append(lost, [storedEvent(said("late"), SESSION)], true));
  queue.forget(lost);
  expect(await refused).toBe("LEASE_LOST");
  await ledger.close();
  await sql.close();
});
