/** Empty stores on the run's server. A store that was closed is emptied and used again: making tables takes longer. */
import type { Ledger } from "../../call/index.js";
import { openPostgresLedger } from "./open-postgres-ledger.js";
import { postgresAddress } from "./postgres-address.js";
import { newAddress } from "./postgres-server.samples.js";
import { SqlConnections } from "./sql-connections.js";

type Clock = { readonly now: () => number };

const free: string[] = [];
const addressOf = new WeakMap<Ledger, string>();
/** Keeps the connections from one test to the next. */
const kept = new Map<string, SqlConnections>();

const TABLES = ["sessions", "events", "blobs"];

export async function emptyAddress(): Promise<string> {
  const used = free.pop();
  const address = used ?? (await newAddress());
  if (used === undefined) kept.set(address, await SqlConnections.open(postgresAddress(address)));
  else {
    const sql = kept.get(address);
    await sql?.transaction((client) =>
      client.query(TABLES.map((table) => `delete from ${sql.address.schema}.${table};`).join("")),
    );
  }
  return address;
}

/** The store is free again when this ledger is closed. */
export async function openEmptyLedger(clock: Clock): Promise<Ledger> {
  const address = await emptyAddress();
  const ledger = await openPostgresLedger(address, clock);
  addressOf.set(ledger, address);
  const close = ledger.close.bind(ledger);
  let closed: Promise<unknown> | undefined;
  return Object.assign(ledger, {
    close: async () => {
      // Free once, also when it is closed twice at the same time.
      closed ??= close().then(() => free.push(address));
      await closed;
    },
  });
}

export const openLedgerBeside = (first: Ledger, clock: Clock): Promise<Ledger> =>
  openPostgresLedger(addressOf.get(first) ?? "", clock);

export async function damageBlob(ledger: Ledger, hash: string): Promise<void> {
  const sql = kept.get(addressOfLedger(ledger));
  await sql?.run<[Buffer], never>(
    { sql: `update ${sql.address.schema}.blobs set bytes = '\\x00' where hash = $1` },
    Buffer.from(hash, "hex"),
  );
}

export const addressOfLedger = (ledger: Ledger): string => addressOf.get(ledger) ?? "";
