/** Texts that instances share, in a table of the ledger's schema. Each instance looks for changes every second. */
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import type { SharedText, SharedTexts } from "../../call/shared-texts.js";
import { migrateTables } from "./migrate-tables.js";
import { postgresAddress } from "./postgres-address.js";
import { SqlConnections } from "./sql-connections.js";
import type { Statement } from "./sql-connections.js";

const POLL_MS = 1_000;
/** How long a look takes, with room to spare. */
const LOOK_MS = 200;
/** Longer than a restart of the server takes, and than one silent connection delays a look. */
const STALE_AFTER_MS = 10_000;

type TextRow = { readonly name: string; readonly version: number; readonly text: string };

function textStatements(schema: string) {
  const texts = `${schema}.texts`;
  const changed: Statement<[names: readonly string[], versions: readonly number[]], TextRow> = {
    sql: `select t.name, t.version, t.text from ${texts} t
       left join unnest($1::text[], $2::bigint[]) as k (name, version) on k.name = t.name and k.version = t.version
       where k.name is null`,
  };
  const add: Statement<[name: string, text: string], { readonly version: number }> = {
    sql: `insert into ${texts} (name, version, text) values ($1, 1, $2) on conflict do nothing returning version`,
  };
  const replace: Statement<[name: string, text: string, expected: number], { readonly version: number }> = {
    sql: `update ${texts} set version = version + 1, text = $2 where name = $1 and version = $3::bigint
       returning version`,
  };
  return { changed, add, replace };
}

export async function openPostgresTexts(
  address: string,
  { staleAfterMs = STALE_AFTER_MS } = {},
): Promise<SharedTexts> {
  const sql = await SqlConnections.open(postgresAddress(address));
  try {
    await migrateTables(sql);
    const texts = new PostgresTexts(sql, staleAfterMs);
    await texts.refresh();
    return texts;
  } catch (error) {
    await sql.close();
    throw error;
  }
}

class PostgresTexts implements SharedTexts {
  readonly where: string;
  readonly #sql: SqlConnections;
  readonly #statements: ReturnType<typeof textStatements>;
  readonly #texts = new Map<string, SharedText>();
  readonly #listeners = new Set<() => void>();
  readonly #poll: NodeJS.Timeout;
  readonly #staleAfterMs: number;
  /** When the newest look that was answered was sent, by a clock that nobody sets. */
  #lookedAt = performance.now();

  constructor(sql: SqlConnections, staleAfterMs: number) {
    this.#sql = sql;
    this.#staleAfterMs = staleAfterMs;
    this.where = sql.address.shown;
    this.#statements = textStatements(sql.address.schema);
    // A failed read leaves the texts unchanged until they are stale; the next read gets the missed changes.
    this.#poll = setInterval(() => void this.#look().catch(() => undefined), POLL_MS).unref();
  }

  current(name: string): SharedText | undefined {
    return this.#texts.get(name);
  }

  get isStale(): boolean {
    return performance.now() - this.#lookedAt > this.#staleAfterMs;
  }

  async refresh(): Promise<void> {
    await this.#sql.withRetries(() => this.#look());
  }

  async #look(): Promise<void> {
    const sentAt = performance.now();
    const known = [...this.#texts];
    const rows = await this.#sql.run(
      this.#statements.changed,
      known.map(([name]) => name),
      known.map(([, { version }]) => version),
    );
    this.#lookedAt = Math.max(this.#lookedAt, sentAt);
    const news = rows.filter(({ name, version }) => version > (this.#texts.get(name)?.version ?? 0));
    for (const { name, version, text } of news) this.#texts.set(name, { version, text });
    if (news.length > 0) for (const listener of this.#listeners) listener();
  }

  /** A lost connection is not retried: the caller reads the text again and decides again. */
  async replace(name: string, text: string, expected: number): Promise<boolean> {
    const { add, replace } = this.#statements;
    const [row] =
      expected === 0
        ? await this.#sql.run(add, name, text)
        : await this.#sql.run(replace, name, text, expected);
    if (!row) return false;
    const newest = this.#texts.get(name)?.version ?? 0;
    if (row.version > newest) this.#texts.set(name, { version: row.version, text });
    return true;
  }

  async spread(): Promise<void> {
    await setTimeoutAsync(POLL_MS + LOOK_MS);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    clearInterval(this.#poll);
    await this.#sql.close();
  }
}
