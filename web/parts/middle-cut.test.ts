import { expect, test } from "vitest";
import { cutPlace } from "./middle-cut.js";

test.each([
  ["ls", ["", "ls"]],
  ["npx vitest run && git diff --stat", ["npx vitest run && g", "it diff --stat"]],
  ["ls ⟨U+202E⟩ && touch x", ["ls ", "⟨U+202E⟩ && touch x"]],
  ["ab\u{1F600}1234567890123", ["ab", "\u{1F600}1234567890123"]],
])("cuts %s between characters", (text, pieces) => {
  const at = cutPlace(text);
  expect([text.slice(0, at), text.slice(at)]).toEqual(pieces);
});
