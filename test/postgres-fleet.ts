/**
 * Instances that work on one PostgreSQL server, and the faults that hit them. The server's disk is a small one where one
 * can be mounted, and its clock can be moved: `clock_timestamp` of another schema stands before the server's own.
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout } from "node:timers/promises";
import { postgresAddress } from "../src/history/postgres/postgres-address.js";
import { makeServer } from "../src/history/postgres/postgres-server.samples.js";
import type { PostgresServer } from "../src/history/postgres/postgres-server.samples.js";
import { SqlConnections } from "../src/history/postgres/sql-connections.js";
import { childProgram } from "./child-programs.js";
import { mountSmallDisk } from "./small-disk.js";
import type { SmallDisk } from "./small-disk.js";
import { until } from "./until.js";

const DISK_MEGABYTES = 700;
/** How long the disk stays full. */
const FULL_MS = 700;
const LOOK_MS = 20;
const SMALL_LOG = ["min_wal_size=32MB", "max_wal_size=64MB", "checkpoint_timeout=30s"];

export type Instance = { child: ChildProcess; readonly number: number; isPaused: boolean };
/** `steps`: how many calls a turn has. */
type Options = { readonly leaseMs: number; readonly steps: number };
/** `lagMs`: the longest time for which a process that could have taken over did not get to run. */
export type TakeOver = { readonly ms: number; readonly lagMs: number };
type Held = { readonly session: number; readonly fence: number };

export class PostgresFleet {
  readonly #folder: string;
  readonly #disk: SmallDisk | undefined;
  readonly #server: PostgresServer;
  readonly #sql: SqlConnections;
  readonly #options: Options;
  readonly #loopDelay = monitorEventLoopDelay({ resolution: 10 });
  readonly instances: Instance[] = [];

  private constructor(
    folder: string,
    disk: SmallDisk | undefined,
    server: PostgresServer,
    sql: SqlConnections,
    options: Options,
  ) {
    this.#folder = folder;
    this.#disk = disk;
    this.#server = server;
    this.#sql = sql;
    this.#options = options;
    this.#loopDelay.enable();
  }

  /** With fsync on: durability is what is tested. */
  static async start(options: Options): Promise<PostgresFleet> {
    const folder = mkdtempSync(join(tmpdir(), "toolgate-crashes-"));
    const disk = mountSmallDisk(DISK_MEGABYTES);
    // The server runs as another user when we are root.
    for (const path of [folder, disk?.path]) if (path !== undefined) chmodSync(path, 0o755);
    const settings = SMALL_LOG.flatMap((setting) => ["-c", setting]);
    const server = await makeServer(join(disk?.path ?? folder, "server"), settings);
    const sql = await SqlConnections.open(postgresAddress(server.address()));
    for (const text of [
      "create schema moved",
      "create table moved.clock (ms float8 not null)",
      "insert into moved.clock values (0)",
      `create function moved.clock_timestamp() returns timestamptz language sql volatile as
         $$ select pg_catalog.clock_timestamp() + (select ms from moved.clock) * interval '1 millisecond' $$`,
      "alter role toolgate set search_path = moved, pg_catalog",
    ])
      await sql.run({ sql: text });
    return new PostgresFleet(folder, disk, server, sql, options);
  }

  get address(): string {
    return this.#server.address();
  }

  get folder(): string {
    return this.#folder;
  }

  get canFillDisk(): boolean {
    return this.#disk !== undefined;
  }

  /** The instances that hold sessions and are not paused, each once for each session. */
  async holders(): Promise<readonly Instance[]> {
    const rows = await this.#sql.retried<readonly [], { owner: string }>({
      sql: "select owner from toolgate.heads where owner like 'crash %' and work_since is not null",
    });
    return rows.flatMap(({ owner }) =>
      this.instances.filter(({ child, isPaused }) => !isPaused && owner.startsWith(`crash ${child.pid} `)),
    );
  }

  async addInstance(): Promise<void> {
    const number = this.instances.length;
    this.instances.push({ child: await this.#fork(number), number, isPaused: false });
  }

  async #fork(number: number): Promise<ChildProcess> {
    const words = [
      this.address,
      this.#folder,
      `instance-${number}`,
      `${this.#options.leaseMs}`,
      `${this.#options.steps}`,
    ];
    const child = fork(childProgram("postgres-worker.mjs"), words, { stdio: "inherit" });
    await new Promise((resolve) => child.once("message", resolve));
    return child;
  }

  /** Kills the process and starts another; returns how long it took until the sessions of the killed one were taken over. */
  async kill(instance: Instance): Promise<TakeOver | undefined> {
    const { child } = instance;
    const others = this.instances.filter((one) => one !== instance && !one.isPaused).map((one) => one.child);
    await this.#lagMs(others);
    const start = performance.now();
    child.kill("SIGKILL");
    await ended(child);
    const held = await this.#heldBy(child);
    const restarted = this.#fork(instance.number);
    const takeOver = await this.#takenOver(held, start, others);
    instance.child = await restarted;
    return takeOver;
  }

  /** Stops the process for a time; returns, while it is still stopped, how long the take-over of its sessions took. */
  async pause(instance: Instance, pauseMs: number): Promise<TakeOver | undefined> {
    const { child } = instance;
    const others = this.instances.filter((one) => one !== instance && !one.isPaused).map((one) => one.child);
    await this.#lagMs(others);
    const start = performance.now();
    child.kill("SIGSTOP");
    instance.isPaused = true;
    void this.#wakeAfter(instance, pauseMs);
    return this.#takenOver(await this.#heldBy(child), start, others);
  }

  async #wakeAfter(instance: Instance, pauseMs: number): Promise<void> {
    await setTimeout(pauseMs);
    instance.child.kill("SIGCONT");
    instance.isPaused = false;
  }

  async cutConnections(): Promise<void> {
    const others = "pid <> pg_backend_pid() and datname = 'postgres'";
    const text = `select pg_terminate_backend(pid) from pg_stat_activity where ${others}`;
    await this.#sql.run({ sql: text });
  }

  async crashServer(): Promise<void> {
    await this.#server.stop("immediate");
    await this.#server.start();
  }

  /** A full disk may end the server, which does not start again before there is room. */
  async fillDisk(): Promise<void> {
    this.#disk?.fill();
    await setTimeout(FULL_MS);
    this.#disk?.makeRoom();
    const isUp = () =>
      this.#sql.run({ sql: "select 1" }).then(
        () => true,
        () => false,
      );
    for (let tries = 0; tries < 20; tries++) {
      if (await isUp()) return;
      await setTimeout(100);
    }
    await this.#server.stop("immediate").catch(() => undefined);
    await this.#server.start();
  }

  /** The server's clock, which decides about leases. */
  async moveServerClock(ms: number): Promise<void> {
    await this.#sql.retried({ sql: `update moved.clock set ms = ${ms}` });
  }

  moveClock({ child }: Instance, shiftMs: number): void {
    child.send({ shiftMs });
  }

  async end(): Promise<void> {
    await until(() => this.instances.every(({ isPaused }) => !isPaused));
    for (const { child } of this.instances) child.send("over");
    await Promise.all(this.instances.map(({ child }) => ended(child)));
  }

  async remove(): Promise<void> {
    for (const { child } of this.instances) child.kill("SIGKILL");
    await this.#sql.close();
    await this.#server.stop("immediate").catch(() => undefined);
    this.#disk?.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  lines(name: string): readonly string[] {
    const file = join(this.#folder, name);
    return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  }

  /** Lines of all instances about what the store acknowledged to them. */
  acknowledged(kind: "fence" | "event"): readonly string[] {
    return readdirSync(this.#folder)
      .filter((name) => name.endsWith(".acknowledged"))
      .flatMap((name) => this.lines(name))
      .filter((line) => line.startsWith(`${kind} `));
  }

  /** The sessions whose turn is not over, with their positions. */
  async openTurns(): Promise<ReadonlyMap<number, number>> {
    const rows = await this.#sql.retried<readonly [], { session: number; last_seq: number }>({
      sql: "select session, last_seq from toolgate.heads where work_since is not null",
    });
    return new Map(rows.map(({ session, last_seq }) => [session, last_seq]));
  }

  /** Waits until each turn that was open has gone on or ended. */
  async progress(): Promise<void> {
    const before = await this.openTurns();
    await until(
      async () => {
        const now = await this.openTurns();
        return [...before].every(([session, seq]) => (now.get(session) ?? Infinity) > seq);
      },
      () => this.lines("errors").join("\n"),
    );
  }

  async #heldBy({ pid }: ChildProcess): Promise<readonly Held[]> {
    return this.#sql.retried<readonly string[], Held>(
      {
        sql: "select session, fence from toolgate.heads where owner like $1 and work_since is not null",
      },
      `crash ${pid} %`,
    );
  }

  /** The longest delay of an event loop since the last call, of this process and of these, which can take over. */
  async #lagMs(others: readonly ChildProcess[]): Promise<number> {
    const all = await Promise.all(
      others.map(async (child) => {
        const reply = new Promise<{ lagMs: number }>((resolve) =>
          // Its one reply.
          child.once("message", (message) => resolve(message as { lagMs: number })),
        );
        child.send("lag");
        return (await reply).lagMs;
      }),
    );
    const own = this.#loopDelay.max / 1e6;
    this.#loopDelay.reset();
    return Math.max(own, ...all);
  }

  async #takenOver(
    held: readonly Held[],
    start: number,
    others: readonly ChildProcess[],
  ): Promise<TakeOver | undefined> {
    const sessions = held.map(({ session }) => session);
    const fences = held.map(({ fence }) => fence);
    const left = { sql: LEFT };
    await until(async () => {
      const rows = await this.#sql.retried<readonly (readonly number[])[], Held>(left, sessions, fences);
      if (rows.length > 0) await setTimeout(LOOK_MS);
      return rows.length === 0;
    });
    const ms = performance.now() - start;
    return held.length === 0 ? undefined : { ms, lagMs: await this.#lagMs(others) };
  }
}

const LEFT = `select h.session, h.fence from unnest($1::bigint[], $2::bigint[]) as t (session, fence)
  join toolgate.heads h on h.session = t.session and h.fence = t.fence where h.work_since is not null`;

function ended(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve) =>
    (child.exitCode ?? child.signalCode) !== null ? resolve(0) : child.once("exit", resolve),
  );
}
