import { expect, test } from "vitest";
import { SessionBook } from "../call/index.js";
import { readPlanEntries } from "./read-plan.js";
import { Reading } from "./reading.js";

const entry = { content: "Read", priority: "medium", status: "pending" } as const;

test.each([
  ["an empty one stays", {}, { _meta: {} }],
  ["the sender's own stays", { a: 1 }, { _meta: { a: 1 } }],
  ["ours is taken out", { toolgate: { status: "cancelled" } }, {}],
  ["none stays none", undefined, {}],
])("the _meta of a plan's entry: %s", (_name, meta, kept) => {
  const reading = new Reading({ session: new SessionBook("s", []), cwd: "/ws", mode: "lenient" });
  expect(readPlanEntries([{ ...entry, ...(meta && { _meta: meta }) }], false, reading)).toEqual([
    { ...entry, ...kept },
  ]);
});
