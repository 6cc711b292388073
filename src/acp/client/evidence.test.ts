import * as fc from "fast-check";
import { expect, test } from "vitest";
import { evidenceOf } from "./evidence.js";
import type { Evidence, Shown } from "./evidence.js";

const nothing: Shown = { kind: "other", title: "", name: "", rawInputs: [], content: [], locations: [] };
const of = (...rawInputs: readonly unknown[]): Evidence => evidenceOf({ ...nothing, rawInputs });

test("finds the evidence that known agents carry", () => {
  expect(of({ command: "npm test", description: "Runs /tests" })).toMatchObject({
    commands: ["npm test"],
    named: [],
  });
  expect(
    of({ command: ["/bin/bash", "-lc", "npm test"], parsed_cmd: [{ cmd: "npm test" }], cwd: "/ws" }),
  ).toMatchObject({
    commands: ["npm test"],
    cwd: "/ws",
  });
  expect(of({ command: "make", dir_path: "sub" })).toMatchObject({
    commands: ["make"],
    cwd: "sub",
    named: [],
  });
  expect(of({ file_path: "/ws/a", old_string: "/x", new_string: "/y" })).toMatchObject({
    written: ["/ws/a"],
    named: [],
  });
  expect(of({ filePath: "/ws/a" })).toMatchObject({ written: [], named: ["/ws/a"] });
  expect(of({ url: "example.org/x", prompt: "see https://a.example/b" })).toMatchObject({
    urls: ["example.org/x", "https://a.example/b"],
  });
  expect(of({ server: "docs", tool: "search", arguments: { q: "x" } }).server).toEqual({
    server: "docs",
    tool: "search",
  });
});

test("finds a command or path under a field name that is harmless for a text", () => {
  expect(of({ content: { command: "rm -rf x" } }).commands).toEqual(["rm -rf x"]);
  expect(of({ command: "ls", args: { command: "rm -rf x" } }).commands).toEqual(["ls", "rm -rf x"]);
  expect(of({ command: "ls", cwd: "/a", workdir: "/b" })).toMatchObject({ cwd: "/a", named: ["/b"] });
});

test("collects evidence from all inputs of a call", () => {
  expect(of({ command: "ls" }, { command: "rm -rf x" }).commands).toEqual(["ls", "rm -rf x"]);
});

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null));
const nested = (marked: unknown) =>
  fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small", maxDepth: 4 },
      fc.constant(marked),
      fc.dictionary(
        fc.constantFrom("a", "input", "arguments", "args", "content", "title", "items"),
        tie("tree"),
        {
          minKeys: 1,
          maxKeys: 3,
        },
      ),
      fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    ),
  })).tree;

test("finds a command at any depth of the input", () => {
  fc.assert(
    fc.property(nested({ command: "rm -rf build" }), (rawInput) => {
      expect(of(rawInput).commands).toEqual(["rm -rf build"]);
    }),
  );
});

test("finds a file at any depth of the input", () => {
  fc.assert(
    fc.property(nested({ path: "/outside" }), (rawInput) => {
      expect(of(rawInput).named).toEqual(["/outside"]);
    }),
  );
});

test("reads any input without throwing", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 12 }), leaf, (rawInput, other) => {
      expect(() => of(rawInput, other)).not.toThrow();
    }),
  );
});

test("reports too much data for an input beyond the maximum depth", () => {
  let deep: unknown = { command: "rm -rf /" };
  for (let count = 0; count < 50; count += 1) deep = { deep };
  expect(of(deep)).toMatchObject({ isTooMuch: true });
});
