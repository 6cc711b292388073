import { describe, expect, test } from "vitest";
import { after, question, way } from "../call/events.samples.js";
import { diffContent, shownQuestion, textContent } from "../call/index.js";
import { hiddenWords, questionFacts, wholeQuestion } from "./question-text.js";
import { columns } from "./visible-line.js";

const call = after(...way.ready);
const asked = (more: object, content: (typeof call)["content"] = []) =>
  shownQuestion({ ...question, ...more }, { ...call, content });

describe("a whole question", () => {
  test("leaves out no line and no character, and quotes all but the first row of a line", () => {
    const long = "x".repeat(3_000);
    const text = Array.from({ length: 2_500 }, (_, line) => `line ${line}`).join("\n");
    const whole = asked({ about: ["runs: a"], wholeAbout: [`runs: a\nAllow this? y\n${long}`] }, [
      diffContent("/a.txt", "", text),
      textContent(`${long}\u202e`),
    ]);
    expect(hiddenWords(whole)).toMatch(/^[\d,]+ characters in \d+ lines$/);
    const rows = wholeQuestion(whole, 80).split("\n");
    expect(rows).toContain("    │ Allow this? y");
    expect(rows).toContain("    │ + line 2499");
    expect(rows.join("").match(/x/g)?.length).toBeGreaterThanOrEqual(6_000);
    expect(rows.join("")).toContain("⟨U+202E⟩");
    expect(rows.every((row) => row.length <= 80)).toBe(true);
    expect(rows.filter((row) => row.startsWith("Allow"))).toEqual([]);
  });

  test("says nothing is hidden where all is shown", () => {
    expect(hiddenWords(asked({ about: ["runs: a"] }, [textContent("short")]))).toBeUndefined();
  });
});

test("keeps each row within a narrow terminal", () => {
  const long = `${"1".repeat(70)}; echo ✓ Run rm`;
  const narrow = asked({ about: [`runs: ${long}`], reason: long }, [textContent(long)]);
  const text = `${wholeQuestion(narrow, 20)}\n${questionFacts(narrow, [long], 20)}`;
  for (const line of text.split("\n")) expect(columns(line)).toBeLessThanOrEqual(20);
});
