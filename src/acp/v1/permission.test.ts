import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Question } from "../../call/index.js";
import { questionLines } from "../show-more.js";
import { readV1Outcome, readV1Permission } from "./permission.js";

const question: Question = {
  questionId: "q1",
  sessionId: "s1",
  toolCallId: "c1",
  intentHash: "h",
  title: "Run rm",
  options: [
    { optionId: "yes", name: "Allow", kind: "allow_once" },
    { optionId: "no", name: "Reject", kind: "reject_once" },
  ],
  askedAt: 0,
};

test("shows the action, the reason and what an always also lets through", () => {
  const asked = (more: Partial<Question>) => questionLines({ ...question, ...more }, {}).split("\n");
  const about = [
    "runs: rm a",
    "runs in: /w",
    "command: rm a",
    "delete: /w/a",
    "write: /w/b: c",
    "host: x.org",
  ];
  expect(asked({ about, reason: "rule ask execute says so." })).toEqual([
    "Will run: rm a",
    "Will run in /w",
    "command: rm a",
    "Will delete /w/a",
    "Will write /w/b: c",
    "Will reach x.org",
    "Asked because rule ask execute says so.",
  ]);
  expect(asked({ about: ["tool: look"] })).toEqual(["tool: look", "Asked because no rule allows it."]);
});

test("refuses on an option that was not offered", () => {
  expect(readV1Outcome({ outcome: { outcome: "selected", optionId: "allow_always" } }, question)).toEqual({
    type: "refused",
  });
});

test("refuses on an outcome that ACP does not define, even when it names an allowing option", () => {
  expect(readV1Outcome({ outcome: { outcome: "granted", optionId: "yes" } }, question)).toEqual({
    type: "refused",
  });
});

test("counts only a selected, offered option as a yes", () => {
  fc.assert(
    fc.property(fc.anything(), (result) => {
      const outcome = readV1Outcome(result, question);
      expect(outcome === "cancelled" || outcome.type === "refused" || result).toBeTruthy();
      if (outcome !== "cancelled" && outcome.type === "selected")
        expect(result).toMatchObject({ outcome: { optionId: outcome.optionId } });
    }),
  );
});

test.each([
  ["no options", { sessionId: "s1", toolCall: { toolCallId: "c1" } }],
  [
    "an option of an unknown kind",
    { sessionId: "s1", toolCall: {}, options: [{ optionId: "a", name: "A", kind: "allow_forever" }] },
  ],
  ["no call", { sessionId: "s1", options: [] }],
  ["no session", { toolCall: {}, options: [] }],
])("rejects a request with %s", (_, request) => {
  expect(readV1Permission(request)).toBeUndefined();
});
