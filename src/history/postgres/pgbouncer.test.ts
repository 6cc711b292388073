/** The ledger behind Debian's pgbouncer in transaction mode, as every ledger. In the long mode, which installs it. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, vi } from "vitest";
import type { Ledger } from "../../call/index.js";
import { ledgerContract } from "../contract/ledger.contract.js";
import { openPostgresLedger } from "./open-postgres-ledger.js";
import { newAddress, sharedServer } from "./postgres-server.samples.js";

/** A program that is not installed is named by TOOLGATE_PGBOUNCER. */
const PROGRAM = process.env["TOOLGATE_PGBOUNCER"] ?? "/usr/sbin/pgbouncer";
const PORT = 16_432;
const folder = mkdtempSync(join(tmpdir(), "toolgate-pgbouncer-"));
let pooler: Promise<ChildProcess> | undefined;

afterAll(async () => {
  (await pooler)?.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

async function startPooler(): Promise<ChildProcess> {
  const server = await sharedServer();
  // pgbouncer refuses to run as root, and needs no files of its own.
  chmodSync(folder, 0o777);
  const users = join(folder, "users");
  writeFileSync(users, '"toolgate" ""\n');
  const config = join(folder, "pgbouncer.ini");
  writeFileSync(
    config,
    `[databases]
postgres = host=${server.folder} port=${server.port}
[pgbouncer]
pool_mode = transaction
listen_addr =
listen_port = ${PORT}
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${users}
max_client_conn = 500
default_pool_size = 20
ignore_startup_parameters = extra_float_digits
`,
  );
  const [, uid, gid] = /^postgres:[^:]*:(\d+):(\d+):/mu.exec(readFileSync("/etc/passwd", "utf8")) ?? [];
  const who = process.getuid?.() === 0 ? { uid: Number(uid), gid: Number(gid) } : {};
  const child = spawn(PROGRAM, [config], { ...who, cwd: "/", stdio: "ignore" });
  await vi.waitFor(() => expect(existsSync(join(folder, `.s.PGSQL.${PORT}`))).toBe(true), {
    timeout: 60_000,
  });
  return child;
}

/** The same schema, by the pooler. */
async function pooledAddress(): Promise<string> {
  await (pooler ??= startPooler());
  const address = new URL(await newAddress());
  address.port = String(PORT);
  address.searchParams.set("host", folder);
  return address.href;
}

const addresses = new WeakMap<Ledger, string>();
type Clock = { readonly now: () => number };

async function open(clock: Clock): Promise<Ledger> {
  const address = await pooledAddress();
  const ledger = await openPostgresLedger(address, clock);
  addresses.set(ledger, address);
  return ledger;
}

ledgerContract("openPostgresLedger behind pgbouncer", open, {
  openBeside: (first, clock) => openPostgresLedger(addresses.get(first) ?? "", clock),
  share: 0.06,
});
