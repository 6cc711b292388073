/** A command that goes on after its call: listed, read, stopped, ended with the session, and not forgotten after a kill. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { readAll } from "../src/call/index.js";
import { MemoryLedger } from "../src/history/index.js";
import { decide } from "../src/policy/index.js";
import { plannedCommand } from "../src/policy/intent.js";
import { openGate } from "../src/run/index.js";
import { runningCommands, stopCommands } from "../src/run/running-commands.js";
import { builtInTools } from "../src/tools/index.js";
import { isAlive } from "./is-alive.js";

const SERVER = { command: "echo up; exec sleep 300", background: true };

async function opened(ledger = new MemoryLedger()) {
  const gate = await openGate({
    ledger,
    workspace: WORKSPACE,
    sessionId: "s",
    tools: builtInTools,
    rules: [{ allow: "*", anyFlags: true }],
  });
  onTestFinished(() => gate.close());
  const start = () => gate.call({ name: "terminal", input: SERVER });
  const read = async (id: string, more: object = {}) =>
    (await gate.call({ name: "read_output", input: { id, ...more } })).rawOutput;
  return { gate, ledger, start, read };
}

const WORKSPACE = mkdtempSync(join(tmpdir(), "toolgate-test-"));
afterAll(() => rmSync(WORKSPACE, { recursive: true, force: true }));

test("goes on after its call, is listed, read and stopped, and ends with the session", async () => {
  const { gate, ledger, start, read } = await opened();
  const { toolCallId, state, rawOutput } = await start();
  expect(state.status).toBe("done");
  expect(rawOutput).toEqual({ id: toolCallId, running: true, output: "up\n" });
  const [listed] = await runningCommands(ledger);
  expect(listed).toMatchObject({ sessionId: "s", toolCallId, isBackground: true, cwd: gate.book.info.cwd });
  expect(await read(toolCallId)).toEqual({ running: true, output: "" });
  expect(await stopCommands(ledger, "s", toolCallId)).toMatchObject([{ outcome: "ended" }]);
  expect(await read(toolCallId, { wait: 60 })).toMatchObject({ running: false, output: "" });
  expect(await runningCommands(ledger)).toEqual([]);

  const other = (await start()).toolCallId;
  expect(await read(other, { stop: true })).toMatchObject({ running: false });
  const none = await gate.call({ name: "read_output", input: { id: "call_none" } });
  expect(none.state).toMatchObject({ status: "failed" });

  await start();
  const [last] = await runningCommands(ledger, { sessionId: "s" });
  await gate.close();
  expect(isAlive(last?.pid ?? 0)).toBe(false);
});

test("reports a command that fails at once as any other", async () => {
  const { gate } = await opened();
  const call = await gate.call({ name: "terminal", input: { command: "echo no; exit 3", background: true } });
  expect(call.rawOutput).toMatchObject({ exitCode: 3, output: "no\n" });
});

test("is ended by the process that opens the session after a kill", async () => {
  const { ledger, start } = await opened();
  await start();
  const [left] = await runningCommands(ledger);
  // The log as a killed process leaves it.
  const after = new MemoryLedger();
  const lease = await after.claim("s", "killed", { milliseconds: 60_000 });
  await after.append(
    lease,
    (await readAll(ledger, "s")).map(({ event }) => event),
    { durable: true },
  );
  await after.release(lease);
  await opened(after);
  expect(left?.isBackground).toBe(true);
  expect(isAlive(left?.pid ?? 0)).toBe(false);
});

test("is never contained: its changes could not be undone", () => {
  const places = { roots: ["/ws"], home: "/home/u", canContain: true, rules: [], unmatched: "ask" } as const;
  const intent = plannedCommand({
    command: "npm test",
    cwd: "/ws",
    executor: { shell: "/bin/bash", language: "bash" },
  });
  expect(decide(intent, places).contained).toBeDefined();
  expect(decide({ ...intent, background: true }, places)).toMatchObject({ effect: "ask" });
  expect(decide({ ...intent, background: true }, places).contained).toBeUndefined();
});
