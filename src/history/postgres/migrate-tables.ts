/**
 * Creates the tables, or adds the steps that are missing, under a lock: any number of instances may start at once.
 *
 * Invariant: steps are only added, so instances of two versions work side by side. An instance refuses tables whose
 * newest step it cannot work with.
 */
import { errorCode } from "../../call/error-code.js";
import { LedgerFileError } from "../ledger-file-error.js";
import { MIGRATIONS } from "./migrations.js";
import { lacksRight } from "./server-errors.js";
import type { SqlConnections } from "./sql-connections.js";

export type TableState = {
  /** The last step that the tables have; 0 without tables. */
  readonly step: number;
  readonly knownStep: number;
};

/** "Tgpg": the lock that migrations of any schema take. */
const MIGRATION_LOCK = 0x54677067;
const NO_TABLE = "42P01";
const NO_SCHEMA = "3F000";

/** Throws LEDGER_TOO_NEW when the tables need a newer version of Toolgate. */
export async function tableState(sql: SqlConnections): Promise<TableState> {
  const { schema, shown } = sql.address;
  const knownStep = MIGRATIONS.length;
  const [row] = await sql
    .retried<[], { step: number; needs: number }>({
      sql: `select max(step) as step, max(needs) as needs from ${schema}.migrations`,
    })
    .catch((error: unknown) => {
      if (errorCode(error) === NO_TABLE || errorCode(error) === NO_SCHEMA) return [];
      throw error;
    });
  if (row && row.needs > knownStep) {
    throw new LedgerFileError(
      "LEDGER_TOO_NEW",
      `The tables of ${shown} were made by a newer version of Toolgate (step ${row.step}; this version knows ${knownStep}). Nothing was read or written; install that version here too.`,
    );
  }
  return { step: row?.step ?? 0, knownStep };
}

/** Returns the steps that were added. */
export async function migrateTables(sql: SqlConnections): Promise<number> {
  const { step, knownStep } = await tableState(sql);
  if (step >= knownStep) return 0;
  const { schema, shown } = sql.address;
  try {
    return await sql.withRetries(() =>
      sql.transaction(async (client) => {
        await client.query(`select pg_advisory_xact_lock(${MIGRATION_LOCK})`);
        // A role may be allowed to make tables and not schemas: then the schema must be there.
        const { rows } = await client.query("select 1 from pg_namespace where nspname = $1", [schema]);
        if (rows.length === 0) await client.query(`create schema ${schema}`);
        await client.query(`create table if not exists ${schema}.migrations (
          step int primary key, needs int not null, applied_at timestamptz not null default now())`);
        const { rows: done } = await client.query(
          `select coalesce(max(step), 0) as step from ${schema}.migrations`,
        );
        const first = Number(done[0]?.step ?? 0);
        for (const [index, { needs, sql: text }] of MIGRATIONS.entries()) {
          if (index < first) continue;
          await client.query(text(schema));
          await client.query(`insert into ${schema}.migrations (step, needs) values ($1, $2)`, [
            index + 1,
            needs,
          ]);
        }
        return MIGRATIONS.length - first;
      }),
    );
  } catch (error) {
    if (!lacksRight(error)) throw error;
    throw new LedgerFileError(
      "LEDGER_READ_ONLY",
      `This user may not make the tables of ${shown}. Nothing was changed; run \`toolgate ledger migrate\` as their owner.`,
    );
  }
}
