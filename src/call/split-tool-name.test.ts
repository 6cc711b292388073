import { expect, test } from "vitest";
import { splitToolName, toolWords } from "./split-tool-name.js";

test.each([
  ["read_file", undefined, "read_file"],
  ["github__create_branch", "github", "create_branch"],
  ["mcp__github__create_branch", "github", "create_branch"],
  ["mcp.github.create_branch", "github", "create_branch"],
  ["mcp__create_branch", "mcp", "create_branch"],
  ["filesystem/read_text", "filesystem", "read_text"],
  ["functions.shell", "functions", "shell"],
  ["default_api:read_file", "default_api", "read_file"],
  ["github__repos__delete", "github", "repos__delete"],
  ["__init__", undefined, "__init__"],
  ["read_file__", undefined, "read_file__"],
  ["", undefined, ""],
  ["//..", undefined, "//.."],
])("%j comes from server %j and is the tool %j", (name, server, tool) => {
  const split = splitToolName(name);
  expect(split.server).toBe(server);
  expect(split.tool).toBe(tool);
});

test.each(["DELETE /users/list", "delete/users", "POST_/users"])("the method in %j is no server", (name) => {
  expect(splitToolName(name)).toEqual({ tool: name });
});

test.each([
  ["read_file", ["read", "file"]],
  ["readFile", ["read", "file"]],
  ["HTTPRequest", ["http", "request"]],
  ["getHTTP2Page", ["get", "http", "2", "page"]],
  ["READ-FILE 7", ["read", "file", "7"]],
  ["__", []],
])("the words of %j are %j", (tool, words) => {
  expect(toolWords(tool)).toEqual(words);
});
