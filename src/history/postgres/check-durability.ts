/** Refuses a server on which acknowledged events might be lost, or names might change. */
import { LedgerFileError } from "../ledger-file-error.js";
import type { LedgerContext } from "./ledger-context.js";

export async function checkDurability({
  sql,
  statements,
}: Pick<LedgerContext, "sql" | "statements">): Promise<void> {
  const [row] = await sql.retried(statements.durability);
  const { shown } = sql.address;
  if (row?.encoding !== "UTF8")
    throw new LedgerFileError(
      "LEDGER_FAILED",
      `The database of ${shown} has the encoding ${row?.encoding ?? "unknown"}. Nothing was opened; make a database with the encoding UTF8.`,
    );
  if (row.synchronous_commit === "off" || row.synchronous_commit === "local")
    throw new LedgerFileError(
      "LEDGER_FAILED",
      `The server of ${shown} acknowledges before events are safe (synchronous_commit = ${row.synchronous_commit}). Nothing was opened; run: alter role … set synchronous_commit = on.`,
    );
}
