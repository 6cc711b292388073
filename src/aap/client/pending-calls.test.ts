import { expect, test } from "vitest";
import { pendingCalls } from "./pending-calls.js";
import type { HistoryMessage, ToolUseBlock } from "./protocol.js";

const use = (toolCallId: string, name: string): ToolUseBlock => ({
  type: "tool_use",
  toolCallId,
  name,
  input: {},
});
const assistant = (...content: ToolUseBlock[]): HistoryMessage => ({ role: "assistant", content });
const result = (toolCallId: string): HistoryMessage => ({ role: "tool", toolCallId, content: "ok" });

test("calls without a result are pending, on the side that has the tool", () => {
  const history = [assistant(use("1", "show"), use("2", "read"), use("3", "write")), result("2")];
  expect(pendingCalls(history, ["show"])).toEqual({
    client: [use("1", "show")],
    server: [use("3", "write")],
  });
});

test("reads the pending calls from the last assistant message only", () => {
  const history: HistoryMessage[] = [
    assistant(use("1", "show")),
    { role: "user", content: "never mind" },
    { role: "assistant", content: "Fine." },
  ];
  expect(pendingCalls(history, ["show"])).toEqual({ client: [], server: [] });
  expect(pendingCalls([], [])).toEqual({ client: [], server: [] });
});
