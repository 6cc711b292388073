import { expect, test } from "vitest";
import { readRoute } from "./read-route.js";

const at = (address: string) => readRoute(new URL(address, "http://page.test"));

test.each([
  ["/", { view: "inbox" }],
  ["/q/q%2F1", { view: "inbox", questionId: "q/1" }],
  ["/q/q1?alike", { view: "inbox", questionId: "q1", isAlike: true }],
  ["/s", { view: "sessions" }],
  ["/s/abc#call_2", { view: "session", sessionId: "abc", toolCallId: "call_2" }],
  ["/history?text=a", { view: "history", search: "?text=a" }],
  ["/q/%E0%A4%A", { view: "inbox", questionId: "%E0%A4%A" }],
  ["/constructor", { view: "missing" }],
])("reads %s", (address, route) => {
  expect(at(address)).toEqual(route);
});
