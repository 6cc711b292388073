import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { DiffContent } from "./content.js";
import { fileDiff } from "./content.js";
import { hunksInContext, hunksOfDiff, partOfChange } from "./diff-hunks.js";

const PATH = "/home/user/project/file.txt";
const padding = Array.from({ length: 4_000 }, (_, line) => `padding line ${line}\n`).join("");

test("makes just the kept hunks of a change, and names the lines of the others", () => {
  const line = fc.constantFrom("a\n", "b\n", "c\r\n", "d");
  const texts = fc.tuple(fc.array(line, { maxLength: 60 }), fc.array(line, { maxLength: 60 }));
  fc.assert(
    fc.property(
      texts,
      fc.boolean(),
      fc.array(fc.boolean(), { maxLength: 9 }),
      ([one, other], isLarge, keeps) => {
        const room = isLarge ? padding : "";
        const [oldText, newText] = [one.join("") + room, other.join("") + room];
        const diff = fileDiff(PATH, oldText, newText);
        const hunks = hunksOfDiff(diff);
        const kept = hunks.flatMap((_, index) => (keeps[index] === true ? [index + 1] : []));
        const part = partOfChange(diff, { oldText, newText }, kept);
        expect(part?.rejected.map(({ number }) => number)).toEqual(
          hunks.flatMap((_, index) => (kept.includes(index + 1) ? [] : [index + 1])),
        );
        if (kept.length === 0) expect(part?.text).toBe(oldText);
        if (kept.length === hunks.length) expect(part?.text).toBe(newText);
        const sizes = hunks.map((hunk, index) =>
          kept.includes(index + 1) ? hunk.newText.length - hunk.oldText.length : 0,
        );
        expect(part?.text.length).toBe(sizes.reduce((sum, size) => sum + size, oldText.length));
        expect(partOfChange(diff, { oldText, newText }, [hunks.length + 1])).toBeUndefined();
      },
    ),
    { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 60) },
  );
});

describe("the diff of a file", () => {
  test("has both texts whole while they are short", () => {
    const text = "a".repeat(64 * 1024);
    expect(fileDiff(PATH, text, "b")).toEqual({
      type: "diff",
      operation: "modify",
      path: PATH,
      oldText: text,
      newText: "b",
    });
    expect(fileDiff(PATH, undefined, padding)).toMatchObject({ operation: "add", newText: padding });
  });

  test("has only the changed lines of a large file, with three around them", () => {
    const lines = padding.split("\n");
    const now = lines.with(2_000, "another line").join("\n");
    const context = (line: string) => [...lines.slice(1_997, 2_000), line, ...lines.slice(2_001, 2_004), ""];
    expect(fileDiff(PATH, padding, now)).toEqual({
      type: "diff",
      operation: "modify",
      path: PATH,
      hunks: [
        {
          oldLine: 1_998,
          newLine: 1_998,
          oldText: context("padding line 2000").join("\n"),
          newText: context("another line").join("\n"),
        },
      ],
    });
  });

  test("is whole when hardly a line stays", () => {
    expect(fileDiff(PATH, padding, padding.replaceAll("padding", "other"))).not.toHaveProperty("hunks");
  });

  test("cuts lines that are longer than anyone reads", () => {
    const field = (index: number) => `"field${index}":${index},`;
    const line = Array.from({ length: 20_000 }, (_, index) => field(index)).join("");
    const [hunk, ...others] = hunksOf(fileDiff(PATH, line, line.replace(field(9_000), `"changed":true,`)));
    expect(others).toEqual([]);
    expect(hunk?.oldText).toContain(field(9_000));
    expect(hunk?.newText).toContain(`"changed":true,`);
    expect((hunk?.oldText.length ?? 0) + (hunk?.newText.length ?? 0)).toBeLessThan(17_000);
    const start = (hunk?.column ?? 0) - 1;
    expect(line.slice(start, start + (hunk?.oldText.length ?? 0))).toBe(hunk?.oldText);
  });

  test("has a bounded number of places, however many there are", () => {
    const text = padding.repeat(10);
    const diff = fileDiff(PATH, text, text.replaceAll(/^(padding line \d*00)$/gm, "$1 changed"));
    expect(hunksOf(diff).length).toBeLessThanOrEqual(100);
    expect(applied(text, diff)).toBe(text.replaceAll(/^(padding line \d*00)$/gm, "$1 changed"));
  });

  test("gives the new text when it is applied to the old one", () => {
    const line = fc.constantFrom(
      "a",
      "b",
      "c",
      "password:",
      "-----BEGIN PRIVATE KEY-----",
      "-----END-----",
      "",
    );
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join("\n"));
    fc.assert(
      fc.property(text, text, text, text, (head, tail, newHead, newTail) => {
        const [old, now] = [`${head}${padding}${tail}`, `${newHead}${padding}${newTail}`];
        const diff = fileDiff(PATH, old, now);
        expect(diff).toHaveProperty("hunks");
        expect(applied(old, diff)).toBe(now);
      }),
      { numRuns: Number(process.env["TOOLGATE_RUNS"] ?? 40) },
    );
  });
});

test("extends a hunk's context up to the line that makes the next one a secret", () => {
  const body = Array.from({ length: 30 }, (_, index) => `MIIEvQIBADANBgkqhkiG9w0BAQEFAASC${index}\n`).join(
    "",
  );
  const key = `-----BEGIN PRIVATE KEY-----\n${body}-----END PRIVATE KEY-----\n`;
  const edited = key.replace("ASC20\n", "ASCnew\n");
  expect(hunksInContext(`first\n${key}`, `first\n${edited}`)[0]?.oldText).toMatch(/^-----BEGIN/);
  const named = (value: string) => `a\nb\npassword:\n  hunter2\nc\nd\n${value}\n`;
  expect(hunksInContext(named("old"), named("new"))[0]?.oldText).toMatch(/^password:/);
});

const hunksOf = ({ hunks }: DiffContent) => hunks ?? [];

/** The old text with each hunk's old text replaced by its new one, at its line. */
function applied(old: string, diff: DiffContent): string {
  const lines = old.split(/(?<=\n)/);
  let text = "";
  let next = 0;
  for (const { oldLine, oldText, newText } of hunksOf(diff)) {
    text += lines.slice(next, oldLine - 1).join("") + newText;
    const count = oldText === "" ? 0 : oldText.split(/(?<=\n)/).length;
    expect(lines.slice(oldLine - 1, oldLine - 1 + count).join("")).toBe(oldText);
    next = oldLine - 1 + count;
  }
  return text + lines.slice(next).join("");
}
