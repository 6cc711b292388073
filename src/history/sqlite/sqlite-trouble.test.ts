/** Errors of a ledger's file have a clear message, and no data is lost. */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { describe, expect, test, vi } from "vitest";
import { SessionBook } from "../../call/index.js";
import { answered, ask, codeOf, QUESTION, textsOf, YES } from "../contract/contract.samples.js";
import { aRun, aStore, record, said } from "../history.samples.js";
import { replaySession } from "../replay-session.js";
import { openLedgerFile } from "./sqlite-file.js";
import { openSqliteLedger, SqliteLedger } from "./sqlite-ledger.js";
import { verifyLedger } from "./verify-ledger.js";

const store = aStore();
const DURABLE = { durable: true };

test("fails an append on a full disk with a message, keeps what was stored, and continues when there is room", async () => {
  const file = store.newFile();
  const database = await openLedgerFile(file);
  const ledger = new SqliteLedger(database, Date.now);
  const lease = await ledger.claim("session-1", "ann", { milliseconds: 60_000 });
  await ledger.append(lease, [said("before")], DURABLE);
  database.exec(`pragma max_page_count = ${Number(database.pragma("page_count")) + 2}`);
  const big = said("x".repeat(50_000));
  const outcomes = await Promise.allSettled([
    ledger.append(lease, [said("small")], DURABLE),
    ledger.append(lease, [big], DURABLE),
  ]);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({
      reason: {
        code: "LEDGER_FULL",
        message: expect.stringMatching(/cannot grow: the disk is full .*Nothing was written, and what was/),
      },
    });
  }
  expect(await textsOf(ledger)).toEqual(["before"]);
  database.exec("pragma max_page_count = 1000000");
  expect(await ledger.append(lease, [big], DURABLE)).toBe(2);
  await ledger.close();
  const check = new DatabaseSync(file);
  expect(Object.values(check.prepare("pragma integrity_check").get() as object)).toEqual(["ok"]);
  check.close();
});

test.skipIf(process.platform === "win32").each([
  ["deleted", (file: string) => unlinkSync(file)],
  ["moved", (file: string) => renameSync(file, `${file}.moved`)],
  ["replaced", (file: string) => (renameSync(file, `${file}.old`), copyFileSync(`${file}.old`, file))],
])("a file that is %s while it is open takes nothing that nobody could read later", async (_, change) => {
  const file = store.newFile();
  const ledger = await openSqliteLedger(file);
  const lease = await ledger.claim("session-1", "ann", { milliseconds: 60_000 });
  await ledger.append(lease, [said("before")], DURABLE);
  change(file);
  const gone = {
    code: "LEDGER_GONE",
    messageWithoutPath: expect.stringMatching(
      /^The ledger was deleted, moved or replaced .* Nothing was written/,
    ),
  };
  // The ledger looks twenty times a second.
  const append = () => ledger.append(lease, [said("after")], DURABLE);
  await vi.waitFor(() => expect(append()).rejects.toMatchObject(gone), { timeout: 10_000 });
  await expect(ledger.probe?.()).rejects.toMatchObject(gone);
  await ledger.close();
});

describe("read-only ledgers", () => {
  test("reads a read-only ledger, refuses writes and leaves the file unchanged", async () => {
    const file = store.newFile();
    const first = await openSqliteLedger(file);
    await record(first, "session-1", [said("hello")]);
    await first.close();
    const before = readFileSync(file);
    const ledger = await openSqliteLedger(file, { readOnly: true });
    expect(await textsOf(ledger)).toEqual(["hello"]);
    expect(await ledger.sessions()).toHaveLength(1);
    expect(await ledger.openQuestions()).toEqual([]);
    await expect(ledger.claim("session-1", "ann", { milliseconds: 1 })).rejects.toMatchObject({
      code: "LEDGER_READ_ONLY",
      message: expect.stringMatching(/can only be read .*Nothing was written; make the file/),
    });
    await expect(ledger.probe?.()).rejects.toMatchObject({ code: "LEDGER_READ_ONLY" });
    await ledger.close();
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  test.skipIf(process.platform === "win32")(
    "reads a ledger whose folder and mode forbid writing",
    async () => {
      const folder = join(store.folder, "locked");
      mkdirSync(folder);
      const file = join(folder, "ledger.db");
      const first = await openSqliteLedger(file);
      await record(first, "session-1", [said("hello")]);
      await first.close();
      const beside = readdirSync(folder);
      await asNobody([store.folder, folder, file], async () => {
        const ledger = await openSqliteLedger(file);
        expect(await textsOf(ledger)).toEqual(["hello"]);
        expect(await codeOf(ledger.claim("session-1", "ann", { milliseconds: 1 }))).toBe("LEDGER_READ_ONLY");
        await ledger.close();
        await expect(openSqliteLedger(join(folder, "another.db"))).rejects.toMatchObject({
          code: "LEDGER_FAILED",
          message: expect.stringMatching(
            /another\.db cannot be made: .*Nothing was written; use another file/,
          ),
        });
      });
      expect(readdirSync(folder)).toEqual(beside);
    },
  );

  test.skipIf(process.platform === "win32").each(["", "-wal"])(
    "names a ledger file of another owner in the error (%s)",
    async (suffix) => {
      const inner = join(store.folder, `theirs${suffix}`);
      mkdirSync(inner);
      const file = join(inner, "ledger.db");
      await record(await store.ledger(file), "session-1", [said("hello")]);
      for (const path of [store.folder, inner]) chmodSync(path, 0o755);
      chmodSync(file, 0o644);
      chmodSync(file + suffix, 0);
      const asOther = process.geteuid?.() === 0;
      if (asOther) process.seteuid?.(65_534);
      try {
        const name = `ledger.db${suffix}`;
        for (const open of [openSqliteLedger(file), openSqliteLedger(file, { readOnly: true })])
          await expect(open).rejects.toMatchObject({
            code: "LEDGER_FAILED",
            message: expect.stringContaining(`cannot be read: ${name} belongs to another user, or its mode`),
          });
      } finally {
        if (asOther) process.seteuid?.(0);
      }
    },
  );

  test("creates no ledger when it opens one read-only that does not exist", async () => {
    await expect(openSqliteLedger(store.newFile(), { readOnly: true })).rejects.toThrow(/There is no ledger/);
  });
});

/** Root may write everywhere, so these are taken by someone who may not. */
async function asNobody(paths: readonly string[], work: () => Promise<void>): Promise<void> {
  const [folder = "", inner = "", file = ""] = paths;
  chmodSync(folder, 0o755);
  chmodSync(file, 0o444);
  chmodSync(inner, 0o555);
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
    chmodSync(inner, 0o755);
  }
}

describe("ledger names and places", () => {
  test("takes names of any characters, and very long ones, literally", async () => {
    for (const name of ["a b?c#d%20&e'f\"g;h", "ü😀\n\t", "file:x?mode=ro", "-x", "y".repeat(240)]) {
      mkdirSync(join(store.folder, "odd"), { recursive: true });
      const ledger = await store.ledger(join(store.folder, "odd", name));
      await record(ledger, name, [said(name)]);
      expect(await textsOf(ledger, name)).toEqual([name]);
    }
    expect(readdirSync(join(store.folder, "odd")).filter((name) => !/-(wal|shm)$/.test(name))).toHaveLength(
      5,
    );
  });

  test.skipIf(process.platform === "win32")(
    "follows a link to a ledger, and refuses a link to nowhere",
    async () => {
      const file = store.newFile();
      await record(await store.ledger(file), "session-1", [said("hello")]);
      const link = join(store.folder, "link.db");
      symlinkSync(file, link);
      const linked = await store.ledger(link);
      expect(await textsOf(linked)).toEqual(["hello"]);
      await record(linked, "session-1", [said("through the link")]);
      expect(await textsOf(await store.ledger(file))).toEqual(["hello", "through the link"]);
      const nowhere = join(store.folder, "nowhere.db");
      symlinkSync(join(store.folder, "gone"), nowhere);
      await expect(openSqliteLedger(nowhere)).rejects.toThrow(/cannot be made: it is a link to nowhere/);
      expect(readdirSync(store.folder)).not.toContain("gone");
    },
  );
});

test("refuses a truncated ledger with a message and leaves it unchanged", async () => {
  const file = store.newFile();
  const first = await openSqliteLedger(file);
  await record(
    first,
    "session-1",
    Array.from({ length: 200 }, () => said("x".repeat(500))),
  );
  await first.close();
  truncateSync(file, 8192);
  const before = readFileSync(file);
  const code = await codeOf(openSqliteLedger(file).then((ledger) => ledger.read("session-1")));
  expect(code).toBe("LEDGER_DAMAGED");
  expect(readFileSync(file).equals(before)).toBe(true);
});

test("does not report damage when a reader keeps a part of the WAL out of the file", async () => {
  const file = store.newFile();
  const ledger = await store.ledger(file);
  const raw = new DatabaseSync(file);
  const pages = () => Number(Object.values(raw.prepare("pragma page_count").get() as object)[0]);
  const grown = async (before: number) => {
    while (pages() === before) await record(ledger, "session-1", [said("x".repeat(300))]);
  };
  await grown(pages());
  await grown(pages());
  // From here on a reader needs the file's last page as it is; so, as it becomes, it stays in the log.
  const reader = new DatabaseSync(file);
  reader.exec("begin; select * from sessions");
  reader.prepare("select count(*) from events").all();
  await record(ledger, "session-1", [said("after")]);
  raw.exec("pragma wal_checkpoint(passive)");
  expect(statSync(file).size).toBeLessThan(pages() * 4096);
  expect((await textsOf(await store.ledger(file))).at(-1)).toBe("after");
  expect((await verifyLedger(file)).broken).toEqual([]);
  reader.close();
  raw.close();
});

describe("unreadable events", () => {
  const damaged = async (seq: number, text = "{bad") => {
    const file = store.newFile();
    const first = await openSqliteLedger(file);
    await record(first, "session-1", [...aRun("c1", { output: "one" }), ...aRun("c2"), said("end")]);
    await first.close();
    const raw = new DatabaseSync(file);
    raw.prepare("update events set event = ? where seq = ?").run(text, seq);
    raw.close();
    return store.ledger(file);
  };

  test.each(["{bad", "null", "7", '{"at":1}', ""])(
    "marks an unreadable event and reads all others: %s",
    async (text) => {
      const ledger = await damaged(6, text);
      const log = await ledger.read("session-1");
      expect(log.map(({ seq }) => seq)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
      expect(log[5]?.event).toMatchObject({
        type: "traffic-repaired",
        repair: {
          repair: "unreadable-event",
          detail: expect.stringMatching(/^Event 6 of this session cannot be read/),
        },
      });
      // The other events fold, since that one only added output.
      expect(
        new SessionBook(
          "session-1",
          log.map(({ event }) => event),
        ).callCount,
      ).toBe(2);
      const again = await record(ledger, "session-1", [said("more")]);
      expect(again).toBe(16);
    },
  );

  test.each(["{bad", '{"type":"call-announced"'])(
    "leaves an unreadable event out of a read by type, and no other: %s",
    async (text) => {
      const ledger = await damaged(6, text);
      const announced = await ledger.read("session-1", { type: "call-announced" });
      expect(announced).toMatchObject([
        { event: { type: "call-announced", toolCallId: "c1" } },
        { event: { type: "call-announced", toolCallId: "c2" } },
      ]);
    },
  );

  test("leaves out only the events that depend on an unreadable one", async () => {
    const ledger = await damaged(1);
    const { session, leftOut } = replaySession("session-1", await ledger.read("session-1"));
    expect(session.timeline).toMatchObject([
      { call: { toolCallId: "c2", state: { status: "done" } } },
      { message: { blocks: [{ text: "end" }] } },
    ]);
    expect(session.repairs).toHaveLength(1);
    expect(leftOut.map(({ seq }) => seq)).toEqual([2, 3, 4, 5, 6, 7]);
  });

  test.each([3, 4])(
    "fails an answer to a question with an unreadable event, and no other write of the batch: %i",
    async (seq) => {
      const file = store.newFile();
      const ledger = await store.ledger(file);
      const asking = await ask(ledger, QUESTION);
      await ledger.append(asking, [answered(QUESTION.questionId, YES)], DURABLE);
      const lease = await ledger.claim("session-2", "ann", { milliseconds: 60_000 });
      const raw = new DatabaseSync(file);
      raw.prepare("update events set event = '{bad' where seq = ?").run(seq);
      raw.close();
      const [before, answer, after] = await Promise.allSettled([
        ledger.append(lease, [said("before")], DURABLE),
        ledger.answer(QUESTION.questionId, YES),
        ledger.append(lease, [said("after")], DURABLE),
      ]);
      expect(answer).toMatchObject({
        reason: { code: "NO_SUCH_QUESTION", message: expect.stringContaining("is damaged") },
      });
      expect([before, after]).toMatchObject([{ value: 1 }, { value: 2 }]);
      expect(await ledger.read("session-2")).toHaveLength(2);
    },
  );
});

describe.skipIf(process.platform === "win32")("the -wal and -shm files beside a ledger", () => {
  test.each(["-wal", "-shm"])("names the ledger's %s file when it is a folder or a pipe", async (suffix) => {
    const file = store.newFile();
    const ledger = await openSqliteLedger(file);
    await record(ledger, "session-1", [said("hello")]);
    await ledger.close();
    for (const make of [mkdirSync, (path: string) => execFileSync("mkfifo", [path])]) {
      rmSync(file + suffix, { recursive: true, force: true });
      make(file + suffix);
      for (const open of [
        openSqliteLedger(file),
        openSqliteLedger(file, { readOnly: true }),
        verifyLedger(file),
      ])
        await expect(open).rejects.toMatchObject({
          code: "LEDGER_FAILED",
          message: expect.stringMatching(
            /-(wal|shm), which SQLite needs beside it, is (a folder|no regular)/,
          ),
        });
    }
    rmSync(file + suffix);
    expect(await textsOf(await store.ledger(file))).toEqual(["hello"]);
  });
});

test("refuses to read an empty file, and makes it a ledger at the first write", async () => {
  const file = store.newFile();
  writeFileSync(file, "");
  const isEmpty = { code: "LEDGER_FAILED", message: expect.stringMatching(/is empty: nothing was recorded/) };
  await expect(openSqliteLedger(file, { readOnly: true })).rejects.toMatchObject(isEmpty);
  await expect(verifyLedger(file)).rejects.toMatchObject(isEmpty);
  await record(await store.ledger(file), "session-1", [said("hello")]);
  expect((await verifyLedger(file)).events).toBe(1);
});
