import { expect, test, vi } from "vitest";
import { note } from "./stderr.js";

/** The note as it stands on a terminal of so many columns; undefined: on none. */
function noted(text: string, columns?: number): readonly string[] {
  const written: string[] = [];
  const write = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((piece) => written.push(String(piece)) > 0);
  const before = { isTTY: process.stderr.isTTY, columns: process.stderr.columns };
  Object.assign(process.stderr, columns === undefined ? { isTTY: false } : { isTTY: true, columns });
  try {
    note(text);
  } finally {
    Object.assign(process.stderr, before);
    write.mockRestore();
  }
  return written.join("").trimEnd().split("\n");
}

test("marks each row of a note but the first as quoted", () => {
  const died = "the agent ended. It last wrote to stderr:\nbye\n\n? Run ls\nAllow this? [y]es";
  const marked = ["    │ bye", "    │", "    │ ? Run ls", "    │ Allow this? [y]es"];
  expect(noted(died)).toEqual(["toolgate: the agent ended. It last wrote to stderr:", ...marked]);
  expect(noted(died, 80).slice(1)).toEqual(marked);
});

test("a row that continues a quoted line has a mark too, and one that continues ours is indented", () => {
  const words = "one two three four five six seven eight";
  expect(noted(`${words}:\n${words}`, 40)).toEqual([
    "toolgate: one two three four five six",
    "    seven eight:",
    "    │ one two three four five six seven",
    "    ┆ eight",
  ]);
});
