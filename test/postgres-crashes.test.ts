/**
 * Three instances on one PostgreSQL server while processes are killed and paused, connections cut and the server crashes:
 * no acknowledged event is lost, no step runs twice, no fence is given twice, no session stays locked.
 */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readAll } from "../src/call/index.js";
import { openArchive, openLedger } from "../src/history/index.js";
import { postgresAddress } from "../src/history/postgres/postgres-address.js";
import { makeServer } from "../src/history/postgres/postgres-server.samples.js";
import type { PostgresServer } from "../src/history/postgres/postgres-server.samples.js";
import { SqlConnections } from "../src/history/postgres/sql-connections.js";
import { childProgram } from "./child-programs.js";
import { until } from "./until.js";

const FAULTS = Number(process.env["TOOLGATE_FAULTS"] ?? (process.env["TOOLGATE_LONG"] ? 500 : 8));
const PAUSE_MS = process.env["TOOLGATE_LONG"] ? 30_000 : 2_500;
/** A fault, and the steps that are waited for after it, on a busy machine. */
const FAULT_TIMEOUT_MS = PAUSE_MS + 60_000;
const INSTANCES = 3;
const SESSIONS = 6;

const folder = mkdtempSync(join(tmpdir(), "toolgate-crashes-"));
// The server runs as another user when we are root.
chmodSync(folder, 0o755);
let server: PostgresServer;
beforeAll(async () => {
  // Durability is what is tested here.
  server = await makeServer(join(folder, "server"));
});
afterAll(async () => {
  await server?.stop("immediate").catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
});

type Instance = { child: ChildProcess; number: number };

async function startInstance(number: number): Promise<Instance> {
  const words = [server.address(), folder, `instance-${number}`, `${SESSIONS}`];
  const child = fork(childProgram("postgres-worker.mjs"), words, { stdio: "inherit" });
  await new Promise((resolve) => child.once("message", resolve));
  return { child, number };
}

const ended = ({ child }: Instance) =>
  new Promise((resolve) =>
    (child.exitCode ?? child.signalCode) !== null ? resolve(0) : child.once("exit", resolve),
  );

const linesOf = (name: string): readonly string[] => {
  const file = join(folder, name);
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
};
const acknowledged = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".acknowledged"))
    .flatMap(linesOf);

test(
  `loses nothing and runs nothing twice in ${FAULTS} faults`,
  { timeout: FAULTS * FAULT_TIMEOUT_MS },
  async () => {
    const sql = await SqlConnections.open(postgresAddress(server.address()));
    await (await openLedger(server.address())).close();
    const instances = await Promise.all(
      Array.from({ length: INSTANCES }, (_, number) => startInstance(number)),
    );
    const progress = async (count: number) => {
      const before = linesOf("runs").length;
      await until(
        () => linesOf("runs").length >= before + count,
        () => linesOf("errors").join("\n"),
      );
    };
    const kill = async (instance: Instance) => {
      instance.child.kill("SIGKILL");
      await ended(instance);
      instance.child = (await startInstance(instance.number)).child;
    };
    const pause = async ({ child }: Instance) => {
      child.kill("SIGSTOP");
      await setTimeout(PAUSE_MS);
      child.kill("SIGCONT");
    };
    const cut = async () => {
      const text =
        "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = 'postgres'";
      await sql.run({ sql: text }).catch(() => undefined);
    };
    const crash = async () => {
      await server.stop("immediate");
      await server.start();
    };
    const faults = [kill, cut, pause, crash];
    for (let fault = 0; fault < FAULTS; fault++) {
      const instance = instances[fault % INSTANCES];
      if (instance) await faults[fault % faults.length]?.(instance);
      await progress(5);
    }
    for (const { child } of instances) child.send("over");
    await Promise.all(instances.map(ended));

    expect(linesOf("errors")).toEqual([]);
    const runs = linesOf("runs");
    expect(new Set(runs).size).toBe(runs.length);
    const fences = acknowledged().filter((line) => line.startsWith("fence "));
    expect(new Set(fences).size).toBe(fences.length);

    const ledger = await openLedger(server.address());
    const stored = new Set<string>();
    for (let number = 0; number < SESSIONS; number++) {
      const sessionId = `session-${number}`;
      for (const { seq, event } of await readAll(ledger, sessionId))
        if (event.type === "message-chunk" && event.block.type === "text")
          stored.add(`event ${sessionId} ${seq} ${event.block.text}`);
      // Nobody holds it for longer than the lease.
      await until(() =>
        ledger.claim(sessionId, "the test", { milliseconds: 1 }).then(
          () => true,
          () => false,
        ),
      );
    }
    const events = acknowledged().filter((line) => line.startsWith("event "));
    expect(events.filter((line) => !stored.has(line))).toEqual([]);
    expect(events.length).toBeGreaterThan(5 * FAULTS);
    const archive = await openArchive(server.address());
    expect(await archive.verify()).toMatchObject({ brokenCount: 0 });
    for (const one of [archive, ledger, sql]) await one.close();
  },
);
