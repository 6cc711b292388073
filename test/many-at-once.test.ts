/** Very many calls in one step, and very many sessions that wait on one server: each works, in bounded memory. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../src/aap/client/index.js";
import { verifyLedger } from "../src/history/sqlite/verify-ledger.js";
import { folder } from "./agent-kit.js";
import { grant, remoteApp, say, TOKEN } from "./aap-kit.js";
import { childProgram } from "./child-programs.js";
import { atHome } from "./cli-kit.js";

const IS_LONG = process.env["TOOLGATE_LONG"] !== undefined;
const CALLS = IS_LONG ? 10_000 : 500;
const SESSIONS = IS_LONG ? 10_000 : 100;
const FILE_CALLS = IS_LONG ? 10_000 : 300;
const MAX_MEGABYTES = 512;
const REQUESTS_AT_ONCE = 20;

test(`runs each of ${CALLS} calls of one step once, in half a gigabyte`, async () => {
  const cwd = await folder();
  const { stdout } = await promisify(execFile)(process.execPath, [
    childProgram("many-calls.mjs"),
    cwd,
    `${CALLS}`,
  ]);
  const { peakMegabytes, ...rest } = JSON.parse(stdout) as { readonly peakMegabytes: number };
  expect(rest).toEqual({ end: { status: "stopped", stopReason: "end_turn" }, ends: { done: CALLS } });
  expect(peakMegabytes).toBeLessThan(MAX_MEGABYTES);
  const numbers = readFileSync(join(cwd, "effects.txt"), "utf8").trim().split("\n").map(Number);
  expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: CALLS }, (_, number) => number));
  expect(await verifyLedger(join(cwd, "ledger.db"))).toMatchObject({ brokenCount: 0 });
});

test.runIf(process.platform === "linux").each([
  ["read_file", "path", ""],
  ["terminal", "command", "cat "],
])(
  `runs each of ${FILE_CALLS} calls of %s in one step where a process may open 256 files`,
  async (tool, field, before) => {
    const at = await atHome();
    const names = Array.from({ length: FILE_CALLS }, (_, number) => `f${number}.txt`);
    for (const name of names) writeFileSync(join(at.project, name), name);
    const calls = names.map((name) => ({ tool, input: { [field]: `${before}${name}` } }));
    const script = at.script([{ calls }, { say: "End." }]);
    const words = ["run", "--json", "--loop-limit", `${FILE_CALLS}`, "--script", script, "go"];
    const { stdout } = await at.run(words, { limits: "ulimit -n 256" });
    expect(stdout.match(/"type":"call-(done|failed)"/g)).toEqual(names.map(() => '"type":"call-done"'));
  },
);

test(`keeps ${SESSIONS} sessions open on one server until each is answered, in half a gigabyte`, async () => {
  const cwd = await folder({ "go-on": "" });
  const server = spawn(process.execPath, [childProgram("aap-server.mjs"), cwd], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [line] = (await once(createInterface(server.stdout), "line")) as [string];
  const { url } = JSON.parse(line) as { url: string };
  const app = remoteApp(url);
  const agent = { name: "clerk", tools: [{ name: "wait", trust: true }, { name: "send" }] };
  const waiting = await each(Array.from({ length: SESSIONS }), async () => {
    const sessionId = await app.createSession({ agent });
    const { stopReason } = await app.turn(sessionId, say("Go"));
    return { sessionId, stopReason };
  });
  expect(new Set(waiting.map(({ stopReason }) => stopReason))).toEqual(new Set(["tool_use"]));
  expect(await connect(url, TOKEN).questions()).toHaveLength(SESSIONS);
  const ends = await each(waiting, async ({ sessionId }) =>
    app.turn(sessionId, { messages: [grant("call_2")], stream: "none" }),
  );
  expect(new Set(ends.map(({ stopReason }) => stopReason))).toEqual(new Set(["end_turn"]));
  const sent = readFileSync(join(cwd, "did"), "utf8").split("\n");
  expect(sent.filter((what) => what === "send")).toHaveLength(SESSIONS);
  expect(peakMegabytesOf(server.pid ?? 0)).toBeLessThan(MAX_MEGABYTES);
});

async function each<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const rest = items.values();
  const results: Result[] = [];
  const worker = async (): Promise<void> => {
    for (const item of rest) results.push(await act(item));
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, worker));
  return results;
}

/** Zero where the system does not say. */
function peakMegabytesOf(pid: number): number {
  if (process.platform !== "linux") return 0;
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}
