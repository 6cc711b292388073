import { expect, test } from "vitest";
import { SessionBook } from "../../call/index.js";
import type { StopReason } from "../../call/index.js";
import { chatEndText } from "./chat-text.js";

const at = 1;
const prompt = { type: "text", text: "hello" } as const;

/** A session with a prompt and these words of the agent. */
function bookWith(...words: readonly string[]): SessionBook {
  const book = new SessionBook("session_1");
  book.applyAll([
    { type: "turn-started", turnId: "turn_1", at },
    { type: "message-chunk", messageId: "1", role: "user", block: prompt, at },
    ...words.map(
      (text) =>
        ({
          type: "message-chunk",
          messageId: "2",
          role: "agent",
          block: { type: "text", text },
          at,
        }) as const,
    ),
  ]);
  return book;
}

test("says so when the agent ends its turn without a message", () => {
  const end = { status: "stopped", stopReason: "end_turn" } as const;
  expect(chatEndText(end, bookWith())).toContain("without a message");
  expect(chatEndText(end, bookWith("Hello."))).toBeUndefined();
});

test("names no question when a turn is left that waits for none", () => {
  expect(chatEndText({ status: "parked" }, bookWith())).toContain("resume the session to continue it");
});

test("says in words why a turn ended early", () => {
  const early = (stopReason: StopReason, error?: string) =>
    chatEndText({ status: "stopped", stopReason, ...(error !== undefined && { error }) }, bookWith("So"));
  expect(early("max_tokens")).toBe(
    "The response was cut off at the model's limit (max_tokens). Ask the agent to continue.",
  );
  expect(early("refusal")).toBe("The model declined to answer (refusal).");
  expect(early("error", "The server is gone.")).toBe("The turn ended early (error): The server is gone.");
});
