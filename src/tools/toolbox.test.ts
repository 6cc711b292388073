import { expect, test } from "vitest";
import { inferToolKind } from "../call/index.js";
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
    ..."read_file list_directory find_path grep edit_file write_file move_path delete_path".split(" "),
    ..."terminal read_output fetch todo_write todo_read thinking pick_colour".split(" "),
  ]);
  expect(toolbox.get("read_file")).toBe(builtInTools[0]);
  expect(
    toolbox
      .list()
      .filter(isAppTool)
      .map(({ name }) => name),
  ).toEqual(["pick_colour"]);
});

test("declares the kind that each built-in tool's name implies, except for the tools of the plan", () => {
  const plan = new Set(["todo_write", "todo_read"]);
  for (const { name, kind } of builtInTools)
    expect(kind, `${name} is of another kind than its name implies: name it in src/call/known-tools.ts`).toBe(
      plan.has(name) ? "think" : inferToolKind(name).kind,
    );
});

const makeTwice = () => new Toolbox([...builtInTools, appTool("terminal")]);

test("refuses two tools of one name and names them", () => {
  expect(makeTwice).toThrow(DuplicateTool);
  expect(makeTwice).toThrow('Two tools are named "terminal".');
});

test("finds no tool by the names that every object has", () => {
  const toolbox = new Toolbox(builtInTools);
  for (const name of ["__proto__", "constructor", "toString", "hasOwnProperty", ""])
    expect(toolbox.get(name)).toBeUndefined();
});

test("finds a tool that has such a name", () => {
  const tool = appTool("__proto__");
  expect(new Toolbox([tool]).get("__proto__")).toBe(tool);
});

test("tools that come and go are found while they are there, and never hide a fixed one", () => {
  const [first, second] = builtInTools;
  if (!first || !second) throw new Error("there are no built-in tools");
  let offered = [first, { ...second, name: "of_a_server" }];
  const source = { tools: () => offered, get: (name: string) => offered.find((tool) => tool.name === name) };
  const fixed = { ...first };
  const toolbox = new Toolbox([fixed], [source]);
  expect(toolbox.list().map(({ name }) => name)).toEqual(["read_file", "of_a_server"]);
  expect(toolbox.get("read_file")).toBe(fixed);
  offered = [];
  expect(toolbox.get("of_a_server")).toBeUndefined();
  expect(toolbox.list()).toEqual([fixed]);
});
