import { expect, test } from "vitest";
import { z } from "zod";
import { defineTool } from "./define-tool.js";

const greet = defineTool({
  name: "greet",
  description: "Greets.",
  kind: "other",
  input: z.object({ who: z.string(), times: z.int().min(1).default(1) }),
  async run({ who, times }) {
    return { output: `Hello ${who}`.repeat(times) };
  },
});

test("passes a valid input on as the schema parsed it", () => {
  expect(greet.parse({ who: "Ann", more: true })).toEqual({ ok: true, input: { who: "Ann", times: 1 } });
});

test("names the tool and the problem of an invalid input, and says that nothing was run", () => {
  const result = greet.parse({ who: 7, times: 0 });
  const problem = result.ok ? "" : result.problem;
  expect(problem).toMatch(/^greet: the input is not valid\. /);
  expect(problem).toContain("expected string, received number");
  expect(problem).toContain("who: ");
  expect(problem).toContain("times: ");
  expect(problem).toMatch(/Nothing was run\.$/);
});

test("reports a missing input as a problem without throwing", () => {
  expect(greet.parse(undefined)).toMatchObject({ ok: false });
});

test("shows the model the schema of its input, not of the parsed value", () => {
  expect(greet.parameters).toMatchObject({
    type: "object",
    properties: { who: { type: "string" }, times: { type: "integer", minimum: 1 } },
    required: ["who"],
  });
});

test("fails where the tool is made when a given schema cannot be described", () => {
  const run = async () => "done";
  const define = () =>
    defineTool({ name: "when", description: "", input: z.object({ at: z.date() }), kind: "other", run });
  expect(define).toThrow(/Date/);
});

test("makes the schema of a function once, when an input is first checked or described", () => {
  let made = 0;
  const late = defineTool({
    name: "late",
    description: "",
    kind: "other",
    input: () => {
      made += 1;
      return z.object({ who: z.string() });
    },
    run: async ({ who }) => who,
  });
  expect(made).toBe(0);
  expect(late.parse({ who: 1 })).toMatchObject({ ok: false });
  expect(late.parameters).toMatchObject({ required: ["who"] });
  expect(made).toBe(1);
});
