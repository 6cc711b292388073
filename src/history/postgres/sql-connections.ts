/**
 * The connections of this process to one database: at most MAX_POOLED, and one more that only listens.
 *
 * Every statement is a transaction of its own and names its schema, so a pooler in transaction mode may stand between. A
 * prepared statement is named by the hash of its text; where the server does not find one (a pooler without prepared
 * statements), none is named from then on. A lost connection is an error of its own kind, because nobody knows whether
 * the statement took effect: `retried` is for statements that may run twice.
 */
import { hash } from "node:crypto";
import type { Client, Pool, PoolClient, PoolConfig, QueryResult } from "pg";
import { errorCode } from "../../call/error-code.js";
import { LedgerError } from "../../call/index.js";
import { LedgerFileError } from "../ledger-file-error.js";
import type { PostgresAddress } from "./postgres-address.js";

/** With the one that listens: four. */
const MAX_POOLED = 3;
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection that is silent for longer is given up: its other end may be gone without a word. */
const STATEMENT_TIMEOUT_MS = 30_000;
const RETRY_MS = 15_000;
/** At least so many tries: a process that was paused finds its deadline over. */
const MIN_TRIES = 6;
const FIRST_RETRY_MS = 20;
/** The server ends a transaction whose process is gone without a word: it would hold back vacuum. */
const IDLE_IN_TRANSACTION_MS = 60_000;
/** How long a connection is kept for the next append. */
const KEEP_MS = 1_000;
const MAX_RETRY_MS = 500;

export type SqlValue = string | number | null | Uint8Array | readonly (string | number | Uint8Array | null)[];

/** A statement with the types of its values and rows, declared by hand: the driver has none. */
export type Statement<Values extends readonly SqlValue[], Row = never> = {
  readonly sql: string;
  readonly values?: Values;
  readonly row?: Row;
};

type SqlResult = Pick<QueryResult<object>, "rows" | "rowCount">;

/**
 * The connection ended during a statement: nobody knows whether the statement took effect. Without `wasSent` there was no
 * connection to send it on, so it did not.
 */
export class ConnectionLost extends Error {
  constructor(
    message: string,
    readonly wasSent: boolean,
  ) {
    super(message);
  }
}

/** The connections of this process to one database, shared by the ledgers and archives on it. */
type SharedPool = {
  readonly pool: Pool;
  readonly newClient: () => Client;
  canPrepare: boolean;
  users: number;
  /** Checked out of the pool, for the next append. */
  kept?: PoolClient | undefined;
  keptTimer?: NodeJS.Timeout;
};

const pools = new Map<string, SharedPool>();

export class SqlConnections {
  readonly address: PostgresAddress;
  readonly #shared: SharedPool;
  readonly #retryMs: number;
  readonly #names = new Map<string, string>();
  #isClosed = false;

  private constructor(address: PostgresAddress, shared: SharedPool, retryMs: number) {
    this.address = address;
    this.#shared = shared;
    this.#retryMs = retryMs;
    shared.users += 1;
  }

  /** The driver is loaded here and not before. `retryMs`: how long a server that restarts or fails over is waited for. */
  static async open(address: PostgresAddress, { retryMs = RETRY_MS } = {}): Promise<SqlConnections> {
    const { default: pg } = await import("pg");
    const { connectionString } = address;
    const known = pools.get(connectionString);
    if (known) return new SqlConnections(address, known, retryMs);
    const config: PoolConfig = {
      connectionString,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types: {
        getTypeParser: (oid, format) =>
          oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format),
      },
    };
    const pool = new pg.Pool({ ...config, max: MAX_POOLED, allowExitOnIdle: true });
    // An idle connection that ends is replaced by the next statement.
    pool.on("error", () => undefined);
    const newClient = () => new pg.Client({ ...config, query_timeout: CONNECT_TIMEOUT_MS });
    const shared: SharedPool = { pool, newClient, canPrepare: true, users: 0 };
    pool.on("connect", (client) => {
      // Without a listener, a connection that ends during a statement would end this process too.
      client.on("error", () => undefined);
      client.on("end", () => {
        if (shared.kept === client) releaseKept(shared, true);
      });
    });
    pools.set(connectionString, shared);
    return new SqlConnections(address, shared, retryMs);
  }

  /** Throws ConnectionLost when the server cannot be reached, or was lost during the statement. */
  async run<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
    ...values: Values
  ): Promise<Row[]> {
    this.#checkOpen();
    const client = await this.#connect();
    const { rows } = await this.#runOn(client, statement.sql, values, this.#shared.canPrepare);
    client.release();
    return rows as Row[];
  }

  /** The same for statements that follow each other: the way through the pool costs a tenth of an append. */
  async runOnKept<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
    ...values: Values
  ): Promise<Row[]> {
    return (await this.#resultOnKept(statement.sql, values)).rows as Row[];
  }

  /** The same for a statement without rows: returns how many it has written. */
  async countOnKept<Values extends readonly SqlValue[]>(
    statement: Statement<Values>,
    ...values: Values
  ): Promise<number> {
    return (await this.#resultOnKept(statement.sql, values)).rowCount ?? 0;
  }

  async #resultOnKept(sql: string, values: readonly SqlValue[]): Promise<SqlResult> {
    this.#checkOpen();
    const shared = this.#shared;
    const client = shared.kept ?? (await this.#connect());
    if (client === shared.kept) shared.kept = undefined;
    const result = await this.#runOn(client, sql, values, shared.canPrepare);
    if (shared.kept || shared.users === 0) client.release();
    else {
      shared.kept = client;
      if (shared.keptTimer) shared.keptTimer.refresh();
      else shared.keptTimer = setTimeout(() => releaseKept(shared), KEEP_MS).unref();
    }
    return result;
  }

  /** For a statement that may run twice: repeats it when the connection is lost, up to `retryMs`. */
  retried<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
    ...values: Values
  ): Promise<Row[]> {
    return this.withRetries(() => this.run(statement, ...values));
  }

  /** Repeats the work when the connection is lost or the server is not there, up to `retryMs`. */
  async withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
    const deadline = performance.now() + this.#retryMs;
    let tries = 0;
    for (let waitMs = FIRST_RETRY_MS; ; waitMs = Math.min(2 * waitMs, MAX_RETRY_MS)) {
      tries += 1;
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        this.#checkOpen();
        if (tries >= MIN_TRIES && performance.now() + waitMs > deadline) throw this.#unreachable(error);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  /** Several statements in one transaction on one connection. */
  async transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    this.#checkOpen();
    const client = await this.#connect();
    let failure: unknown;
    try {
      await client.query(`begin; set local idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`);
      const result = await work(client);
      await client.query("commit");
      return result;
    } catch (error) {
      failure = error;
      // A connection that cannot even roll back is thrown away below.
      await client.query("rollback").catch(() => undefined);
      throw this.#named(error);
    } finally {
      client.release(failure !== undefined && isLost(failure));
    }
  }

  /** A connection of its own, outside the pool. */
  async dedicated(): Promise<Client> {
    this.#checkOpen();
    const client = this.#shared.newClient();
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      throw this.#named(error);
    }
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#shared.users -= 1;
    if (this.#shared.users > 0) return;
    pools.delete(this.address.connectionString);
    clearTimeout(this.#shared.keptTimer);
    releaseKept(this.#shared);
    await this.#shared.pool.end();
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#shared.pool.connect();
    } catch (error) {
      throw this.#named(error, true);
    }
  }

  /** Its rows are as the statement's declaration says. Releases the client when the statement fails. */
  async #runOn(
    client: PoolClient,
    sql: string,
    values: readonly SqlValue[],
    isNamed: boolean,
  ): Promise<SqlResult> {
    let timer: NodeJS.Timeout | undefined;
    try {
      const query = { text: sql, values: [...values], ...(isNamed && { name: this.#nameOf(sql) }) };
      return await new Promise((resolve, reject) => {
        const giveUp = () => reject(new ConnectionLost("The server is silent.", true));
        timer = setTimeout(giveUp, STATEMENT_TIMEOUT_MS);
        client.query<object>(query, (error: unknown, result) => {
          if (error === null || error === undefined) resolve(result);
          else reject(error);
        });
      });
    } catch (error) {
      const code = errorCode(error);
      if (isNamed && code !== undefined && NO_PREPARED.has(code)) {
        this.#shared.canPrepare = false;
        return await this.#runOn(client, sql, values, false);
      }
      client.release(error instanceof ConnectionLost || isLost(error));
      throw this.#named(error);
    } finally {
      clearTimeout(timer);
    }
  }

  #nameOf(sql: string): string {
    const known = this.#names.get(sql);
    if (known !== undefined) return known;
    const name = `tg_${hash("sha256", sql).slice(0, 24)}`;
    this.#names.set(sql, name);
    return name;
  }

  #checkOpen(): void {
    if (this.#isClosed)
      throw new LedgerError(
        "LEDGER_CLOSED",
        "The ledger is closed. Nothing was read or written; open it again first.",
      );
  }

  /** The error with our own words, and never with the address's password. */
  #named(error: unknown, isConnecting = false): unknown {
    if (error instanceof ConnectionLost || error instanceof LedgerError || error instanceof LedgerFileError)
      return error;
    const code = errorCode(error) ?? "";
    if (isLost(error)) return new ConnectionLost(messageOf(error), !isConnecting);
    const { shown } = this.address;
    if (code === DISK_FULL)
      return new LedgerFileError(
        "LEDGER_FULL",
        `The disk of the server of ${shown} is full. Nothing was recorded; make room there.`,
      );
    if (code === READ_ONLY)
      return new LedgerFileError(
        "LEDGER_READ_ONLY",
        `The server of ${shown} only reads: it may be a standby. Nothing was recorded; name the primary server.`,
      );
    if (isConnecting || REFUSED.test(code))
      return new LedgerFileError(
        "LEDGER_FAILED",
        `The server of ${shown} refused us (${messageOf(error)}). Nothing was opened; check the user, the password and the database.`,
      );
    return error;
  }

  #unreachable(cause: ConnectionLost): LedgerFileError {
    return new LedgerFileError(
      "LEDGER_FAILED",
      `The server of ${this.address.shown} cannot be reached (${cause.message}). Nothing more is recorded; start it, or correct the address.`,
      { cause },
    );
  }
}

function releaseKept(shared: SharedPool, isLostConnection = false): void {
  const { kept } = shared;
  shared.kept = undefined;
  kept?.release(isLostConnection);
}

const DISK_FULL = "53100";
const READ_ONLY = "25006";
/** Wrong password, no such role, no such database. */
const REFUSED = /^(?:28|3D)/;
/** The statement is not there, or is there already: both before anything was run. */
const NO_PREPARED = new Set(["26000", "42P05"]);
/** Connection failures, too many connections, shutdown, crash of the server, starting up. */
const LOST_STATE = /^(?:08|53300|57P0[1-5])/;
const LOST_SYSTEM = /^E(?:CONN|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN|NOENT)/;
const LOST_MESSAGE = /connection terminated|connection ended|timeout exceeded|client has encountered/iu;

/** The driver gives some of its own errors no code: only their texts tell them apart. */
function isLost(error: unknown): boolean {
  if (error instanceof ConnectionLost) return true;
  const code = errorCode(error);
  if (code !== undefined) return LOST_STATE.test(code) || LOST_SYSTEM.test(code);
  // A name with several addresses fails with all of their errors.
  if (error instanceof AggregateError) return error.errors.some(isLost);
  return error instanceof Error && LOST_MESSAGE.test(error.message);
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(messageOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}
