/** A conversation with a Toolgate server: the same calls, questions and answers as there. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { connect } from "../src/aap/client/index.js";
import { serveAap } from "../src/aap/index.js";
import { createAgent } from "../src/agent/index.js";
import type { ShownQuestion } from "../src/call/index.js";
import { MirroredSession } from "../src/cli/mirrored-session.js";
import { MemoryLedger } from "../src/history/index.js";
import { scriptedModel } from "../src/model/index.js";
import type { ScriptStep } from "../src/model/index.js";
import { inMode } from "../src/policy/index.js";
import type { Rule } from "../src/policy/index.js";
import { ClientGone } from "../src/run/client-gone.js";
import type { Ask } from "../src/run/index.js";
import { builtInTools, LocalWorkspace } from "../src/tools/index.js";
import { folder } from "./agent-kit.js";

const KEY = "a-key-of-this-test";
const edit = (oldText: string, newText: string) => ({
  tool: "edit_file",
  input: { path: "a.txt", oldText, newText },
});

/** A server with an agent that plays the script, by the rules of mode `ask`, and a session of it here. */
async function talking(steps: readonly ScriptStep[]) {
  const workspace = await LocalWorkspace.open(await folder({ "a.txt": "one two\n" }));
  const granted: Rule[] = [];
  const agent = createAgent({
    name: "ours",
    model: scriptedModel({ steps: [...steps] }),
    tools: builtInTools,
    policy: () => inMode("ask", granted),
    remember: ({ rules }) => {
      granted.push(...rules);
      return Promise.resolve();
    },
  });
  const { url, close } = await serveAap(agent, {
    port: 0,
    token: KEY,
    workspace,
    ledger: new MemoryLedger(),
  });
  onTestFinished(close);
  const client = connect(url, KEY);
  expect(await MirroredSession.isOffered(client)).toBe(true);
  const tools = builtInTools.map(({ name }) => ({ name, trust: true }));
  const { sessionId } = await client.createSession({ agent: { name: "ours", tools } });
  const session = open(client, sessionId);
  const asked: ShownQuestion[] = [];
  const says =
    (choice: object): Ask =>
    (question) => {
      asked.push(question);
      return Promise.resolve({
        outcome: { type: "selected", optionId: "allow_once", ...choice },
        by: "person",
        who: "you",
      });
    };
  return { client, session, asked, says, granted, root: workspace.root };
}

function open(client: ReturnType<typeof connect>, sessionId: string): MirroredSession {
  const session = new MirroredSession(client, sessionId);
  onTestFinished(() => session.close());
  return session;
}

const onRetry = (): void => undefined;
const message = (text: string) => [{ type: "text" as const, text }];
const signal = (): AbortSignal => new AbortController().signal;

test("reads unasked, shows an edit as a diff, and stores an always with the width that was chosen", async () => {
  const { session, asked, says, granted } = await talking([
    { say: "I look.", calls: [{ tool: "read_file", input: { path: "a.txt" } }] },
    { calls: [edit("one", "1")] },
    { calls: [edit("two", "2")] },
    { say: "Done." },
  ]);
  const ask = says({ optionId: "allow_always", width: "exact" });
  expect(await session.turn(message("go"), { ask, signal: signal(), onRetry })).toEqual({
    status: "stopped",
    stopReason: "end_turn",
  });
  expect(asked.map(({ title }) => title)).toEqual(["Edit a.txt"]);
  expect(asked[0]?.widths?.map(({ effect, width }) => `${effect} ${width}`)).toContain("allow exact");
  expect(granted).toEqual([expect.objectContaining({ allow: "edit_file" })]);
  const calls = [...session.book.calls()];
  expect(calls.map(({ state, kind }) => `${kind} ${state.status}`)).toEqual([
    "read done",
    "edit done",
    "edit done",
  ]);
  expect(calls[1]?.content).toMatchObject([{ type: "diff", operation: "modify" }]);
  expect(calls[1]?.decision).toMatchObject({ by: "person", who: "you" });
});

test("refuses with a reason that the agent reads, and runs a changed input", async () => {
  const touch = (name: string) => ({ tool: "terminal", input: { command: `mkdir ${name}` } });
  const { session, asked, root } = await talking([{ calls: [touch("a"), touch("b")] }, { say: "Done." }]);
  const ask: Ask = (question) => {
    asked.push(question);
    return Promise.resolve(
      asked.length === 1
        ? { outcome: { type: "refused" }, by: "person", who: "you", reason: "not that" }
        : {
            outcome: { type: "selected", optionId: "allow_once" },
            by: "person",
            who: "you",
            input: { command: "mkdir c" },
          },
    );
  };
  await session.turn(message("go"), { ask, signal: signal(), onRetry });
  const [refused, changed] = session.book.calls();
  expect(refused).toMatchObject({ state: { status: "refused" }, decision: { reason: "not that" } });
  expect(changed).toMatchObject({
    state: { status: "done" },
    decision: { originalInput: { command: "mkdir b" } },
  });
  expect(["a", "b", "c"].map((name) => existsSync(join(root, name)))).toEqual([false, false, true]);
});

test("keeps some hunks of an edit and rejects the others at the server", async () => {
  const before = Array.from({ length: 30 }, (_, line) => `line ${line + 1}\n`).join("");
  const content = before.replace("line 2\n", "line two\n").replace("line 25\n", "line 25 b\n");
  const { session, asked, root } = await talking([
    { calls: [{ tool: "write_file", input: { path: "b.txt", content } }] },
    { say: "Done." },
  ]);
  writeFileSync(join(root, "b.txt"), before);
  const ask: Ask = (question) => {
    asked.push(question);
    const outcome = { type: "selected", optionId: "allow_once" } as const;
    return Promise.resolve({ outcome, by: "person", who: "you", keptHunks: [2] });
  };
  await session.turn(message("go"), { ask, signal: signal(), onRetry });
  expect(asked).toMatchObject([{ hunks: 2 }]);
  expect(readFileSync(join(root, "b.txt"), "utf8")).toBe(before.replace("line 25\n", "line 25 b\n"));
  const [call] = session.book.calls();
  expect(call?.decision?.rejectedHunks).toEqual([{ number: 1, line: 2 }]);
});

test("takes a question away that is answered elsewhere", async () => {
  const { client, session } = await talking([{ calls: [edit("one", "1")] }, { say: "Done." }]);
  let withdrawn = false;
  const ask: Ask = (question, until) =>
    new Promise((_resolve, reject) => {
      until.addEventListener("abort", () => {
        withdrawn = true;
        reject(until.reason);
      });
      void client.answerQuestion(question.questionId, { granted: true, who: "ann" });
    });
  const end = await session.turn(message("go"), { ask, signal: signal(), onRetry });
  expect({ end, withdrawn }).toEqual({ end: { status: "stopped", stopReason: "end_turn" }, withdrawn: true });
  expect([...session.book.calls()][0]?.decision).toMatchObject({ who: "ann" });
});

test("is left at a question, and another client goes on from there", async () => {
  const { client, session, asked, says } = await talking([{ calls: [edit("one", "1")] }, { say: "Done." }]);
  const leaving = new AbortController();
  const ask: Ask = (_question, until) =>
    new Promise((_resolve, reject) => {
      until.addEventListener("abort", () => reject(until.reason));
      leaving.abort(new ClientGone());
    });
  expect(await session.turn(message("go"), { ask, signal: leaving.signal, onRetry })).toEqual({
    status: "parked",
  });
  const resumed = open(client, session.sessionId);
  await resumed.past();
  expect(resumed.book.turn?.state.status).toBe("parked");
  expect(await resumed.turn(undefined, { ask: says({}), signal: signal(), onRetry })).toEqual({
    status: "stopped",
    stopReason: "end_turn",
  });
  expect(asked).toHaveLength(1);
});

test("cancels the turn at the server, with its question", async () => {
  const { client, session } = await talking([{ calls: [edit("one", "1")] }, { say: "Done." }]);
  const stop = new AbortController();
  const ask: Ask = (_question, until) =>
    new Promise((_resolve, reject) => {
      until.addEventListener("abort", () => reject(until.reason));
      stop.abort();
    });
  const end = await session.turn(message("go"), { ask, signal: stop.signal, onRetry });
  expect(end).toMatchObject({ status: "stopped", stopReason: "cancelled" });
  expect(await client.questions()).toEqual([]);
});
