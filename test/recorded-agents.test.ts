/**
 * Recordings of other agents (test/fixtures/traffic/agents), played by a real process to our client. Each test names the
 * agent's own way that it holds us to.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { V1Encoder } from "../src/acp/v1/encoder.js";
import { SessionBook } from "../src/call/index.js";
import type { ToolCall } from "../src/call/index.js";
import { folder } from "./agent-kit.js";
import { choose, drive } from "./acp-client-kit.js";
import type { Driven, DriveOptions } from "./acp-client-kit.js";
import { childProgram } from "./child-programs.js";
import { readFile } from "node:fs/promises";

const recordings = fileURLToPath(new URL("fixtures/traffic/agents/", import.meta.url));

type Played = Driven & {
  readonly calls: () => readonly ToolCall[];
  /** The answers and requests that the agent got. */
  readonly got: () => Promise<
    readonly { readonly id?: unknown; readonly result?: unknown; readonly method?: string }[]
  >;
};

async function play(recording: string, options: DriveOptions = {}): Promise<Played> {
  const notes = join(await folder({ notes: "" }), "notes");
  const argv = [
    process.execPath,
    childProgram("recorded-agent.mjs"),
    `${recordings}${recording}.ndjson`,
    notes,
  ] as const;
  const driven = await drive(recording, { argv, ...options });
  await driven.say("Go");
  return {
    ...driven,
    calls: () => [...driven.session.book.calls()],
    got: async () =>
      (await readFile(notes, "utf8"))
        .trim()
        .split("\n")
        .map((line): { id?: unknown } => JSON.parse(line)),
  };
}

const own = (calls: readonly ToolCall[]) =>
  calls.filter(({ toolCallId }) => !toolCallId.startsWith("proxied_"));

describe("fast-agent 0.10", () => {
  test("asks under the id `pending`, then starts the command under another: one call with all of it", async () => {
    const { calls, questions, session, repairs } = await play("fast-agent-command");
    expect(questions).toHaveLength(1);
    const [call, ...others] = own(calls());
    expect(others).toEqual([]);
    expect(call).toMatchObject({
      title: "execute",
      rawInput: { command: "echo hi > made.txt; cat made.txt" },
      rawOutput: "hi\n\n\n[Exit code: 0]",
      decision: { by: "person" },
      state: { status: "done", assumed: false },
    });
    expect(call?.times.answered).toBeLessThanOrEqual(call?.times.started ?? 0);
    expect(session.book.call("proxied_1")).toMatchObject({
      parentToolCallId: call?.toolCallId,
      state: { status: "done" },
    });
    expect(repairs()).not.toContain("late-update");
  });

  test("reports a refused command as pending and failed under another id: it stays refused, once", async () => {
    const { calls } = await play("fast-agent-command-refused", { ask: choose("reject_once", "not here") });
    expect(calls()).toMatchObject([
      { state: { status: "refused" }, decision: { by: "person", reason: "not here" }, breach: undefined },
    ]);
  });

  test("announces a write before it asks: the question shows its diff, and our write is under it", async () => {
    const { calls, questions, session } = await play("fast-agent-write", { rules: [{ allow: "read" }] });
    expect(questions).toHaveLength(1);
    const [write] = own(calls());
    for (const id of ["proxied_1", "proxied_2"])
      expect(session.book.call(id)?.parentToolCallId).toBe(write?.toolCallId);
    expect(own(calls())).toMatchObject([
      { kind: "edit", decision: { by: "person" }, state: { status: "done" } },
    ]);
  });
});

test("opencode 1.18 reports a command as in progress before it asks: one call, which starts after the yes", async () => {
  const { calls, questions, repairs } = await play("opencode-command");
  expect(questions).toHaveLength(1);
  expect(calls()).toMatchObject([
    {
      rawInput: { command: "echo agent-was-here > made.txt; cat made.txt", description: "make a file" },
      decision: { by: "person" },
      state: { status: "done" },
    },
  ]);
  const [call] = calls();
  expect(JSON.stringify(call?.content)).toContain("agent-was-here");
  expect(call?.times.started).toBeGreaterThanOrEqual(call?.times.answered ?? Infinity);
  expect(repairs()).not.toContain("changed-after-approval");
  expect(repairs()).not.toContain("asked-again");
});

test("opencode 1.18 asks about an edit in progress with other fields than it reported: the same call, and its diff", async () => {
  const files = { "notes.txt": "milk\nbread\n" };
  const { calls, questions, repairs, session, ledger } = await play("opencode-edit", { files });
  expect(questions).toHaveLength(1);
  const [, edit, ...others] = own(calls());
  expect(others).toEqual([]);
  expect(edit).toMatchObject({
    kind: "edit",
    rawInput: { oldString: "bread", newString: "butter" },
    decision: { by: "person" },
    state: { status: "done" },
    breach: undefined,
  });
  expect(JSON.stringify(questions[0])).toContain("butter");
  expect(session.book.call("proxied_1")?.parentToolCallId).toBe(edit?.toolCallId);
  for (const repair of ["asked-again", "changed-after-approval"]) expect(repairs()).not.toContain(repair);

  // A client of ours sees the start that was taken back: its status does not go back to pending.
  const book = new SessionBook(session.sessionId);
  const encoder = new V1Encoder();
  const statuses: unknown[] = [];
  for (const { event } of await ledger.read(session.sessionId)) {
    book.apply(event);
    const call = edit && book.call(edit.toolCallId);
    for (const update of call ? encoder.encode(call) : [])
      if ("status" in update) statuses.push(update.status);
  }
  expect(statuses).toEqual(["pending", "in_progress", "completed"]);
});

test("claude-agent-acp 0.49 streams the input of a command before it asks: one call", async () => {
  const { calls } = await play("claude-agent-acp-command");
  // The agent reports no start: the command has run since the yes.
  const [{ times } = { times: undefined }] = calls();
  expect(times?.started).toBe(times?.answered);
  expect(calls()).toMatchObject([
    { rawOutput: "agent-was-here", decision: { by: "person" }, state: { status: "done" } },
  ]);
});

describe("codex-acp 0.16", () => {
  test("asks before it announces, under the id of the call: one call", async () => {
    const { calls, questions } = await play("codex-acp-command");
    expect(questions).toHaveLength(1);
    expect(calls()).toMatchObject([{ decision: { by: "person" }, state: { status: "done" } }]);
  });

  test("has `abort` as its only no: the turn ends, and the call is refused", async () => {
    const { calls, got } = await play("codex-acp-refused", { ask: choose("reject_once") });
    expect(calls()).toMatchObject([{ state: { status: "refused" } }]);
    expect((await got()).map(({ method }) => method)).not.toContain("session/prompt");
  });

  test("has no place for a reason in the answer: its model gets the reason as the next prompt", async () => {
    const { got, session } = await play("codex-acp-refused", { ask: choose("reject_once", "use make") });
    const text = "“echo agent-was-here > made.txt; cat made.txt” was refused. The user's reason: use make";
    const [, prompt, ...others] = await got();
    expect(prompt).toMatchObject({ method: "session/prompt", params: { prompt: [{ type: "text", text }] } });
    expect(others).toEqual([]);
    const { timeline, turns } = session.book.snapshot();
    expect(turns).toHaveLength(1);
    expect(JSON.stringify(timeline)).toContain("The user's reason: use make");
  });
});

test("qwen-code 0.15 asks before it announces and says nothing after a no: refused, once", async () => {
  const { calls } = await play("qwen-code-refused", { ask: choose("reject_once") });
  expect(calls()).toMatchObject([{ state: { status: "refused" }, breach: undefined }]);
});

describe("testy (Rust SDK)", () => {
  test("starts a call without a status and edits without progress: both are done", async () => {
    const { calls } = await play("testy-tool-calls");
    expect(calls()).toMatchObject([
      { toolCallId: "testy-tool-read-1", state: { status: "done" } },
      { toolCallId: "testy-tool-edit-2", state: { status: "done" }, content: [{ type: "diff" }] },
    ]);
  });

  test("sends every kind of update: its messages, thoughts, plan, mode and calls are in the record", async () => {
    const { calls, session } = await play("testy-session-updates");
    const { timeline, plan, modeId } = session.book.snapshot();
    expect(calls().map(({ state }) => state.status)).toEqual(["done", "done"]);
    expect(plan).not.toEqual([]);
    expect(modeId).toBe("recorded-agent/chat");
    const blocks = timeline.flatMap((entry) => (entry.type === "message" ? entry.message.blocks : []));
    expect(new Set(blocks.map(({ type }) => type))).toEqual(
      new Set(["text", "image", "audio", "resource_link", "resource"]),
    );
  });

  test("does all of it in one turn, which ends", async () => {
    const { calls } = await play("testy-full", { rules: [{ deny: "edit" }, { deny: "read" }] });
    expect(calls().every(({ state }) => state.status !== "running")).toBe(true);
    expect(calls().length).toBeGreaterThanOrEqual(4);
  });

  test("asks about nothing in particular, and then uses our files and terminal", async () => {
    const { calls } = await play("testy-callbacks", { rules: [{ deny: "edit" }, { deny: "read" }] });
    expect(calls().map(({ state }) => state.status)).toContain("refused");
  });
});

test("codex-acp 2.6 reports a command as in progress before it asks: one call, with its decision", async () => {
  const { calls, questions } = await play("codex-acp-2.6-command");
  expect(questions).toHaveLength(1);
  expect(calls()).toMatchObject([
    {
      rawInput: { command: "echo reep-yb-edam | rev > made.txt; cat made.txt" },
      decision: { by: "person" },
      state: { status: "done", assumed: false },
    },
  ]);
});

test("opencode 1.18 reports a refused command as failed, with words of its own: refused, and no breach", async () => {
  const { calls } = await play("opencode-refused", { ask: choose("reject_once", "not on a Sunday, please") });
  expect(calls()).toMatchObject([
    {
      state: { status: "refused" },
      decision: { by: "person", reason: "not on a Sunday, please" },
      breach: undefined,
    },
  ]);
});
