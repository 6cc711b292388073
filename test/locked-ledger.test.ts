/** A ledger that another process has locked: a server goes on answering, and the terminal says for what it waits. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openLedger } from "../src/history/index.js";
import { newSession, say, send, serving, turn } from "./aap-http-kit.js";
import { folder } from "./agent-kit.js";
import { atHome } from "./cli-kit.js";
import { until } from "./until.js";

const LOCK = `
  const { DatabaseSync } = require("@photostructure/sqlite");
  const database = new DatabaseSync(process.argv[1]);
  database.exec("begin immediate");
  process.stdout.write("locked");
  process.stdin.on("data", () => database.exec("rollback"));`;

/** A process that has the file locked, and frees it when asked. */
async function lock(file: string): Promise<() => void> {
  const holder = spawn(process.execPath, ["-e", LOCK, file], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  return () => void holder.stdin.write("free");
}

test("a turn that waits for the lock keeps no other request waiting, and goes on when it is free", async () => {
  const file = join(await folder(), "ledger.db");
  const ledger = await openLedger(file);
  onTestFinished(() => ledger.close());
  const { url } = await serving([{ say: "One." }, { say: "Two." }], { ledger });
  const sessionId = await newSession(url);
  const free = await lock(file);
  let isOver = false;
  const waiting = turn(url, sessionId, say("go")).finally(() => (isOver = true));
  for (let asked = 0; asked < 20; asked += 1)
    expect(await send(url, { method: "GET", path: "/healthz" })).toMatchObject({ status: 200 });
  // Another process has the file, and this one must not wait on its event loop: all were answered before.
  expect(isOver).toBe(false);
  free();
  expect(await waiting).toMatchObject({ status: 200, text: expect.stringContaining("One.") });
});

test("is not ready and refuses a turn with 503 while the lock is held", async () => {
  const file = join(await folder(), "ledger.db");
  const ledger = await openLedger(file);
  onTestFinished(() => ledger.close());
  const { url } = await serving([{ say: "One." }], { ledger });
  const sessionId = await newSession(url);
  const free = await lock(file);
  const readiness = send(url, { method: "GET", path: "/readyz" });
  expect(await turn(url, sessionId, say("go"))).toMatchObject({
    status: 503,
    text: expect.stringContaining("is locked: another process"),
  });
  expect((await readiness).status).toBe(503);
  free();
  await until(async () => (await send(url, { method: "GET", path: "/readyz" })).status === 200);
});

test("reports a wait for the lock once, until the lock is free", async () => {
  const file = join(await folder(), "ledger.db");
  let free: () => void = () => undefined;
  const sentences: string[] = [];
  const onLockWait = (sentence: string) => {
    sentences.push(sentence);
    free();
  };
  const ledger = await openLedger(file, { onLockWait });
  onTestFinished(() => ledger.close());
  free = await lock(file);
  expect(await ledger.claim("s", "ann", { milliseconds: 1_000 })).toMatchObject({ owner: "ann" });
  expect(sentences).toEqual([expect.stringContaining(`${file} is locked: another process writes to it.`)]);
});

test("names in the terminal what it waits for, before it gives up", async () => {
  const { run, home, script } = await atHome();
  const file = join(home, "ledger.db");
  const words = ["run", "go", "--ledger", file, "--script", script([{ say: "Hello." }])];
  expect(await run(words)).toMatchObject({ status: 0 });
  await lock(file);
  expect(await run(words)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/is locked: another process writes to it\. Waiting[^]*for 5 seconds/),
  });
});
