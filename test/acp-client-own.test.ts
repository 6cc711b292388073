/** Our client drives our own agent, in both versions of the protocol: what is seen at one end is seen at the other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveAcp, stdioWire } from "../src/acp/index.js";
import type { Wire } from "../src/acp/index.js";
import { MemoryLedger } from "../src/history/index.js";
import type { Rule } from "../src/policy/index.js";
import { askForever, choose, drive } from "./acp-client-kit.js";
import { until } from "./until.js";
import type { Driven, DriveOptions } from "./acp-client-kit.js";
import { scripted } from "./agent-kit.js";

const edit = { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] };
const steps = [{ say: "I will fix it.", calls: [{ tool: "edit_file", input: edit }] }, { say: "Done." }];
const rules: readonly Rule[] = [{ allow: "read" }];

/** The agent's end of a pair of pipes is served; ours is handed back. */
function agentAt(played: Parameters<typeof scripted>[0] = steps): Wire {
  const [there, back] = [new PassThrough(), new PassThrough()];
  const wire = stdioWire(there, back);
  const serving = serveAcp(scripted(played), { ledger: new MemoryLedger(), wire, v2: true });
  onTestFinished(() => serving);
  onTestFinished(() => wire.close());
  return stdioWire(back, there);
}

describe.each([1, 2] as const)("in v%i", (protocol) => {
  const own = (options: DriveOptions = {}): Promise<Driven> =>
    drive("", { files: { "a.txt": "one\n" }, rules, connect: { agent: agentAt(), protocol }, ...options });

  test("a call is asked about here with what our agent knows of it, and runs when it is allowed", async () => {
    const { say, session, questions, connection, cwd } = await own();
    expect(connection.agent.protocolVersion).toBe(protocol);
    expect(await say("fix it")).toEqual({ status: "stopped", stopReason: "end_turn" });
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("two\n");
    expect(questions[0]?.about?.join("\n")).toContain(`write: ${join(cwd, "a.txt")}`);
    const call = session.book.call("call_1");
    expect(call).toMatchObject({ kind: "edit", state: { status: "done" } });
    expect(call?.content).toMatchObject([{ type: "diff", path: join(cwd, "a.txt") }]);
    const words = session.book
      .snapshot()
      .timeline.flatMap((entry) => (entry.type === "message" ? entry.message : []));
    expect(words.map(({ role, blocks }) => `${role}: ${(blocks[0] as { text: string }).text}`)).toEqual([
      "user: fix it",
      "agent: I will fix it.",
      "agent: Done.",
    ]);
  });

  test("a no reaches our agent", async () => {
    const { say, session, cwd } = await own({ ask: choose("reject_once", "leave it") });
    expect(await say("fix it")).toMatchObject({ stopReason: "end_turn" });
    expect(readFileSync(join(cwd, "a.txt"), "utf8")).toBe("one\n");
    expect(session.book.call("call_1")?.state.status).toBe("refused");
  });

  test("a cancel ends the turn at both ends", async () => {
    const stop = new AbortController();
    const { say, session, ledger } = await own({ ask: askForever().ask });
    const ended = say("fix it", stop.signal);
    await until(() => session.book.call("call_1")?.state.status === "waiting");
    stop.abort();
    expect(await ended).toEqual({ status: "stopped", stopReason: "cancelled" });
    expect(await ledger.openQuestions()).toEqual([]);
  });

  test("a second prompt goes on in the same session", async () => {
    const { say } = await own();
    await say("fix it");
    expect(await say("again")).toMatchObject({ status: "stopped" });
  });
});

test("uses v1 with an agent that only supports v1", async () => {
  const { connection, say } = await drive("", { connect: { protocol: 2 } });
  expect(connection.agent.protocolVersion).toBe(1);
  expect(await say("go")).toMatchObject({ stopReason: "end_turn" });
});

test("asks once about a command that our agent runs in our terminal", async () => {
  const calls = [{ tool: "terminal", input: { command: "mkdir -p made && echo made" } }];
  const agent = agentAt([{ calls }, { say: "Done." }]);
  const { say, questions, session } = await drive("", { rules, connect: { agent, protocol: 1 } });
  expect(await say("make it")).toMatchObject({ stopReason: "end_turn" });
  expect(questions.map(({ title }) => title)).toEqual(["Run mkdir -p made && echo made"]);
  expect([...session.book.calls()].map(({ name, state }) => `${name} ${state.status}`)).toEqual([
    "terminal done",
    "terminal done",
  ]);
});
