/**
 * The address of a PostgreSQL ledger: `postgres://user@host/database?schema=name`.
 *
 * The password comes from the address, from PGPASSWORD or from the passfile (PGPASSFILE, `~/.pgpass`), which the driver
 * reads. Invariant: no message, log or list of processes shows a password.
 */
import { LedgerFileError } from "../ledger-file-error.js";

export type PostgresAddress = {
  /** For the driver, without our own parameters. */
  readonly connectionString: string;
  /** The schema that the tables are in. Every statement names it, since a pooler may drop a `search_path`. */
  readonly schema: string;
  /** The address for messages. */
  readonly shown: string;
};

const DEFAULT_SCHEMA = "toolgate";
/** A name that needs no quotes, so that no value can become SQL. */
const SCHEMA = /^[a-z_][a-z0-9_]{0,40}$/;

export function isPostgresAddress(address: string): boolean {
  return /^postgres(?:ql)?:\/\//iu.test(address);
}

export function postgresAddress(address: string): PostgresAddress {
  const shown = shownAddress(address);
  // The driver takes any other text for a database on this machine.
  if (!isPostgresAddress(address)) throw wrong(shown, "it does not begin with postgres://");
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    throw wrong(shown, "it cannot be read as a URL");
  }
  const schema = url.searchParams.get("schema") ?? DEFAULT_SCHEMA;
  if (!SCHEMA.test(schema))
    throw wrong(shown, "a schema's name has only small letters, digits and underscores, at most 41");
  url.searchParams.delete("schema");
  return { connectionString: url.href, schema, shown };
}

/** Without the password, wherever the address has one. */
export function shownAddress(address: string): string {
  return address
    .replace(/\/\/[^/?#]*@/u, "//…@")
    .replace(/([?&](?:password|sslpassword)=)[^&#]*/giu, "$1…")
    .slice(0, 200);
}

const wrong = (shown: string, why: string) =>
  new LedgerFileError(
    "UNKNOWN_ADDRESS",
    `"${shown}" is no address of a PostgreSQL ledger: ${why}. Nothing was opened; write postgres://user@host/database.`,
  );
