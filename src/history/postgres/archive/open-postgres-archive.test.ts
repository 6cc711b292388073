/** The archive on PostgreSQL, as every archive. */
import { archiveContract } from "../../contract/archive.contract.js";
import { openPostgresArchive } from "./open-postgres-archive.js";
import { addressOfLedger, openEmptyLedger } from "../store.samples.js";

archiveContract("openPostgresArchive", async (clock) => {
  const ledger = await openEmptyLedger(clock);
  return { ledger, archive: await openPostgresArchive(addressOfLedger(ledger), clock) };
});
