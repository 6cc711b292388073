import { expect, onTestFinished, test, vi } from "vitest";
import type { SessionEvent } from "../call/index.js";
import { diffContent, SessionBook } from "../call/index.js";
import { question as sample } from "../call/events.samples.js";
import { coloured } from "./colour.js";
import { Emulator } from "./emulator.samples.js";
import { LiveBlock } from "./live-block.js";
import { LiveText } from "./live-text.js";

const CALLS = 50;

/** A session with its text as it is shown, in a terminal without redrawn rows. */
function shown() {
  const book = new SessionBook("s");
  let show: (events: readonly SessionEvent[]) => void = () => undefined;
  const onRecorded = (subscriber: typeof show) => {
    show = subscriber;
    return () => undefined;
  };
  let text = "";
  const live = new LiveText({ book, onRecorded, now: () => 2 }, { write: (piece) => (text += piece) });
  const record = (...events: readonly SessionEvent[]): void => {
    book.applyAll(events);
    show(events);
  };
  return { book, live, record, text: () => text };
}

test("shows many parallel calls without listing all open ones for each", () => {
  const { book, live, record, text } = shown();
  const openCalls = vi.spyOn(book, "openCalls");
  const ids = Array.from({ length: CALLS }, (_, index) => `call_${index}`);
  const look = { name: "look", title: "Look", kind: "read", kindSource: "declared" } as const;
  for (const toolCallId of ids)
    record(
      { type: "call-announced", toolCallId, at: 1, ...look },
      { type: "input-ready", toolCallId, at: 1, rawInput: {} },
      { type: "call-cleared", toolCallId, at: 1, decision: { by: "rule", rule: "looking", at: 1 } },
      { type: "run-started", toolCallId, at: 1 },
    );
  for (const toolCallId of ids) record({ type: "call-done", toolCallId, at: 2 });
  live.close();
  // A line at the start, and a card at the end.
  expect(text().match(/Look/g)).toHaveLength(2 * CALLS);
  expect(openCalls).not.toHaveBeenCalled();
});

test("counts the seconds of a running call through a clock that somebody sets", () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  onTestFinished(() => void vi.useRealTimers());
  const book = new SessionBook("s");
  let show: (events: readonly SessionEvent[]) => void = () => undefined;
  const onRecorded = (subscriber: typeof show) => {
    show = subscriber;
    return () => undefined;
  };
  let rows: readonly string[] = [];
  // Only the used parts of a block are needed.
  const block = {
    width: 80,
    height: 10,
    isEmpty: false,
    draw: (drawn: readonly string[]) => void (rows = drawn),
    print: () => undefined,
    around: (write: () => void) => write(),
  } as unknown as LiveBlock;
  const live = new LiveText({ book, onRecorded, now: Date.now }, { write: () => undefined, block });
  const at = Date.now();
  const toolCallId = "call_1";
  const events: readonly SessionEvent[] = [
    {
      type: "call-announced",
      toolCallId,
      at,
      name: "look",
      title: "Look",
      kind: "read",
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at, rawInput: {} },
    { type: "call-cleared", toolCallId, at, decision: { by: "rule", rule: "looking", at } },
    { type: "run-started", toolCallId, at },
  ];
  book.applyAll(events);
  show(events);
  vi.setSystemTime(at + 3_600_000);
  live.note("");
  const [row = ""] = rows;
  live.close();
  expect(row).toContain("Look");
  expect(row).not.toMatch(/\d (?:h|min)/);
});

test("shows a prompt that was sent within the turn, between the two replies, and not the one that began it", () => {
  const { live, record, text } = shown();
  const message = (messageId: string, role: "user" | "agent", words: string): SessionEvent => ({
    type: "message-chunk",
    at: 1,
    messageId,
    role,
    block: { type: "text", text: words },
  });
  const events: readonly SessionEvent[] = [
    { type: "turn-started", turnId: "t", at: 1 },
    message("m1", "user", "go"),
    message("a", "agent", "first"),
    message("m2", "user", "it was refused"),
    message("a", "agent", "second"),
  ];
  record(...events);
  live.close();
  expect(text()).toMatch(/first\n[^]*> it was refused\n[^]*second\n/);
  expect(text()).not.toContain("> go");
});

const STREAMED = Array.from(
  { length: 12 },
  (_, at) =>
    `## Step ${at}\n\nThe **${at}th** step reads \`src/part-${at}.ts\`, and ${"goes on ".repeat(at * 3)}.\n\n` +
    `- it keeps the name\n\n| a | b |\n|---|---|\n| ${at} | 中文 |\n\n\`\`\`ts\nconst part = ${at};\n\`\`\`\n\n`,
).join("");

test("draws streamed text once: few bytes, and no row in two forms at a time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const book = new SessionBook("s");
  let show: (events: readonly SessionEvent[]) => void = () => undefined;
  const onRecorded = (subscriber: typeof show) => {
    show = subscriber;
    return () => undefined;
  };
  const writes: string[] = [];
  const block = new LiveBlock({ write: (text) => writes.push(text), columns: 80, rows: 20 }, coloured);
  block.setFooter({ rows: ["─".repeat(79), "> ", "  the model · ask"], cursor: { row: 1, before: "> " } });
  const live = new LiveText(
    { book, onRecorded, now: () => 2 },
    { write: () => undefined, block, isStyled: true },
  );
  const record = (event: SessionEvent): void => {
    book.applyAll([event]);
    show([event]);
  };
  record({ type: "turn-started", turnId: "t", at: 1 });
  for (let at = 0; at < STREAMED.length; at += 40) {
    const text = STREAMED.slice(at, at + 40);
    record({ type: "message-chunk", at: 2, messageId: "m", role: "agent", block: { type: "text", text } });
    vi.advanceTimersByTime(10);
  }
  expect(Buffer.byteLength(writes.join("")) / STREAMED.length).toBeLessThan(3);
  record({ type: "turn-stopped", turnId: "t", at: 3, stopReason: "end_turn" });
  live.close();
  vi.useRealTimers();
  const emulator = new Emulator(80, 20);
  for (const text of writes) {
    emulator.write(text);
    const headings = (await emulator.lines()).filter((line) => line.startsWith("│ Step"));
    expect(new Set(headings).size).toBe(headings.length);
  }
  const lines = await emulator.lines();
  expect(lines.filter((line) => line.includes("const part = "))).toHaveLength(12);
  expect(lines.slice(-3)).toEqual(["─".repeat(79), "> ", "  the model · ask"]);
});

test("shows a call again when it runs with an input that a person changed", () => {
  const { live, record, text } = shown();
  const toolCallId = "call_1";
  const edit = { name: "edit_file", title: "Edit cart.js", kind: "edit", kindSource: "declared" } as const;
  const diff = (newText: string) => ({ content: [diffContent("/cart.js", "a", newText)] });
  const question = { ...sample, toolCallId, sessionId: "s", askedAt: 1 };
  const { questionId, intentHash } = question;
  record(
    { type: "call-announced", toolCallId, at: 1, ...edit },
    { type: "input-ready", toolCallId, at: 1, rawInput: { newText: "theirs" } },
    { type: "call-revised", toolCallId, at: 1, fields: diff("theirs") },
    { type: "question-asked", toolCallId, at: 1, question },
  );
  live.showCall(toolCallId);
  const asked = text().length;
  const since = () => text().slice(asked).replaceAll(/\s+/g, " ");
  const originalInput = { newText: "theirs" };
  record(
    {
      type: "question-answered",
      at: 2,
      questionId,
      answer: { outcome: { type: "selected", optionId: "once" }, intentHash, by: "person", at: 2 },
    },
    { type: "call-revised", toolCallId, at: 2, fields: diff("mine") },
    {
      type: "call-cleared",
      toolCallId,
      at: 2,
      decision: { by: "person", who: "you", at: 2, originalInput },
      rawInput: { newText: "mine" },
    },
    { type: "run-started", toolCallId, at: 2 },
  );
  const started = since();
  expect(started).toContain("allowed by you after 1 ms, input changed by you");
  expect(started).toContain("+ mine");
  expect(started).not.toContain("theirs");
  record({ type: "call-done", toolCallId, at: 3 });
  live.close();
  expect(since().match(/input changed by you/g)).toHaveLength(2);
});

test("shows a refused call below its question by its headline and the reason", () => {
  const { live, record, text } = shown();
  const toolCallId = "call_1";
  const question = { ...sample, toolCallId, sessionId: "s", askedAt: 1 };
  const { questionId, intentHash } = question;
  record(
    {
      type: "call-announced",
      toolCallId,
      at: 1,
      name: "edit_file",
      title: "Edit cart.js",
      kind: "edit",
      kindSource: "declared",
    },
    { type: "input-ready", toolCallId, at: 1, rawInput: {} },
    { type: "call-revised", toolCallId, at: 1, fields: { content: [diffContent("/cart.js", "a", "b")] } },
    { type: "question-asked", toolCallId, at: 1, question },
  );
  live.showCall(toolCallId);
  const asked = text().length;
  record(
    {
      type: "question-answered",
      at: 2,
      questionId,
      answer: { outcome: { type: "selected", optionId: "no" }, intentHash, by: "person", at: 2 },
    },
    {
      type: "call-refused",
      toolCallId,
      at: 2,
      decision: { by: "person", who: "you", at: 2, reason: "not now" },
    },
  );
  live.close();
  expect(text().slice(asked).trim().split("\n")).toEqual([
    "⊘ ✎ Edit cart.js (edit, refused by you after 1 ms)",
    "    Tool call denied by you: not now. Nothing was run.",
  ]);
});
