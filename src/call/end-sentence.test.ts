import { expect, test } from "vitest";
import { endSentence } from "./end-sentence.js";
import { after, event, way } from "./events.samples.js";
import type { Decision } from "./tool-call.js";

const refusedBy = (decision: Decision) => endSentence(after(event.ready, { ...event.refused, decision }));

test.each([
  "drafting",
  "ready",
  "waiting for a question",
  "waiting for the app",
  "waiting for a child",
  "cleared",
  "running",
  "running with a cancel wish",
  "done",
] as const)("has no sentence for a call that is %s", (name) => {
  expect(endSentence(after(...way[name]))).toBeUndefined();
});

test("gives a failed call's error alone", () => {
  expect(endSentence(after(...way.failed))).toBe("File not found");
});

test("gives the reason of a cancelled call", () => {
  expect(endSentence(after(...way.cancelled))).toBe("Tool call cancelled: the turn was cancelled.");
});

test.each(["the process ended.", "the process ended"])(
  "says of an unknown call that nobody knows whether it took effect: %j",
  (reason) => {
    expect(endSentence(after(...way.running, { ...event.lost, reason }))).toBe(
      "Nobody knows whether this tool call took effect: the process ended. The call will not be run again by itself.",
    );
  },
);

test.each<[string, Decision]>([
  [
    "Tool call denied by ann: not that file. Nothing was run.",
    { by: "person", who: "ann", reason: "not that file", at: 1 },
  ],
  ["Tool call denied by ann. Nothing was run.", { by: "person", who: "ann", at: 1 }],
  ["Tool call denied: not that file. Nothing was run.", { by: "person", reason: "not that file", at: 1 }],
  ["Tool call denied. Nothing was run.", { by: "person", at: 1 }],
  [
    "Tool call denied by rule 3: no deletes. Nothing was run.",
    { by: "rule", rule: "3", reason: "no deletes", at: 1 },
  ],
  ["Tool call denied by rule 3. Nothing was run.", { by: "rule", rule: "3", at: 1 }],
  ["Tool call denied. Nothing was run.", { by: "rule", at: 1 }],
  [
    "Tool call denied by rule 3: no deletes. Nothing was run.",
    { by: "rule", rule: "3", reason: "no deletes. \n", at: 1 },
  ],
  ["Tool call denied by rule 3. Nothing was run.", { by: "rule", rule: "3", reason: "", at: 1 }],
])("%s", (sentence, decision) => {
  expect(refusedBy(decision)).toBe(sentence);
});

test("says only that a call was refused when nobody is known to have refused it", () => {
  const { decision: _, ...byNobody } = event.refused;
  expect(endSentence(after(event.ready, byNobody))).toBe("Tool call denied. Nothing was run.");
});

test("does not attribute a refusal after a yes to the person who allowed the call", () => {
  const { decision: _, ...byNobody } = event.refused;
  expect(endSentence(after(...way.cleared, byNobody))).toBe("Tool call denied. Nothing was run.");
});

test("describes an assumed end like a reported one", () => {
  expect(endSentence(after(...way["assumed cancelled"]))).toBe(endSentence(after(...way.cancelled)));
  expect(endSentence(after(...way["assumed unknown"]))).toBe(endSentence(after(...way.unknown)));
});

test.each([
  ["done", {}, "Done without asking; rule deny edit denies it."],
  ["done", { reason: "no edits here." }, "Done without asking; rule deny edit denies it: no edits here."],
  ["refused", { isAfterRefusal: true, who: "ann" }, "Done after ann refused it."],
  ["refused", { isAfterRefusal: true }, "Done after rule deny edit refused it."],
] as const)("reports a call that is %s against the rules: %j", (name, breach, sentence) => {
  const breached = { ...event.breached, breach: { ...event.breached.breach, ...breach } };
  expect(endSentence(after(...way[name], breached))).toBe(sentence);
});
