import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import type { ProgramData } from "../policy/index.js";
import { programMistake } from "../policy/programs/program-mistake.js";
import { programFileSchema, programsJsonSchema } from "./programs-schema.js";

const folder = fileURLToPath(new URL("../policy/programs/data", import.meta.url));
const files = readdirSync(folder).map((name) => ({
  name,
  json: JSON.parse(readFileSync(join(folder, name), "utf8")) as unknown,
}));

test.each(files)("accepts our own descriptions in $name", ({ json }) => {
  const file = programFileSchema.parse(json);
  expect(programMistake(file)).toBeUndefined();
});

test.each(files)("finds a source for every program in $name", ({ json }) => {
  const file = programFileSchema.parse(json);
  const without = Object.entries(file.programs).filter(([, { from }]) => from === undefined);
  expect(without.map(([name]) => name)).toEqual([]);
});

test("describes each program once", () => {
  const names = files.flatMap(({ json }) =>
    Object.keys(programFileSchema.parse(json).programs).flatMap((key) => key.split(" ")),
  );
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});

test.each([
  ["a field that nobody knows", { programs: { x: { flags: "-a" } } }],
  ["an effect that nobody knows", { programs: { x: { does: [{ does: "destroy" }] } } }],
  ["no programs", { sources: {} }],
])("refuses a file with %s", (_, json) => {
  expect(programFileSchema.safeParse(json).success).toBe(false);
});

test.each<[string, ProgramData]>([
  ["a flag that does something and is not taken", { takes: "-a", reads: "-f" }],
  ["a pattern that is none", { does: [{ like: "(", doubt: "x" }] }],
  ["a reader that there is not", { reader: "nobody" }],
  ["a group that is not shared", { uses: ["nobody"] }],
  ["a word that is no flag", { takes: "all" }],
])("finds %s", (_, data) => {
  expect(programMistake({ sources: {}, programs: { x: data } })).toMatch(/^x: /);
});

test("publishes a schema that is plain JSON", () => {
  const schema = programsJsonSchema();
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  expect(schema).toMatchObject({ title: "Toolgate programs", required: ["programs"] });
});
