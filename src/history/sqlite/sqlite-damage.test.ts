/** A ledger's file with damaged bytes: every way in reports `LEDGER_DAMAGED`, and none throws SQLite's own error. */
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Archive, Ledger } from "../../call/index.js";
import { openArchive } from "../open-archive.js";
import { openLedger } from "../open-ledger.js";
import { aRun, aStore, record, said } from "../history.samples.js";
import { LedgerFileError } from "../ledger-file-error.js";

const store = aStore();
const PAGE = 4096;
const SESSIONS = Array.from({ length: 3 }, (_, index) => `session-${index}`);

async function aLedgerFile(): Promise<Buffer> {
  const file = store.newFile();
  const ledger = await openLedger(file);
  for (const sessionId of SESSIONS)
    await record(ledger, sessionId, [
      ...aRun("c1", { output: "one" }),
      ...Array.from({ length: 12 }, (_, index) => said(`${index}`.repeat(300))),
    ]);
  for (let index = 0; index < 3; index += 1) await ledger.putBlob(Buffer.alloc(3_000, index));
  await ledger.close();
  return readFileSync(file);
}

/** Each page but the first is overwritten: with zeros, and with a number that no page begins with. */
function* damagedCopies(good: Buffer): Generator<readonly [name: string, bytes: Buffer]> {
  for (let page = 1; page < good.length / PAGE; page += 1) {
    const zeroed = Buffer.from(good).fill(0, page * PAGE, (page + 1) * PAGE);
    yield [`page ${page} zeroed`, zeroed];
    yield [`page ${page} of no kind`, Buffer.from(good).fill(0xee, page * PAGE, page * PAGE + 12)];
  }
}

async function verify(file: string): Promise<void> {
  const archive = await openArchive(file);
  try {
    await archive.verify();
  } finally {
    await archive.close();
  }
}

/** The code of every error that reading the file ends with. */
async function codesOf(file: string): Promise<readonly unknown[]> {
  const found: unknown[] = [];
  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      found.push(error instanceof LedgerFileError ? error.code : error);
    }
  };
  await attempt(async () => {
    const ledger = await openLedger(file);
    for (const read of readings(ledger)) await attempt(read);
    await ledger.close();
  });
  await attempt(async () => {
    const archive = await openArchive(file);
    for (const query of queries(archive)) await attempt(query);
    await archive.close();
  });
  return found;
}

const readings = (ledger: Ledger) => [
  () => ledger.sessions(),
  () => ledger.openQuestions(),
  ...SESSIONS.map((sessionId) => () => ledger.read(sessionId)),
];
const queries = (archive: Archive) => [
  () => archive.sessions(),
  () => archive.search({ text: "one" }),
  () => archive.statistics({ by: "tool" }),
  ...SESSIONS.map((sessionId) => async () => {
    for await (const _ of archive.export(sessionId, "ndjson"));
  }),
];

test("is reported by verify, and by every other way in with the same error, whichever page is damaged", async () => {
  const good = await aLedgerFile();
  const file = store.newFile();
  for (const [name, bytes] of damagedCopies(good)) {
    writeFileSync(file, bytes);
    await expect(verify(file), name).rejects.toMatchObject({
      code: "LEDGER_DAMAGED",
      message: expect.stringMatching(/is damaged .*Nothing was changed; put a backup in its place/),
    });
    expect(new Set(await codesOf(file)), name).toSatisfy(
      (codes: Set<unknown>) => codes.size === 0 || (codes.size === 1 && codes.has("LEDGER_DAMAGED")),
    );
    expect(readFileSync(file).equals(bytes), name).toBe(true);
  }
});

test("is reported when the ledger is opened, when the root of a table is damaged", async () => {
  const good = await aLedgerFile();
  const file = store.newFile();
  writeFileSync(file, Buffer.from(good).fill(0, PAGE, 5 * PAGE));
  await expect(openLedger(file)).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
  await expect(openLedger(file, { readOnly: true })).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
  await expect(openArchive(file)).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
});

test("reports that a damaged index can be deleted, and rebuilds it then", async () => {
  const file = store.newFile();
  writeFileSync(file, await aLedgerFile());
  const list = async () => {
    const archive = await openArchive(file);
    try {
      return (await archive.sessions()).items.length;
    } finally {
      await archive.close();
    }
  };
  expect(await list()).toBe(SESSIONS.length);
  const good = readFileSync(`${file}.index`);
  writeFileSync(`${file}.index`, good.fill(0xee, PAGE));
  await expect(list()).rejects.toMatchObject({
    code: "LEDGER_DAMAGED",
    message: expect.stringMatching(
      /^The history index .* is damaged .*; delete it: it is made again from the ledger\.$/,
    ),
  });
  rmSync(`${file}.index`);
  expect(await list()).toBe(SESSIONS.length);
});

test("is reported when the version in the header is an older one than that of the tables", async () => {
  const bytes = await aLedgerFile();
  // SQLite's user version.
  bytes.writeUInt32BE(1, 60);
  const file = store.newFile();
  writeFileSync(file, bytes);
  await expect(openLedger(file)).rejects.toMatchObject({ code: "LEDGER_DAMAGED" });
  expect(readFileSync(file).equals(bytes)).toBe(true);
});
