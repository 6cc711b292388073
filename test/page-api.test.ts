/** The page's API over real sockets, served by the built program: the demo, questions, undo, rules, devices. */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { atHome } from "./cli-kit.js";
import { asked, browser, startPage, watch } from "./page-kit.js";
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
  expect(answered).toMatchObject({ counted: true, words: "allowed once by Desk", resumes: "here" });
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

  const undone = { toolCallId, agent: "demo", status: "done", undone: "whole" };
  expect((await page.history({ kind: "edit" })).calls).toMatchObject([undone]);
  expect((await page.history({ status: "undone" })).calls).toMatchObject([undone]);
  expect((await page.history({ kind: "edit", status: "done" })).calls).toEqual([]);
  // A command that failed is a call that is done, and the history says both.
  const { calls: commands } = await page.history({ kind: "execute" });
  expect(commands.map(({ status, failure }) => [status, failure])).toEqual([
    ["done", undefined],
    ["done", "exit code 1"],
  ]);
  await expect(page.history({ before: "elsewhere" })).rejects.toMatchObject({ status: 400 });
  expect((await page.statistics()).total).toMatchObject({ calls: calls.length, decidedByPerson: 1 });
  for (const only of [{ folder }, { agent: "demo" }, { folder, agent: "demo" }]) {
    const { total: counted, waits } = await page.statistics(only);
    expect(counted).toMatchObject({ calls: calls.length, waitedMs: { p50: expect.any(Number) } });
    expect(waits.reduce((sum, { count }) => sum + count, 0)).toBe(1);
  }
  expect((await page.statistics({ folder, agent: "nobody" })).total.calls).toBe(0);
  expect(await page.exportSession(sessionId, "markdown")).toContain("cart.js");
});

test("takes another port than the usual one where that is in use, and never than the one that is named", async () => {
  const other = createServer().listen(4320, "127.0.0.1");
  onTestFinished(() => void other.close());
  // Somebody else's may be there already.
  await Promise.race([once(other, "listening"), once(other, "error")]).catch(() => undefined);
  const home = await atHome();
  const { url } = await startPage(home, ["page", "--no-open"]);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const { port } = new URL(url);
  expect(port).not.toBe("4320");
  expect(await home.run(["page", "--no-open", "--port", port])).toMatchObject({
    status: 1,
    stdout: "",
    stderr: expect.stringContaining(`Port ${port} is in use by another program. Nothing was started`),
  });
});
