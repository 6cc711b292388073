/**
 * Media that can only be read: a history is read there, also without an index and with a log that was never merged, and
 * commands that must write name what is read-only. The media are real mounts; where none can be mounted, nothing runs.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { openArchive, openLedger } from "../src/history/index.js";
import type { Archive } from "../src/call/index.js";
import { aRun, record, said } from "../src/history/history.samples.js";
import { atHome } from "./cli-kit.js";
import { canMount, mountSmallDisk } from "./small-disk.js";

const place = mkdtempSync(join(tmpdir(), "toolgate-read-only-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** Media with copies of the files that `fill` writes: a file that is still open there would keep them writable. */
async function media(fill: (path: string) => Promise<void>): Promise<string> {
  const disk = mountSmallDisk(8);
  if (!disk) throw new Error("Media could be mounted before, and not now.");
  onTestFinished(disk.remove);
  const source = mkdtempSync(join(place, "source-"));
  await fill(source);
  // SQLite's shared memory is of no use on another medium.
  cpSync(source, disk.path, { recursive: true, filter: (name) => !name.endsWith("-shm") });
  disk.makeReadOnly();
  return disk.path;
}

async function writeSessions(file: string): Promise<void> {
  const ledger = await openLedger(file);
  await record(ledger, "session-1", [said("a walnut"), ...aRun("c1", { output: "two almonds" })]);
  await record(ledger, "session-2", [said("a hazel")]);
  await ledger.close();
}

async function onMedia(file: string): Promise<{ readonly archive: Archive; readonly notes: unknown[] }> {
  const notes: unknown[] = [];
  const archive = await openArchive(file, { onIndexInMemory: (reason) => void notes.push(reason) });
  onTestFinished(() => archive.close());
  return { archive, notes };
}

/** The whole of an archive's reading. */
async function readIn(archive: Archive) {
  let text = "";
  for await (const piece of archive.export("session-1", "ndjson")) text += piece;
  return {
    sessions: (await archive.sessions()).items.map(({ sessionId }) => sessionId).toSorted(),
    hits: (await archive.search({ text: "almonds" })).items.map(({ sessionId }) => sessionId),
    calls: (await archive.statistics({ by: "tool" })).map(({ calls }) => calls),
    broken: (await archive.verify()).brokenCount,
    isExported: text.includes("walnut"),
  };
}
const ALL = {
  sessions: ["session-1", "session-2"],
  hits: ["session-1"],
  calls: [1],
  broken: 0,
  isExported: true,
};
function makeForeign(file: string): void {
  rmSync(file);
  byHand(file, "create table x (a)");
}

function byHand(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

const READ_ONLY = { message: expect.stringMatching(/ledger\.db\.index.*read-only|can only be read/) };

describe.skipIf(!canMount)("a history on media that can only be read", () => {
  test("is read with an index in memory, says so, and leaves nothing there", async () => {
    const path = await media((at) => writeSessions(join(at, "ledger.db")));
    const before = readdirSync(path);
    const { archive, notes } = await onMedia(join(path, "ledger.db"));
    expect(await readIn(archive)).toEqual(ALL);
    expect(notes).toMatchObject([READ_ONLY]);
    expect(readdirSync(path)).toEqual(before);
  });

  test("is read with the index that lies beside it, as long as that is complete", async () => {
    const path = await media(async (at) => {
      await writeSessions(join(at, "ledger.db"));
      const archive = await openArchive(join(at, "ledger.db"));
      await archive.refresh();
      await archive.close();
    });
    const { archive, notes } = await onMedia(join(path, "ledger.db"));
    expect(await readIn(archive)).toEqual(ALL);
    expect(notes).toEqual([]);
  });

  test("is read whole when the index beside it is older than the ledger", async () => {
    const path = await media(async (at) => {
      const file = join(at, "ledger.db");
      const ledger = await openLedger(file);
      await record(ledger, "session-2", [said("a hazel")]);
      const archive = await openArchive(file);
      await archive.refresh();
      await archive.close();
      await record(ledger, "session-1", [said("a walnut"), ...aRun("c1", { output: "two almonds" })]);
      await ledger.close();
    });
    const { archive, notes } = await onMedia(join(path, "ledger.db"));
    expect(await readIn(archive)).toEqual(ALL);
    expect(notes).toMatchObject([READ_ONLY]);
  });

  test.each<[string, (index: string) => void]>([
    ["damaged", (index) => writeFileSync(index, readFileSync(index).fill(0, 8_192))],
    ["empty", (index) => writeFileSync(index, "")],
    ["no index", (index) => writeFileSync(index, "x".repeat(50_000))],
    ["from a newer toolgate", (index) => byHand(index, "pragma user_version = 999")],
    ["another program's", makeForeign],
  ])("is read when the index beside it is %s", async (_, spoil) => {
    const path = await media(async (at) => {
      const file = join(at, "ledger.db");
      await writeSessions(file);
      const archive = await openArchive(file);
      await archive.refresh();
      await archive.close();
      spoil(`${file}.index`);
    });
    const { archive, notes } = await onMedia(join(path, "ledger.db"));
    expect(await readIn(archive)).toEqual(ALL);
    expect(notes).toMatchObject([{ message: expect.stringContaining("ledger.db.index") }]);
  });

  test("is read with the log that a killed process left beside it", async () => {
    const path = await media(async (at) => {
      const ledger = await openLedger(join(at, "ledger.db"));
      onTestFinished(() => ledger.close());
      await record(ledger, "session-1", [said("a walnut"), ...aRun("c1", { output: "two almonds" })]);
      await record(ledger, "session-2", [said("a hazel")]);
    });
    const { archive } = await onMedia(join(path, "ledger.db"));
    expect(await readIn(archive)).toEqual(ALL);
    const read = await openLedger(join(path, "ledger.db"));
    expect(await read.read("session-1")).toHaveLength(8);
    await read.close();
  });

  test("is read by every command of history, and by stats", async () => {
    const path = await media((at) => writeSessions(join(at, "ledger.db")));
    const { runHere: run } = await atHome();
    const ledger = ["--ledger", join(path, "ledger.db")];
    const reads = [
      ["history", "list"],
      ["history", "show", "session-1"],
      ["history", "search", "almonds"],
      ["history", "export", "session-1", "--format", "ndjson"],
      ["history", "verify"],
      ["stats"],
    ];
    const done = await Promise.all(reads.map((words) => run([...words, ...ledger])));
    expect(done.map(({ status, stderr }) => [status, stderr.includes("Error")])).toEqual(
      reads.map(() => [0, false]),
    );
    const [list, , search] = done;
    expect(list?.stdout).toContain("session-2");
    expect(search?.stdout).toContain("session-1");
    expect(list?.stderr).toMatch(
      /The index of this history is built in memory for this command: .*read-only/,
    );
  });
});

test("an empty index is made again where it can be written", async () => {
  const file = join(place, "empty-index.db");
  await writeSessions(file);
  writeFileSync(`${file}.index`, "");
  const archive = await openArchive(file);
  onTestFinished(() => archive.close());
  expect(await readIn(archive)).toEqual(ALL);
});

test("a damaged ledger is reported by the commands in the same words", async () => {
  const { runHere: run, home } = await atHome();
  const file = join(home, "ledger.db");
  await writeSessions(file);
  writeFileSync(file, readFileSync(file).fill(0, 4_096, 8 * 4_096));
  for (const words of [
    ["history", "verify"],
    ["history", "list"],
  ]) {
    const { status, stderr } = await run([...words, "--ledger", file]);
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/ledger\.db is damaged \(.*Nothing was changed/),
    ]);
    expect(stderr).not.toMatch(/ERR_SQLITE|\n\s+at /);
  }
});

test("a damaged kept file is reported, and is not written into the project", async () => {
  const { runHere: run, home, script, project } = await atHome();
  const [file, path] = [join(home, "ledger.db"), join(project, "a.txt")];
  writeFileSync(path, "as it was before\n".repeat(200));
  const input = { path: "a.txt", content: "new\n" };
  const steps = script([{ calls: [{ tool: "write_file", input }] }, { say: "Done." }]);
  await run(["run", "go", "--mode", "allow-all", "--ledger", file, "--script", steps]);
  const bytes = readFileSync(file);
  bytes.write("WAS", bytes.indexOf("as it was before\nas it") + 6);
  writeFileSync(file, bytes);
  const verified = await run(["history", "verify", "--ledger", file]);
  expect([verified.status, verified.stdout]).toEqual([1, expect.stringContaining("the file that it kept")]);
  const checked = await run(["ledger", "check", file]);
  expect([checked.status, checked.stderr]).toEqual([1, expect.stringContaining("the file that it kept")]);
  const undone = await run(["undo", "call_1", "--ledger", file]);
  expect([undone.status, undone.stderr]).toEqual([1, expect.stringContaining("is damaged (kept file")]);
  expect(readFileSync(path, "utf8")).toBe("new\n");
  const copied = await run(["ledger", "copy", file, join(home, "copy.db")]);
  expect([copied.status, copied.stderr]).toEqual([1, expect.stringContaining("lacks events or kept files")]);
});

describe("a ledger's folder", () => {
  test("is not created by the library, and the error names it", async () => {
    const file = join(place, "no", "such", "ledger.db");
    await expect(openLedger(file)).rejects.toMatchObject({
      code: "LEDGER_FAILED",
      message: `The ledger ${file} cannot be made: there is no folder ${join(place, "no", "such")}. Nothing was written; create the folder, or use another file.`,
    });
    expect(existsSync(join(place, "no"))).toBe(false);
  });

  test("is created by the commands in its default place only", async () => {
    const { runHere: run, home, script, project } = await atHome();
    const state = join(home, "new", "state");
    const words = ["run", "hi", "--script", script([{ say: "Hello." }])];
    const made = await run(words, { env: { XDG_STATE_HOME: state } });
    expect([made.status, existsSync(join(state, "toolgate", "ledger.sqlite"))]).toEqual([0, true]);
    const named = await run([...words, "--ledger", "other/ledger.db"]);
    expect([named.status, named.stderr]).toEqual([1, expect.stringContaining("there is no folder")]);
    expect(existsSync(join(project, "other"))).toBe(false);
  });
});

describe.skipIf(!canMount)("a home that can only be read", () => {
  test("is named by the commands that must write there", async () => {
    const path = await media(async (at) => void mkdirSync(join(at, "made", "toolgate"), { recursive: true }));
    const { runHere: run, script } = await atHome();
    const hello = ["--script", script([{ say: "Hello." }])];
    for (const folder of ["none", "made"]) {
      const env = { XDG_CONFIG_HOME: join(path, folder), XDG_STATE_HOME: join(path, folder) };
      const refused = await Promise.all(
        [
          ["rules", "add", '{"allow":"read"}'],
          ["run", "hi", ...hello],
          ["serve", "--port", "0", ...hello],
        ].map((words) => run(words, { env })),
      );
      for (const { status, stderr } of refused) {
        expect([status, stderr]).toEqual([1, expect.stringContaining("read-only")]);
        expect(stderr).toContain(join(path, folder));
        expect(stderr).not.toMatch(/does not exist|ENOENT|EROFS|\n\s+at /);
      }
    }
  });
});
