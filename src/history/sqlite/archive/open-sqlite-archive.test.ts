import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Archive, SessionEvent } from "../../../call/index.js";
import { archiveContract } from "../../contract/archive.contract.js";
import { aRun, aStore, NOON, record, said } from "../../history.samples.js";
import { openArchive } from "../../open-archive.js";
import { openLedger } from "../../open-ledger.js";
import { redactionPattern } from "../../redaction/redaction-pattern.js";

const store = aStore();

archiveContract("The archive in SQLite", async ({ now }) => {
  const file = store.newFile();
  return { ledger: await openLedger(file, { now }), archive: await openArchive(file, { now }) };
});

const info = (title: string, cwd: string, agent = "ada"): SessionEvent => ({
  type: "info-changed",
  at: NOON,
  info: { title, cwd, agent },
});
/** Where something was found: the call's id, or what was said. */
const found = async (index: Archive, text: string, more: object = {}) =>
  (await index.search({ text, ...more })).items.map(
    ({ call, excerpt }) => call?.toolCallId ?? excerpt.map((part) => part.text).join(""),
  );

test("finds prompts, calls, outputs and messages, the newest first, with an excerpt", async () => {
  const file = store.newFile();
  const ledger = await store.ledger(file);
  const index = await store.archive(file);
  await record(ledger, "s1", [
    info("Fix the test", "/home/ann/app"),
    said("The parser fails on ümlauts", { role: "user", at: NOON - 10 }),
    ...aRun("c1", { rawInput: { command: "npm test parser" }, output: "1 failed\n" }),
    ...aRun("c2", { at: NOON + 100, name: "edit_file", kind: "edit", output: "parser fixed" }),
  ]);
  expect(await found(index, "parser")).toEqual(["c2", "c1", "The parser fails on ümlauts"]);
  expect(await found(index, "UMLAUTS")).toEqual(["The parser fails on ümlauts"]);
  expect(await found(index, "pars*")).toHaveLength(3);
  expect(await found(index, '"parser fixed"')).toEqual(["c2"]);
  expect(await found(index, "fixed parser failed")).toEqual([]);
  expect(await found(index, "parser", { tool: "edit_file" })).toEqual(["c2"]);
  expect(await found(index, "parser", { kind: "execute" })).toEqual(["c1"]);
  expect(await found(index, "parser", { sessionId: "another" })).toEqual([]);
  expect(await found(index, "parser", { since: NOON, until: NOON + 50 })).toEqual(["c1"]);
  const [hit] = (await index.search({ text: "fixed" })).items;
  expect(hit).toMatchObject({ sessionId: "s1", at: NOON + 100, call: { tool: "edit_file", status: "done" } });
  expect(hit?.excerpt.filter(({ isMatch }) => isMatch)).toEqual([{ text: "fixed", isMatch: true }]);
});

test("indexes new events, also those of other processes and of a call that goes on", async () => {
  const file = store.newFile();
  const [ledger, beside] = [await store.ledger(file), await store.ledger(file)];
  const index = await store.archive(file);
  const run = aRun("c1", { output: "first" });
  await record(ledger, "s1", run.slice(0, 4));
  expect((await index.calls()).items).toMatchObject([{ toolCallId: "c1", status: "running" }]);
  await record(beside, "s1", run.slice(4));
  expect((await index.calls()).items).toMatchObject([{ status: "done", ranMs: 5, outputSize: 5 }]);
  expect(await found(index, "first")).toEqual(["c1"]);
  await record(ledger, "s1", [said("one ", { messageId: "m" })]);
  await index.refresh();
  await record(ledger, "s1", [said("two", { messageId: "m" })]);
  expect(await found(index, "one two")).toEqual(["one two"]);
});

test("forgets a removed session, also in the file, and treats one started again under its id as new", async () => {
  const file = store.newFile();
  const ledger = await store.ledger(file);
  const index = await store.archive(file);
  await record(ledger, "s1", [info("Old", "/a"), said("zebracrossing"), ...aRun("c1")]);
  expect(await found(index, "zebracrossing")).toHaveLength(1);
  await ledger.remove(await ledger.claim("s1", "ann", { milliseconds: 1 }));
  expect(await found(index, "zebracrossing")).toEqual([]);
  expect((await index.sessions()).items).toEqual([]);
  await record(ledger, "s1", [
    info("New", "/a"),
    said("another"),
    said("more"),
    ...aRun("c1"),
    ...aRun("c2"),
  ]);
  expect((await index.sessions()).items).toMatchObject([{ sessionId: "s1", title: "New", calls: 2 }]);
  expect(await found(index, "zebracrossing")).toEqual([]);
  await index.close();
  const files = readdirSync(dirname(file)).filter((name) => name.startsWith(`${basename(file)}.index`));
  for (const name of files) {
    expect(readFileSync(`${dirname(file)}/${name}`).includes("zebracrossing")).toBe(false);
  }
});

test("rebuilds the index of a ledger that was restored from a backup and then diverged", async () => {
  const file = store.newFile();
  const ledger = await store.ledger(file);
  const lost = ["lostbranch", "lost", "lost"].map((text, place) => said(text, { messageId: `x${place}` }));
  await record(ledger, "s1", [said("common"), ...lost]);
  await ledger.close();
  const index = await store.archive(file);
  expect(await found(index, "lostbranch")).toHaveLength(1);
  await index.close();
  const raw = new DatabaseSync(file);
  raw.exec(
    "delete from events where seq > 1; update sessions set last_seq = 1, chain = (select chain from events)",
  );
  raw.close();
  const again = await store.ledger(file);
  const other = ["other", "b", "c", "d"].map((text, place) => said(text, { messageId: `y${place}` }));
  await record(again, "s1", other);
  const after = await store.archive(file);
  expect([await found(after, "lostbranch"), (await found(after, "other")).length]).toEqual([[], 1]);
});

test("secrets do not get into the file, also those that came in pieces or only the user knows", async () => {
  const file = store.newFile();
  const ledger = await store.ledger(file);
  const secret = `ghp_${"a1B2c3D4".repeat(5)}`;
  await record(ledger, "s1", [
    said(`the token is ${secret.slice(0, 12)}`, { messageId: "m" }),
    said(`${secret.slice(12)} indeed`, { messageId: "m" }),
    ...aRun("c1", {
      rawInput: { command: `curl -H "X: ${secret}"`, env: { DB_PASSWORD: "correcthorse" } },
      output: `Zephyr-17\n${secret}`,
    }),
  ]);
  const index = await store.archive(file, { patterns: [redactionPattern("Zephyr-\\d+")] });
  expect(await found(index, "indeed")).toEqual(["the token is [redacted token] indeed"]);
  await index.close();
  const bytes = readFileSync(`${file}.index`);
  for (const word of [secret, secret.slice(12), "correcthorse", "Zephyr-17", "zephyr"]) {
    expect(bytes.includes(word), word).toBe(false);
  }
});

test("pages go on after each other and miss nothing, in every list", async () => {
  const file = store.newFile();
  let time = NOON;
  const ledger = await store.ledger(file, () => time);
  for (let session = 0; session < 7; session += 1) {
    // Two in the same moment each.
    time = NOON + Math.floor(session / 2) * 1000;
    const at = time;
    await record(ledger, `s${session}`, [
      info(`t${session}`, "/a"),
      ...aRun("c1", { at, output: "word" }),
      ...aRun("c2", { at, output: "word" }),
    ]);
  }
  const index = await store.archive(file);
  const all = async <Item>(
    read: (before: { before?: string }) => Promise<{ items: readonly Item[]; next?: string }>,
  ) => {
    const items: Item[] = [];
    for (let before: { before?: string } = {}; ;) {
      const page = await read(before);
      expect(page.items.length).toBeLessThanOrEqual(3);
      items.push(...page.items);
      if (page.next === undefined) return items;
      before = { before: page.next };
    }
  };
  const sessions = await all((before) => index.sessions({ limit: 3, ...before }));
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s6", "s5", "s4", "s3", "s2", "s1", "s0"]);
  const calls = await all((before) => index.calls({ limit: 3, ...before }));
  expect(new Set(calls.map(({ sessionId, toolCallId }) => sessionId + toolCallId)).size).toBe(14);
  expect(calls.map(({ at }) => at)).toEqual(calls.map(({ at }) => at).toSorted((one, other) => other - one));
  const hits = await all((before) => index.search({ text: "word", limit: 3, ...before }));
  expect(hits).toHaveLength(14);
  expect((await all((before) => index.calls({ sessionId: "s3", limit: 3, ...before }))).length).toBe(2);
  await expect(index.calls({ before: "x" })).rejects.toThrow('"x" is no place to go on from');
  await expect(index.calls({ limit: 0 })).rejects.toThrow("A page cannot have 0 items");
});

describe("history statistics", () => {
  test("counts calls, how they ended and who decided, and measures how long they took", async () => {
    const file = store.newFile();
    const ledger = await store.ledger(file);
    const day = 86_400_000;
    const person: SessionEvent[] = [
      ...aRun("asked", { name: "edit_file", kind: "edit" }).slice(0, 2),
      {
        type: "question-asked",
        toolCallId: "asked",
        at: NOON + 10,
        question: {
          questionId: "q1",
          sessionId: "s1",
          toolCallId: "asked",
          intentHash: "h",
          title: "Edit",
          options: [{ optionId: "no", name: "No", kind: "reject_once" }],
          askedAt: NOON + 10,
        },
      },
      {
        type: "question-answered",
        at: NOON + 5010,
        questionId: "q1",
        answer: {
          outcome: { type: "selected", optionId: "no" },
          intentHash: "h",
          by: "person",
          who: "ann",
          at: NOON + 5010,
        },
      },
      {
        type: "call-refused",
        toolCallId: "asked",
        at: NOON + 5010,
        decision: { by: "person", who: "ann", at: NOON + 5010 },
      },
    ];
    await record(ledger, "s1", [
      info("One", "/a", "ada"),
      ...Array.from({ length: 100 }, (_, index) => aRun(`c${index}`, { ranMs: index + 1 })).flat(),
      ...aRun("late", { at: NOON + day, end: "failed", decision: { by: "rule", rule: "other" } }),
      ...person,
    ]);
    await record(ledger, "s2", [info("Two", "/b", "bob"), ...aRun("c1").slice(0, 3)]);
    const index = await store.archive(file);
    expect(await index.statistics({ by: "tool" })).toEqual([
      {
        key: "terminal",
        calls: 102,
        done: 100,
        failed: 1,
        refused: 0,
        cancelled: 0,
        unknown: 0,
        open: 1,
        decidedByRule: 102,
        decidedByPerson: 0,
        contained: 0,
        breaches: 0,
        ranMs: { p50: 50, p95: 95 },
      },
      {
        key: "edit_file",
        calls: 1,
        done: 0,
        failed: 0,
        refused: 1,
        cancelled: 0,
        unknown: 0,
        open: 0,
        decidedByRule: 0,
        decidedByPerson: 1,
        contained: 0,
        breaches: 0,
        waitedMs: { p50: 5000, p95: 5000 },
      },
    ]);
    const keys = async (query: Parameters<Archive["statistics"]>[0]) =>
      (await index.statistics(query)).map(({ key, calls }) => [key, calls]);
    expect(await keys({ by: "agent" })).toEqual([
      ["ada", 102],
      ["bob", 1],
    ]);
    expect(await keys({ by: "day" })).toEqual([
      ["2026-01-02", 102],
      ["2026-01-03", 1],
    ]);
    expect(await keys({ by: "rule" })).toEqual([
      ["listing", 101],
      ["", 1],
      ["other", 1],
    ]);
    expect(await keys({ by: "kind", since: NOON + day })).toEqual([["execute", 1]]);
    expect(await keys({ by: "kind", cwd: "/b" })).toEqual([["execute", 1]]);
  });
});

describe("the index file", () => {
  test("makes the index the owner's alone, and makes it again when it was deleted", async () => {
    const file = store.newFile();
    const ledger = await store.ledger(file);
    await record(ledger, "s1", [said("hello")]);
    const progress: number[] = [];
    const index = await store.archive(file, { onProgress: ({ events }) => progress.push(events) });
    expect(await found(index, "hello")).toEqual(["hello"]);
    expect(progress.at(-1)).toBe(1);
    if (process.platform !== "win32") expect(statSync(`${file}.index`).mode & 0o777).toBe(0o600);
    await index.close();
    rmSync(`${file}.index`);
    const again = await store.archive(file);
    expect(existsSync(`${file}.index`)).toBe(true);
    expect(await found(again, "hello")).toEqual(["hello"]);
    await again.close();
    await expect(again.search({ text: "x" })).rejects.toMatchObject({ code: "LEDGER_CLOSED" });
  });

  test("leaves a file of another program alone, and reports a damaged index with what to do", async () => {
    const file = store.newFile();
    await store.ledger(file);
    writeFileSync(`${file}.index`, "dear diary");
    await expect(store.archive(file)).rejects.toThrow(
      /is not a toolgate history index: it is no SQLite file/,
    );
    expect(readFileSync(`${file}.index`, "utf8")).toBe("dear diary");
    rmSync(`${file}.index`);
    await (await store.archive(file)).close();
    writeFileSync(`${file}.index`, readFileSync(`${file}.index`).fill(0x5a, 100, 4096));
    await expect(store.archive(file)).rejects.toThrow(/damaged.*delete it: it is made again/);
  });

  test("indexes a ledger that is new, or older than the chain", async () => {
    const [empty, old] = [store.newFile(), store.newFile()];
    writeFileSync(empty, "");
    expect((await (await store.archive(empty)).sessions()).items).toEqual([]);
    const ledger = await store.ledger(old);
    await record(ledger, "s1", [said("hello")]);
    await ledger.close();
    const raw = new DatabaseSync(old);
    raw.exec("alter table events drop column chain; alter table sessions drop column chain");
    raw.exec(
      "alter table blobs drop column put_at; drop table snapshots; alter table leases drop column milliseconds; alter table leases drop column holder; pragma user_version = 1",
    );
    raw.close();
    const index = await store.archive(old);
    expect(await found(index, "hello")).toEqual(["hello"]);
    await record(await store.ledger(old), "s1", [said("again", { messageId: "x" })]);
    expect([await found(index, "hello"), await found(index, "again")]).toEqual([["hello"], ["again"]]);
  });

  test("refuses to index a ledger that does not exist, and creates none", async () => {
    const file = store.newFile();
    await expect(store.archive(file)).rejects.toThrow(`There is no ledger ${file}`);
    expect(existsSync(file)).toBe(false);
  });

  test("indexes each call once when several processes refresh the index at once", async () => {
    const file = store.newFile();
    const ledger = await store.ledger(file);
    const events = Array.from({ length: 300 }, (_, index) => aRun(`c${index}`, { output: "word" })).flat();
    await record(ledger, "s1", events);
    const indexes = await Promise.all([1, 2, 3].map(() => store.archive(file)));
    await Promise.all(indexes.map((index) => index.refresh()));
    await record(ledger, "s1", aRun("last", { output: "word" }));
    const pages = await Promise.all(indexes.map((index) => index.search({ text: "word", limit: 1000 })));
    // A process that stopped for another one sees everything at its next query at the latest.
    expect(Math.max(...pages.map(({ items }) => items.length))).toBe(301);
    for (const index of indexes) {
      await index.refresh();
      const { items } = await index.calls({ limit: 1000 });
      expect(new Set(items.map(({ toolCallId }) => toolCallId)).size).toBe(301);
      expect(items).toHaveLength(301);
    }
  });
});

test("searches for any text without failing", async () => {
  const file = store.newFile();
  const ledger = await store.ledger(file);
  await record(ledger, "s1", [said("a quick brown fox OR 1=1 NEAR it")]);
  const index = await store.archive(file);
  const typed = fc.oneof(
    fc.string({ unit: "binary", maxLength: 40 }),
    fc
      .array(
        fc.constantFrom('"', "*", "fox", "OR", "NOT", "NEAR(", ")", ":", "text", "-", "^", "+", "\0", " "),
        {
          maxLength: 12,
        },
      )
      .map((parts) => parts.join("")),
  );
  await fc.assert(
    fc.asyncProperty(typed, async (text) => {
      const { items } = await index.search({ text });
      expect(items.length).toBeLessThanOrEqual(1);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) },
  );
  expect(await found(index, "fox OR")).toHaveLength(1);
  expect(await found(index, "fox NOT fox")).toHaveLength(0);
});

test("forget drops the rows of a removed session at once, and keeps those of one that has grown", async () => {
  const file = store.newFile();
  const ledger = await store.ledger(file);
  await record(ledger, "s1", [said("zebracrossing")]);
  await record(ledger, "s2", [said("lighthouse")]);
  await (await store.archive(file)).close();
  await record(ledger, "s2", aRun("c1"));
  const archive = await openArchive(file);
  expect(await archive.forget({ sessionIds: ["s1"] })).toMatchObject({ removed: ["s1"] });
  await archive.close();
  const index = new DatabaseSync(`${file}.index`);
  expect(index.prepare("select session_id, last_seq from sessions").all()).toEqual([
    expect.objectContaining({ session_id: "s2", last_seq: 1 }),
  ]);
  expect(index.prepare("select text from documents").all()).toEqual([
    expect.objectContaining({ text: "lighthouse" }),
  ]);
  index.close();
});

test("rebuilds an index of an older version", async () => {
  const file = store.newFile();
  await record(await store.ledger(file), "s1", [said("lighthouse"), ...aRun("c1")]);
  await (await store.archive(file)).close();
  const index = new DatabaseSync(`${file}.index`);
  index.exec("drop table steps; alter table sessions drop column model; pragma user_version = 2");
  index.close();
  const archive = await store.archive(file);
  expect(await found(archive, "lighthouse")).toHaveLength(1);
  expect(await archive.modelUsage()).toEqual([]);
  expect((await archive.calls()).items).toHaveLength(1);
});
