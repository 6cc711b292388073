/**
 * A real PostgreSQL server for the tests, in a data folder of its own.
 *
 * The test files of one run share one server, with fsync off: `sharedServer` starts it when the first file needs it, and
 * the end of the run stops it (test/postgres-setup.ts). Tests of crashes start their own, with fsync on.
 */
import { execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** Debian's place, and those on the path. */
const BIN = ["/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/17/bin"].find(
  (folder) => existsSync(join(folder, "initdb")),
);

export type PostgresServer = {
  readonly folder: string;
  readonly port: number;
  /** The address of a schema of this server, by its socket. */
  readonly address: (schema?: string) => string;
  readonly tcpAddress: (schema?: string) => string;
  readonly start: () => Promise<void>;
  /** `immediate` is a crash. */
  readonly stop: (mode: "immediate" | "fast") => Promise<void>;
};

export const PASSWORD = "a password, & more";

let shared: Promise<PostgresServer> | undefined;

/** The server of this run. */
export function sharedServer(): Promise<PostgresServer> {
  shared ??= startShared();
  return shared;
}

/** The address of a schema that no other test has. The system gives ids of processes again within a run. */
export async function newAddress(): Promise<string> {
  return (await sharedServer()).address(`t${randomBytes(8).toString("hex")}`);
}

async function startShared(): Promise<PostgresServer> {
  const folder = process.env["TOOLGATE_POSTGRES_FOLDER"];
  if (folder === undefined) throw new Error("test/postgres-setup.ts has not run.");
  const ready = join(folder, "port");
  try {
    mkdirSync(folder);
  } catch {
    // Another test file starts it.
    while (!existsSync(ready)) await new Promise((resolve) => setTimeout(resolve, 20));
    return serverIn(folder, Number(readFileSync(ready, "utf8")), []);
  }
  const server = await makeServer(folder, ["-c", "fsync=off", "-c", "full_page_writes=off"]);
  // In one step: a file that is there and still empty would be read as port 0.
  writeFileSync(`${ready}.new`, `${server.port}`);
  renameSync(`${ready}.new`, ready);
  return server;
}

/** Makes the data folder and starts a server on it. */
export async function makeServer(folder: string, settings: readonly string[] = []): Promise<PostgresServer> {
  mkdirSync(folder, { recursive: true });
  const who = serverUser();
  if (who) chownSync(folder, who.uid, who.gid);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, PASSWORD);
  if (who) chownSync(passwordFile, who.uid, who.gid);
  const words = ["-D", join(folder, "data"), "-U", "toolgate", "-E", "UTF8", "--locale=C", "--no-sync"];
  const auth = ["--auth-local=trust", "--auth-host=scram-sha-256", `--pwfile=${passwordFile}`];
  await run(program("initdb"), [...words, ...auth], { ...who, cwd: "/" });
  const server = serverIn(folder, await freePort(), settings);
  await server.start();
  return server;
}

/** A standby that follows the server without delaying its commits, and the function that makes it the server. */
export async function makeStandby(
  primary: PostgresServer,
  folder: string,
): Promise<PostgresServer & { readonly promote: () => Promise<void> }> {
  mkdirSync(folder, { recursive: true });
  const who = serverUser();
  if (who) chownSync(folder, who.uid, who.gid);
  const from = ["-h", primary.folder, "-p", `${primary.port}`, "-U", "toolgate"];
  const data = join(folder, "data");
  const options = { ...who, cwd: "/" };
  await run(program("pg_basebackup"), [...from, "-D", data, "-R", "-X", "stream", "-c", "fast"], options);
  const server = serverIn(folder, await freePort(), []);
  await server.start();
  const promote = async () => void (await run(program("pg_ctl"), ["-D", data, "-w", "promote"], options));
  return { ...server, promote };
}

function serverIn(folder: string, port: number, settings: readonly string[]): PostgresServer {
  const data = join(folder, "data");
  return {
    folder,
    port,
    address: (schema = "toolgate") =>
      `postgres://toolgate@localhost:${port}/postgres?host=${encodeURIComponent(folder)}&schema=${schema}`,
    tcpAddress: (schema = "toolgate") => `postgres://toolgate@127.0.0.1:${port}/postgres?schema=${schema}`,
    start: async () => {
      const limits = [
        "-c",
        "max_connections=200",
        "-c",
        "shared_buffers=64MB",
        "-c",
        "log_min_messages=fatal",
      ];
      const places = ["-c", `unix_socket_directories=${folder}`, "-c", "listen_addresses=127.0.0.1"];
      const child = spawn(
        program("postgres"),
        ["-D", data, "-p", `${port}`, ...places, ...limits, ...settings],
        {
          ...serverUser(),
          cwd: "/",
          stdio: "ignore",
          detached: true,
        },
      );
      child.unref();
      for (;;) {
        const isUp = await run(program("pg_isready"), ["-h", folder, "-p", `${port}`]).then(
          () => true,
          () => false,
        );
        if (isUp) return;
        if (child.exitCode !== null) throw new Error(`PostgreSQL ended with ${child.exitCode}.`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    stop: (mode) => stopServer(folder, mode),
  };
}

export async function stopServer(folder: string, mode: "immediate" | "fast"): Promise<void> {
  const words = ["-D", join(folder, "data"), "-m", mode, "-w", "stop"];
  await run(program("pg_ctl"), words, { ...serverUser(), cwd: "/" });
}

function program(name: string): string {
  return BIN === undefined ? name : join(BIN, name);
}

/** PostgreSQL refuses to run as root. */
function serverUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/mu.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  if (uid === undefined || gid === undefined) throw new Error("No user may run PostgreSQL here.");
  return { uid: Number(uid), gid: Number(gid) };
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? resolve(address.port) : reject(new Error("No port")),
      );
    });
  });
}
