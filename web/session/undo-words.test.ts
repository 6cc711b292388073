import { expect, test } from "vitest";
import { toBeUndone, undoPaths, wasUndone } from "./undo-words.js";

const FILE = { path: "/p/new/a", isFolder: false };
const FOLDER = { path: "/p/new", isFolder: true };

test.each([
  [["/p/b", "/p/c"], [], "Put back 2 files", "2 files put back."],
  [["/p/new", "/p/new/a"], [FILE, FOLDER], "Remove 1 file and 1 folder", "1 file and 1 folder removed."],
  [
    ["/p/b", "/p/new", "/p/new/a"],
    [FILE, FOLDER],
    "Put back 1 file, remove 1 file and 1 folder",
    "1 file put back, 1 file and 1 folder removed.",
  ],
  // A path that was not undone after all is not counted.
  [["/p/b"], [FILE], "Put back 1 file", "1 file put back."],
])("says of %j what comes back and what goes", (paths, removes, before, after) => {
  const undone = undoPaths(paths, removes);
  expect([toBeUndone(undone), wasUndone(undone)]).toEqual([before, after]);
});
