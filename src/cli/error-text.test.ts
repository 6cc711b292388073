import { expect, test } from "vitest";
import { errorSentence, errorText } from "./error-text.js";

test("shows the stack of a bug, and only its message in a conversation", () => {
  const bug = new Error("The fold is wrong.");
  expect(errorText(bug)).toContain("    at ");
  expect(errorSentence(bug)).toBe("Toolgate failed: The fold is wrong.");
});
