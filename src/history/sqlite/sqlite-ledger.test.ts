/** The ledger in a file, as every ledger and as a file. `sqlite-processes.test.ts` has several processes share one. */
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { Ledger } from "../../call/index.js";
import {
  DURABLE,
  QUESTION,
  QUICK,
  SECOND,
  SESSION,
  YES,
  ask,
  claim,
  codeOf,
  said,
  textsOf,
} from "../contract/contract.samples.js";
import { ledgerContract } from "../contract/ledger.contract.js";
import { openSqliteLedger } from "./sqlite-ledger.js";

const folder = mkdtempSync(join(tmpdir(), "toolgate-ledger-"));
const opened: Ledger[] = [];
let fileCount = 0;

const newFile = () => {
  fileCount += 1;
  return join(folder, `${fileCount}.db`);
};

async function open(file: string): Promise<Ledger> {
  const ledger = await openSqliteLedger(file);
  opened.push(ledger);
  return ledger;
}

afterEach(async () => {
  for (const ledger of opened.splice(0)) await ledger.close();
});
afterAll(() => rmSync(folder, { recursive: true }));

const fileOf = new WeakMap<Ledger, string>();
ledgerContract(
  "openSqliteLedger",
  async ({ now }) => {
    const file = newFile();
    const ledger = await openSqliteLedger(file, { now });
    fileOf.set(ledger, file);
    return ledger;
  },
  {
    openBeside: async (first, { now }) => openSqliteLedger(fileOf.get(first) ?? "", { now }),
    share: 0.4,
    damageBlob: async (ledger, hash) => {
      const database = new DatabaseSync(fileOf.get(ledger) ?? "");
      database.prepare("update blobs set bytes = x'00' where hash = ?").run(hash);
      database.close();
    },
  },
);

describe("the file", () => {
  test.skipIf(process.platform === "win32")("is readable by its owner only", async () => {
    const inside = join(folder, "owned");
    mkdirSync(inside);
    const ledger = await open(join(inside, "ledger.db"));
    await ask(ledger, QUESTION);
    const modes = readdirSync(inside).map((name) => [name, modeOf(join(inside, name))]);
    expect(Object.fromEntries(modes)).toEqual({
      "ledger.db": "600",
      "ledger.db-shm": "600",
      "ledger.db-wal": "600",
    });
  });

  test.skipIf(process.platform === "win32")("a folder that was there keeps its mode", async () => {
    const inside = join(folder, "was-there");
    mkdirSync(inside, { mode: 0o755 });
    await open(join(inside, "ledger.db"));
    expect(modeOf(inside)).toBe("755");
  });

  test("opened again, it gives back everything", async () => {
    const file = newFile();
    const first = await openSqliteLedger(file);
    const lease = await ask(first, QUESTION, SECOND);
    await first.answer("question-2", YES);
    const hash = await first.putBlob(Buffer.from("bytes"));
    const before = [await first.read(SESSION), await first.openQuestions(), await first.sessions()];
    await first.close();

    const again = await open(file);
    expect([await again.read(SESSION), await again.openQuestions(), await again.sessions()]).toEqual(before);
    expect(await again.answer("question-2", { ...YES, who: "late" })).toEqual({
      counted: false,
      answer: YES,
    });
    expect(await again.getBlob(hash)).toEqual(new Uint8Array(Buffer.from("bytes")));
    expect(await codeOf(claim(again, { owner: "bob" }))).toBe("LEASE_HELD");
    expect(await again.append(lease, [said("still mine")], DURABLE)).toBe(8);
  });

  test.skipIf(process.platform !== "linux")("opening it twice leaves the first one its lock", async () => {
    const file = newFile();
    await ask(await open(file), QUESTION);
    // The kernel knows a file by its number; a process that closes a file loses all its locks on it.
    const locks = () =>
      readFileSync("/proc/locks", "utf8")
        .split("\n")
        .filter((lock) => lock.includes(` ${process.pid} `) && lock.includes(`:${statSync(file).ino} `));
    expect(locks()).toHaveLength(1);
    await (await openSqliteLedger(file)).close();
    expect(locks()).toHaveLength(1);
  });

  test("commits waiting events when the ledger is closed", async () => {
    const file = newFile();
    const first = await openSqliteLedger(file);
    const appending = first.append(await claim(first), [said("waiting")], QUICK);
    await first.close();
    expect(await appending).toBe(1);
    expect(await textsOf(await open(file))).toEqual(["waiting"]);
  });

  test("a durable append takes along those that wait before it, and each keeps its place", async () => {
    const ledger = await open(newFile());
    const lease = await claim(ledger);
    const seqs: number[] = [];
    const note = async (appending: Promise<number>) => void seqs.push(await appending);
    await Promise.all([
      note(ledger.append(lease, [said("one")], QUICK)),
      note(ledger.append(lease, [said("two"), said("three")], QUICK)),
      note(ledger.append(lease, [said("four")], DURABLE)),
      note(ledger.append(lease, [said("five")], QUICK)),
    ]);
    expect(seqs).toEqual([1, 3, 4, 5]);
    expect(await textsOf(ledger)).toEqual(["one", "two", "three", "four", "five"]);
  });

  test("an append that is refused leaves those that are committed with it", async () => {
    const ledger = await open(newFile());
    const lease = await claim(ledger);
    const codes = await Promise.all([
      codeOf(ledger.append(lease, [said("one")], QUICK)),
      codeOf(ledger.append({ ...lease, fence: 0 }, [said("lost")], QUICK)),
      codeOf(
        ledger.append(
          lease,
          [said("not kept"), { type: "question-withdrawn", at: 0, questionId: "none", reason: "" }],
          QUICK,
        ),
      ),
      codeOf(ledger.append(lease, [said("two")], QUICK)),
    ]);
    expect(codes).toEqual(["none", "LEASE_LOST", "ILLEGAL_EVENT", "none"]);
    expect(await textsOf(ledger)).toEqual(["one", "two"]);
  });

  test("claims, appends and releases of one turn are committed together, and each sees what came before it", async () => {
    const file = newFile();
    const ledger = await open(file);
    const before = await claim(ledger);
    const bytes = new TextEncoder().encode("kept");
    const outcomes = Promise.allSettled([
      ledger.append(before, [said("one")], DURABLE),
      ledger.claim(SESSION, before.owner, { milliseconds: 1000 }),
      ledger.append(before, [said("too late")], QUICK),
      ledger.claim(SESSION, "someone else", { milliseconds: 1000 }),
      ledger.release(before),
      ledger.putBlob(bytes),
      ledger.claim("another", "bob", { milliseconds: 1000 }),
    ]);
    bytes.fill(0);
    const [first, claimed, late, held, released, blob, other] = await outcomes;
    expect([first, released]).toEqual([
      { status: "fulfilled", value: 1 },
      { status: "fulfilled", value: undefined },
    ]);
    expect(claimed).toMatchObject({ value: { fence: before.fence + 1 } });
    expect(other).toMatchObject({ value: { fence: before.fence + 2 } });
    expect([late, held]).toMatchObject([
      { reason: { code: "LEASE_LOST" } },
      { reason: { code: "LEASE_HELD" } },
    ]);
    expect(await textsOf(await open(file))).toEqual(["one"]);
    const hash = blob?.status === "fulfilled" ? blob.value : "";
    expect(new TextDecoder().decode(await ledger.getBlob(hash))).toBe("kept");
  });

  test("refuses an append after a release in the same turn", async () => {
    const ledger = await open(newFile());
    const lease = await claim(ledger);
    const outcomes = await Promise.allSettled([
      ledger.append(lease, [said("mine")], QUICK),
      ledger.release(lease),
      ledger.append(lease, [said("released")], QUICK),
      ledger.claim(SESSION, "bob", { milliseconds: 1000 }),
      ledger.append(lease, [said("bob's")], QUICK),
      ledger.renew(lease, { milliseconds: 1000 }),
    ]);
    const lost = { reason: { code: "LEASE_LOST" } };
    expect(outcomes).toMatchObject([{ value: 1 }, {}, lost, { value: { owner: "bob" } }, lost, lost]);
    expect(await textsOf(ledger)).toEqual(["mine"]);
  });

  test("closed, it is one file that can be copied", async () => {
    const file = newFile();
    const first = await openSqliteLedger(file);
    await ask(first, QUESTION);
    const log = await first.read(SESSION);
    await first.close();
    const copy = newFile();
    copyFileSync(file, copy);
    expect(await (await open(copy)).read(SESSION)).toEqual(log);
  });

  test("leaves nothing of a removed session in the file or beside it", async () => {
    const file = newFile();
    const ledger = await openSqliteLedger(file);
    const lease = await claim(ledger);
    const secret = "a secret that must not be found again";
    await ledger.append(lease, [said(secret), said("and"), said("more")], DURABLE);
    await ledger.remove(lease);
    await ledger.close();
    const beside = readdirSync(folder).map((name) => join(folder, name));
    const found = beside.filter((path) => path.startsWith(file) && readFileSync(path).includes(secret));
    expect(found).toEqual([]);
  });
});

describe("a file that cannot be used is left as it was, and the error says which and why:", () => {
  test.each([
    ["text", "dear diary"],
    ["long text", "dear diary ".repeat(1000)],
    ["the first bytes of a database", "SQLite format 3\0"],
  ])("%s", async (_what, text) => {
    const file = newFile();
    writeFileSync(file, text);
    expect(await refused(file)).toMatchObject({
      code: "NOT_A_LEDGER",
      message: `${file} is not a toolgate ledger: it is no SQLite file. Nothing was changed; use another file.`,
    });
  });

  test("another program's database", async () => {
    const file = newFile();
    const theirs = new DatabaseSync(file);
    theirs.exec("pragma journal_mode = wal; create table sessions (theirs text)");
    theirs.close();
    expect(await refused(file)).toMatchObject({
      code: "NOT_A_LEDGER",
      message: expect.stringMatching(/an SQLite file of another program\. Nothing was changed/),
    });
    expect(readdirSync(folder).filter((name) => join(folder, name).startsWith(file))).toHaveLength(1);
  });

  test("a ledger of a newer toolgate", async () => {
    const file = newFile();
    await (await openSqliteLedger(file)).close();
    const newer = new DatabaseSync(file);
    newer.exec("pragma user_version = 99");
    newer.close();
    expect(await refused(file)).toMatchObject({
      code: "LEDGER_TOO_NEW",
      message: expect.stringMatching(
        /version 99, and this toolgate knows them up to 6\. Nothing was changed/,
      ),
    });
  });

  test("a damaged ledger", async () => {
    const file = newFile();
    await (await openSqliteLedger(file)).close();
    const bytes = readFileSync(file);
    writeFileSync(file, bytes.fill(0x5a, 100, 4096));
    expect(await refused(file)).toMatchObject({
      code: "LEDGER_DAMAGED",
      message: expect.stringContaining(`The ledger ${file} is damaged`),
    });
  });

  test("a folder", async () => {
    await expect(openSqliteLedger(folder)).rejects.toMatchObject({
      code: "NOT_A_LEDGER",
      message: expect.stringContaining(`${folder} is not a toolgate ledger: it is a folder.`),
    });
  });

  test.skipIf(process.platform === "win32")(
    "a pipe and a link to itself, to be written or read",
    async () => {
      const [pipe, loop] = [newFile(), newFile()];
      execFileSync("mkfifo", [pipe]);
      symlinkSync(loop, loop);
      for (const options of [{}, { readOnly: true }]) {
        await expect(openSqliteLedger(pipe, options)).rejects.toMatchObject({
          code: "NOT_A_LEDGER",
          message: expect.stringContaining("it is no regular file. Nothing was changed"),
        });
        await expect(openSqliteLedger(loop, options)).rejects.toMatchObject({
          code: "NOT_A_LEDGER",
          message: expect.stringContaining("it is a link that leads to itself. Nothing was changed"),
        });
      }
    },
  );
});

/** The error of opening it; the file must be as it was. */
async function refused(file: string): Promise<unknown> {
  const before = readFileSync(file);
  const error = await openSqliteLedger(file).then(
    () => "opened",
    (thrown: unknown) => thrown,
  );
  expect(readFileSync(file).equals(before)).toBe(true);
  return error;
}

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
