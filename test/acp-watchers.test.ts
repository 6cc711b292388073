/** Several ACP clients on one session: the second loads and watches it, and answers questions; the first answer counts. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { ScriptStep } from "../src/model/index.js";
import { acpWorld, newSession, select, text } from "./acp-process.js";
import type { AcpProcess, Line } from "./acp-process.js";
import { until } from "./until.js";

const PERMISSION = "session/request_permission";
const write = (path: string) => ({ tool: "write_file", input: { path, content: path } });
const STEPS: readonly ScriptStep[] = [
  { say: "First.", calls: [write("one.txt")] },
  { say: "Second.", calls: [write("two.txt")] },
  { say: "Done." },
  { say: "Again." },
];

const hello = (agent: AcpProcess) =>
  agent.request("initialize", {
    protocolVersion: 1,
    clientCapabilities: {},
    clientInfo: { name: "watcher", version: "1" },
  });

const withdrawn = (agent: AcpProcess, { id }: Line) =>
  agent.lines.some(
    (line) => line.method === "$/cancel_request" && (line.params as { requestId?: unknown }).requestId === id,
  );

async function question(agent: AcpProcess, count: number): Promise<Line> {
  const line = (await agent.asked(PERMISSION, count))[count - 1];
  if (!line) throw new Error("nothing was asked");
  return line;
}

const isDone = (agent: AcpProcess, count: number) => () =>
  agent.updates().filter(({ status }) => status === "completed").length >= count;

test("a second client watches, answers, is outrun, and goes on when the first has left", async () => {
  const world = await acpWorld(STEPS);
  const first = world.start();
  const second = world.start();
  const sessionId = await newSession(first);
  const turn = first.begin("session/prompt", { sessionId, prompt: text("Go") });
  const asked = await question(first, 1);
  await hello(second);
  const loaded = await second.request("session/load", { sessionId, cwd: second.cwd, mcpServers: [] });
  expect(loaded).toHaveProperty("result");
  expect(JSON.stringify(second.updates())).toContain("First.");

  // The second answers: the question of the first is withdrawn, and its turn goes on.
  second.send(select(await question(second, 1), "allow_once"));
  const next = await question(first, 2);
  expect(withdrawn(first, asked)).toBe(true);
  expect(await readFile(join(first.cwd, "one.txt"), "utf8")).toBe("one.txt");

  // The first answers: the question of the second is withdrawn, and both see the end.
  const nextOfSecond = await question(second, 2);
  first.send(select(next, "allow_once"));
  await until(() => withdrawn(second, nextOfSecond));
  // Too late: it counts for nothing.
  second.send(select(nextOfSecond, "reject_once"));
  expect((await first.answered(turn)).result).toEqual({ stopReason: "end_turn" });
  await until(isDone(second, 2));
  await until(() => JSON.stringify(second.updates()).includes("Done."));
  expect(await readFile(join(first.cwd, "two.txt"), "utf8")).toBe("two.txt");

  // The second only watches, until the first has left.
  const say = () => second.request("session/prompt", { sessionId, prompt: text("And?") });
  expect((await say()).error?.message).toMatch(/is open elsewhere .* Nothing was started/);
  first.end();
  await first.exited;
  await until(async () => (await say()).result?.["stopReason"] === "end_turn");
  expect(JSON.stringify(second.updates())).toContain("Again.");
});

test("a question that is open when the first client leaves is answered at the second, which goes on", async () => {
  const world = await acpWorld(STEPS.slice(0, 1).concat({ say: "Done." }));
  const first = world.start();
  const second = world.start();
  const sessionId = await newSession(first);
  first.begin("session/prompt", { sessionId, prompt: text("Go") });
  await question(first, 1);
  await hello(second);
  await second.request("session/load", { sessionId, cwd: second.cwd, mcpServers: [] });
  await question(second, 1);
  first.end();
  await first.exited;
  // Taken over: asked again by the process that goes on.
  const again = await question(second, 2);
  second.send(select(again, "allow_once"));
  await until(() => JSON.stringify(second.updates()).includes("Done."));
  expect(await readFile(join(second.cwd, "one.txt"), "utf8")).toBe("one.txt");
});

test("a client that watches goes on with its first prompt after the owner was killed", async () => {
  const world = await acpWorld([{ say: "First." }, { say: "Went on." }]);
  for (const round of [1, 2, 3]) {
    const first = world.start();
    const second = world.start();
    const sessionId = await newSession(first);
    await first.request("session/prompt", { sessionId, prompt: text("Go") });
    await hello(second);
    await second.request("session/load", { sessionId, cwd: second.cwd, mcpServers: [] });
    const say = () => second.request("session/prompt", { sessionId, prompt: text("And?") });
    expect((await say()).error?.message, `round ${round}`).toMatch(/is open elsewhere/);
    first.kill();
    await first.exited;
    // At once, before the watcher looks again by itself.
    expect(await say(), `round ${round}`).toMatchObject({ result: { stopReason: "end_turn" } });
    expect(JSON.stringify(second.updates())).toContain("Went on.");
    second.end();
    await second.exited;
  }
});
