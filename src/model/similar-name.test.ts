import { expect, test } from "vitest";
import { PROVIDERS } from "./model-name.js";
import { similarName } from "./similar-name.js";

test.each([
  ["antropic", "anthropic"],
  ["Anthropic", "anthropic"],
  ["opnai", "openai"],
  ["gogle", "google"],
  ["openai-compatble", "openai-compatible"],
  ["foo", undefined],
  ["mistral", undefined],
  ["", undefined],
])("for %j finds %j", (word, name) => {
  expect(similarName(word, PROVIDERS)).toBe(name);
});
