/** Two people, two processes, one question: one answer counts, and the call runs once. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AgentSession } from "../src/agent/index.js";
import { openLedger } from "../src/history/index.js";
import { LocalWorkspace } from "../src/tools/index.js";
import { folder, never, scripted, text } from "./agent-kit.js";
import { childProgram } from "./child-programs.js";
import { startTogether } from "./start-together.js";

const child = childProgram("answer.mjs");
const QUESTIONS = process.env["TOOLGATE_LONG"] ? 100 : 30;

type Answers = { readonly asked: number; readonly counted: number };

test("counts each answer once and runs each call once when two processes answer many questions at once", async () => {
  const cwd = await folder();
  const file = join(cwd, "ledger.sqlite");
  const ledger = await openLedger(file);
  const calls = Array.from({ length: QUESTIONS }, (_, index) => ({
    tool: "terminal",
    input: { command: `echo ${index} >> log.txt` },
  }));
  const agent = scripted([{ calls }, { say: "All done." }]);
  const session = await AgentSession.open({ agent, ledger, workspace: await LocalWorkspace.open(cwd) });
  expect(await session.prompt(text("go"), never())).toEqual({ status: "parked" });

  const printed = await startTogether(["ann", "bob"].map((who) => [child, file, who, "on-signal"]));
  const answers = printed.map((line) => JSON.parse(line) as Answers);
  expect(answers.map(({ asked }) => asked)).toEqual([QUESTIONS, QUESTIONS]);
  const [byAnn = 0, byBob = 0] = answers.map(({ counted }) => counted);
  expect(byAnn + byBob).toBe(QUESTIONS);

  expect(await session.advance(never())).toEqual({ status: "stopped", stopReason: "end_turn" });
  const lines = (await readFile(join(cwd, "log.txt"), "utf8")).trim().split("\n").map(Number);
  expect(lines.toSorted((a, b) => a - b)).toEqual(Array.from({ length: QUESTIONS }, (_, index) => index));
  const deciders = [...session.book.calls()].map(({ decision }) => decision?.who);
  expect(deciders.filter((who) => who === "ann")).toHaveLength(byAnn);
  await session.close();
  await ledger.close();
});

test("refuses a second process that opens a session for writing, and names the owner", async () => {
  const cwd = await folder();
  const ledger = await openLedger(join(cwd, "ledger.sqlite"));
  const workspace = await LocalWorkspace.open(cwd);
  const agent = scripted([{ say: "Hello." }]);
  const one = await AgentSession.open({ agent, ledger, workspace, sessionId: "s" });
  await expect(AgentSession.open({ agent, ledger, workspace, sessionId: "s" })).rejects.toMatchObject({
    code: "LEASE_HELD",
  });
  expect(await one.prompt(text("hi"), never())).toMatchObject({ stopReason: "end_turn" });
  await one.close();
  const two = await AgentSession.open({ agent, ledger, workspace, sessionId: "s" });
  expect(two.book.turn?.state).toMatchObject({ status: "stopped" });
  await two.close();
  await ledger.close();
});
