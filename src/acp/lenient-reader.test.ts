/** Mistakes of other agents, and their repairs. Each repair is recorded by its name. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lives } from "../call/calls.samples.js";
import { SessionBook } from "../call/index.js";
import { Receiver, VERSIONS, withoutToolgate } from "./codec.samples.js";

const [v1, v2] = VERSIONS;
const start = { sessionUpdate: "tool_call", toolCallId: "c1", title: "Do it" };
const update = { sessionUpdate: "tool_call_update", toolCallId: "c1" };

const chunk = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

function afterV1(...updates: object[]) {
  const far = new Receiver(v1, "lenient");
  far.receive(updates);
  return { call: far.call("c1")!, repairs: far.repairs(), far };
}

describe("statuses", () => {
  test("fills in the transitions of a call that is completed at once", () => {
    const { call, repairs } = afterV1({ ...start, status: "completed", rawInput: { path: "/a" } });
    expect(call.state).toEqual({ status: "done", assumed: false });
    expect(call.rawInput).toEqual({ path: "/a" });
    expect(repairs).toEqual(["skipped-steps"]);
  });

  test("a call in progress does not go back to pending", () => {
    const { call, repairs } = afterV1(
      { ...start, status: "in_progress" },
      { ...update, status: "pending", title: "Still at it" },
    );
    expect(call).toMatchObject({ title: "Still at it", state: { status: "running" } });
    expect(repairs).toEqual(["status-backwards"]);
  });

  test("cancelled, which v1 does not have, ends the call as cancelled", () => {
    const { call, repairs } = afterV1(start, { ...update, status: "cancelled" });
    expect(call.state).toMatchObject({ status: "cancelled", assumed: false });
    expect(repairs).toEqual(["unknown-status"]);
  });

  test("an unknown status changes nothing", () => {
    const { call, repairs } = afterV1({ ...start, status: "in_progress" }, { ...update, status: "thinking" });
    expect(call.state.status).toBe("running");
    expect(repairs).toEqual(["unknown-status"]);
  });

  test("takes the error of a failure from the call's last text", () => {
    const content = [{ type: "content", content: { type: "text", text: "disk full" } }];
    expect(afterV1(start, { ...update, status: "failed", content }).call.state).toMatchObject({
      status: "failed",
      error: "disk full",
    });
    expect(afterV1(start, { ...update, status: "failed" }).call.state).toMatchObject({
      error: "The agent reported a failure and did not say why.",
    });
  });

  test("ignores a late update of a call that has ended", () => {
    const { call, repairs } = afterV1(
      { ...start, status: "in_progress" },
      { ...update, status: "completed" },
      { ...update, status: "failed", title: "No!" },
    );
    expect(call).toMatchObject({ title: "Do it", state: { status: "done" } });
    expect(repairs).toEqual(["late-update"]);
  });

  test("replaces an assumed end by the first reported end and ignores a second", () => {
    const { far } = afterV1({ ...start, status: "in_progress" });
    far.book.apply({
      type: "call-unknown",
      toolCallId: "c1",
      at: 9,
      reason: "the agent died.",
      assumed: true,
    });
    far.receive([{ ...update, status: "completed", rawOutput: "ok" }]);
    expect(far.call("c1")).toMatchObject({ rawOutput: "ok", state: { status: "done", assumed: false } });
    far.receive([{ ...update, status: "failed" }]);
    expect(far.call("c1")).toMatchObject({ state: { status: "done" } });
    expect(far.repairs()).toEqual(["late-end", "late-update"]);
  });
});

describe("starts and ids", () => {
  test("an update for a call that was never announced creates it", () => {
    const { call, repairs } = afterV1({
      ...update,
      status: "in_progress",
      name: "read_file",
      rawInput: { path: "/a/b.ts" },
    });
    expect(call).toMatchObject({
      title: "Read /a/b.ts",
      kind: "read",
      kindSource: "inferred",
      state: { status: "running" },
    });
    expect(repairs).toEqual(["unknown-id"]);
  });

  test("a start without a title gets one", () => {
    const { call, repairs } = afterV1({
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      name: "terminal",
      rawInput: { command: "npm test" },
    });
    expect(call.title).toBe("Run npm test");
    expect(repairs).toEqual(["missing-title"]);
  });

  test("a second start replaces what the call shows and does not set it back", () => {
    const content = [{ type: "content", content: { type: "text", text: "x" } }];
    const { call, repairs } = afterV1(
      { ...start, kind: "read", status: "in_progress", content },
      { ...start, title: "Do it again" },
    );
    expect(call).toMatchObject({
      title: "Do it again",
      kind: "other",
      content: [],
      state: { status: "running" },
    });
    expect(repairs).toEqual(["repeated-start"]);
  });

  test("an id used again after its call ended is a new call", () => {
    const { far, repairs } = afterV1(
      { ...start, status: "completed" },
      { ...start, title: "Another" },
      { ...update, status: "in_progress" },
    );
    expect(
      [...far.book.calls()].map(({ toolCallId, title, state }) => [toolCallId, title, state.status]),
    ).toEqual([
      ["c1", "Do it", "done"],
      ["c1#2", "Another", "running"],
    ]);
    expect(repairs).toEqual(["skipped-steps", "id-reused"]);
  });

  test("a number for an id is taken as its text", () => {
    const { far, repairs } = afterV1({ ...start, toolCallId: 7 });
    expect(far.call("7")?.title).toBe("Do it");
    expect(repairs).toEqual(["id-not-text"]);
  });

  test("a call's parent is found where Claude and fast-agent put it", () => {
    expect(afterV1({ ...start, _meta: { claudeCode: { parentToolUseId: "p" } } }).call.parentToolCallId).toBe(
      "p",
    );
    expect(afterV1({ ...start, _meta: { parentToolCallId: "p" } }).call.parentToolCallId).toBe("p");
    expect(afterV1({ ...start, _meta: { parentToolCallId: "c1" } }).call.parentToolCallId).toBeUndefined();
  });
});

describe("content and fields", () => {
  test("keeps readable content and leaves out the rest", () => {
    const content = [
      { type: "text", text: "bare" },
      { type: "diff", path: "src/a.ts", newText: "x" },
      { type: "diff", path: "/b" },
      { type: "hologram" },
      "text",
      { type: "content", content: { type: "text", text: "fine", annotations: { priority: "high" } } },
    ];
    const { call, repairs } = afterV1({
      ...start,
      content,
      locations: [{ path: "lib", line: 0 }, { line: 3 }],
    });
    expect(call.content).toEqual([
      { type: "content", content: { type: "text", text: "bare" } },
      { type: "diff", operation: "add", path: "/home/user/project/src/a.ts", newText: "x" },
      { type: "content", content: { type: "text", text: "fine" } },
    ]);
    expect(call.locations).toEqual([{ path: "/home/user/project/lib" }]);
    expect(repairs).toEqual([
      "bare-block",
      "relative-path",
      "bad-content",
      "bad-content",
      "bad-content",
      "bad-annotations",
      "relative-path",
      "line-zero",
      "bad-location",
    ]);
  });

  test("an unknown kind is other, for the strict reader too", () => {
    const far = new Receiver(v1, "strict");
    far.receive([{ ...start, kind: "browse" }]);
    expect(far.call("c1")?.kind).toBe("other");
    expect(far.repairs()).toEqual(["unknown-kind"]);
  });

  test("does not trust _meta.toolgate of a foreign agent", () => {
    const toolgate = {
      state: { status: "done", assumed: false },
      times: { announced: 1 },
      decision: { by: "person", who: "ann", at: 1 },
    };
    const { call, repairs } = afterV1({ ...start, _meta: { toolgate, theirs: 1 } });
    expect(call).toMatchObject({ decision: undefined, state: { status: "drafting" }, _meta: { theirs: 1 } });
    expect(repairs).toEqual(["forged-meta"]);
  });

  test("does not change an input that a person was asked about", () => {
    const { far } = afterV1({ ...start, rawInput: { command: "ls" } });
    const question = {
      questionId: "q1",
      sessionId: "session-1",
      toolCallId: "c1",
      intentHash: "h",
      title: "",
      options: [],
      askedAt: 1,
    };
    far.book.apply({ type: "question-asked", toolCallId: "c1", at: 1, question });
    far.receive([{ ...update, rawInput: { command: "rm -rf /" } }]);
    expect(far.call("c1")?.rawInput).toEqual({ command: "ls" });
    expect(far.repairs()).toEqual(["input-changed"]);
  });

  test("a call that its agent runs while its question is open still waits, and may end", () => {
    const { far } = afterV1({ ...start, rawInput: 1 });
    const question = {
      questionId: "q1",
      sessionId: "session-1",
      toolCallId: "c1",
      intentHash: "h",
      title: "",
      options: [],
      askedAt: 1,
    };
    far.book.apply({ type: "question-asked", toolCallId: "c1", at: 1, question });
    far.receive([{ ...update, status: "in_progress" }]);
    expect(far.call("c1")?.state.status).toBe("waiting");
    far.receive([{ ...update, status: "completed" }]);
    expect(far.call("c1")).toMatchObject({ decision: undefined, state: { status: "done" } });
    expect(far.book.question("q1")?.state.status).toBe("withdrawn");
    expect(far.repairs()).toEqual(["ran-while-asked", "skipped-steps"]);
  });

  test("ignores an update of an unknown kind", () => {
    const { repairs } = afterV1(
      { sessionUpdate: "session_dream" },
      { sessionUpdate: "usage_update", used: 1, size: 2 },
    );
    expect(repairs).toEqual(["unknown-update"]);
  });

  test("pieces of a message without an id belong together until something else comes", () => {
    const { far } = afterV1(chunk("Hel"), chunk("lo"), start, chunk("Bye"));
    const shown = far.book
      .snapshot()
      .timeline.map((entry) => (entry.type === "message" ? entry.message.blocks : entry.call.title));
    expect(shown).toEqual([[{ type: "text", text: "Hello" }], "Do it", [{ type: "text", text: "Bye" }]]);
  });
});

test("duplicated and late messages of any life never move a call that has ended", () => {
  fc.assert(
    fc.property(lives(), fc.array(fc.nat()), fc.constantFrom(v1, v2), (life, repeats, codec) => {
      const book = new SessionBook("session-1");
      const encoder = codec.encoder();
      const far = new Receiver(codec, "lenient");
      const sent: unknown[] = [];
      for (const event of life) {
        book.apply(event);
        const messages = encoder.encode(book.call("call_1")!).map(withoutToolgate);
        sent.push(...messages);
        far.receive(messages);
      }
      const ended = far.call()!;
      if (!("assumed" in ended.state)) return;
      for (const index of repeats) far.receive([sent[index % sent.length]]);
      expect(far.call()).toBe(ended);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) },
  );
});
