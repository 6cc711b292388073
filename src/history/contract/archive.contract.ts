/**
 * The contract of every archive, over a ledger in memory, in a file or in a database.
 *
 * The suite knows the ledger and the archive only by their ports. Sessions are recorded through the ledger, and every
 * query must see them without anything done in between.
 */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Archive, Ledger, Page, SearchHit, SessionEvent } from "../../call/index.js";
import { aRun, NOON, record, said } from "../history.samples.js";
import { aQuestion, asked, callAt } from "./contract.samples.js";

type ArchiveStore = { readonly ledger: Ledger; readonly archive: Archive };
type Open = (clock: { readonly now: () => number }) => Promise<ArchiveStore>;

const DAY_MS = 86_400_000;
const SECRET = ["ghp", "16C7e42F292c6912E7710c838347Ae178B4a"].join("_");

const about = (title: string, cwd: string, agent = "ada", _meta = {}): SessionEvent => ({
  type: "info-changed",
  at: NOON,
  info: { title, cwd, agent, _meta },
});

const step = (
  stepId: string,
  { at = NOON, model, usage }: { at?: number; model?: string; usage?: object } = {},
): SessionEvent[] => [
  { type: "turn-started", turnId: `turn-${stepId}`, at },
  {
    type: "step-ended",
    turnId: `turn-${stepId}`,
    stepId,
    at,
    toolCallIds: [],
    ...(usage && { usage }),
    ...(model !== undefined && { answer: { model, parts: [] } }),
  },
  { type: "turn-stopped", turnId: `turn-${stepId}`, at, stopReason: "end_turn" },
];

export function archiveContract(name: string, open: Open): void {
  describe(`${name}, as every archive:`, () => {
    const clock = { time: NOON };
    let ledger: Ledger;
    let archive: Archive;
    beforeEach(async () => {
      clock.time = NOON;
      ({ ledger, archive } = await open({ now: () => clock.time }));
    });
    afterEach(async () => {
      await archive.close();
      await ledger.close();
    });

    const all = async <Item>(
      read: (before: { readonly before?: string }) => Promise<Page<Item>>,
    ): Promise<readonly Item[]> => {
      const items: Item[] = [];
      for (let page = await read({}); ; page = await read({ before: page.next })) {
        items.push(...page.items);
        if (page.next === undefined) return items;
      }
    };
    const foundBy = async (text: string, more: object = {}) =>
      (await archive.search({ text, ...more })).items.map(
        ({ call, sessionId }) => call?.toolCallId ?? `message of ${sessionId}`,
      );
    const marked = ({ excerpt }: SearchHit) =>
      excerpt.filter(({ isMatch }) => isMatch).map(({ text }) => text);

    test("answers with nothing before anything is recorded", async () => {
      expect(await archive.sessions()).toEqual({ items: [] });
      expect(await archive.calls()).toEqual({ items: [] });
      expect(await archive.search({ text: "anything" })).toEqual({ items: [] });
      expect(await archive.statistics({ by: "tool" })).toEqual([]);
      expect(await archive.modelUsage()).toEqual([]);
      expect(await archive.verify()).toMatchObject({ sessions: 0, events: 0, brokenCount: 0 });
      expect(await archive.forget()).toEqual({ removed: [], kept: [], blobs: 0 });
    });

    test("lists sessions, the most recently written first, with what is known of them", async () => {
      await record(ledger, "s1", [about("First", "/a"), said("hello"), ...aRun("c1")]);
      clock.time += 1;
      await record(ledger, "s2", [said("hi")]);
      clock.time += 1;
      await record(ledger, "s3", [about("Third", "/a", "bob")]);
      clock.time += 1;
      await record(ledger, "s1", [...aRun("c2")]);
      expect((await archive.sessions()).items).toEqual([
        {
          sessionId: "s1",
          createdAt: NOON,
          updatedAt: NOON + 3,
          title: "First",
          agent: "ada",
          cwd: "/a",
          calls: 2,
          messages: 1,
          breaches: 0,
        },
        expect.objectContaining({ sessionId: "s3", title: "Third", agent: "bob", calls: 0 }),
        { sessionId: "s2", createdAt: NOON + 1, updatedAt: NOON + 1, calls: 0, messages: 1, breaches: 0 },
      ]);
      const ofFolder = (await archive.sessions({ cwd: "/a" })).items.map(({ sessionId }) => sessionId);
      expect(ofFolder).toEqual(["s1", "s3"]);
      expect(await archive.sessions({ cwd: "/b" })).toEqual({ items: [] });
    });

    test("pages go on after the last item of the page before, also among those of one moment", async () => {
      for (let number = 0; number < 7; number++) {
        if (number === 3) clock.time += 1;
        const sessionId = `s${number}`;
        await record(ledger, sessionId, [said(`word ${number}`), ...aRun("c", { output: "word" })]);
      }
      const sessions = (await archive.sessions()).items;
      const calls = (await archive.calls()).items;
      const hits = (await archive.search({ text: "word" })).items;
      expect([sessions.length, calls.length, hits.length]).toEqual([7, 7, 14]);
      for (const limit of [1, 2, 3, 7, 8]) {
        expect(await all((before) => archive.sessions({ limit, ...before }))).toEqual(sessions);
        expect(await all((before) => archive.calls({ limit, ...before }))).toEqual(calls);
        expect(await all((before) => archive.search({ text: "word", limit, ...before }))).toEqual(hits);
      }
      await expect(archive.sessions({ limit: 0 })).rejects.toThrow(RangeError);
      await expect(archive.calls({ limit: 1.5 })).rejects.toThrow("Nothing was read.");
      await expect(archive.calls({ before: "elsewhere" })).rejects.toThrow("no place to go on from");
    });

    test("finds calls by session, folder, agent, tool, kind, status and time", async () => {
      await record(ledger, "s1", [
        about("A", "/a"),
        ...aRun("c1", { at: NOON, name: "terminal", ranMs: 7 }),
        ...aRun("c2", { at: NOON + 10, name: "edit_file", kind: "edit", end: "failed" }),
      ]);
      const person = { by: "person", who: "ann" } as const;
      await record(ledger, "s2", [
        about("B", "/b", "bob"),
        ...aRun("c3", { at: NOON + 20, decision: person, output: "12345" }),
      ]);
      const ids = async (query: object) =>
        (await archive.calls(query)).items.map(({ toolCallId }) => toolCallId);
      expect(await ids({})).toEqual(["c3", "c2", "c1"]);
      expect(await ids({ sessionId: "s1" })).toEqual(["c2", "c1"]);
      expect(await ids({ sessionId: "never-started" })).toEqual([]);
      expect(await ids({ cwd: "/a" })).toEqual(["c2", "c1"]);
      expect(await ids({ agent: "bob" })).toEqual(["c3"]);
      expect(await ids({ agent: "bob", cwd: "/a" })).toEqual([]);
      expect(await ids({ tool: "terminal" })).toEqual(["c3", "c1"]);
      expect(await ids({ kind: "edit" })).toEqual(["c2"]);
      expect(await ids({ status: "failed" })).toEqual(["c2"]);
      expect(await ids({ since: NOON + 10 })).toEqual(["c3", "c2"]);
      expect(await ids({ until: NOON + 10 })).toEqual(["c1"]);
      const [third, , first] = (await archive.calls()).items;
      expect(first).toEqual({
        sessionId: "s1",
        toolCallId: "c1",
        at: NOON,
        tool: "terminal",
        kind: "execute",
        title: "Run c1",
        status: "done",
        decidedBy: "rule",
        rule: "listing",
        ranMs: 7,
        outputSize: 0,
      });
      expect(third).toMatchObject({ decidedBy: "person", who: "ann", outputSize: 5 });
    });

    test("finds words, phrases and beginnings in messages and calls, the newest first", async () => {
      await record(ledger, "s1", [
        said("The Parser fails on ümlauts", { role: "user", at: NOON - 10 }),
        ...aRun("c1", { rawInput: { command: "npm test parser" }, output: "1 failed" }),
        ...aRun("c2", { at: NOON + 100, name: "edit_file", kind: "edit", output: "parser fixed" }),
      ]);
      expect(await foundBy("parser")).toEqual(["c2", "c1", "message of s1"]);
      expect(await foundBy("UMLAUTS")).toEqual(["message of s1"]);
      expect(await foundBy("ümlauts")).toEqual(["message of s1"]);
      expect(await foundBy("parse")).toEqual([]);
      expect(await foundBy("pars*")).toHaveLength(3);
      expect(await foundBy("p*")).toEqual([]);
      expect(await foundBy('"parser fixed"')).toEqual(["c2"]);
      expect(await foundBy('"fixed parser"')).toEqual([]);
      expect(await foundBy("fixed parser")).toEqual(["c2"]);
      expect(await foundBy("fixed fails")).toEqual([]);
      expect(await foundBy("")).toEqual([]);
      expect(await foundBy('" * - ')).toEqual([]);
      expect(await foundBy('AND "OR')).toEqual([]);
      expect(await foundBy("parser", { tool: "edit_file" })).toEqual(["c2"]);
      expect(await foundBy("parser", { kind: "execute" })).toEqual(["c1"]);
      expect(await foundBy("parser", { sessionId: "s1", until: NOON })).toEqual(["message of s1"]);
      expect(await foundBy("parser", { sessionId: "s2" })).toEqual([]);
      const [, , message] = (await archive.search({ text: "pars*" })).items;
      expect(message).toMatchObject({ sessionId: "s1", at: NOON - 10, role: "user" });
      expect(message && marked(message)).toEqual(["Parser"]);
      expect(message?.excerpt.map(({ text }) => text).join("")).toBe("The Parser fails on ümlauts");
      const long = `${"lead ".repeat(100)}needle${" tail".repeat(100)}`;
      await record(ledger, "s2", [said(long, { at: NOON + 200 })]);
      const [hit] = (await archive.search({ text: "needle" })).items;
      expect(hit && marked(hit)).toEqual(["needle"]);
      expect(hit?.excerpt.map(({ text }) => text).join("").length).toBeLessThan(300);
    });

    test("sees a call that goes on, and a session that was removed", async () => {
      const run = aRun("c1", { output: "zebra" });
      await record(ledger, "s1", run.slice(0, 4));
      expect((await archive.calls()).items).toMatchObject([{ toolCallId: "c1", status: "running" }]);
      await record(ledger, "s1", run.slice(4));
      expect((await archive.calls()).items).toMatchObject([{ toolCallId: "c1", status: "done" }]);
      expect(await foundBy("zebra")).toEqual(["c1"]);
      await ledger.remove(await ledger.claim("s1", "ann", { milliseconds: 1_000 }));
      expect(await foundBy("zebra")).toEqual([]);
      expect([await archive.sessions(), await archive.calls()]).toEqual([{ items: [] }, { items: [] }]);
    });

    test("counts calls by tool, kind, agent, day and rule, of a time and a folder", async () => {
      await record(ledger, "s1", [
        about("A", "/a"),
        ...aRun("c1", { ranMs: 10 }),
        ...aRun("c2", { ranMs: 30, end: "failed" }),
        ...aRun("c3", { ranMs: 20, decision: { by: "person", who: "ann" } }),
        ...callAt("c4"),
      ]);
      const nextDay = { at: NOON + DAY_MS, name: "edit_file", kind: "edit" } as const;
      await record(ledger, "s2", [about("B", "/b", "bob"), ...aRun("c5", nextDay)]);
      expect(await archive.statistics({ by: "tool" })).toEqual([
        {
          key: "terminal",
          calls: 3,
          done: 2,
          failed: 1,
          refused: 0,
          cancelled: 0,
          unknown: 0,
          open: 0,
          decidedByRule: 2,
          decidedByPerson: 1,
          contained: 0,
          breaches: 0,
          ranMs: { p50: 20, p95: 30 },
        },
        expect.objectContaining({ key: "edit_file", calls: 1 }),
        expect.objectContaining({ key: "write_file", calls: 1, open: 1, decidedByRule: 0 }),
      ]);
      const keys = async (query: Parameters<Archive["statistics"]>[0]) =>
        (await archive.statistics(query)).map(({ key, calls }) => `${key} ${calls}`);
      expect(await keys({ by: "kind" })).toEqual(["execute 3", "edit 2"]);
      expect(await keys({ by: "agent" })).toEqual(["ada 4", "bob 1"]);
      expect(await keys({ by: "day" })).toEqual(["2026-01-02 4", "2026-01-03 1"]);
      expect(await keys({ by: "rule" })).toEqual(["listing 3", " 2"]);
      expect(await keys({ by: "agent", cwd: "/b" })).toEqual(["bob 1"]);
      expect(await keys({ by: "kind", agent: "ada" })).toEqual(["execute 3", "edit 1"]);
      expect(await keys({ by: "kind", agent: "ada", cwd: "/b" })).toEqual([]);
      expect(await keys({ by: "agent", since: NOON + 1 })).toEqual(["bob 1"]);
      expect(await keys({ by: "agent", until: NOON + 1 })).toEqual(["ada 4"]);
      // Callers without types may ask for anything.
      await expect(archive.statistics({ by: "1; drop" as "tool" })).rejects.toThrow(
        "There are no statistics by",
      );
    });

    test("counts the calls that the sandbox contained", async () => {
      await record(ledger, "s1", [about("A", "/a"), ...aRun("c1", { decision: { by: "sandbox" } })]);
      expect(await archive.statistics({ by: "tool" })).toMatchObject([
        { calls: 1, contained: 1, decidedByRule: 0, decidedByPerson: 0 },
      ]);
      expect((await archive.calls()).items).toMatchObject([{ decidedBy: "sandbox" }]);
    });

    test("counts what was run for another agent's call with that call, unless it was refused", async () => {
      const below = (toolCallId: string, parentToolCallId: string) =>
        aRun(toolCallId).map((event) =>
          event.type === "call-announced" ? { ...event, parentToolCallId } : event,
        );
      const own = aRun("a").map((event) =>
        event.type === "call-cleared" ? { type: event.type, toolCallId: "a", at: event.at } : event,
      );
      const refused = below("proxied_2", "a").slice(0, 2);
      const reason = { by: "rule", rule: "no", at: NOON } as const;
      await record(ledger, "one", [
        ...own,
        ...below("proxied_1", "a"),
        ...refused,
        { type: "call-refused", toolCallId: "proxied_2", at: NOON, decision: reason },
        ...below("b", "a"),
      ]);
      expect((await archive.sessions({})).items).toMatchObject([{ calls: 3 }]);
      expect(await archive.statistics({ by: "tool" })).toMatchObject([
        { calls: 3, done: 2, refused: 1, decidedByRule: 3 },
      ]);
      expect((await archive.calls({})).items.map(({ toolCallId }) => toolCallId).toSorted()).toEqual([
        "a",
        "b",
        "proxied_1",
        "proxied_2",
      ]);
    });

    test("counts the answers and tokens of models", async () => {
      const flags = (model: string, more = {}) => ({ toolgate: { flags: { model, ...more } } });
      await record(ledger, "s1", [
        about("A", "/a", "ada", flags("anthropic/big")),
        ...step("1", { model: "signed", usage: { inputTokens: 100, outputTokens: 10, cachedTokens: 60 } }),
        ...step("2", { usage: { inputTokens: 50, outputTokens: 5, cachedTokens: 70, reasoningTokens: 2 } }),
      ]);
      await record(ledger, "s2", [
        about("B", "/b", "ada", flags("anthropic/big", { baseUrl: "http://localhost" })),
        ...step("1", { at: NOON + 5, usage: { inputTokens: 7 } }),
      ]);
      await record(ledger, "s3", [...step("1", { model: "signed" }), ...step("2"), ...step("3")]);
      await record(ledger, "s4", [
        ...step("1", { model: "signed" }),
        ...step("2", { model: "other" }),
        ...step("3"),
      ]);
      await record(ledger, "s3", step("4"));
      const used = await archive.modelUsage();
      expect(used.map(({ model, answers, isListPriced }) => `${model} ${answers} ${isListPriced}`)).toEqual([
        "signed 5 false",
        "anthropic/big 2 true",
        " 1 false",
        "anthropic/big 1 false",
        "other 1 false",
      ]);
      expect(used[1]).toEqual({
        model: "anthropic/big",
        isListPriced: true,
        answers: 2,
        inputTokens: 150,
        outputTokens: 15,
        reasoningTokens: 2,
        cachedTokens: 130,
        cacheWrittenTokens: 0,
        freshTokens: 40,
        maxInputTokens: 100,
        uncountedAnswers: 0,
      });
      expect(used[3]).toMatchObject({ inputTokens: 7, uncountedAnswers: 1 });
      expect(await archive.modelUsage({ cwd: "/b" })).toEqual([used[3]]);
      expect(await archive.modelUsage({ agent: "nobody" })).toEqual([]);
      expect(await archive.modelUsage({ sessionId: "s2" })).toEqual([used[3]]);
      expect(await archive.modelUsage({ sessionId: "none" })).toEqual([]);
      expect(await archive.modelUsage({ since: NOON + 5 })).toEqual([used[3]]);
      expect(await archive.modelUsage({ until: NOON })).toEqual([]);
    });

    test("counts the responses of a sub-agent", async () => {
      const child = { toolCallId: "task", at: NOON, toolCallIds: [], text: "Found it." };
      await record(ledger, "s1", [
        ...aRun("task").slice(0, 3),
        { type: "child-awaited", toolCallId: "task", at: NOON, childSessionId: "child" },
        {
          type: "child-stepped",
          ...child,
          usage: { inputTokens: 9 },
          answer: { model: "small", parts: [] },
        },
      ]);
      expect(await archive.modelUsage()).toMatchObject([{ model: "small", answers: 1, inputTokens: 9 }]);
    });

    test("shows no secret, unless an export asks for them", async () => {
      await record(ledger, "s1", [about(`With ${SECRET}`, "/a"), said(`the token is ${SECRET} indeed`)]);
      expect(await foundBy("indeed")).toHaveLength(1);
      expect(await foundBy(SECRET)).toEqual([]);
      const text = async (redacted?: boolean) => {
        let whole = "";
        const options = redacted === undefined ? {} : { redacted };
        for await (const piece of archive.export("s1", "ndjson", options)) whole += piece;
        return whole;
      };
      const shown = JSON.stringify([
        await archive.sessions(),
        await archive.search({ text: "indeed" }),
        await text(),
      ]);
      expect(shown).not.toContain(SECRET);
      expect(shown).toContain("[redacted");
      expect(await text(false)).toContain(SECRET);
    });

    test.each(["ndjson", "csv"] as const)("exports a session as %s", async (format) => {
      await record(ledger, "s1", [said("hello"), ...aRun("c1", { output: "made" })]);
      let whole = "";
      for await (const piece of archive.export("s1", format)) whole += piece;
      expect(whole).toContain(format === "csv" ? "terminal" : "hello");
      const none = archive.export("never-started", format)[Symbol.asyncIterator]().next();
      await expect(none).rejects.toMatchObject({ code: "NO_SUCH_SESSION" });
    });

    test("verifies everything, with the progress and its total", async () => {
      await record(ledger, "s1", aRun("c1"));
      await record(ledger, "s2", [said("hello")]);
      const progress: string[] = [];
      const verified = await archive.verify({
        onProgress: ({ events, ofEvents, ofSessions }) =>
          progress.push(`${events}/${ofEvents} of ${ofSessions}`),
      });
      expect(verified).toMatchObject({ sessions: 2, events: 8, brokenCount: 0, broken: [] });
      expect(progress.at(-1)).toBe("8/8 of 2");
    });

    test("forgets sessions that are named or old, and leaves those that are used", async () => {
      for (const sessionId of ["s1", "s2", "s3", "s4", "s5"]) {
        await record(ledger, sessionId, [said(`word of ${sessionId}`, { at: clock.time })]);
        clock.time += DAY_MS;
      }
      await archive.refresh();
      const question = aQuestion("q1", "c1", { sessionId: "s3" });
      await record(ledger, "s3", [...callAt("c1"), asked(question)]);
      clock.time += 10 * DAY_MS;
      const lease = await ledger.claim("s2", "bob", { milliseconds: 60_000 });
      await expect(archive.forget({ sessionIds: ["s2"] })).rejects.toMatchObject({ code: "LEASE_HELD" });
      expect(await archive.forget({ sessionIds: ["s5"] })).toMatchObject({ removed: ["s5"], kept: [] });
      expect(await archive.forget({ olderThanMs: DAY_MS })).toMatchObject({
        removed: ["s4", "s1"],
        kept: [
          { sessionId: "s3", why: "waiting" },
          { sessionId: "s2", why: "held" },
        ],
      });
      await ledger.release(lease);
      const again = { olderThanMs: DAY_MS, keepLast: 1, evenWaiting: true, compact: true };
      expect(await archive.forget(again)).toMatchObject({ removed: ["s2"], kept: [] });
      expect((await archive.sessions()).items.map(({ sessionId }) => sessionId)).toEqual(["s3"]);
      expect(await foundBy("word")).toEqual(["message of s3"]);
    });

    test("forgets kept files that no call refers to any more, except young ones", async () => {
      const [used, part, unused] = [
        await ledger.putBlob(Buffer.from("used")),
        await ledger.putBlob(Buffer.from("the bytes of a large file that were replaced")),
        await ledger.putBlob(Buffer.from("unused")),
      ];
      const before = { type: "file", blob: used, mode: 0o644 } as const;
      const large = { type: "part", hash: "h", blob: part, head: 9, tail: 9, mode: 0o644 } as const;
      await record(ledger, "s1", [
        ...aRun("c1").slice(0, 4),
        {
          type: "file-kept",
          toolCallId: "c1",
          at: NOON,
          change: { type: "written", path: "/a", before, after: "h" },
        },
        {
          type: "file-kept",
          toolCallId: "c1",
          at: NOON,
          change: { type: "written", path: "/b", before: large, after: "h" },
        },
      ]);
      const has = async () => {
        const blobs = await Promise.all([used, part, unused].map((hash) => ledger.getBlob(hash)));
        return blobs.map((blob) => blob !== undefined);
      };
      expect(await archive.forget()).toMatchObject({ blobs: 0 });
      clock.time += 2 * DAY_MS;
      expect(await archive.forget()).toMatchObject({ blobs: 1 });
      expect(await has()).toEqual([true, true, false]);
      expect(await archive.forget({ sessionIds: ["s1"] })).toMatchObject({ removed: ["s1"], blobs: 2 });
      expect(await has()).toEqual([false, false, false]);
    });
  });
}
