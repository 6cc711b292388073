import { expect, test } from "vitest";
import { inferToolKind } from "../../call/index.js";
import { aContext, aWorkspace, resultOf } from "../tools.samples.js";
import { thinking } from "./thinking.js";

test("shows the thought, and returns that nothing happened", async () => {
  const { workspace } = await aWorkspace();
  const result = await resultOf(thinking, { thought: "First read, then edit." }, aContext(workspace).context);
  expect(result).toMatchObject({
    output: "The thought is noted. Nothing was changed.",
    content: [{ type: "content", content: { type: "text", text: "First read, then edit." } }],
  });
  expect(await workspace.list(workspace.root)).toEqual([]);
});

test("has the kind that its name implies", () => {
  expect(thinking.kind).toBe("think");
  expect(inferToolKind("thinking").kind).toBe("think");
});

test.each([{}, { thought: "" }, { thought: 1 }])("refuses %j as a thought", (input) => {
  expect(thinking.parse(input)).toMatchObject({ ok: false });
});
