import { expect, test } from "vitest";
import { isToolKind, TOOL_KINDS } from "./tool-kind.js";

test("has exactly the kinds of ACP", () => {
  // Written out by hand from the ACP schema.
  expect([...TOOL_KINDS].sort()).toEqual(
    "delete edit execute fetch move other read search switch_mode think".split(" "),
  );
});

test("accepts every kind", () => {
  expect(TOOL_KINDS.every((kind) => isToolKind(kind))).toBe(true);
});

test.each([undefined, null, "", "Read", "_custom", "constructor", 0, ["read"], { kind: "read" }])(
  "%j is no kind",
  (value) => {
    expect(isToolKind(value)).toBe(false);
  },
);
