/** The ledger on PostgreSQL, as every ledger. */
import { ledgerContract } from "../contract/ledger.contract.js";
import { damageBlob, openEmptyLedger, openLedgerBeside } from "./store.samples.js";

ledgerContract("openPostgresLedger", openEmptyLedger, {
  openBeside: openLedgerBeside,
  damageBlob,
  share: process.env["TOOLGATE_LONG"] ? 1 : 0.06,
});
