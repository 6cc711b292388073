import { expect, test } from "vitest";
import { jsonSchemaCheck } from "../tools/index.js";
import { visibleSchema } from "./visible-schema.js";

test("texts hide nothing, and what is compared stays as it is", () => {
  const schema = {
    type: "object",
    title: "a\u200B",
    properties: {
      description: {
        type: "string",
        description: "b\u202E",
        enum: ["c\u200B"],
        default: { title: "d\u200B" },
      },
      list: { anyOf: [{ title: "e\u200B" }] },
    },
  };
  expect(visibleSchema(schema, 1000)).toEqual({
    type: "object",
    title: "a⟨U+200B⟩",
    properties: {
      description: {
        type: "string",
        description: "b⟨U+202E⟩",
        enum: ["c\u200B"],
        default: { title: "d\u200B" },
      },
      list: { anyOf: [{ title: "e⟨U+200B⟩" }] },
    },
  });
});

test("formats that the checker does not know are left out, a field of that name is not", () => {
  const schema = {
    type: "object",
    properties: {
      format: { type: "string", format: "email" },
      size: { type: "integer", format: "uint\u001b" },
    },
  };
  const visible = visibleSchema(schema, 1000);
  expect(visible).toEqual({
    type: "object",
    properties: { format: { type: "string", format: "email" }, size: { type: "integer" } },
  });
  expect(visible && jsonSchemaCheck(visible)({ format: "no mail" }).ok).toBe(false);
});

test("refuses schemas that are no object, too large or too deep", () => {
  const deep: unknown = JSON.parse(`${`{"not":`.repeat(100)}{}${"}".repeat(100)}`);
  expect(visibleSchema("object", 1000)).toBeUndefined();
  expect(visibleSchema(["object"], 1000)).toBeUndefined();
  expect(visibleSchema({ title: "x".repeat(1000) }, 1000)).toBeUndefined();
  expect(visibleSchema(deep, 10_000)).toBeUndefined();
  expect(
    Object.keys(visibleSchema(JSON.parse(`{"properties":{"__proto__":{}}}`), 1000)?.["properties"] ?? {}),
  ).toEqual(["__proto__"]);
});
