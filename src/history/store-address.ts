/**
 * The address of a ledger: the path of an SQLite file, `postgres://…`, or `memory:`.
 *
 * Anything else with a scheme before a colon is refused: a typing error must not become a file of that name.
 */
import { LedgerFileError } from "./ledger-file-error.js";
import { isPostgresAddress, shownAddress } from "./postgres/postgres-address.js";

export type StoreAddress =
  | { readonly type: "sqlite"; readonly file: string }
  | { readonly type: "postgres"; readonly address: string }
  | { readonly type: "memory" };

export function storeAddress(address: string): StoreAddress {
  if (address === "memory:") return { type: "memory" };
  if (isPostgresAddress(address)) return { type: "postgres", address };
  // One letter before the colon is a drive.
  const [, scheme] = /^([a-z][a-z\d+.-]+):/iu.exec(address) ?? [];
  if (scheme === undefined) return { type: "sqlite", file: address };
  throw new LedgerFileError(
    "UNKNOWN_ADDRESS",
    `"${shownAddress(address)}" is no ledger that this toolgate can open: it knows the path of an SQLite file, postgres://…, and memory:, but not ${scheme}:. Nothing was opened; name a file, and write ./ before a name that has a colon in it.`,
  );
}

/** The file of an address that names one, also before the file exists. */
export function ledgerFileOf(address: string): string | undefined {
  const store = storeAddress(address);
  return store.type === "sqlite" ? store.file : undefined;
}
