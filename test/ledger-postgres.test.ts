/** `--ledger postgres://…`: the commands on a real server, and what they show of its address. */
import { readdirSync, readFileSync, writeFileSync, chmodSync } from "node:fs";
import { join } from "node:path";
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, expect, test } from "vitest";
import { event } from "../src/call/events.samples.js";
import type { SessionEvent } from "../src/call/index.js";
import { callAt, claim, DURABLE, said, SESSION } from "../src/history/contract/contract.samples.js";
import { openLedger } from "../src/history/index.js";
import { postgresAddress } from "../src/history/postgres/postgres-address.js";
import { newAddress, PASSWORD, sharedServer } from "../src/history/postgres/postgres-server.samples.js";
import type { PostgresServer } from "../src/history/postgres/postgres-server.samples.js";
import { SqlConnections } from "../src/history/postgres/sql-connections.js";
import { atHome } from "./cli-kit.js";
import { until } from "./until.js";

const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
let server: PostgresServer;
beforeAll(async () => {
  server = await sharedServer();
});

const withPassword = (address: string, password: string) =>
  address.replace("toolgate@", `toolgate:${encodeURIComponent(password)}@`);

test("runs a session on a server and lists, shows and continues it", async () => {
  const at = await atHome();
  const ledger = await newAddress();
  const script = at.script([{ say: "Here." }, { say: "Again." }]);
  const first = await at.runHere(["run", "--ledger", ledger, "--script", script, "go"]);
  expect([first.status, first.stdout.includes("Here.")]).toEqual([0, true]);
  const again = await at.runHere(["run", "--ledger", ledger, "--script", script, "--resume", "--", "on"]);
  expect(again.stderr).not.toContain("at ");
  expect(again.status).toBe(0);
  const shown = await at.runHere(["history", "show", "--ledger", ledger]);
  expect([shown.status, shown.stdout]).toEqual([0, expect.stringContaining("Here.")]);
  expect(readdirSync(at.project)).toEqual([]);
});

test("lists, tries, adds and revokes the rules that servers share", async () => {
  const at = await atHome();
  const ledger = ["--ledger", await newAddress()];
  const rules = async (...words: readonly string[]) => {
    const { status, stdout, stderr } = await at.runHere(["rules", ...words]);
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };
  const added = await rules("add", ...ledger, '{"allow":"execute","command":"npm test"}');
  const [, grantId = ""] = /rules revoke (\S+)/.exec(added) ?? [];
  expect(await rules("list", ...ledger)).toContain(`remembered, ${grantId}`);
  expect(await rules("test", ...ledger, "--", "npm test")).toMatch(/^allow/);
  expect(await rules("explain", ...ledger, "--", "npm test")).toMatch(/^allow/);
  // The files of this machine have nothing of it.
  expect(await rules("list")).not.toContain(grantId);
  expect(await rules("revoke", grantId, ...ledger)).toContain("is revoked");
  expect(await rules("list", ...ledger)).not.toContain(grantId);
});

test("takes the password from the address, the environment or a passfile, and shows it nowhere", async () => {
  const at = await atHome();
  const plain = server.tcpAddress("passwords");
  const script = at.script([{ say: "Here." }]);
  const passfile = join(at.home, "pgpass");
  writeFileSync(passfile, `127.0.0.1:${server.port}:*:toolgate:${PASSWORD}\n`);
  chmodSync(passfile, 0o600);
  const run = (ledger: string, env = {}) =>
    at.runHere(["run", "--ledger", ledger, "--script", script, "go"], { env });
  expect((await run(withPassword(plain, PASSWORD))).status).toBe(0);
  expect((await run(plain, { PGPASSWORD: PASSWORD })).status).toBe(0);
  expect((await run(plain, { PGPASSFILE: passfile })).status).toBe(0);
  const refused = await run(withPassword(plain, "wrong-secret"));
  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(/The server of postgres:\/\/…@127\.0\.0\.1:\d+\/.* refused us \(/);
  expect(refused.stderr).not.toMatch(/wrong-secret|\n\s+at /);
  chmodSync(passfile, 0o644);
  const wide = await run(plain, { PGPASSFILE: passfile });
  expect(wide.stderr).toMatch(
    /wants a password, and others can read the passfile .*pgpass, so it was not used/,
  );
});

test("ends soon and in words when the server wants a password that nobody gave", async () => {
  const at = await atHome();
  const start = performance.now();
  const { status, stderr } = await at.run(["ledger", "check", server.tcpAddress("none")], {
    env: { PGPASSFILE: join(at.home, "none") },
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/wants a password, and none was given: .* Nothing was opened; set PGPASSWORD/),
  ]);
  // The server ends such a connection after a minute.
  expect(performance.now() - start).toBeLessThan(30_000);
});

test("keeps the password out of the list of processes", async () => {
  const at = await atHome();
  const address = withPassword(server.tcpAddress("processes"), PASSWORD);
  const env = { ...process.env, HOME: at.home, XDG_CONFIG_HOME: at.home, XDG_STATE_HOME: at.home };
  const words = ["serve", "--port", "0", "--ledger", address, "--script", at.script([{ say: "Here." }])];
  const child = spawn(process.execPath, [main, ...words], { cwd: at.project, env });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => void (output += text));
  try {
    await until(
      () => /http:\/\//.test(output),
      () => output,
    );
    expect(readFileSync(`/proc/${child.pid}/cmdline`, "utf8")).not.toContain(encodeURIComponent(PASSWORD));
    expect(output).not.toContain(encodeURIComponent(PASSWORD));
  } finally {
    child.kill();
    await new Promise((resolve) => child.on("close", resolve));
  }
});

test("says in words that no server is there, and makes nothing", async () => {
  const at = await atHome();
  const { status, stderr } = await at.runHere([
    "run",
    "--ledger",
    "postgres://ann:secret@127.0.0.1:1/toolgate?schema=Not%20One",
    "go",
  ]);
  expect(status).toBe(1);
  expect(stderr).toContain("is no address of a PostgreSQL ledger: a schema's name has only small letters");
  expect(stderr).not.toMatch(/secret|\n\s+at /);
});

test("copies a file to a server and back, with the same chains, and checks both", async () => {
  const at = await atHome();
  const server2 = await newAddress();
  const script = at.script([{ say: "Here." }]);
  for (const prompt of ["one", "two"])
    expect((await at.runHere(["run", "--ledger", "first.db", "--script", script, prompt])).status).toBe(0);
  const there = await at.runHere(["ledger", "copy", "first.db", server2]);
  expect([there.status, there.stderr]).toEqual([0, ""]);
  expect(there.stdout).toMatch(/Copied 2 sessions with \d+ events\.\nThe chains of 2 sessions are the same/);
  const again = await at.runHere(["ledger", "copy", "first.db", server2]);
  expect(again.stdout).toContain("2 sessions had been there before.");
  const back = await at.runHere(["ledger", "copy", server2, "second.db"]);
  expect([back.status, back.stdout]).toEqual([0, there.stdout]);
  const list = async (ledger: string) =>
    JSON.parse((await at.runHere(["history", "list", "--json", "--ledger", ledger])).stdout) as unknown;
  expect(await list("second.db")).toEqual(await list("first.db"));
  expect(await list(server2)).toEqual(await list("first.db"));
  const checked = await at.runHere(["ledger", "check", server2]);
  expect(checked.status).toBe(0);
  expect(checked.stdout).toMatch(/server +PostgreSQL 1\d.*\n[^]*chain +whole: \d+ events of 2 sessions/);
  const migrated = await at.runHere(["ledger", "migrate", server2]);
  expect(migrated.stdout).toBe("The tables are those of this version.\n");
});

test("checks a server without tables, and makes none", async () => {
  const at = await atHome();
  const address = await newAddress();
  const checked = await at.runHere(["ledger", "check", address]);
  expect([checked.status, checked.stdout]).toEqual([0, expect.stringMatching(/tables +none yet/)]);
  expect(checked.stderr).toContain("There are no tables yet, and nothing was made.");
  const sql = await SqlConnections.open(postgresAddress(address));
  const schemas = { sql: "select 1 from pg_namespace where nspname = $1" };
  expect(await sql.run<[string], object>(schemas, sql.address.schema)).toEqual([]);
  await sql.close();
});

test("says which sessions lack events, and copies the others", async () => {
  const at = await atHome();
  const address = await newAddress();
  const ledger = await openLedger(address);
  for (const sessionId of ["broken", "whole"]) {
    const lease = await claim(ledger, { sessionId });
    await ledger.append(lease, [said("one"), said("two"), said("three")], DURABLE);
    await ledger.release(lease);
  }
  await ledger.close();
  const sql = await SqlConnections.open(postgresAddress(address));
  const { schema } = sql.address;
  await sql.run({
    sql: `delete from ${schema}.events
      where seq = 2 and session = (select number from ${schema}.sessions where session_id = 'broken')`,
  });
  await sql.close();
  const checked = await at.runHere(["ledger", "check", address]);
  expect([checked.status, checked.stderr]).toEqual([
    1,
    expect.stringMatching(
      /Session broken, event 2: it is gone\.\n.*The check changed nothing; compare .* backup/,
    ),
  ]);
  const copied = await at.runHere(["ledger", "copy", address, "copy.db"]);
  expect([copied.status, copied.stdout]).toEqual([
    1,
    expect.stringContaining("Copied 1 session with 3 events."),
  ]);
  expect(copied.stderr).toContain("Session broken lacks events or kept files in");
  expect(copied.stderr).not.toMatch(/\n\s+at /);
});

test("says in words that a role may not use the tables, and leaves no server behind", async () => {
  const at = await atHome();
  const address = await newAddress();
  await (await openLedger(address)).close();
  const sql = await SqlConnections.open(postgresAddress(address));
  const { schema } = sql.address;
  const role = `dry_${schema}`;
  for (const text of [
    `create role ${role} login`,
    `grant usage on schema ${schema} to ${role}`,
    `grant all on all tables in schema ${schema} to ${role}`,
    `grant all on all sequences in schema ${schema} to ${role}`,
    `revoke insert on ${schema}.texts from ${role}`,
  ])
    await sql.run({ sql: text });
  const asRole = address.replace("toolgate@", `${role}@`);
  // The link to the page cannot be stored once the server listens.
  const served = await at.run([
    "serve",
    "--port",
    "0",
    "--ledger",
    asRole,
    "--script",
    at.script([{ say: "Here." }]),
  ]);
  expect([served.status, served.stderr]).toEqual([
    1,
    expect.stringMatching(/This user may not use the tables of the server of postgres:.*Nothing was done/),
  ]);
  await sql.run({ sql: `revoke all on all tables in schema ${schema} from ${role}` });
  const checked = await at.runHere(["ledger", "check", asRole]);
  expect([checked.status, checked.stderr]).toEqual([
    1,
    expect.stringContaining("This user may not use the tables"),
  ]);
  await sql.close();
});

test("copies kept files and snapshots of a session to a server and back", async () => {
  const at = await atHome();
  const [first, there, second] = [join(at.home, "one.db"), await newAddress(), join(at.home, "two.db")];
  const ledger = await openLedger(first);
  const lease = await claim(ledger);
  const blob = await ledger.putBlob(Buffer.from("as it was"));
  const kept = {
    ...event.kept,
    change: { ...event.kept.change, before: { type: "file", blob } },
  } as SessionEvent;
  await ledger.append(lease, [...callAt(event.kept.toolCallId), kept], DURABLE);
  const snapshot = { seq: 2, saved: "a book" };
  await ledger.keepSnapshot?.(lease, snapshot);
  await ledger.release(lease);
  await ledger.close();
  for (const [from, to] of [
    [first, there],
    [there, second],
  ] as const) {
    const { status, stdout } = await at.runHere(["ledger", "copy", from, to]);
    expect([status, stdout]).toEqual([0, expect.stringContaining("The chains of 1 session are the same")]);
    const copy = await openLedger(to);
    expect(Buffer.from((await copy.getBlob(blob)) ?? []).toString()).toBe("as it was");
    expect(await copy.snapshot?.(SESSION)).toEqual(snapshot);
    await copy.close();
  }
});
