/**
 * Notifies instances of each other's commits: one connection listens, and names of written sessions are sent together.
 *
 * Invariants: a notification is a hint and may be lost; the poll behind it finds every change within POLL_MS. The
 * connection that listens runs nothing else and is never in a transaction, or the server could not empty its queue of
 * notifications. Where notifications do not arrive (a pooler in transaction mode), the poll is frequent instead.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as setTimeoutAsync } from "node:timers/promises";
import type { Client } from "pg";
import type { IdleFollowers } from "../follow-log.js";
import { nameFromStored, storedName } from "../stored-json.js";
import type { LedgerStatements } from "./ledger-statements.js";
import type { SqlConnections } from "./sql-connections.js";

/** The server refuses 8,000 bytes. */
const MAX_PAYLOAD = 7_000;
const POLL_MS = 1_000;
const POLL_WITHOUT_NOTICES_MS = 50;
/** A test notification that has not come by then will not come. */
const PROBE_TIMEOUT_MS = 1_000;
/** A silent connection is tested this often: its other end may be gone without a word. */
const PROBE_EVERY_MS = 20_000;
const RECONNECT_MS = 500;
/** The least time between two notifications: each is a transaction, which competes with the appends. */
const NOTICE_GAP_MS = 4;
const ALL = "*";
/** Before the id of a sender that has stored an answer. */
const ANSWER = "!";

type Options = {
  readonly sql: Pick<SqlConnections, "run" | "dedicated" | "address">;
  readonly statements: LedgerStatements;
  readonly followers: IdleFollowers;
  /** The sessions that somebody follows. */
  readonly followed: () => readonly string[];
  /** A question was answered on another instance. */
  readonly onAnswer: () => void;
  /** A session was written on another instance; undefined where it is not known which. */
  readonly onChange: (sessionId: string | undefined) => void;
  readonly probeEveryMs?: number;
};

export class CommitNotices {
  readonly #options: Options;
  readonly #channel: string;
  readonly #id = randomUUID().slice(0, 8);
  readonly #written = new Set<string>();
  #sending: Promise<void> | undefined;
  #lagMs: number | undefined;
  #pollTimer: NodeJS.Timeout | undefined;
  #probeTimer: NodeJS.Timeout | undefined;
  #listener: Client | undefined;
  #listenTimer: NodeJS.Timeout | undefined;
  #probing: Promise<void> | undefined;
  #onProbe: (() => void) | undefined;
  #areComing = false;
  #hasAnswer = false;
  #isStarted = false;
  #isClosed = false;
  /** Positions at the last poll, as text. */
  #seen = new Map<string, string>();

  constructor(options: Options) {
    this.#options = options;
    this.#channel = `toolgate_${options.sql.address.schema}`;
  }

  /** How long the last test notification took; undefined where none arrived. */
  get lagMs(): number | undefined {
    return this.#lagMs;
  }

  /** Sends the session's name at once, or with the others that come within NOTICE_GAP_MS of the last notification. */
  send(sessionId: string, { isAnswer = false } = {}): void {
    this.#hasAnswer ||= isAnswer;
    this.#written.add(storedName(sessionId));
    this.#sending ??= this.#sendAll();
  }

  /** Listens from the first follower on. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    void this.#listen();
    this.#schedulePoll();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#pollTimer);
    clearInterval(this.#probeTimer);
    clearTimeout(this.#listenTimer);
    this.#onProbe?.();
    await this.#listener?.end().catch(() => undefined);
  }

  /** Before the connections close: others need not wait for their poll. */
  async flush(): Promise<void> {
    await this.#sending;
  }

  async #sendAll(): Promise<void> {
    const { sql, statements } = this.#options;
    // Sessions of the same turn of the event loop go together.
    await Promise.resolve();
    while (this.#written.size > 0) {
      const names = [...this.#written];
      this.#written.clear();
      const mark = this.#hasAnswer ? ANSWER : "";
      this.#hasAnswer = false;
      try {
        for (const payload of payloads(`${mark}${this.#id}`, names))
          await sql.run(statements.notify, this.#channel, payload);
      } catch {
        // A hint that could not be sent: the polls of the others find the change.
      }
      if (!this.#isClosed) await setTimeoutAsync(NOTICE_GAP_MS);
    }
    this.#sending = undefined;
  }

  async #listen(): Promise<void> {
    try {
      const client = await this.#options.sql.dedicated();
      if (this.#isClosed) return await client.end();
      this.#listener = client;
      client.on("notification", ({ payload = "" }) => this.#onNotice(payload));
      client.once("end", () => this.#relisten());
      await client.query(`listen ${this.#channel}`);
      // A probe that was sent before says nothing about this connection.
      await this.#probing;
      await this.#probe();
      // The connection has ended meanwhile, and the next one is on its way.
      if (this.#listener !== client) return;
      // Commits before the connection listened.
      this.#options.followers.wakeAll();
      const { probeEveryMs = PROBE_EVERY_MS } = this.#options;
      this.#probeTimer = setInterval(() => void this.#checkListener(client), probeEveryMs).unref();
    } catch {
      this.#relisten();
    }
  }

  #relisten(): void {
    this.#areComing = false;
    clearInterval(this.#probeTimer);
    this.#listener?.removeAllListeners("end");
    void this.#listener?.end().catch(() => undefined);
    this.#listener = undefined;
    if (this.#isClosed) return;
    this.#schedulePoll();
    clearTimeout(this.#listenTimer);
    this.#listenTimer = setTimeout(() => void this.#listen(), RECONNECT_MS).unref();
  }

  /** Sends a notification to ourselves by the pool, and waits for it: one at a time, on a slow server too. */
  #probe(): Promise<void> {
    this.#probing ??= this.#sendProbe().finally(() => (this.#probing = undefined));
    return this.#probing;
  }

  async #sendProbe(): Promise<void> {
    const { sql, statements } = this.#options;
    const payload = JSON.stringify([`probe ${this.#id}`]);
    const start = performance.now();
    const came = new Promise<number | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), PROBE_TIMEOUT_MS).unref();
      this.#onProbe = () => {
        clearTimeout(timer);
        resolve(performance.now() - start);
      };
    });
    await sql.run(statements.notify, this.#channel, payload).catch(() => undefined);
    this.#lagMs = await came;
    this.#areComing = this.#lagMs !== undefined;
    if (!this.#areComing) this.#schedulePoll();
  }

  /** The other end of the connection may be gone. Behind a pooler, another connection is no better, and costs little. */
  async #checkListener(client: Client): Promise<void> {
    await this.#probe();
    if (!this.#areComing && this.#listener === client) this.#relisten();
  }

  #onNotice(payload: string): void {
    const names = namesIn(payload);
    if (names[0] === `probe ${this.#id}`) this.#onProbe?.();
    // Our own followers were woken when the commit was done.
    const isAnswer = names[0]?.startsWith(ANSWER) === true;
    if (names[0] === `${isAnswer ? ANSWER : ""}${this.#id}`) return;
    if (isAnswer) this.#options.onAnswer();
    const { followers, onChange } = this.#options;
    if (names[1] === ALL) {
      followers.wakeAll();
      return onChange(undefined);
    }
    for (const name of names.slice(1)) {
      const sessionId = nameFromStored(name);
      followers.wake(sessionId);
      onChange(sessionId);
    }
  }

  #schedulePoll(): void {
    clearTimeout(this.#pollTimer);
    if (this.#isClosed) return;
    const ms = this.#areComing ? POLL_MS : POLL_WITHOUT_NOTICES_MS;
    this.#pollTimer = setTimeout(() => void this.#poll(), ms).unref();
  }

  /** Wakes the followers of each session whose position is not the one of the poll before. */
  async #poll(): Promise<void> {
    const { sql, statements, followed, followers } = this.#options;
    const sessionIds = followed();
    try {
      if (sessionIds.length > 0) {
        const rows = await sql.run(statements.positions, sessionIds.map(storedName));
        const now = new Map(rows.map((row) => [row.session_id, `${row.session} ${row.last_seq}`]));
        for (const sessionId of sessionIds) {
          const name = storedName(sessionId);
          const position = now.get(name) ?? "";
          if (this.#seen.get(name) !== position) followers.wake(sessionId);
          now.set(name, position);
        }
        this.#seen = now;
      }
    } catch {
      // The next poll looks again; a follower that looks meanwhile waits for the server.
    }
    this.#schedulePoll();
  }
}

/** Lists of names, each short enough for one notification, after the id of the sender. */
function payloads(id: string, names: readonly string[]): readonly string[] {
  const lists: string[][] = [];
  let size = MAX_PAYLOAD;
  for (const name of names) {
    const bytes = Buffer.byteLength(JSON.stringify(name)) + 1;
    if (bytes > MAX_PAYLOAD / 2) return [JSON.stringify([id, ALL])];
    size += bytes;
    if (size >= MAX_PAYLOAD) {
      lists.push([id]);
      size = bytes + id.length + 4;
    }
    lists.at(-1)?.push(name);
  }
  return lists.map((list) => JSON.stringify(list));
}

function namesIn(payload: string): readonly string[] {
  try {
    const names: unknown = JSON.parse(payload);
    return Array.isArray(names) && names.every((name) => typeof name === "string") ? names : [];
  } catch {
    return [];
  }
}
