import * as fc from "fast-check";
import { expect, test } from "vitest";
import { jsonSchemaCheck } from "../tools/index.js";
import { callResultSchema, readCallResult } from "./call-result.js";

const read = (result: unknown, schema?: object) =>
  readCallResult(callResultSchema.parse(result), schema && jsonSchemaCheck(schema));

const texts = (result: ReturnType<typeof read>) =>
  result.content?.map((one) =>
    one.type === "content" && one.content.type === "text" ? one.content.text : "",
  );

test("rejects a structured result that does not fit the announced schema, with a note", () => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const content = [{ type: "text", text: "five" }];
  expect(read({ content, structuredContent: { n: 5 } }, schema).output).toEqual({ n: 5 });
  const wrong = read({ content, structuredContent: { n: "five" } }, schema);
  expect(wrong.output).toBe(
    "five\n[the structured result does not match the tool's schema: data/n must be number]",
  );
  const failed = read({ content, structuredContent: { why: "x" }, isError: true }, schema);
  expect(failed).toMatchObject({ output: { why: "x" }, isError: true });
});

test("returns no content for a result without content", () => {
  expect(read({})).toEqual({ output: "", content: [] });
  expect(read({ content: null, isError: null })).toEqual({ output: "", content: [] });
});

test("cuts a text at a million characters, never inside a character", () => {
  const [text = ""] = texts(read({ content: [{ type: "text", text: `${"x".repeat(999_999)}😀😀` }] })) ?? [];
  expect(text).toBe(`${"x".repeat(999_999)}\n[4 more characters were left out]`);
  const oneMore = { content: [{ type: "text", text: "x".repeat(1_000_001) }] };
  expect(texts(read(oneMore))?.[0]).toMatch(/\n\[1 more character was left out\]$/);
});

test("leaves out an image that no longer fits and keeps later small content", () => {
  const image = { type: "image", data: "A".repeat(3_000_000), mimeType: "image/png" };
  const result = read({ content: [image, image, { type: "text", text: "done" }] });
  expect(result.content).toHaveLength(3);
  expect(texts(result)).toEqual([
    "",
    "[the image of 3000000 characters is too large and was left out]",
    "done",
  ]);
});

test("counts the blocks beyond a thousand", () => {
  const content = Array.from({ length: 1200 }, () => ({ type: "text", text: "" }));
  expect(texts(read({ content }))?.at(-1)).toBe("[200 more blocks were left out]");
  expect(texts(read({ content: content.slice(0, 1001) }))?.at(-1)).toBe("[1 more block was left out]");
});

test("extras stay when they make sense", () => {
  const block = {
    type: "text",
    text: "x",
    annotations: { audience: ["user"], priority: 0.5 },
    _meta: { a: [1] },
  };
  expect(read({ content: [block] }).content).toEqual([{ type: "content", content: block }]);
  const odd = { type: "text", text: "x", annotations: "loud", _meta: 7 };
  expect(read({ content: [odd] }).content).toEqual([
    { type: "content", content: { type: "text", text: "x", annotations: {}, _meta: {} } },
  ]);
});

test("reads any answer of a server", () => {
  const types = fc.constantFrom("text", "image", "audio", "resource", "resource_link", "other");
  const block = fc.oneof(
    fc.jsonValue(),
    fc.record({ type: types, text: fc.jsonValue(), resource: fc.jsonValue() }),
  );
  fc.assert(
    fc.property(fc.array(block), fc.jsonValue(), (content, structuredContent) => {
      const result = read({ content, structuredContent });
      expect(result.content).toHaveLength(content.length);
    }),
  );
});
