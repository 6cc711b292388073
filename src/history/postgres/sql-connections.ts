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
import type { PostgresAddress } from "./postgres-address.js";
import { serverClient } from "./server-client.js";
import { ConnectionLost, isLost, namedError, unreachable } from "./server-errors.js";

/** With the one that listens: four. */
const MAX_POOLED = 3;
const CONNECT_TIMEOUT_MS = 5_000;
/** A connection that is silent for longer is given up: its other end may be gone without a word. */
const STATEMENT_TIMEOUT_MS = 30_000;
/** The same for the archive, whose statements read as much as there is. */
const ARCHIVE_TIMEOUT_MS = 300_000;
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
  /** Takes as long as the tables are large, so silence says nothing. */
  readonly isLong?: boolean;
};

type OpenOptions = {
  /** How long a server that restarts or fails over is waited for. */
  readonly retryMs?: number;
  /**
   * One statement or transaction of all archives at a time: a slow search must not keep appends and renewals waiting for a
   * connection until the leases are lost.
   */
  readonly isForArchive?: boolean;
};

type AnyStatement = Pick<Statement<readonly SqlValue[]>, "sql" | "isLong">;

type SqlResult = Pick<QueryResult<object>, "rows" | "rowCount">;

/** The connections of this process to one database, shared by the ledgers and archives on it. */
type SharedPool = {
  readonly pool: Pool;
  readonly newClient: () => Client;
  canPrepare: boolean;
  /** The server was reached once. */
  hasAnswered: boolean;
  users: number;
  /** The newest work of the archives, which waits for the work before it. */
  archiveWork: Promise<unknown>;
  /** Checked out of the pool, for the next append. */
  kept?: PoolClient | undefined;
  keptTimer?: NodeJS.Timeout;
};

const pools = new Map<string, SharedPool>();

export class SqlConnections {
  readonly address: PostgresAddress;
  readonly #shared: SharedPool;
  readonly #retryMs: number;
  readonly #isForArchive: boolean;
  readonly #names = new Map<string, string>();
  #isClosed = false;

  private constructor(address: PostgresAddress, shared: SharedPool, options: OpenOptions) {
    this.address = address;
    this.#shared = shared;
    this.#retryMs = options.retryMs ?? RETRY_MS;
    this.#isForArchive = options.isForArchive ?? false;
    shared.users += 1;
  }

  /** The driver is loaded here and not before. */
  static async open(address: PostgresAddress, options: OpenOptions = {}): Promise<SqlConnections> {
    const { default: pg } = await import("pg");
    const { connectionString } = address;
    const known = pools.get(connectionString);
    if (known) return new SqlConnections(address, known, options);
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
    const ServerClient = serverClient(pg.Client, address);
    const pool = new pg.Pool({ ...config, Client: ServerClient, max: MAX_POOLED, allowExitOnIdle: true });
    // An idle connection that ends is replaced by the next statement.
    pool.on("error", () => undefined);
    const newClient = () => new ServerClient({ ...config, query_timeout: CONNECT_TIMEOUT_MS });
    const shared: SharedPool = {
      pool,
      newClient,
      canPrepare: true,
      hasAnswered: false,
      users: 0,
      archiveWork: Promise.resolve(),
    };
    pool.on("connect", (client) => {
      // Without a listener, a connection that ends during a statement would end this process too.
      client.on("error", () => undefined);
      client.on("end", () => {
        if (shared.kept === client) releaseKept(shared, true);
      });
    });
    pools.set(connectionString, shared);
    return new SqlConnections(address, shared, options);
  }

  /** Throws ConnectionLost when the server cannot be reached, or was lost during the statement. */
  async run<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
    ...values: Values
  ): Promise<Row[]> {
    return this.#inTurn(async () => {
      this.#checkOpen();
      const client = await this.#connect();
      const { rows } = await this.#runOn(client, statement, values, this.#shared.canPrepare);
      client.release();
      return rows as Row[];
    });
  }

  /** The same for statements that follow each other: the way through the pool costs a tenth of an append. */
  async runOnKept<Values extends readonly SqlValue[], Row>(
    statement: Statement<Values, Row>,
    ...values: Values
  ): Promise<Row[]> {
    return (await this.#resultOnKept(statement, values)).rows as Row[];
  }

  /** The same for a statement without rows: returns how many it has written. */
  async countOnKept<Values extends readonly SqlValue[]>(
    statement: Statement<Values>,
    ...values: Values
  ): Promise<number> {
    return (await this.#resultOnKept(statement, values)).rowCount ?? 0;
  }

  async #resultOnKept(statement: AnyStatement, values: readonly SqlValue[]): Promise<SqlResult> {
    this.#checkOpen();
    const shared = this.#shared;
    const client = shared.kept ?? (await this.#connect());
    if (client === shared.kept) shared.kept = undefined;
    const result = await this.#runOn(client, statement, values, shared.canPrepare);
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
        if (tries >= MIN_TRIES && performance.now() + waitMs > deadline)
          throw unreachable(this.address, error, this.#shared.hasAnswered);
        await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
    }
  }

  /** Several statements in one transaction on one connection. */
  transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
    return this.#inTurn(() => this.#transaction(work));
  }

  async #transaction<Result>(work: (client: PoolClient) => Promise<Result>): Promise<Result> {
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
      throw namedError(error, this.address);
    } finally {
      client.release(failure !== undefined && isLost(failure));
    }
  }

  /** Opens a connection outside of the pool. */
  async dedicated(): Promise<Client> {
    this.#checkOpen();
    const client = this.#shared.newClient();
    client.on("error", () => undefined);
    try {
      await client.connect();
      return client;
    } catch (error) {
      throw namedError(error, this.address);
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

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (!this.#isForArchive) return work();
    const result = this.#shared.archiveWork.then(work);
    this.#shared.archiveWork = result.catch(() => undefined);
    return result;
  }

  async #connect(): Promise<PoolClient> {
    try {
      const client = await this.#shared.pool.connect();
      this.#shared.hasAnswered = true;
      return client;
    } catch (error) {
      throw namedError(error, this.address, { isConnecting: true });
    }
  }

  /** Its rows are as the statement's declaration says. Releases the client when the statement fails. */
  async #runOn(
    client: PoolClient,
    statement: AnyStatement,
    values: readonly SqlValue[],
    isNamed: boolean,
  ): Promise<SqlResult> {
    const { sql, isLong = false } = statement;
    let timer: NodeJS.Timeout | undefined;
    try {
      const query = { text: sql, values: [...values], ...(isNamed && { name: this.#nameOf(sql) }) };
      return await new Promise((resolve, reject) => {
        const giveUp = () => reject(new ConnectionLost("The server is silent.", true));
        if (!isLong)
          timer = setTimeout(giveUp, this.#isForArchive ? ARCHIVE_TIMEOUT_MS : STATEMENT_TIMEOUT_MS);
        client.query<object>(query, (error: unknown, result) => {
          if (error === null || error === undefined) resolve(result);
          else reject(error);
        });
      });
    } catch (error) {
      const code = errorCode(error);
      if (isNamed && code !== undefined && NO_PREPARED.has(code)) {
        this.#shared.canPrepare = false;
        return await this.#runOn(client, statement, values, false);
      }
      client.release(error instanceof ConnectionLost || isLost(error));
      throw namedError(error, this.address);
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
}

function releaseKept(shared: SharedPool, isLostConnection = false): void {
  const { kept } = shared;
  shared.kept = undefined;
  kept?.release(isLostConnection);
}

/** The statement is not there, or is there already: both before anything was run. */
const NO_PREPARED = new Set(["26000", "42P05"]);
