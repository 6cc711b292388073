import { expect, test } from "vitest";
import { builtInTools } from "./built-in/index.js";
import { type AppTool, isAppTool } from "./tool.js";
import { DuplicateTool, Toolbox } from "./toolbox.js";

const appTool = (name: string): AppTool => ({
  name,
  description: "",
  kind: "other",
  parameters: {},
  runsInApp: true,
});

test("tools are found by name and listed in the order they were given", () => {
  const toolbox = new Toolbox([...builtInTools, appTool("pick_colour")]);
  expect(toolbox.list().map(({ name }) => name)).toEqual([
    "read_file",
    "edit_file",
    "terminal",
    "todo_write",
    "pick_colour",
  ]);
  expect(toolbox.get("terminal")).toBe(builtInTools[2]);
  expect(
    toolbox
      .list()
      .filter(isAppTool)
      .map(({ name }) => name),
  ).toEqual(["pick_colour"]);
});

const makeTwice = () => new Toolbox([...builtInTools, appTool("terminal")]);

test("two tools of one name make no toolbox, and the message names them", () => {
  expect(makeTwice).toThrow(DuplicateTool);
  expect(makeTwice).toThrow('Two tools are named "terminal".');
});

test("a name that every object has is no tool", () => {
  const toolbox = new Toolbox(builtInTools);
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", ""])
    expect(toolbox.get(name)).toBeUndefined();
});

test("a tool may have such a name, and is then found", () => {
  const tool = appTool("__proto__");
  expect(new Toolbox([tool]).get("__proto__")).toBe(tool);
});
