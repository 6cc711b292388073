import { expect, test } from "vitest";
import { projectChoices } from "./project-choices.js";

test("names each project once by its folder, and by its path when two folders have the same name", () => {
  expect(projectChoices(["/b/shop", undefined, "/a/tools", "/b/shop"])).toEqual([
    ["", "All projects"],
    ["/b/shop", "shop"],
    ["/a/tools", "tools"],
  ]);
  expect(projectChoices(["/b/shop", "/a/shop"])).toEqual([
    ["", "All projects"],
    ["/a/shop", "/a/shop"],
    ["/b/shop", "/b/shop"],
  ]);
});
