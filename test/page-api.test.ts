/** The page's API over real sockets, served by the built program: the demo, questions, undo, rules, devices. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atHome, command } from "./cli-kit.js";
import { asked, browser, startEditor, startPage, watch } from "./page-kit.js";
import { until } from "./until.js";

test("runs the demo from the login to the undone edit", { timeout: 120_000 }, async () => {
  const server = await startPage(await atHome());
  const page = browser(server.url);
  await expect(page.me()).rejects.toMatchObject({ status: 401 });
  const me = await page.login({ code: server.code, name: "Desk" });
  expect(me).toMatchObject({ hasDemo: true, isEmpty: true, device: { role: "all", isThis: true } });
  await expect(page.login({ code: server.code }), "a code works once").rejects.toMatchObject({ status: 401 });

  const { sessionId } = await page.startDemo();
  const { frames } = watch(page, { session: sessionId });
  await until(() => asked(frames).length > 0);
  const [row] = asked(frames);
  expect(row).toMatchObject({ sessionId, kind: "edit", door: "demo", isAnswerable: true });
  const question = await page.question(row?.questionId ?? "");
  expect(question.what.diffs[0]?.heading).toContain("cart.js");
  expect(question.what.diffs[0]?.rows).toContainEqual(
    expect.objectContaining({ type: "added", text: expect.stringContaining("price * count") }),
  );
  expect(question).toMatchObject({
    resumes: "here",
    liveness: "live",
    answers: { once: true, edit: true },
  });

  const answered = await page.answer(question.questionId, { reply: "once", intentHash: question.intentHash });
  expect(answered).toMatchObject({ counted: true, words: "allowed once by This computer", resumes: "here" });
  await expect(page.answer(question.questionId, { reply: "no" })).rejects.toMatchObject({
    problem: "ALREADY_ANSWERED",
  });
  await until(async () => (await page.session(sessionId)).state === "idle");

  const { entries, seq, total } = await page.entries(sessionId);
  expect(entries).toHaveLength(total);
  const calls = entries.filter((entry) => entry.type === "call");
  expect(calls.map(({ card }) => card.status)).toContain("command-failed");
  const edit = calls.find(({ card }) => card.kind === "edit");
  expect(edit).toMatchObject({ isKept: true, card: { status: "done" } });
  // The stream has shown the same entries.
  await until(() => frames.some((frame) => frame.type === "detail" && frame.seq >= seq));
  const shown = new Set(frames.flatMap((frame) => (frame.type === "entry" ? [frame.entry.key] : [])));
  expect([...shown].sort()).toEqual(entries.map(({ key }) => key).sort());

  const { folder = "" } = await page.session(sessionId);
  const toolCallId = edit?.card.toolCallId ?? "";
  const detail = await page.call(sessionId, toolCallId);
  expect(detail.undo.isPossible).toBe(true);
  expect(detail.life.map(({ type }) => type)).toContain("question-answered");
  expect(await page.undo(sessionId, { toolCallId, dryRun: true })).toMatchObject({
    isDone: false,
    isPossible: true,
  });
  expect(readFileSync(join(folder, "cart.js"), "utf8")).toContain("price * count");
  expect(await page.undo(sessionId, { toolCallId })).toMatchObject({ isDone: true });
  expect(readFileSync(join(folder, "cart.js"), "utf8")).toContain("price + count");
  expect(await page.undo(sessionId, { toolCallId })).toMatchObject({
    isDone: false,
    why: expect.any(String),
  });

  expect((await page.history({ kind: "edit" })).calls).toMatchObject([{ toolCallId, agent: "demo" }]);
  expect((await page.statistics()).total).toMatchObject({ calls: calls.length, decidedByPerson: 1 });
  expect(await page.exportSession(sessionId, "markdown")).toContain("cart.js");
});

test(
  "shows an editor's question at once, withdraws it there, and continues a session that was left",
  { timeout: 120_000 },
  async () => {
    const home = await atHome();
    const script = home.script([
      { say: "First.", calls: [command("node -e 1 > made.txt")] },
      { say: "Then.", calls: [command("node -e 2 > later.txt")] },
      { say: "Done." },
    ]);
    const words = ["--script", script, "--no-contain"];
    const server = await startPage(home, ["serve", "--port", "0", ...words]);
    const page = browser(server.url);
    await page.login({ code: server.code });
    const { frames } = watch(page);
    await until(() => frames.length > 0);
    const editor = await startEditor(home, words, "go");
    await until(() => asked(frames).length > 0);
    const [row] = asked(frames);
    expect(row).toMatchObject({ door: "editor", kind: "execute", subject: "node -e 1 > made.txt" });
    const first = await page.question(row?.questionId ?? "");
    expect(first.what.command).toMatchObject({ text: "node -e 1 > made.txt", hiddenCharacters: 0 });
    expect(first.what.command?.parts[0]).toMatchObject({ verdict: "asks" });
    expect(first).toMatchObject({ resumes: "elsewhere", liveness: "live" });
    await editor.asked();
    await page.answer(first.questionId, { reply: "once" });
    await until(() => existsSync(join(home.project, "made.txt")));
    // The editor gets the end of its question, and the next one.
    await until(() => asked(frames).length > 1);
    expect(editor.lines()).toContain("$/cancel_request");
    await editor.leave();
    const second = asked(frames)[1]?.questionId ?? "";
    await until(async () => (await page.question(second)).liveness === "parked");
    await page.answer(second, { reply: "once" });
    await until(() => existsSync(join(home.project, "later.txt")));
    await until(async () => (await page.session(editor.sessionId)).state === "idle");
  },
);
