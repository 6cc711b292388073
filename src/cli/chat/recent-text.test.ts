import { expect, test } from "vitest";
import { SessionBook } from "../../call/index.js";
import type { SessionEvent } from "../../call/index.js";
import { Emulator } from "../emulator.samples.js";
import { LiveBlock } from "../live-block.js";
import { LiveText } from "../live-text.js";
import { recentText } from "./recent-text.js";

const toolCallId = "call_1";
const says = (role: "user" | "agent", messageId: string, text: string) => ({
  type: "message-chunk",
  messageId,
  role,
  block: { type: "text", text },
});

const EVENTS = [
  { type: "turn-started", turnId: "turn_1" },
  says("user", "m1", "look at it"),
  says("agent", "m2", "# Plan\n\nI **look** at `a.ts`:\n\n```ts\nconst a = 1;\n```\n"),
  {
    type: "call-announced",
    toolCallId,
    name: "read_file",
    title: "Read a.ts",
    kind: "read",
    kindSource: "declared",
  },
  { type: "input-ready", toolCallId, rawInput: { path: "a.ts" } },
  { type: "call-cleared", toolCallId },
  { type: "run-started", toolCallId },
  { type: "call-done", toolCallId },
  says("agent", "m3", "| a | b |\n|---|---|\n| 1 | **2** |\n\nDone ⚠️."),
  { type: "turn-stopped", turnId: "turn_1", stopReason: "end_turn" },
].map((event) => ({ ...event, at: 1 }) as SessionEvent);

test("shows a resumed conversation as it looked while it went on", async () => {
  const [before, after] = [new Emulator(60, 40), new Emulator(60, 40)];
  const block = new LiveBlock(before, (text) => text);
  const book = new SessionBook("session_1");
  let record: (events: readonly SessionEvent[]) => void = () => undefined;
  const session = {
    book,
    now: () => 1,
    onRecorded: (listener: typeof record) => {
      record = listener;
      return () => undefined;
    },
  };
  const live = new LiveText(session, { write: () => undefined, block, isStyled: true });
  block.print("> look at it\n\n");
  for (const event of EVENTS) {
    book.apply(event);
    record([event]);
  }
  live.close();
  after.write(recentText(book.snapshot(), { width: block.width, isStyled: true }));
  const shown = await after.lines();
  expect(shown).toContain("│ I look at a.ts:");
  expect(shown).toEqual(await before.lines());
});
