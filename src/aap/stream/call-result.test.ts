import { expect, test } from "vitest";
import { SessionBook } from "../../call/index.js";
import type { Breach } from "../../call/index.js";
import { callResult } from "./call-result.js";

const toolCallId = "call_1";

function done(end: object, breach?: Breach) {
  const book = new SessionBook("s", [
    {
      type: "call-announced",
      toolCallId,
      at: 1,
      name: "read",
      title: "Read",
      kind: "read",
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at: 1, rawInput: {} },
    { type: "call-cleared", toolCallId, at: 1 },
    { type: "run-started", toolCallId, at: 1 },
    { type: "call-done", toolCallId, at: 1, ...end },
    ...(breach ? [{ type: "call-breached", toolCallId, at: 1, breach } as const] : []),
  ]);
  const call = book.call(toolCallId);
  if (!call) throw new Error("The call is not there.");
  return callResult(call);
}

test("sends the result as the model reads it", () => {
  expect(done({ rawOutput: "words" })).toEqual({ content: "words", isError: false });
  expect(done({ rawOutput: { count: 1 } })).toEqual({ content: '{"count":1}', isError: false });
});

test("sends empty text for a call without a result", () => {
  expect(done({})).toEqual({ content: "", isError: false });
});

test("marks a breach as an error, before the result", () => {
  const breach = { isAfterRefusal: false, rule: "deny execute" };
  const sentence = "Done without asking; rule deny execute denies it.";
  expect(done({ rawOutput: "gone" }, breach)).toEqual({ content: `${sentence}\ngone`, isError: true });
});
