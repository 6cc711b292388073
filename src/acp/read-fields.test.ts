import { expect, test } from "vitest";
import { SessionBook } from "../call/index.js";
import { Receiver, VERSIONS } from "./codec.samples.js";
import { readPlanEntries } from "./read-plan-entries.js";
import { Reading } from "./reading.js";

test("leaves out a line number that ACP cannot carry and keeps its location", () => {
  const far = new Receiver(VERSIONS[0], "lenient");
  const locations = [
    { path: "/a", line: 2 ** 32 },
    { path: "/b", line: 2 ** 32 - 1 },
  ];
  far.receive([{ sessionUpdate: "tool_call", toolCallId: "c1", title: "Read", locations }]);
  expect(far.call("c1")?.locations).toEqual([{ path: "/a" }, { path: "/b", line: 2 ** 32 - 1 }]);
  expect(far.repairs()).toContain("bad-location");
});

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
