/** Opens a ledger by its address. */
import { checkOptions, FLAG, FUNCTION } from "../call/check-options.js";
import type { OptionChecks } from "../call/check-options.js";
import type { Ledger } from "../call/index.js";
import { MemoryLedger } from "./memory/memory-ledger.js";
import { openSqliteLedger } from "./sqlite/sqlite-ledger.js";
import type { SqliteLedgerOptions } from "./sqlite/sqlite-ledger.js";
import { storeAddress } from "./store-address.js";

export type LedgerOptions = SqliteLedgerOptions;

const LEDGER_OPTIONS: OptionChecks<LedgerOptions> = { now: FUNCTION, readOnly: FLAG };

/** The address is the path of an SQLite file, which is made when there is none, or `memory:` for a new ledger in memory. */
export async function openLedger(address: string, options: LedgerOptions = {}): Promise<Ledger> {
  checkOptions("openLedger", options, LEDGER_OPTIONS);
  const store = storeAddress(address);
  return store.type === "memory" ? new MemoryLedger(options) : openSqliteLedger(store.file, options);
}
