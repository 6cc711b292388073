/** Where sessions are stored: at the address of `--ledger`, or in the user's state folder. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { ledgerFileOf } from "../history/index.js";
import { stateFolder } from "./state-folder.js";

/** A path is made absolute. Throws LedgerFileError for an address that no ledger has. */
export function ledgerAddress({ ledger }: { readonly ledger?: string | undefined }): string {
  // The default is never inside a project, where an agent's tools write.
  if (ledger === undefined) return join(stateFolder(), "ledger.sqlite");
  return ledgerFileOf(ledger) === undefined ? ledger : resolve(ledger);
}

/** False when the ledger is a file that does not exist. */
export function hasLedger(address: string): boolean {
  const file = ledgerFileOf(address);
  return file === undefined || existsSync(file);
}
