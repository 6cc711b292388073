import { expect, test } from "vitest";
import { walkOf } from "./folder-walks.js";

test("goes through folders when the value of a flag is the beginning of recurse", () => {
  for (const line of [
    "grep -d rec x",
    "grep -drec x",
    "grep --directories=recu x",
    "grep -nd recurse x",
    "grep --recurs x",
  ])
    expect(walkOf(line.split(" "), true), line).toMatchObject({ shows: true });
  expect(walkOf(["grep", "-d", "skip", "x"], true)).toBeUndefined();
});
