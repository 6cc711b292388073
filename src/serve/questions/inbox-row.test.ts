import { expect, test } from "vitest";
import type { Question } from "../../call/index.js";
import { SessionFacts } from "../sessions/session-facts.js";
import { inboxRow, isReported } from "./inbox-row.js";

const asked = (about: readonly string[], wholeAbout = about): Question => ({
  questionId: "s/c/1",
  sessionId: "s",
  toolCallId: "c",
  intentHash: "h",
  title: "Approved",
  options: [],
  about,
  wholeAbout,
  askedAt: 0,
});

const titleOf = (question: Question): string =>
  inboxRow(question, undefined, new SessionFacts("s"), {
    state: { status: "open" },
    liveness: "live",
    now: 1,
    patterns: [],
  }).title;

test.each([
  ["Run rm -rf x", ["runs: rm -rf x", "command: rm -rf x", "input: {}"]],
  ["Fetch https://good.example@evil.example/", ["host: https://good.example@evil.example/", "input: {}"]],
  ["Edit /etc/hosts", ["write: /etc/hosts", "input: {}"]],
  ["Use agent/wipe", ["tool: agent/wipe", "input: {}"]],
  ["A call of unknown effect", ["tool: agent/(no name)", "input: null"]],
])("heads a question of somebody else's agent by what it does: %s", (title, about) => {
  expect(isReported(asked(about))).toBe(true);
  expect(titleOf(asked(about))).toBe(title);
});

test("keeps our own title of a call that we run", () => {
  expect(titleOf(asked(["input: {}", "tool: think"]))).toBe("Approved");
});

test("shows the end of a long command in its heading", () => {
  const runs = `runs: ${"a".repeat(20_000)}; touch x`;
  const about = ["runs: (9 characters more than shown here) aaa", "input: {}"];
  expect(titleOf(asked(about, [runs, "input: {}"]))).toMatch(/^Run a+….*; touch x$/);
});
