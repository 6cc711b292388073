import { expect, onTestFinished, test, vi } from "vitest";
import { LiveBlock } from "../live-block.js";
import { ChatFooter } from "./chat-footer.js";
import { MessageLayer } from "./message-layer.js";
import { readKey } from "./read-key.js";

/** A person at a question, with a message line below it. */
function atQuestion() {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const sent: string[] = [];
  let quits = 0;
  let modes = 0;
  const block = new LiveBlock({ write: () => true, columns: 80, rows: 24 }, (text) => text);
  const footer = new ChatFooter(
    block,
    () => 24,
    () => [],
  );
  const message = new MessageLayer({
    onSubmit: (text) => sent.push(text),
    onInterrupt: () => undefined,
    onQuit: () => (quits += 1),
    onSuspend: () => undefined,
    onMode: () => (modes += 1),
    complete: () => undefined,
    earlier: () => [],
    queued: () => sent,
    unqueue: () => undefined,
  });
  footer.push(message);
  const answers: string[] = [];
  let cancels = 0;
  const signal = new AbortController().signal;
  const asked = readKey(
    footer,
    { prompt: () => "Allow this?", keys: new Set("ynw") },
    { signal, onCancel: () => (cancels += 1) },
  );
  void asked.then((key) => answers.push(key));
  const types = async (text: string): Promise<void> => {
    for (const key of text) {
      footer.receive(key === "\n" ? { type: "key", name: "enter" } : { type: "text", text: key });
      await vi.advanceTimersByTimeAsync(100);
    }
  };
  return {
    types,
    answers,
    sent,
    footer,
    message,
    cancelled: () => cancels,
    quits: () => quits,
    modes: () => modes,
  };
}

test("takes a key as the answer after a pause", async () => {
  const { types, answers } = atQuestion();
  await vi.advanceTimersByTimeAsync(1_000);
  await types("y");
  expect(answers).toEqual(["y"]);
});

test("takes a sentence that is typed at the question as a message, whichever letters it has", async () => {
  const { types, answers, sent } = atQuestion();
  await vi.advanceTimersByTimeAsync(5_000);
  await types("hey, do not use yarn\n");
  expect(answers).toEqual([]);
  expect(sent).toEqual(["hey, do not use yarn"]);
  await vi.advanceTimersByTimeAsync(600);
  await types("n");
  expect(answers).toEqual(["n"]);
});

test("shows the message that is typed below the question, and ignores Enter alone", async () => {
  const { types, answers, sent, footer, message } = atQuestion();
  await vi.advanceTimersByTimeAsync(5_000);
  await types("\n");
  expect(sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(600);
  await types("a b");
  expect(message.rows(80, 5).rows).toEqual(["> a b"]);
  await vi.advanceTimersByTimeAsync(600);
  footer.receive({ type: "text", text: "y" });
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toEqual(["y"]);
  expect(message.rows(80, 5).rows).toEqual(["> a b"]);
});

test("queues a message that was started at the question when Enter follows a pause, and keeps the question", async () => {
  const { types, answers, sent } = atQuestion();
  await vi.advanceTimersByTimeAsync(5_000);
  await types("please make it shorter");
  await vi.advanceTimersByTimeAsync(5_000);
  await types("\n");
  expect(sent).toEqual(["please make it shorter"]);
  expect(answers).toEqual([]);
  await vi.advanceTimersByTimeAsync(600);
  await types("y");
  expect(answers).toEqual(["y"]);
});

test("clears a message that was started at the question by Ctrl-C, and interrupts by the next one", async () => {
  const { types, message, footer, cancelled } = atQuestion();
  await vi.advanceTimersByTimeAsync(5_000);
  await types("half");
  footer.receive({ type: "key", name: "ctrl-c" });
  expect(message.rows(80, 5).rows).toEqual(["> "]);
  expect(cancelled()).toBe(0);
  footer.receive({ type: "key", name: "ctrl-c" });
  expect(cancelled()).toBe(1);
});

test("leaves the question open when the person leaves with Ctrl-D", async () => {
  const { answers, footer, quits, cancelled } = atQuestion();
  await vi.advanceTimersByTimeAsync(5_000);
  footer.receive({ type: "key", name: "ctrl-d" });
  await vi.advanceTimersByTimeAsync(0);
  expect({ quits: quits(), answers, cancelled: cancelled() }).toEqual({
    quits: 1,
    answers: [],
    cancelled: 0,
  });
});

test("changes the mode with Shift-Tab, which answers nothing", async () => {
  const { footer, types, answers, modes } = atQuestion();
  await vi.advanceTimersByTimeAsync(600);
  footer.receive({ type: "key", name: "back-tab" });
  expect([modes(), answers]).toEqual([1, []]);
  await vi.advanceTimersByTimeAsync(600);
  await types("y");
  expect(answers).toEqual(["y"]);
});
