import { expect, test } from "vitest";
import { isOfGitFolder } from "./sort-new-paths.js";

test("keeps of a git folder what a command may have changed, and not our own file for the next sandbox", () => {
  const names = [
    "HEAD",
    "refs/heads/main",
    "toolgate-notes",
    "toolgate-0123456789abcdef",
    "objects/",
    "index.lock",
  ];
  expect(names.filter(isOfGitFolder)).toEqual(["HEAD", "refs/heads/main", "toolgate-notes"]);
});
