import { expect, test } from "vitest";
import { editedInput, editFields } from "./edit-input.js";

test("edits each text of an object and keeps the rest", () => {
  const input = { command: "npm test", timeoutMs: 5 };
  expect(editFields(input)).toEqual([{ name: "command", text: "npm test" }]);
  expect(editedInput(input, [{ name: "command", text: "npm run lint" }])).toEqual({
    isValid: true,
    isChanged: true,
    input: { command: "npm run lint", timeoutMs: 5 },
  });
  expect(editedInput(input, editFields(input))).toMatchObject({ isChanged: false });
});

test("edits any other input as JSON, and says when it is none", () => {
  const [field] = editFields([1, 2]);
  expect(field?.name).toBe("");
  expect(editedInput([1, 2], [{ name: "", text: "[1]" }])).toEqual({
    isValid: true,
    isChanged: true,
    input: [1],
  });
  expect(editedInput([1, 2], [{ name: "", text: "[1" }])).toMatchObject({ isValid: false });
});
