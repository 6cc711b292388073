/** Finds the ledger: at the address of `--ledger`, or in the user's state folder. */
import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { ledgerFileOf } from "../history/index.js";
import { stateFolder } from "../tools/state-folder.js";

/** A path is made absolute. Throws LedgerFileError for an address that no ledger has. */
export function ledgerAddress({ ledger }: { readonly ledger?: string | undefined }): string {
  // The default is never inside a project, where an agent's tools write.
  if (ledger === undefined) return join(stateFolder(), "ledger.sqlite");
  hidePassword(ledger);
  return ledgerFileOf(ledger) === undefined ? ledger : resolve(ledger);
}

/** False when the ledger is a file that does not exist, or is empty because its creation did not end. */
export function hasLedger(address: string): boolean {
  const file = ledgerFileOf(address);
  if (file === undefined) return true;
  const there = statSync(file, { throwIfNoEntry: false });
  return there !== undefined && !(there.isFile() && there.size === 0);
}

/** A password on the command line must not stay in the list of processes, which every user of the machine can read. */
function hidePassword(address: string): void {
  if (!/^postgres(?:ql)?:\/\/[^/?#]*:[^/?#]*@|[?&]password=/iu.test(address)) return;
  if (process.argv.some((word) => word.includes(address)))
    process.title = ["toolgate", process.argv[2] ?? ""].join(" ").trim();
}
