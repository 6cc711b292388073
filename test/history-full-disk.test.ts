/**
 * A disk that is full: the tool does not run, the words are clear, nothing acknowledged is lost, and when there is
 * room again the same session goes on. The disk is a real one, small and full, where one can be mounted; elsewhere
 * SQLite gets a limit for its file's size.
 */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { AgentSession } from "../src/agent/index.js";
import type { Ledger } from "../src/call/index.js";
import { readAll, SessionBook } from "../src/call/index.js";
import { openArchive, openLedger } from "../src/history/index.js";
import { verifyLedger } from "../src/history/sqlite/verify-ledger.js";
import { openLedgerFile } from "../src/history/sqlite/sqlite-file.js";
import { SqliteLedger } from "../src/history/sqlite/sqlite-ledger.js";
import { openGate } from "../src/run/index.js";
import { defineTool, LocalWorkspace } from "../src/tools/index.js";
import { counting, folder, never, scripted, text } from "./agent-kit.js";
import { canMount, mountSmallDisk } from "./small-disk.js";

type Disk = {
  readonly file: string;
  readonly ledger: Ledger;
  readonly fill: () => void;
  readonly makeRoom: () => void;
};

const place = mkdtempSync(join(tmpdir(), "toolgate-disk-"));
afterAll(() => rmSync(place, { recursive: true, force: true }));

/** One of its own for each test: the driver holds a closed file's space until its statements are garbage. */
async function smallDisk(): Promise<Disk> {
  const disk = mountSmallDisk();
  if (!disk) throw new Error("A disk could be mounted before, and not now.");
  const file = join(disk.path, "ledger.db");
  const ledger = await openLedger(file);
  onTestFinished(async () => {
    await ledger.close();
    disk.remove();
  });
  return { ...disk, file, ledger };
}

async function boundedFile(): Promise<Disk> {
  const file = join(mkdtempSync(join(place, "one-")), "ledger.db");
  const database = await openLedgerFile(file);
  const ledger = new SqliteLedger(database, Date.now);
  onTestFinished(() => ledger.close());
  const fill = () => {
    database.exec(`pragma max_page_count = ${Number(database.pragma("page_count"))}`);
    // Free pages inside the file can still be written, so the test fills them first.
    const filler = "insert or ignore into sessions values (9999, 'filler', 0, 0, 0, null)";
    const event = "insert into events select 9999, count(*), ?, null from events where session = 9999";
    for (let size = 2_000; size >= 1;) {
      try {
        database.change(filler);
        database.change(event, ["x".repeat(size)]);
      } catch {
        size = Math.floor(size / 2);
      }
    }
  };
  const makeRoom = () => {
    database.exec("pragma max_page_count = 1000000");
    database.exec("delete from sessions where number = 9999");
  };
  return { file, ledger, fill, makeRoom };
}

const newDisk = canMount ? smallDisk : boundedFile;
const how = canMount
  ? "on a disk of four megabytes that is really full"
  : "with a size limit for SQLite's file, since no disk can be mounted here";

const FULL = {
  code: "LEDGER_FULL",
  message: expect.stringMatching(
    /cannot grow: the disk is full .*Nothing was written, and what was written before is safe; make room and try again/,
  ),
};

const logOf = async (ledger: Ledger) => (await readAll(ledger, "s")).map(({ event }) => event);
const stateOf = async (ledger: Ledger) =>
  [...new SessionBook("s", await logOf(ledger)).calls()].map(({ state }) => state.status);

describe(`a session ${how}:`, () => {
  const aGate = async ({ ledger }: Disk, tool = counting("act").tool) => {
    const gate = await openGate({
      ledger,
      workspace: await folder(),
      tools: [tool],
      rules: [{ allow: "act" }],
      sessionId: "s",
    });
    onTestFinished(() => gate.close());
    return gate;
  };

  test("a call is not taken and its tool does not run; with room, the next one does", async () => {
    const disk = await newDisk();
    const act = counting("act");
    const gate = await aGate(disk, act.tool);
    await gate.call({ name: "act", input: {} });
    const before = await logOf(disk.ledger);
    disk.fill();
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(gate.call({ name: "act", input: { big: "x".repeat(5_000) } })).rejects.toMatchObject(FULL);
    expect(act.runs).toBe(1);
    expect(await logOf(disk.ledger)).toEqual(before);
    disk.makeRoom();
    expect((await gate.call({ name: "act", input: {} })).state.status).toBe("done");
    expect(act.runs).toBe(2);
    expect((await logOf(disk.ledger)).slice(0, before.length)).toEqual(before);
    expect(await verifyLedger(disk.file)).toMatchObject({ brokenCount: 0 });
  });

  test("a call that was let through does not run before its start can be recorded, and then once", async () => {
    const disk = await newDisk();
    const act = counting("act");
    const gate = await aGate(disk, act.tool);
    await gate.submit([{ name: "act", input: {} }]);
    disk.fill();
    await expect(gate.proceed(never())).rejects.toMatchObject(FULL);
    await expect(gate.proceed(never())).rejects.toMatchObject(FULL);
    expect([act.runs, await stateOf(disk.ledger)]).toEqual([0, ["cleared"]]);
    disk.makeRoom();
    await gate.proceed(never());
    expect([act.runs, await stateOf(disk.ledger)]).toEqual([1, ["done"]]);
  });

  test("a call whose end cannot be recorded is unknown afterwards, and is not run again", async () => {
    const disk = await newDisk();
    let runs = 0;
    const tool = defineTool({
      name: "act",
      description: "Fills the disk.",
      kind: "other",
      input: z.looseObject({}),
      run: () => {
        runs += 1;
        disk.fill();
        return Promise.resolve("x".repeat(5_000));
      },
    });
    const gate = await aGate(disk, tool);
    await gate.submit([{ name: "act", input: {} }]);
    await expect(gate.proceed(never())).rejects.toMatchObject(FULL);
    disk.makeRoom();
    await gate.proceed(never());
    expect([runs, await stateOf(disk.ledger)]).toEqual([1, ["unknown"]]);
  });

  test("a turn stops with clear words and goes on from where it was; nothing is said or done twice", async () => {
    const disk = await newDisk();
    const act = counting("act");
    const first = defineTool({
      name: "fill",
      description: "Ends, and then the disk is full.",
      kind: "other",
      input: z.looseObject({}),
      run: () => Promise.resolve("ok"),
    });
    const agent = scripted(
      [
        { say: "First.", calls: [{ tool: "fill", input: {} }] },
        { say: "Then.", calls: [{ tool: "act", input: {} }] },
        { say: "The end." },
      ],
      { tools: [first, act.tool], rules: [{ allow: "act" }, { allow: "fill" }] },
    );
    const session = await AgentSession.open({
      agent,
      ledger: disk.ledger,
      workspace: await LocalWorkspace.open(await folder()),
      sessionId: "s",
    });
    onTestFinished(() => session.close());
    const stopFilling = session.onRecorded((events) => {
      if (events.some(({ type }) => type === "call-done")) disk.fill();
    });
    await expect(session.prompt(text("go"), never())).rejects.toMatchObject(FULL);
    expect(act.runs).toBe(0);
    const before = await logOf(disk.ledger);
    stopFilling();
    disk.makeRoom();
    expect(await session.advance(never())).toEqual({ status: "stopped", stopReason: "end_turn" });
    const log = await logOf(disk.ledger);
    expect(log.slice(0, before.length)).toEqual(before);
    expect(act.runs).toBe(1);
    expect(session.book.snapshot()).toEqual(new SessionBook("s", log).snapshot());
    expect(session.book.snapshot().timeline.at(-1)).toMatchObject({
      message: { blocks: [{ text: "The end." }] },
    });
    expect(await verifyLedger(disk.file)).toMatchObject({ brokenCount: 0 });
  });

  test("an answer is refused in the same words, and counts once there is room", async () => {
    const disk = await newDisk();
    const act = counting("act");
    const gate = await openGate({
      ledger: disk.ledger,
      workspace: await folder(),
      tools: [act.tool],
      sessionId: "s",
    });
    onTestFinished(() => gate.close());
    await gate.submit([{ name: "act", input: {} }]);
    const [question] = await disk.ledger.openQuestions();
    const answer = {
      outcome: { type: "selected", optionId: "allow_once" },
      intentHash: question?.intentHash ?? "",
      by: "person",
      reason: "x".repeat(5_000),
      at: Date.now(),
    } as const;
    disk.fill();
    await expect(disk.ledger.answer(question?.questionId ?? "", answer)).rejects.toMatchObject(FULL);
    expect(await disk.ledger.openQuestions()).toHaveLength(1);
    disk.makeRoom();
    expect(await disk.ledger.answer(question?.questionId ?? "", answer)).toMatchObject({ counted: true });
    await gate.proceed(never());
    expect(act.runs).toBe(1);
  });

  test("a ledger cannot be created, and an existing one is read", async () => {
    const disk = await newDisk();
    const gate = await aGate(disk);
    await gate.call({ name: "act", input: {} });
    disk.fill();
    const beside = await openLedger(disk.file);
    expect(await stateOf(beside)).toEqual(["done"]);
    await beside.close();
    if (!canMount) return;
    const another = join(dirname(disk.file), "another.db");
    await expect(openLedger(another)).rejects.toMatchObject(FULL);
  });
});

test.skipIf(!canMount)("says that the disk is full when no further file can be made on it", async () => {
  const disk = mountSmallDisk(4, { files: 10 });
  if (!disk) throw new Error("A disk could be mounted before, and not now.");
  onTestFinished(() => disk.remove());
  const [made, file] = [join(place, "made.db"), join(disk.path, "ledger.db")];
  await (await openLedger(made)).close();
  // Without the files that SQLite keeps beside an open one.
  copyFileSync(made, file);
  expect(() => {
    for (let count = 0; count < 20; count += 1) writeFileSync(join(disk.path, `${count}`), "");
  }).toThrow(/ENOSPC/);
  const ledger = await openLedger(file);
  onTestFinished(() => ledger.close());
  const full = { code: "LEDGER_FULL", message: expect.stringContaining("the disk is full") };
  await expect(ledger.claim("s", "ann", { milliseconds: 1_000 })).rejects.toMatchObject(full);
  expect(await ledger.sessions()).toEqual([]);
  await expect(openLedger(join(disk.path, "new.db"))).rejects.toMatchObject(full);
});

test.skipIf(!canMount).each([false, true])(
  "reads a ledger on a disk with no room for the files that SQLite keeps beside it (its process was killed: %s)",
  async (wasKilled) => {
    const disk = mountSmallDisk();
    if (!disk) throw new Error("A disk could be mounted before, and not now.");
    onTestFinished(() => disk.remove());
    const [made, file] = [join(mkdtempSync(join(place, "one-")), "made.db"), join(disk.path, "ledger.db")];
    const ledger = await openLedger(made);
    onTestFinished(() => ledger.close());
    const { tool } = counting("act");
    const rules = [{ allow: "act" }];
    const gate = await openGate({ ledger, workspace: await folder(), tools: [tool], rules, sessionId: "s" });
    await gate.call({ name: "act", input: {} });
    await gate.close();
    // An open ledger has a log beside it.
    if (wasKilled) copyFileSync(`${made}-wal`, `${file}-wal`);
    else await ledger.close();
    copyFileSync(made, file);
    disk.fill();

    const read = await openLedger(file, { readOnly: true });
    expect(await stateOf(read)).toEqual(["done"]);
    await read.close();
    expect(await verifyLedger(file)).toMatchObject({ sessions: 1 });
    const archive = await openArchive(file);
    expect((await archive.sessions()).items).toHaveLength(1);
    await archive.close();
  },
);
