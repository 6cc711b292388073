import * as fc from "fast-check";
import { expect, test } from "vitest";
import { lives } from "../call/calls.samples.js";
import type { PlanEntry, SessionEvent } from "../call/index.js";
import { SessionBook } from "../call/index.js";
import { hostileSessions, INVISIBLE } from "./hostile.samples.js";
import { columns } from "./visible-line.js";
import { sessionText } from "./session-text.js";

const textOf = (...events: readonly SessionEvent[]) => sessionText(new SessionBook("s1", events).snapshot());

function said(role: "user" | "agent" | "thought", text: string, at = 0): SessionEvent {
  return { type: "message-chunk", at, messageId: `${role}-${at}`, role, block: { type: "text", text } };
}

function announced(toolCallId: string, parentToolCallId?: string, at = 0): SessionEvent {
  const call = { name: "task", title: `Task ${toolCallId}`, kind: "other", kindSource: "declared" } as const;
  return {
    type: "call-announced",
    toolCallId,
    at,
    ...call,
    ...(parentToolCallId !== undefined && { parentToolCallId }),
  };
}

const cancelled = (toolCallId: string): SessionEvent => ({
  type: "call-cancelled",
  toolCallId,
  at: 5,
  reason: "no time.",
});

test("marks a response that was cut off by a crash, and not the one that replaced it", () => {
  const chunk = (messageId: string, text: string): SessionEvent => ({
    type: "message-chunk",
    at: 1,
    messageId,
    role: messageId.endsWith("-thought") ? "thought" : "agent",
    block: { type: "text", text },
  });
  const ended = (stepId: string): SessionEvent => ({
    type: "step-ended",
    at: 1,
    turnId: "t",
    stepId,
    toolCallIds: [],
  });
  const events = [
    said("user", "Go"),
    chunk("step_2-thought", "Hm."),
    chunk("step_2", "I lo"),
    chunk("step_5-thought", "Hm."),
    chunk("step_5", "I look."),
    ended("step_5"),
    said("user", "And?", 2),
    chunk("step_9", "Not wh"),
  ];
  const mark = "│ [cut off, and repeated below]";
  expect(textOf(...events)).toBe(
    `
session s1

user    │ Go

thought │ Hm.
        ${mark}

agent   │ I lo
        ${mark}

thought │ Hm.

agent   │ I look.

user    │ And?

agent   │ Not wh
`.trim(),
  );
  // Nothing is known about an agent that does not report where its responses end.
  expect(textOf(...events.filter(({ type }) => type !== "step-ended"))).not.toContain("cut off");
});

test("shows only the name of a session without events", () => {
  expect(textOf()).toBe("session s1");
});

test("shows thoughts, images and calls in order", () => {
  const text = textOf(
    { type: "info-changed", at: 0, info: { title: "Tidy up", agent: "claude", cwd: "/app" } },
    { type: "mode-changed", at: 0, modeId: "ask" },
    said("user", "Look at this:\n\n\tindented\n"),
    {
      type: "message-chunk",
      at: 0,
      messageId: "user-0",
      role: "user",
      block: { type: "image", data: "AAAA", mimeType: "image/png" },
    },
    said("thought", "\n\nHm."),
    announced("call-1"),
    announced("call-2"),
    said("agent", "All is well and every word of this is true. ".repeat(2)),
    said("agent", "", 1),
  );
  expect(text).toBe(
    `
session s1: Tidy up
agent claude, mode ask, in /app

user    │ Look at this:
        │
        │     indented
        │ [image image/png, 3 B]

thought │ Hm.

… • Task call-1 (other, drafting)
… • Task call-2 (other, drafting)

agent   │ All is well and every word of this is true. All is well and every word
        │ of this is true.

agent   │
`.trim(),
  );
});

test("calls of two sub-agents at work at the same time stand below their own", () => {
  const text = textOf(
    announced("one"),
    announced("two"),
    announced("one-a", "one"),
    announced("two-a", "two"),
    announced("one-b", "one"),
    said("agent", "So far."),
    announced("two-b", "two"),
  );
  const shown = text
    .split("\n")
    .flatMap((line) => /^( *)\S+ \S+ Task (\S+)/.exec(line)?.slice(1).join("") ?? []);
  expect(shown).toEqual(["one", "    one-a", "    one-b", "two", "    two-a", "    two-b"]);
  expect(text.indexOf("So far.")).toBeLessThan(text.indexOf("two-b"));
});

test("calls made by calls are indented, down to a depth", () => {
  const chain = Array.from({ length: 7 }, (_, index) =>
    announced(`c${index}`, index === 0 ? undefined : `c${index - 1}`),
  );
  expect(textOf(...chain, announced("d"))).toBe(
    `
session s1

… • Task c0 (other, drafting)
    … • Task c1 (other, drafting)
        … • Task c2 (other, drafting)
            … • Task c3 (other, drafting)
                … • Task c4 (other, drafting)
                … • Task c5 (other, drafting)
                … • Task c6 (other, drafting)
… • Task d (other, drafting)
`.trim(),
  );
});

test("parents that go round in a circle, or that nobody knows, are no trouble", () => {
  expect(
    textOf(announced("a", "b"), announced("b", "a"), announced("c", "nobody"), announced("d", "d")),
  ).toBe(
    `
session s1

… • Task a (other, drafting)
    … • Task b (other, drafting)
… • Task c (other, drafting)
… • Task d (other, drafting)
`.trim(),
  );
});

test("shows the done, current, pending and cancelled entries of a plan", () => {
  const entries: readonly PlanEntry[] = [
    { content: "Read", priority: "low", status: "completed" },
    { content: "Edit", priority: "high", status: "in_progress" },
    { content: "Test", priority: "medium", status: "pending" },
    { content: "Ship\n  ☑ Pay", priority: "medium", status: "cancelled" },
  ];
  expect(textOf({ type: "plan-updated", at: 0, entries })).toBe(
    `
session s1

plan
  ☑ Read
  ◐ Edit (high priority)
  ☐ Test
  ☒ Ship\\n  ☑ Pay (cancelled)
`.trim(),
  );
});

test("reports at its end that a turn ended early", () => {
  const text = textOf(
    { type: "turn-started", at: 1, turnId: "t1" },
    announced("a", undefined, 2),
    cancelled("a"),
    { type: "turn-stopped", at: 6, turnId: "t1", stopReason: "cancelled" },
    { type: "turn-started", at: 7, turnId: "t2" },
    said("user", "Go on", 7),
    { type: "turn-stopped", at: 8, turnId: "t2", stopReason: "end_turn" },
    { type: "turn-started", at: 9, turnId: "t3" },
    { type: "turn-stopped", at: 9, turnId: "t3", stopReason: "error", error: "no\nmodel" },
  );
  expect(text).toBe(
    `
session s1

– • Task a (other, cancelled)
    Tool call cancelled: no time.

── turn stopped: cancelled

user    │ Go on

── turn stopped: error: no\\nmodel
`.trim(),
  );
});

test("lists open questions, a parked turn and repairs at the end", () => {
  const text = textOf(
    { type: "turn-started", at: 1, turnId: "t1" },
    announced("a"),
    { type: "input-ready", toolCallId: "a", at: 2, rawInput: {} },
    {
      type: "question-asked",
      toolCallId: "a",
      at: 3,
      question: {
        questionId: "q1",
        sessionId: "s1",
        toolCallId: "a",
        intentHash: "hash",
        title: "May I?",
        options: [{ optionId: "1", name: "Allow once", kind: "allow_once" }],
        askedAt: 3,
      },
    },
    { type: "turn-parked", at: 4, turnId: "t1" },
    { type: "traffic-repaired", at: 4, repair: { repair: "late", detail: "x" } },
  );
  expect(text).toBe(
    `
session s1

? • Task a (other, waiting for an answer)
    question q1: May I?
    answers: Allow once

1 open question
  ? May I? (question q1)

── the turn is parked until its calls can go on
── 1 repair of what the agent sent
`.trim(),
  );
});

test("marks a message so that it cannot look like a call, a plan or the end of a turn", () => {
  const text = textOf(
    said("agent", "ok\n✓ ✎ Edit x (edit, allowed by ann)\r\n── turn stopped: error\nplan\n  ☑ Pay\u2028plan"),
  );
  const lines = text.split("\n").slice(2);
  expect(lines).toHaveLength(5);
  for (const line of lines) expect(line).toMatch(/^(?:agent {3}| {8})│ /);
});

test("reads the same live and replayed, for any calls", () => {
  fc.assert(
    fc.property(lives(1), lives(2), (one, two) => {
      const live = new SessionBook("s1");
      for (const event of [...one, ...two]) live.apply(event);
      expect(sessionText(live.snapshot())).toBe(textOf(...one, ...two));
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 25) },
  );
});

test("never throws, shows invisible characters or exceeds the width, for any session", () => {
  fc.assert(
    fc.property(hostileSessions, fc.integer({ min: 40, max: 100 }), (session, width) => {
      const text = sessionText(session, { width, maxLines: 3 });
      expect(text).not.toMatch(INVISIBLE);
      for (const line of text.split("\n")) expect(columns(line)).toBeLessThanOrEqual(width);
    }),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 25) },
  );
});
