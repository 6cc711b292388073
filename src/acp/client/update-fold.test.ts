import * as fc from "fast-check";
import { expect, test } from "vitest";
import { SessionBook, shownText } from "../../call/index.js";
import type { SessionEvent } from "../../call/index.js";
import { V1Reader } from "../v1/reader.js";
import { UpdateFold } from "./update-fold.js";

const ENDED = { text: "hi\n", exit: { exitCode: 0 } };
const terminal = (terminalId: string) => ({ type: "terminal", terminalId });

function folding(book = new SessionBook("s")) {
  const fold = new UpdateFold({
    book,
    agent: "them",
    reader: (session) => new V1Reader({ session, cwd: "/ws", mode: "lenient" }),
    isEchoing: () => false,
    terminalEnd: (terminalId) => (terminalId === "ended" ? ENDED : undefined),
    now: () => 1,
  });
  return { book, fold };
}

const chunk = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const more = (fields: object) => ({
  sessionUpdate: "tool_call_update",
  toolCallId: "t1",
  title: "T",
  ...fields,
});
const shows = (text: string) => more({ content: [{ type: "content", content: { type: "text", text } }] });
const types = (events: readonly SessionEvent[]) => events.map(({ type }) => type);

test("merges chunks that arrive together into one event, and repeated updates of a call too", () => {
  const { fold } = folding();
  expect(types(fold.read([chunk("a"), chunk("b"), chunk("c")]))).toEqual(["message-chunk"]);
  expect(types(fold.read([more({}), shows("1"), shows("2"), shows("3")]))).toEqual([
    "call-announced",
    "traffic-repaired",
    "call-revised",
  ]);
});

test("keeps white space between two chunks", () => {
  const { book, fold } = folding();
  book.applyAll(fold.read([chunk("a"), shows("1"), chunk("b")]));
  expect(book.snapshot().timeline.map(({ type }) => type)).toEqual(["message", "call", "message"]);
});

test("records a repair for an update that cannot be read, and reads the next one", () => {
  const { fold } = folding();
  expect(types(fold.read([5, { sessionUpdate: "tool_call_update" }, chunk("a")]))).toEqual([
    "traffic-repaired",
    "traffic-repaired",
    "message-chunk",
  ]);
});

test("notes a repeated mistake once for each call", () => {
  const { book, fold } = folding();
  const wrong = (toolCallId: string, kind: string) => ({
    ...more({ kind }),
    toolCallId,
    _meta: { toolgate: {} },
  });
  const read = (...updates: readonly object[]) => {
    for (const one of updates) book.applyAll(fold.read([one]));
    return book.snapshot().repairs.map(({ repair, toolCallId }) => `${repair} ${toolCallId}`);
  };
  const first = ["unknown-kind t1", "forged-meta t1", "unknown-id t1"];
  expect(read(wrong("t1", "odd")).toSorted()).toEqual(first.toSorted());
  expect(read(wrong("t1", "odd"), wrong("t1", "odd"))).toHaveLength(3);
  // Another mistake of the same kind is another.
  expect(read(wrong("t1", "odder"))).toHaveLength(4);
  expect(read(wrong("t2", "odd"))).toHaveLength(7);
});

const update = fc.oneof(
  fc.string({ maxLength: 3 }).map(chunk),
  fc.record(
    {
      sessionUpdate: fc.constantFrom("tool_call", "tool_call_update"),
      toolCallId: fc.constantFrom("t1", "t2"),
      title: fc.constantFrom("One", "Two"),
      status: fc.constantFrom("pending", "in_progress", "completed", "failed", "odd"),
      kind: fc.constantFrom("read", "edit"),
      rawInput: fc.constantFrom({ a: 1 }, { a: 2 }),
      content: fc.constantFrom(
        [],
        [{ type: "content", content: { type: "text", text: "x" } }],
        [terminal("ended")],
        [terminal("ended"), terminal("runs"), terminal("ended")],
      ),
    },
    { requiredKeys: ["sessionUpdate", "toolCallId"] },
  ),
  fc.constantFrom(
    { sessionUpdate: "plan", entries: [] },
    { sessionUpdate: "current_mode_update", currentModeId: "ask" },
  ),
);

test("folds the same session however its updates were batched", () => {
  fc.assert(
    fc.property(fc.array(fc.array(update, { maxLength: 8 }), { maxLength: 8 }), (batches) => {
      const together = folding();
      for (const batch of batches) together.book.applyAll(together.fold.read(batch));
      const apart = folding();
      for (const one of batches.flat()) apart.book.applyAll(apart.fold.read([one]));
      expect(together.book.snapshot()).toEqual(apart.book.snapshot());
      for (const { content } of together.book.calls())
        for (const item of content)
          if (item.type === "terminal" && item.output) expect(shownText(item.output)).toBe(ENDED.text);
    }),
  );
});

test("shows output once when the command ends before its call is announced", () => {
  const { book, fold } = folding();
  const call = { sessionUpdate: "tool_call", toolCallId: "t1", title: "T", status: "in_progress" };
  const lists = [[terminal("ended"), terminal("ended")], [], [terminal("ended")]];
  book.applyAll(fold.read([call, ...lists.map((content) => more({ content }))]));
  expect(book.call("t1")?.content).toMatchObject([{ output: { head: "hi\n" }, exit: { exitCode: 0 } }]);
});
