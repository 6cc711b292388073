import { expect, test } from "vitest";
import type { SessionSummary } from "toolgate/serve/client";
import { withNewest, withPage } from "./session-list.js";

const session = (updatedAt: number): SessionSummary => ({
  sessionId: `s${updatedAt}`,
  door: "page",
  title: "Work",
  state: "idle",
  createdAt: 0,
  updatedAt,
  calls: 0,
  messages: 0,
  openQuestions: 0,
  breaches: 0,
  seq: 1,
});
const page = (times: readonly number[], next?: string) => ({
  sessions: times.map(session),
  ...(next !== undefined && { next }),
});
const ids = ({ sessions }: { readonly sessions: readonly SessionSummary[] }) =>
  sessions.map(({ sessionId }) => sessionId).join(" ");

test("keeps the later pages when the first is read again", () => {
  const two = withPage(withNewest(undefined, page([9, 8], "after 8")), page([7, 6], "after 6"));
  expect(two).toMatchObject({ next: "after 6" });
  const newer = withNewest(two, page([10, 9], "after 9"));
  expect(ids(newer)).toBe("s10 s9 s8 s7 s6");
  expect(newer.next).toBe("after 6");
});

test("drops a session that was deleted from the first page", () => {
  const two = withPage(withNewest(undefined, page([9, 8], "after 8")), page([7]));
  expect(ids(withNewest(two, page([9, 7], "after 7")))).toBe("s9 s7");
  expect(ids(withNewest(two, page([9])))).toBe("s9");
});

test("shows a session once that has moved between two pages", () => {
  expect(ids(withPage(withNewest(undefined, page([9, 8], "after 8")), page([8, 7])))).toBe("s9 s8 s7");
});
