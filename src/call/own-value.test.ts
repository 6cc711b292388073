import { expect, test } from "vitest";
import { ownText, ownValue } from "./own-value.js";

test("what an input inherits does not count", () => {
  expect(ownValue({}, "constructor")).toBeUndefined();
  expect(ownValue(Object.create({ command: "rm -rf /" }), "command")).toBeUndefined();
  expect(ownValue({ command: "ls" }, "command")).toBe("ls");
});

test("looking at an input runs no getter", () => {
  const trap = Object.defineProperty({}, "command", {
    get() {
      throw new Error("the getter ran");
    },
  });
  expect(ownValue(trap, "command")).toBeUndefined();
});

test.each([undefined, null, "text", 7, true])("%j holds nothing", (holder) => {
  expect(ownValue(holder, "length")).toBeUndefined();
});

test("the first key that holds a text wins", () => {
  expect(ownText({ path: "", file_path: 3, filePath: "a.ts" }, ["path", "file_path", "filePath"])).toBe(
    "a.ts",
  );
  expect(ownText({}, ["path"])).toBeUndefined();
});
