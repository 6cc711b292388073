import { expect, test } from "vitest";
import { agentChoices, projectChoices } from "./group-choices.js";

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

test("names each agent once, and none that has no name", () => {
  expect(agentChoices(["helper", undefined, "", "aider", "helper"])).toEqual([
    ["", "All agents"],
    ["aider", "aider"],
    ["helper", "helper"],
  ]);
});
