import * as fc from "fast-check";
import { expect, test } from "vitest";
import { event } from "./events.samples.js";
import type { SessionEvent } from "./session.js";
import { SessionBook } from "./session-book.js";
import { ToolCallIds } from "./tool-call.js";

const announce = (toolCallId: string, providerCallId = "p1"): SessionEvent => ({
  ...event.announced,
  toolCallId,
  providerCallId,
});
const sessionWith = (...toolCallIds: readonly string[]) =>
  new SessionBook(
    "session-1",
    toolCallIds.map((toolCallId) => announce(toolCallId)),
  );

test("counts a new session's calls from one", () => {
  const ids = new ToolCallIds(sessionWith());
  expect([ids.next(), ids.next(), ids.next()]).toEqual(["call_1", "call_2", "call_3"]);
});

test("ids that were handed out are not handed out again, announced or not", () => {
  const book = sessionWith();
  const ids = new ToolCallIds(book);
  const first = ids.next();
  const second = ids.next();
  book.apply(announce(second));
  expect([first, second, ids.next()]).toEqual(["call_1", "call_2", "call_3"]);
});

test("ids that someone else has taken are skipped, also when that happens later", () => {
  const book = sessionWith("call_2", "toolu_1", "call_4", "call_5");
  const ids = new ToolCallIds(book);
  expect(ids.next()).toBe("call_6");
  book.applyAll([announce("call_7"), announce("call_8")]);
  expect(ids.next()).toBe("call_9");
});

test("gives two calls of one provider id different ids", () => {
  const book = sessionWith();
  const ids = new ToolCallIds(book);
  for (let index = 0; index < 3; index++) book.apply(announce(ids.next(), "call_0"));
  expect([...book.calls()].map(({ toolCallId, providerCallId }) => [toolCallId, providerCallId])).toEqual([
    ["call_1", "call_0"],
    ["call_2", "call_0"],
    ["call_3", "call_0"],
  ]);
});

test("continues the count of the process before it", () => {
  const ids = new ToolCallIds(sessionWith("call_1", "call_2"));
  expect(ids.next()).toBe("call_3");
});

test("counts the same in a replay when a call came with its own id", () => {
  const book = sessionWith();
  const ids = new ToolCallIds(book);
  book.applyAll([announce("toolu_1"), announce(ids.next())]);
  const replayed = sessionWith(...[...book.calls()].map(({ toolCallId }) => toolCallId));
  expect(ids.next()).toBe(new ToolCallIds(replayed).next());
});

test("makes unique ids that a replay repeats, also when others announce calls in between", () => {
  const foreign = fc.oneof(
    fc.nat({ max: 12 }).map((count) => `call_${count}`),
    fc.constantFrom("toolu_1", "x", ""),
  );
  fc.assert(
    fc.property(fc.array(fc.option(foreign, { nil: "ours" as const }), { maxLength: 20 }), (comings) => {
      const book = sessionWith();
      const ids = new ToolCallIds(book);
      for (const coming of comings) {
        const toolCallId = coming === "ours" ? ids.next() : coming;
        // An id of ours that was taken would throw here.
        if (coming === "ours" || !book.call(coming)) book.apply(announce(toolCallId));
      }
      const replayed = sessionWith(...[...book.calls()].map((call) => call.toolCallId));
      expect(new ToolCallIds(replayed).next()).toBe(ids.next());
    }),
  );
});
