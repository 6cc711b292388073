/** Prompts of the page: files that they name, the model, the summary. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { messageBlocks } from "../src/agent/message-blocks.js";
import { readAll } from "../src/call/index.js";
import type { UndoRequest } from "../src/serve/client/index.js";
import type { DiffRow } from "../src/view/index.js";
import { findPage, pageWire } from "../src/cli/page-session.js";
import { folder } from "./agent-kit.js";
import { serving, TOKEN } from "./page-serving.js";
import { until } from "./until.js";

const text = (words: string) => [{ type: "text" as const, text: words }];

test("completes files of the folder, and sends those that a prompt names", async () => {
  const served = await serving({ steps: [{ say: "Seen." }, { say: "Again." }] });
  const { root, ledger } = served;
  mkdirSync(join(root, "src"));
  writeFileSync(join(root, "src", "main.ts"), "export const one = 1;\n");
  writeFileSync(join(root, "my notes.md"), "# Notes\n");
  symlinkSync(join(dirname(root), "..", "..", "etc", "hostname"), join(root, "link"));
  const page = await served.login("all");
  expect((await page.files({ text: "mai" })).files).toEqual(["src/main.ts"]);
  expect((await page.files()).files).toContain("my notes.md");
  await expect((await served.login("answer")).files()).rejects.toMatchObject({ status: 403 });

  const prompt = text('See @src/main.ts, @"my notes.md", @link, @../secret and @/etc/hostname');
  const { sessionId } = await page.createSession({ prompt });
  expect((await page.files({ session: sessionId, text: "notes" })).files).toEqual(["my notes.md"]);
  await until(async () => (await page.session(sessionId)).state === "idle");
  const blocks = (await readAll(ledger, sessionId)).flatMap(({ event }) =>
    event.type === "message-chunk" && event.role === "user" ? [event.block] : [],
  );
  // Neither a path nor a link leads out of the folder.
  expect(blocks.slice(1)).toEqual([
    {
      type: "resource",
      resource: { uri: expect.stringContaining("/src/main.ts"), text: "export const one = 1;\n" },
    },
    { type: "resource", resource: { uri: expect.stringContaining("/my%20notes.md"), text: "# Notes\n" } },
  ]);
  expect(await page.compact(sessionId)).toEqual({ isDone: expect.any(Boolean) });
});

test("attaches only the files that a terminal sends, whatever its texts and files name", async () => {
  const served = await serving({ steps: [{ say: "Seen." }] });
  const { root, ledger, url } = served;
  writeFileSync(join(root, "notes.md"), "the server's notes\n");
  writeFileSync(join(root, "secret.txt"), "the server's secret\n");
  const here = await folder({ "notes.md": "see @secret.txt\n" });
  const page = await findPage(url, TOKEN);
  const { sessionId } = (await page?.client.createSession({})) ?? { sessionId: "" };
  const wire = page && pageWire(page, sessionId);
  await wire?.send(messageBlocks("Read @notes.md and @secret.txt", here), {
    signal: new AbortController().signal,
    onRetry: () => undefined,
  });
  await until(async () => (await page?.client.session(sessionId))?.state === "idle");
  const blocks = (await readAll(ledger, sessionId)).flatMap(({ event }) =>
    event.type === "message-chunk" && event.role === "user" ? [event.block] : [],
  );
  expect(blocks).toEqual([
    { type: "text", text: "Read @notes.md and @secret.txt" },
    {
      type: "resource",
      resource: { uri: expect.stringContaining(here), text: "see @secret.txt\n" },
    },
  ]);
});

test("takes a model that the server can reach, and no other", async () => {
  const served = await serving({ steps: [{ say: "Hello." }], models: ["anthropic/one", "openai/two"] });
  const page = await served.login("all");
  expect((await page.me()).models).toHaveLength(2);
  await expect(page.createSession({ model: "openai/three" })).rejects.toMatchObject({ status: 400 });
  const { sessionId } = await page.createSession({ model: "anthropic/one" });
  expect(await page.session(sessionId)).toMatchObject({ model: "anthropic/one" });
  await page.changeSession(sessionId, { model: "openai/two" });
  expect(await page.session(sessionId)).toMatchObject({ model: "openai/two" });
  await expect(page.changeSession(sessionId, { model: "openai/three" })).rejects.toMatchObject({
    status: 400,
  });
});

test("lets a background command run on between turns, shows its output, and stops it", async () => {
  const served = await serving({
    steps: [
      { calls: [{ tool: "terminal", input: { command: "echo up; exec sleep 300", background: true } }] },
      { say: "It runs." },
      { say: "Still there." },
    ],
  });
  const page = await served.login("all");
  const { sessionId } = await page.createSession({ prompt: text("Start it") });
  const idle = () => until(async () => (await page.session(sessionId)).state === "idle");
  await until(async () => (await page.questions()).questions.length > 0);
  await page.answer((await page.questions()).questions[0]?.questionId ?? "", { reply: "once" });
  await idle();
  const [running] = (await page.commands({ session: sessionId })).commands;
  expect(running).toMatchObject({ sessionId, isBackground: true });
  const toolCallId = running?.toolCallId ?? "";
  await until(async () => (await page.commandOutput(sessionId, toolCallId)).text === "up\n");
  // The server has the session open, and still takes prompts for it.
  expect(await page.session(sessionId)).toMatchObject({ canPrompt: true });
  await page.prompt(sessionId, { prompt: text("And now?") });
  await idle();
  expect((await page.commands({ session: sessionId })).commands).toHaveLength(1);
  expect(await page.stopCommand(sessionId, { toolCallId })).toMatchObject({
    processes: [{ outcome: "ended" }],
  });
  expect((await page.commands({ session: sessionId })).commands).toEqual([]);
});

test("knows which calls belong to an entry of the plan, and keeps colours in cards", async () => {
  const todo = (first: string, second: string) => ({
    tool: "todo_write",
    input: {
      todos: [
        { content: "Look", status: first },
        { content: "Print", status: second },
      ],
    },
  });
  const served = await serving({
    steps: [
      { calls: [todo("in_progress", "pending")] },
      { calls: [{ tool: "read_file", input: { path: "a.txt" } }] },
      { calls: [todo("completed", "in_progress")] },
      { calls: [{ tool: "terminal", input: { command: String.raw`printf '\033[32mok\033[0m\n'` } }] },
      { say: "Done." },
    ],
  });
  writeFileSync(join(served.root, "a.txt"), "one\n");
  const page = await served.login("all");
  const { sessionId } = await page.createSession({ prompt: text("Go") });
  const answered = new Set<string>();
  await until(async () => {
    for (const { questionId, isAnswerable } of (await page.questions()).questions)
      if (isAnswerable && !answered.has(questionId)) {
        answered.add(questionId);
        await page.answer(questionId, { reply: "once" });
      }
    return (await page.session(sessionId)).state === "idle";
  });
  const { plan, touched } = await page.session(sessionId);
  expect(plan.map(({ toolCallIds }) => toolCallIds)).toEqual([["call_2"], ["call_4"]]);
  expect(touched).toMatchObject([{ path: join(served.root, "a.txt"), toolCallId: "call_2", isNow: false }]);
  const { entries } = await page.entries(sessionId);
  const last = entries.findLast((entry) => entry.type === "call");
  expect(last?.card.blocks).toContainEqual(expect.objectContaining({ lines: ["\u001B[32mok\u001B[0m"] }));
});

test("undoes one change of an edit and leaves the others", async () => {
  const before = Array.from({ length: 30 }, (_, line) => `line ${line + 1}\n`).join("");
  const after = before.replace("line 2\n", "line two\n").replace("line 25\n", "line 25 b\n");
  const served = await serving({
    steps: [{ calls: [{ tool: "write_file", input: { path: "a.txt", content: after } }] }, { say: "Done." }],
  });
  const file = join(served.root, "a.txt");
  writeFileSync(file, before);
  const page = await served.login("all");
  const { sessionId } = await page.createSession({ prompt: text("Change it") });
  await until(async () => (await page.questions()).questions.length > 0);
  await page.answer((await page.questions()).questions[0]?.questionId ?? "", { reply: "once" });
  await until(async () => (await page.session(sessionId)).state === "idle");
  const call = { toolCallId: "call_1" };
  const trial = await page.undo(sessionId, { ...call, dryRun: true });
  expect(trial.hunks).toMatchObject([
    { number: 1, isUndone: false },
    { number: 2, isUndone: false },
  ]);
  expect(trial.hunks?.[1]?.diff.rows).toContainEqual({ type: "added", text: "line 25 b", newLine: 25 });
  expect(await page.undo(sessionId, { ...call, hunks: [2] })).toMatchObject({ isDone: true });
  expect(readFileSync(file, "utf8")).toBe(before.replace("line 2\n", "line two\n"));
  const rest = await page.undo(sessionId, { ...call, dryRun: true });
  expect(rest.isPossible).toBe(true);
  expect(rest.hunks?.map(({ isUndone }) => isUndone)).toEqual([false, true]);
  const { card, diffs, life, undo } = await page.call(sessionId, "call_1");
  expect(card).toMatchObject({ status: "done", putBack: "1 of 2 changes put back" });
  expect(card.facts).toContain("1 of 2 changes put back");
  expect(changedRows(diffs[0]?.rows)).toEqual([
    ["removed", "line 2", undefined],
    ["added", "line two", undefined],
    ["removed", "line 25", true],
    ["added", "line 25 b", true],
  ]);
  expect(life.at(-1)?.words).toBe("Undone in part: change 2 put back");
  expect(undo).toMatchObject({ isPossible: true, paths: [file] });
  expect((await page.history({ status: "done" })).calls).toMatchObject([{ undone: "part" }]);
  writeFileSync(file, "something else\n");
  const gone = await page.undo(sessionId, { ...call, dryRun: true });
  const changed = `${file} has changed since in hunk 1`;
  const why = `Call call_1 cannot be undone: ${changed}. No file was touched.`;
  expect(gone).toMatchObject({ isPossible: false, why, hunks: [{ why: changed }, {}] });
});

test("says which files and folders an undo would remove, of a call and of a turn", async () => {
  const write = (path: string, content: string) => ({ tool: "write_file", input: { path, content } });
  const served = await serving({
    steps: [
      { calls: [write("new/one.txt", "1\n")] },
      { calls: [write("new/one.txt", "11\n"), write("a.txt", "a\n"), write("new/two.txt", "2\n")] },
      { say: "Done." },
    ],
  });
  const at = (path: string) => join(served.root, path);
  writeFileSync(at("a.txt"), "before\n");
  const page = await served.login("all");
  const { sessionId } = await page.createSession({ prompt: text("Write") });
  await until(async () => {
    for (const { questionId } of (await page.questions()).questions)
      await page.answer(questionId, { reply: "once" }).catch(() => undefined);
    return (await page.session(sessionId)).state === "idle";
  });
  const trial = (wanted: UndoRequest) => page.undo(sessionId, { ...wanted, dryRun: true });
  expect(await trial({ toolCallId: "call_4" })).toMatchObject({
    removes: [{ path: at("new/two.txt"), isFolder: false }],
  });
  const turns = (await readAll(served.ledger, sessionId)).flatMap(({ event }) =>
    event.type === "turn-started" ? [event.turnId] : [],
  );
  const [turnId = ""] = turns;
  const { paths, removes = [] } = await trial({ turnId });
  expect(paths).toContain(at("a.txt"));
  expect(removes.toSorted((one, other) => (one.path < other.path ? -1 : 1))).toEqual([
    { path: at("new"), isFolder: true },
    { path: at("new/one.txt"), isFolder: false },
    { path: at("new/two.txt"), isFolder: false },
  ]);
  expect(await page.undo(sessionId, { turnId })).toMatchObject({ isDone: true });
  expect([existsSync(at("new")), readFileSync(at("a.txt"), "utf8")]).toEqual([false, "before\n"]);
});

const changedRows = (rows: readonly DiffRow[] = []) =>
  rows.flatMap((row) =>
    row.type === "removed" || row.type === "added" ? [[row.type, row.text, row.isUndone]] : [],
  );

test("makes only the hunks that an answer keeps", async () => {
  const before = Array.from({ length: 30 }, (_, line) => `line ${line + 1}\n`).join("");
  const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const content = before.replace("line 2\n", `token: ${secret}\n`).replace("line 25\n", "line 25 b\n");
  const served = await serving({
    steps: [{ calls: [{ tool: "write_file", input: { path: "a.txt", content } }] }, { say: "Done." }],
  });
  const file = join(served.root, "a.txt");
  writeFileSync(file, before);
  const page = await served.login("all");
  const { sessionId } = await page.createSession({ prompt: text("Change it") });
  await until(async () => (await page.questions()).questions.length > 0);
  const questionId = (await page.questions()).questions[0]?.questionId ?? "";
  const { hunks } = (await page.question(questionId)).what;
  expect(hunks).toHaveLength(2);
  expect(hunks?.[1]?.rows).toContainEqual({ type: "added", text: "line 25 b", newLine: 25 });
  expect(JSON.stringify(hunks)).not.toContain(secret);
  for (const keptHunks of [[3], [], [0]])
    await expect(page.answer(questionId, { reply: "once", keptHunks })).rejects.toMatchObject({
      status: 400,
    });
  await expect(
    (await served.login("answer")).answer(questionId, { reply: "once", keptHunks: [1] }),
  ).rejects.toMatchObject({ status: 403 });
  await expect(page.answer(questionId, { reply: "always", keptHunks: [1] })).rejects.toMatchObject({
    status: 400,
  });
  await page.answer(questionId, { reply: "once", keptHunks: [2] });
  await until(async () => (await page.session(sessionId)).state === "idle");
  expect(readFileSync(file, "utf8")).toBe(before.replace("line 25\n", "line 25 b\n"));
});

test("refuses an answer after its turn was cancelled, and runs nothing", async () => {
  // UI-033 of the catalogue.
  const served = await serving();
  const page = await served.login("all");
  const { sessionId } = await page.createSession({ prompt: text("Touch it") });
  await until(async () => (await page.questions()).questions.length > 0);
  const questionId = (await page.questions()).questions[0]?.questionId ?? "";
  expect(await page.cancel(sessionId)).toEqual({ cancelled: true });
  await expect(page.answer(questionId, { reply: "once" })).rejects.toMatchObject({ status: 409 });
  expect(existsSync(join(served.root, "made"))).toBe(false);
});

test("cancels a turn that is parking at that moment, and leaves no question open", async () => {
  const { ledger, login, root } = await serving();
  const page = await login("all");
  const append = ledger.append.bind(ledger);
  let cancelled: Promise<unknown> | undefined;
  vi.spyOn(ledger, "append").mockImplementation(async (lease, events, options) => {
    if (events.some(({ type }) => type === "turn-parked")) {
      // The turn has looked at its signal for the last time, and is about to record that it waits.
      const aborts = vi.spyOn(AbortController.prototype, "abort");
      onTestFinished(() => aborts.mockRestore());
      cancelled ??= page.cancel(lease.sessionId);
      await until(() => aborts.mock.calls.length > 0);
    }
    return append(lease, events, options);
  });
  await page.createSession({ prompt: text("Touch it") });
  await until(() => cancelled !== undefined);
  expect(await cancelled).toEqual({ cancelled: true });
  expect((await page.questions({ state: "open" })).questions).toEqual([]);
  expect(existsSync(join(root, "made"))).toBe(false);
});

test("replays each moment as it was, redacted, and its last one as the session is now", async () => {
  const served = await serving();
  const [page, tablet] = [await served.login("all"), await served.login("watch")];
  const secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
  const { sessionId } = await page.createSession({ prompt: text(`Touch it ${secret}`) });
  await until(async () => (await page.questions()).questions.length > 0);
  await page.answer((await page.questions()).questions[0]?.questionId ?? "", { reply: "once" });
  await until(async () => (await page.session(sessionId)).state === "idle");
  const last = await tablet.replay(sessionId);
  expect(last).toMatchObject({ moment: last.moments, entries: (await page.entries(sessionId)).entries });
  const first = await tablet.replay(sessionId, { moment: 1 });
  expect(first).toMatchObject({ words: "The prompt", entries: [{ type: "message" }] });
  expect(JSON.stringify(first)).not.toContain(secret);
  const asked = await tablet.replay(sessionId, { call: "call_1" });
  expect(asked.entries.at(-1)).toMatchObject({ type: "call", card: { toolCallId: "call_1" } });
  expect(asked.moment).toBeLessThan(last.moment);
  await expect(tablet.replay(sessionId, { moment: 0 })).rejects.toMatchObject({ status: 400 });
  await expect(tablet.replay("nope")).rejects.toMatchObject({ status: 404 });
});
