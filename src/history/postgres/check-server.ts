/** Checks the server of a ledger and reports in plain lines its facts, and what may cost events or time. */
import type { Verified, VerifyOptions } from "../../call/index.js";
import { postgresAddress } from "./postgres-address.js";
import { migrateTables, tableState } from "./migrate-tables.js";
import type { TableState } from "./migrate-tables.js";
import { SqlConnections } from "./sql-connections.js";
import { verifyTables } from "./verify-tables.js";

/** A person who checks a server wants to know soon that it is not there. */
const CHECK_RETRY_MS = 2_000;

export type ServerReport = {
  readonly hasTables: boolean;
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly warnings: readonly string[];
};

/** Returns how many steps were added to the tables. */
export async function migrateServer(address: string): Promise<number> {
  const sql = await SqlConnections.open(postgresAddress(address));
  try {
    return await migrateTables(sql);
  } finally {
    await sql.close();
  }
}

/** Reads only, and makes no tables. */
export async function verifyServer(address: string, options: VerifyOptions): Promise<Verified> {
  const sql = await SqlConnections.open(postgresAddress(address), { isForArchive: true });
  try {
    return await verifyTables(sql, options);
  } finally {
    await sql.close();
  }
}

type Settings = Readonly<
  Record<
    "version" | "synchronous_commit" | "fsync" | "standbys" | "max_connections" | "replicas" | "read_only",
    string
  >
>;

/** Reads only, and makes no tables. */
export async function checkServer(address: string): Promise<ServerReport> {
  const sql = await SqlConnections.open(postgresAddress(address), { retryMs: CHECK_RETRY_MS });
  try {
    const { step, knownStep } = await tableState(sql);
    const [settings] = await sql.retried<[], Settings>({
      sql: `select current_setting('server_version') as version, current_setting('fsync') as fsync,
          current_setting('synchronous_commit') as synchronous_commit,
          current_setting('synchronous_standby_names') as standbys,
          current_setting('max_connections') as max_connections,
          current_setting('transaction_read_only') as read_only,
          (select count(*)::text from pg_stat_replication) as replicas`,
    });
    const counts = step === 0 ? undefined : await countRows(sql);
    return {
      hasTables: step > 0,
      facts: [
        ["server", `PostgreSQL ${settings?.version ?? "?"}`],
        ["tables", step === 0 ? "none yet" : `step ${step} of ${knownStep}, schema ${sql.address.schema}`],
        ...(counts ?? []),
        ["durability", `synchronous_commit ${settings?.synchronous_commit}, fsync ${settings?.fsync}`],
        ["standbys", settings?.standbys ? `synchronous: ${settings.standbys}` : "none that is synchronous"],
        ["connections", `at most ${settings?.max_connections}; each instance takes up to 4`],
      ],
      warnings: warningsOf(settings, { step, knownStep }),
    };
  } finally {
    await sql.close();
  }
}

async function countRows(sql: SqlConnections): Promise<ServerReport["facts"]> {
  const { schema } = sql.address;
  const [row] = await sql.retried<
    [],
    Readonly<Record<"sessions" | "events" | "questions" | "held" | "work", number>>
  >({
    sql: `select count(*) filter (where last_seq > 0) as sessions, coalesce(sum(last_seq), 0)::float8 as events,
        (select count(*) from ${schema}.questions where settled_seq is null) as questions,
        count(*) filter (where lease_until > extract(epoch from clock_timestamp()) * 1000) as held,
        count(*) filter (where work_since is not null and place is not null) as work
      from ${schema}.heads`,
  });
  return row
    ? [
        ["sessions", `${row.sessions}, ${row.events} events`],
        ["questions", `${row.questions} open`],
        ["leases", `${row.held} held, ${row.work} turns in progress or waiting for an instance`],
      ]
    : [];
}

function warningsOf(settings: Settings | undefined, { step, knownStep }: TableState): readonly string[] {
  return [
    ...(step === 0
      ? [
          "There are no tables yet, and nothing was made. The first instance makes them, or: toolgate ledger migrate",
        ]
      : step < knownStep
        ? ["The tables are not of this version yet. Run: toolgate ledger migrate"]
        : []),
    ...(settings?.read_only === "on"
      ? [
          "The server only reads: it may be a standby. Instances cannot record there; name the primary server.",
        ]
      : []),
    ...(settings?.fsync === "off" ? ["fsync is off: a power cut can destroy the whole ledger."] : []),
    ...(settings?.synchronous_commit === "off" || settings?.synchronous_commit === "local"
      ? [`synchronous_commit is ${settings.synchronous_commit}: Toolgate does not open such a ledger.`]
      : []),
    ...(Number(settings?.replicas) > 0 && settings?.standbys === ""
      ? ["A standby follows asynchronously: a failover can lose acknowledged events (LOG_BEHIND)."]
      : []),
  ];
}
