/** Opens a ledger by its address. */
import { checkOptions, FLAG, FUNCTION, required, TEXT } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import type { Ledger } from "../call/index.js";
import { MemoryLedger } from "./memory/memory-ledger.js";
import { openSqliteLedger } from "./sqlite/sqlite-ledger.js";
import type { SqliteLedgerOptions } from "./sqlite/sqlite-ledger.js";
import { storeAddress } from "./store-address.js";

export type LedgerOptions = SqliteLedgerOptions & {
  /**
   * Where the workspace of the sessions is. On a server, instances with the same place go on with each other's sessions;
   * a file or memory has no use for it.
   */
  readonly place?: string;
};

const LEDGER_OPTIONS: OptionChecks<LedgerOptions> = {
  now: FUNCTION,
  readOnly: FLAG,
  place: TEXT,
  onLockWait: FUNCTION,
};

/**
 * The address is the path of an SQLite file, which is made when there is none; `postgres://user@host/database` for a
 * server, whose tables are made when there are none; or `memory:` for a new ledger in memory.
 */
export async function openLedger(address: string, options: LedgerOptions = {}): Promise<Ledger> {
  checkOptions("openLedger", { address }, { address: required(TEXT) });
  checkOptions("openLedger", options, LEDGER_OPTIONS);
  const store = storeAddress(address);
  const { place: _, ...local } = options;
  switch (store.type) {
    case "memory":
      return new MemoryLedger(options.now ? { now: options.now } : {});
    case "sqlite":
      return openSqliteLedger(store.file, local);
    case "postgres": {
      // Loaded for its addresses only: the driver and this part take as long as the rest of a start.
      const { openPostgresLedger } = await import("./postgres/open-postgres-ledger.js");
      return openPostgresLedger(store.address, options);
    }
    default:
      return store satisfies never;
  }
}
