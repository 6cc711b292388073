/** One ledger file and several real processes. They run the sources as they are, see test/build-child-programs.ts. */
import type { ChildProcess } from "node:child_process";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, afterEach, expect, test } from "vitest";
import type { Lease, Ledger } from "../../call/index.js";
import {
  DURABLE,
  SESSION,
  YES,
  aQuestion,
  answersIn,
  ask,
  claim,
  codeOf,
  said,
  textsOf,
} from "../contract/contract.samples.js";
import { startFollowing } from "../contract/following.samples.js";
import { openLedger } from "../open-ledger.js";

const folder = mkdtempSync(join(tmpdir(), "toolgate-ledger-"));
const opened: Ledger[] = [];
const children: ChildProcess[] = [];
const isLong = process.env["TOOLGATE_LONG"] !== undefined;
let fileCount = 0;

const newFile = () => {
  fileCount += 1;
  return join(folder, `${fileCount}.db`);
};

async function open(file: string): Promise<Ledger> {
  const ledger = await openLedger(file);
  opened.push(ledger);
  return ledger;
}

afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  for (const ledger of opened.splice(0)) await ledger.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

test("counts one of two answers at the same moment, a hundred times", async () => {
  const file = newFile();
  const ledger = await open(file);
  const questions = Array.from({ length: 100 }, (_, index) =>
    aQuestion(`question-${index}`, `call-${index}`),
  );
  await ask(ledger, ...questions);
  const program = `
    const [start, who] = [Number(await receive()), args[0]];
    const receipts = [];
    for (let index = 0; index < 100; index += 1) {
      await at(start + 4 * index);
      receipts.push(await ledger.answer("question-" + index, { ...JSON.parse(args[1]), who }));
    }
    send(receipts);`;
  const racers = await Promise.all(
    ["ann", "bob"].map((who) => startChild(file, program, who, JSON.stringify(YES))),
  );
  const start = String(Date.now() + 50);
  for (const racer of racers) racer.say(start);
  type Receipts = { counted: boolean; answer: { who: string } }[];
  const [ann, bob] = await Promise.all(racers.map(async (racer) => (await racer.receive()) as Receipts));
  const log = await answersIn(ledger);
  expect(log).toHaveLength(100);
  for (const index of questions.keys()) {
    const [hers, his] = [ann![index]!, bob![index]!];
    expect(hers.counted).toBe(!his.counted);
    expect(hers.answer).toEqual(his.answer);
    expect(hers.answer.who).toBe(hers.counted ? "ann" : "bob");
  }
  expect(await ledger.openQuestions()).toEqual([]);
});

test("gives a session to one of two that claim it at the same moment, and refuses the other", async () => {
  const file = newFile();
  await open(file);
  const program = `
    const start = Number(await receive());
    const outcomes = [];
    for (let index = 0; index < 50; index += 1) {
      await at(start + 4 * index);
      outcomes.push(await codeOf(ledger.claim("session-" + index, args[0], { milliseconds: 60_000 })));
    }
    send(outcomes);`;
  const racers = await Promise.all(["ann", "bob"].map((owner) => startChild(file, program, owner)));
  const start = String(Date.now() + 50);
  for (const racer of racers) racer.say(start);
  const [ann, bob] = await Promise.all(racers.map(async (racer) => (await racer.receive()) as string[]));
  const pairs = ann!.map((code, index) => `${code} ${bob![index]}`);
  expect(pairs).toHaveLength(50);
  for (const pair of pairs) expect(["none LEASE_HELD", "LEASE_HELD none"]).toContain(pair);
});

test("shows a follower another process's append within 100 ms (ten times that on a busy machine)", async () => {
  const file = newFile();
  const ledger = await open(file);
  const writer = await startChild(
    file,
    `const lease = await ledger.claim("${SESSION}", "ann", { milliseconds: 60_000 });
     for (;;) {
       const event = JSON.parse(await receive());
       await ledger.append(lease, [event], { durable: false });
       send(Date.now());
     }`,
  );
  const follower = startFollowing(ledger);
  for (let count = 1; count <= 10; count += 1) {
    await setTimeout(count * 7);
    writer.say(JSON.stringify(said(`${count}`)));
    const [written] = await Promise.all([writer.receive(), follower.has(count)]);
    expect(Date.now() - Number(written)).toBeLessThan(1_000);
  }
  await follower.stop();
  expect(follower.seen).toEqual(await ledger.read(SESSION));
});

test("keeps every acknowledged append whole when the process is killed at any moment", async () => {
  const program = `
    const lease = await ledger.claim("${SESSION}", "ann", { milliseconds: 60_000 });
    const event = (text) => ({ ...JSON.parse(args[0]), at: text });
    for (let count = 1; ; count += 2)
      send(await ledger.append(lease, [event(count), event(count + 1)], { durable: count % 4 === 1 }));`;
  const killAfter = async (appends: number) => {
    const file = newFile();
    const child = await startChild(file, program, JSON.stringify(said("")));
    let promised = 0;
    for (let count = 0; count < appends; count += 1) promised = Number(await child.receive());
    const ended = once(child.process, "close");
    child.process.kill("SIGKILL");
    await ended;
    return { file, promised: Math.max(promised, ...child.unread().map(Number)) };
  };
  for (const appends of isLong ? [1, 3, 5, 7, 9, 11] : [1, 5, 9]) {
    for (const { file, promised } of await Promise.all([killAfter(appends), killAfter(appends + 1)])) {
      const log = await (await open(file)).read(SESSION);
      expect(log.length).toBeGreaterThanOrEqual(promised);
      expect(log.length % 2).toBe(0);
      expect(log.map(({ seq, event }) => [seq, event.at])).toEqual(
        log.map((_, index) => [index + 1, index + 1]),
      );
      const database = new DatabaseSync(file);
      expect({ ...(database.prepare("pragma integrity_check").get() as object) }).toEqual({
        integrity_check: "ok",
      });
      database.close();
    }
  }
});

test.skipIf(process.platform === "win32")(
  "refuses writes of an owner that was frozen past its lease",
  async () => {
    const file = newFile();
    const ledger = await open(file);
    const frozen = await startChild(
      file,
      `const lease = await ledger.claim("${SESSION}", "ann", { milliseconds: 200 });
     send("claimed");
     const event = JSON.parse(await receive());
     send([
       await codeOf(ledger.append(lease, [event], { durable: true })),
       await codeOf(ledger.append(lease, [event], { durable: false })),
       await codeOf(ledger.renew(lease, { milliseconds: 1000 })),
     ]);`,
    );
    expect(await frozen.receive()).toBe("claimed");
    frozen.process.kill("SIGSTOP");
    await setTimeout(250);
    const lease = await claim(ledger, { owner: "bob" });
    frozen.process.kill("SIGCONT");
    frozen.say(JSON.stringify(said("by ann")));
    expect(await frozen.receive()).toEqual(["LEASE_LOST", "LEASE_LOST", "LEASE_LOST"]);
    expect(await ledger.append(lease, [said("by bob")], DURABLE)).toBe(1);
    expect(await textsOf(ledger)).toEqual(["by bob"]);
  },
);

test("takes over the session of a killed process at once, and never gives its fence again", async () => {
  const file = newFile();
  const ledger = await open(file);
  const owner = await startChild(
    file,
    `send(await ledger.claim("${SESSION}", "ann", { milliseconds: 60_000 }));
     await receive();`,
  );
  const lost = (await owner.receive()) as Lease;
  owner.process.kill("SIGKILL");
  await once(owner.process, "exit");
  const next = await claim(ledger, { owner: "bob" });
  expect(next.fence).toBeGreaterThan(lost.fence);
  expect(await codeOf(ledger.append(lost, [said("late")], DURABLE))).toBe("LEASE_LOST");
  expect(await ledger.append(next, [said("by bob")], DURABLE)).toBe(1);
});

test("gives the session of a killed process to one of six that race for it", async () => {
  const file = newFile();
  const ledger = await open(file);
  const owner = await startChild(
    file,
    `const claims = Array.from({ length: 20 }, (_, index) => ledger.claim("s" + index, "ann", { milliseconds: 60_000 }));
     send((await Promise.all(claims)).length);
     await receive();`,
  );
  const program = `
    await receive();
    const outcomes = [];
    for (let index = 0; index < 20; index += 1)
      outcomes.push(await codeOf(ledger.claim("s" + index, args[0], { milliseconds: 60_000 })));
    send(outcomes);
    await receive();`;
  const names = ["bob", "cid", "dan", "eve", "fay", "gus"];
  const racers = await Promise.all(names.map((name) => startChild(file, program, name)));
  expect(await owner.receive()).toBe(20);
  const ended = once(owner.process, "exit");
  owner.process.kill("SIGKILL");
  for (const racer of racers) racer.say("now");
  const outcomes = await Promise.all(racers.map(async (racer) => (await racer.receive()) as string[]));
  for (let index = 0; index < 20; index += 1)
    expect(outcomes.filter((codes) => codes[index] === "none").length).toBeLessThanOrEqual(1);
  await ended;
  // Racers that came before the kill was over may all have been refused.
  for (const [index, codes] of outcomes.entries())
    for (const code of codes) expect(["none", "LEASE_HELD"], names[index]).toContain(code);
  const isTaken = (index: number) => outcomes.some((codes) => codes[index] === "none");
  for (let index = 0; index < 20; index += 1)
    expect(await codeOf(ledger.claim(`s${index}`, "hal", { milliseconds: 60_000 }))).toBe(
      isTaken(index) ? "LEASE_HELD" : "none",
    );
});

test("waits for a process that is stopped, and for one that it cannot look at", async () => {
  const file = newFile();
  const ledger = await open(file);
  const owner = await startChild(
    file,
    `send(await Promise.all(["s1", "s2"].map((id) => ledger.claim(id, "ann", { milliseconds: 60_000 }))));
     await receive();`,
  );
  await owner.receive();
  owner.process.kill("SIGSTOP");
  expect(await codeOf(ledger.claim("s1", "bob", { milliseconds: 60_000 }))).toBe("LEASE_HELD");
  const database = new DatabaseSync(file);
  // As a process on another machine, or in another container, wrote it.
  database.exec(
    `update leases set holder = json_set(holder, '$.machine', 'elsewhere') where session_id = 's2'`,
  );
  database.close();
  owner.process.kill("SIGKILL");
  await once(owner.process, "exit");
  expect(await codeOf(ledger.claim("s1", "bob", { milliseconds: 60_000 }))).toBe("none");
  expect(await codeOf(ledger.claim("s2", "bob", { milliseconds: 60_000 }))).toBe("LEASE_HELD");
});

test("refuses the loser of a race while another process still writes", async () => {
  const file = newFile();
  const ledger = await open(file);
  await claim(ledger, { owner: "ann", milliseconds: 60_000 });
  const writer = new DatabaseSync(file);
  writer.exec("begin immediate");
  const loser = await startChild(
    file,
    `send(await codeOf(ledger.claim("${SESSION}", "bob", { milliseconds: 60_000 })));
     send("waits");
     send(await codeOf(ledger.claim("another", "bob", { milliseconds: 60_000 })));
     await receive();`,
  );
  expect(await loser.receive()).toBe("LEASE_HELD");
  expect(await loser.receive()).toBe("waits");
  // Somebody else wins the session that it waits for, and writes on.
  writer.exec("insert into leases (session_id, owner, expires_at) values ('another', 'cid', 1e18)");
  writer.exec("commit; begin immediate");
  expect(await loser.receive()).toBe("LEASE_HELD");
  writer.exec("rollback");
  writer.close();
});

const LEDGERS = isLong ? 25 : 10;

test("lets several processes create the same ledger at the same moment", async () => {
  const program = `
    const start = Number(await receive());
    for (let index = 0; index < ${LEDGERS}; index += 1) {
      await at(start + 40 * index);
      const own = await openLedger(args[0] + index);
      const lease = await own.claim(args[1], "ann", { milliseconds: 60_000 });
      await own.append(lease, [JSON.parse(args[2])], { durable: false });
      await own.close();
    }
    send("written");`;
  const file = newFile();
  const names = ["a", "b", "c", "d"];
  const starters = await Promise.all(
    names.map((name) => startChild(newFile(), program, file, name, JSON.stringify(said(name)))),
  );
  const start = String(Date.now() + 50);
  for (const starter of starters) starter.say(start);
  expect(await Promise.all(starters.map((starter) => starter.receive()))).toEqual(names.map(() => "written"));
  for (let index = 0; index < LEDGERS; index += 1) {
    const ledger = await open(`${file}${index}`);
    expect((await ledger.sessions()).map(({ sessionId }) => sessionId).toSorted()).toEqual(names);
  }
});

test("waits until a locked file is free", async () => {
  const file = newFile();
  await open(file);
  const waiter = await startChild(
    file,
    `await receive(); send("trying"); send(await codeOf(ledger.claim("${SESSION}", "ann", { milliseconds: 1000 })));`,
  );
  const holder = new DatabaseSync(file);
  holder.exec("begin immediate");
  waiter.say("go");
  expect(await waiter.receive()).toBe("trying");
  await setTimeout(150);
  expect(waiter.unread()).toEqual([]);
  holder.exec("commit");
  holder.close();
  expect(await waiter.receive()).toBe("none");
});

test("following keeps no process alive, and an append that waits does", async () => {
  const file = newFile();
  const child = await startChild(
    file,
    `const follow = async () => {
       for await (const _ of ledger.follow("another", { signal: new AbortController().signal }));
     };
     void follow();
     const lease = await ledger.claim("${SESSION}", "ann", { milliseconds: 1000 });
     void ledger.append(lease, [JSON.parse(args[0])], { durable: false });
     process.stdin.destroy();`,
    JSON.stringify(said("the last")),
  );
  if (child.process.exitCode === null) await once(child.process, "exit");
  expect(child.process.exitCode).toBe(0);
  expect(await textsOf(await open(file))).toEqual(["the last"]);
});

test("loads no database driver before a ledger is opened", async () => {
  const hook = `export const resolve = (name, context, next) => {
    if (/^@photostructure/.test(name)) throw new Error("loads " + name);
    return next(name, context);
  };`;
  const program = `
    import { register } from "node:module";
    register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});
    const { openLedger } = await import(${JSON.stringify(door)});
    const message = await openLedger(process.argv[1]).then(() => "opened", (thrown) => thrown.message);
    process.stdout.write(message);`;
  const args = ["--input-type=module", "-e", program, "--", newFile()];
  const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stdout).toMatch(/^loads @photostructure/);
});

test("treats a name with a special meaning in SQLite as a file name", async () => {
  const { stdout } = spawnChild(`await openLedger(":memory:"); send("open");`, [], { cwd: folder });
  await once(createInterface(stdout), "line");
  expect(readdirSync(folder)).toContain(":memory:");
});

const bundled = new URL("../../../node_modules/.toolgate-children/history.mjs", import.meta.url).href;
const door = new URL("../../../dist/history/index.js", import.meta.url).href;

type Child = {
  readonly process: ChildProcess;
  /** Sends it a line. */
  readonly say: (line: string) => void;
  /** The next value that the child sends. */
  readonly receive: () => Promise<unknown>;
  /** The values that the child has sent and the test has not received. */
  readonly unread: () => unknown[];
};

/** Starts a process in which `ledger` is open, `args` are there, and `send` and `receive` talk to the test. */
async function startChild(file: string, program: string, ...args: readonly string[]): Promise<Child> {
  const opening = `const ledger = await openLedger(args.shift()); send("ready");`;
  const child = spawnChild(`${opening}\n${program}`, [file, ...args]);
  const lines: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  createInterface(child.stdout).on("line", (line) => {
    const wake = waiting.shift();
    if (wake) wake(line);
    else lines.push(line);
  });
  child.on("close", () => {
    for (const wake of waiting.splice(0)) wake('"ended without a word"');
  });
  const receive = async (): Promise<unknown> => {
    const line = lines.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
    return JSON.parse(line);
  };
  expect(await receive()).toBe("ready");
  return {
    process: child,
    say: (line) => void child.stdin.write(`${line}\n`),
    receive,
    unread: () => lines.splice(0).map((line): unknown => JSON.parse(line)),
  };
}

function spawnChild(program: string, args: readonly string[], options: { readonly cwd?: string } = {}) {
  const prelude = `
    import { createInterface } from "node:readline";
    import { openLedger } from ${JSON.stringify(bundled)};
    const args = process.argv.slice(1);
    const lines = createInterface(process.stdin)[Symbol.asyncIterator]();
    const receive = async () => (await lines.next()).value;
    const send = (value) => process.stdout.write(JSON.stringify(value) + "\\n");
    // The last moment is waited for in a loop: a timer is late by a millisecond or two.
    const at = async (time) => {
      await new Promise((resolve) => setTimeout(resolve, time - Date.now() - 3));
      while (Date.now() < time);
    };
    const codeOf = (promise) => promise.then(() => "none", (thrown) => thrown.code ?? String(thrown));`;
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", `${prelude}\n${program}`, "--", ...args],
    {
      ...options,
      stdio: ["pipe", "pipe", "inherit"],
    },
  );
  children.push(child);
  return child;
}
