import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { applyEvent } from "../call/index.js";
import type { SessionEvent } from "../call/index.js";
import { CallReporter } from "./call-reporter.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function aReporter() {
  const events: SessionEvent[] = [];
  const call = applyEvent(undefined, {
    type: "call-announced",
    toolCallId: "call_1",
    at: 0,
    name: "t",
    title: "T",
    kind: "other",
    kindSource: "declared",
  });
  const reporter = new CallReporter({ add: (event) => void events.push(event) }, call, () => 0);
  const revised = () => events.flatMap((event) => (event.type === "call-revised" ? [event.fields] : []));
  return { reporter, events, revised };
}

test("places and progress of one moment are one event", () => {
  const { reporter, revised } = aReporter();
  reporter.locate("/a", 3);
  reporter.progress(1, 2);
  reporter.locate("/b");
  reporter.progress(2, 2);
  expect(revised()).toEqual([]);
  vi.advanceTimersByTime(50);
  expect(revised()).toEqual([
    { locations: [{ path: "/a", line: 3 }, { path: "/b" }], progress: { done: 2, total: 2 } },
  ]);
  reporter.locate("/c");
  vi.advanceTimersByTime(50);
  expect(revised()[1]).toEqual({ locations: [{ path: "/a", line: 3 }, { path: "/b" }, { path: "/c" }] });
});

test("records few of thousands of reported locations, and shows the newest", () => {
  const { reporter, events, revised } = aReporter();
  for (let number = 0; number < 2_000; number += 1) {
    reporter.locate(`/a/file/${number}`, number + 1);
    if (number % 10 === 0) vi.advanceTimersByTime(1);
  }
  reporter.flush();
  expect(events.length).toBeLessThanOrEqual(6);
  expect(JSON.stringify(events).length).toBeLessThan(100_000);
  const locations = revised().at(-1)?.locations ?? [];
  expect(locations).toHaveLength(200);
  expect(locations.at(-1)).toEqual({ path: "/a/file/1999", line: 2_000 });
});

test("keeps the tool's own result over its earlier output", () => {
  const { reporter, revised } = aReporter();
  reporter.locate("/old");
  reporter.progress(1);
  reporter.report({ locations: [{ path: "/new" }], progress: null });
  reporter.locate("/newer");
  reporter.flush();
  expect(revised()).toEqual([
    { locations: [{ path: "/new" }], progress: null },
    { locations: [{ path: "/new" }, { path: "/newer" }] },
  ]);
});

test("shows nothing after the end", () => {
  const { reporter, events } = aReporter();
  const terminal = reporter.terminal();
  terminal.print("before");
  reporter.flush();
  const before = [...events];
  expect(before.map(({ type }) => type)).toEqual(["content-appended", "terminal-output"]);
  reporter.progress(1);
  reporter.output("late");
  reporter.diff({ type: "diff", operation: "add", path: "/a", newText: "x" });
  reporter.locate("/a");
  reporter.meta({ late: 1 });
  reporter.report({ title: "late" });
  terminal.print("late");
  terminal.exit({ exitCode: 0 });
  reporter.terminal("another").print("late");
  vi.advanceTimersByTime(5_000);
  reporter.flush();
  expect(events).toEqual(before);
  expect(vi.getTimerCount()).toBe(0);
});
