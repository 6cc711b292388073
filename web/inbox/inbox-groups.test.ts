import type { InboxQuestion } from "toolgate/serve/client";
import { describe, expect, test } from "vitest";
import { inboxGroups, neighbour, nextAnswerable } from "./inbox-groups.js";

/** On a Monday, at two by the clock of this machine. */
const NOW = new Date(2026, 10, 16, 14).getTime();

const question = (questionId: string, minutes: number, more: Partial<InboxQuestion> = {}): InboxQuestion => ({
  questionId,
  sessionId: "s",
  toolCallId: "call_1",
  title: questionId,
  agentTitle: "",
  kind: "execute",
  tool: "terminal",
  subject: questionId,
  sessionTitle: "Session",
  door: "editor",
  askedAt: NOW - minutes * 60_000,
  state: { status: "open" },
  liveness: "live",
  isAnswerable: true,
  isAged: false,
  ...more,
});

const gone = { isAnswerable: false, state: { status: "withdrawn", at: NOW, reason: "cancelled" } } as const;

describe("the groups of the inbox", () => {
  const questions = [
    question("old", 60 * 48, { isAged: true }),
    question("today", 60 * 8, { isAged: true }),
    question("a", 5, { likeness: "x" }),
    question("b", 4),
    question("c", 3, { likeness: "x" }),
    question("dead", 2, gone),
  ];
  const groups = inboxGroups(questions, NOW);

  test("puts old questions first, alike ones together and dead ones last", () => {
    expect(
      groups.map(({ name, clusters }) => [
        name,
        clusters.map((one) => one.questions.map(({ questionId }) => questionId)),
      ]),
    ).toEqual([
      ["Waits since Saturday", [["old"]]],
      ["Waits since earlier today", [["today"]]],
      ["Now", [["a", "c"], ["b"]]],
      ["No longer answerable", [["dead"]]],
    ]);
  });

  test("moves along what is shown and stops at the ends", () => {
    expect(neighbour(groups, "a", 1)?.questionId).toBe("c");
    expect(neighbour(groups, "old", -1)).toBeUndefined();
    expect(neighbour(groups, "nowhere", 1)?.questionId).toBe("old");
  });

  test("goes on to a question that can be answered, never to the same or a dead one", () => {
    expect(nextAnswerable(groups, "b")?.questionId).toBe("old");
    expect(nextAnswerable(inboxGroups([question("a", 1), question("d", 0, gone)], NOW), "a")).toBeUndefined();
  });
});
