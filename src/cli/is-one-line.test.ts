import { expect, test } from "vitest";
import { SessionBook } from "../call/index.js";
import type { ToolCall } from "../call/index.js";
import { isOneLine } from "./is-one-line.js";

function failedRead(toolCallId: string): ToolCall {
  const about = { toolCallId, at: 1 };
  const book = new SessionBook("s", [
    {
      ...about,
      type: "call-announced",
      name: "read_file",
      title: "Read /a",
      kind: "read",
      kindSource: "declared",
    },
    { ...about, type: "call-failed", error: "/a does not exist. Nothing was read." },
  ]);
  const call = book.call(toolCallId);
  if (!call) throw new Error("The call is missing.");
  return call;
}

test("shows the error of a read, unless an agent looked through us whether the file is there", () => {
  expect(isOneLine(failedRead("call_1"))).toBe(false);
  expect(isOneLine(failedRead("proxied_1"))).toBe(true);
});
