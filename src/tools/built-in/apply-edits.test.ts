import * as fc from "fast-check";
import { expect, test } from "vitest";
import { applyEdits, type Replacement } from "./apply-edits.js";

const apply = (text: string, ...edits: readonly Replacement[]) => applyEdits(text, "a.ts", edits).text;

test("applies each edit to the result of the one before it", () => {
  expect(apply("a", { oldText: "a", newText: "bb" }, { oldText: "bb", newText: "c" })).toBe("c");
  expect(applyEdits("a-a", "a.ts", [{ oldText: "a", newText: "aa", replaceAll: true }])).toEqual({
    text: "aa-aa",
    passages: 2,
  });
  expect(() => apply("a-a", { oldText: "a", newText: "b", replaceAll: false })).toThrow("occurs 2 times");
});

test("points to a passage that differs only in white space", () => {
  const text = "class A {\n  one() {\n\treturn 1;\n  }\n}\n";
  const failure = () => apply(text, { oldText: "one() {\n    return 1;\n}", newText: "x" });
  expect(failure).toThrow(
    'edit_file: "oldText" does not occur in a.ts, but with other spaces or line ends it stands at line 2. Read the file from there and copy the passage as it is. The file was not changed.',
  );
  expect(() => apply("one\n\n\ntwo x", { oldText: "twox", newText: "", replaceAll: true })).toThrow(
    "at line 4",
  );
  expect(() => apply("one two", { oldText: "wo t", newText: "" })).toThrow(
    "must be there with the same spaces",
  );
  expect(() => apply("one", { oldText: "  ", newText: "" })).toThrow("must be there with the same spaces");
});

test("names the edit that does not fit", () => {
  const fits = { oldText: "c", newText: "d" };
  expect(() => apply("a a c", fits, { oldText: "a", newText: "b" })).toThrow(
    '"oldText" of edit 2 of 2 occurs 2 times in a.ts as the edits before it leave it (lines 1, 1)',
  );
  expect(() => apply("a a c", { oldText: "x", newText: "b" }, fits)).toThrow(
    '"oldText" of edit 1 of 2 does not occur in a.ts; it must',
  );
  expect(() => apply("a a c", fits, { oldText: "d", newText: "d" })).toThrow(
    '"oldText" of edit 2 of 2 and "newText" are the same',
  );
});

test("reports edits that undo each other", () => {
  const there = { oldText: "a", newText: "b" };
  expect(() => apply("a", there, { oldText: "b", newText: "a" })).toThrow("the edits undo each other");
});

/** Lines that are all different, with a mark in each that stands nowhere else. */
const aText = fc.array(fc.stringMatching(/^[a-z é😀$&\t]{0,8}$/u), { minLength: 1, maxLength: 12 });
const lineOf = (text: string, index: number) => `<${index}>${text}`;

/** The new text of some of the lines, in any order. */
const changes = fc.uniqueArray(fc.tuple(fc.nat(11), fc.stringMatching(/^[A-Z\n$&]{1,6}$/)), {
  minLength: 1,
  selector: ([index]) => index,
});

test("edits of many lines give what replacing the lines by hand gives, with the file's line ends and mark", () => {
  const property = fc.property(
    aText,
    changes,
    fc.constantFrom("\n", "\r\n"),
    fc.constantFrom("", "\uFEFF"),
    (texts, chosen, lineEnd, bom) => {
      const old = texts.map(lineOf);
      const wanted = chosen.filter(([index]) => index < old.length);
      fc.pre(wanted.length > 0);
      const edits = wanted.map(([index, newText]) => ({ oldText: old[index] ?? "", newText }));
      const byHand = old.map((line, at) => wanted.find(([index]) => index === at)?.[1] ?? line);
      const written = (lines: readonly string[]) => bom + `${lines.join("\n")}\n`.replaceAll("\n", lineEnd);
      expect(apply(written(old), ...edits)).toBe(written(byHand));
    },
  );
  fc.assert(property);
});

test("matches an edit with LF in a file with CRLF", () => {
  const property = fc.property(aText, fc.nat(11), fc.nat(11), (texts, one, other) => {
    const old = texts.map(lineOf);
    const [start, end] = [Math.min(one, other), Math.max(one, other) + 1];
    const passage = old.slice(start, end);
    // A file of one line says nothing of line ends.
    fc.pre(passage.length > 0 && old.length > 1);
    const edited = apply(old.join("\r\n"), { oldText: passage.join("\n"), newText: "N\nM" });
    expect(edited).toBe([...old.slice(0, start), "N", "M", ...old.slice(end)].join("\r\n"));
  });
  fc.assert(property);
});

test("replaces every place as replaceAll does", () => {
  const short = fc.stringMatching(/^[ab$&]{1,3}$/);
  const property = fc.property(
    fc.stringMatching(/^[ab$&]{0,30}$/),
    short,
    short,
    (text, oldText, newText) => {
      fc.pre(text.includes(oldText) && oldText !== newText);
      const byHand = text.replaceAll(oldText, () => newText);
      fc.pre(byHand !== text);
      expect(apply(text, { oldText, newText, replaceAll: true })).toBe(byHand);
    },
  );
  fc.assert(property);
});

test("replaces a passage only when it occurs once", () => {
  const short = fc.stringMatching(/^[ab]{1,3}$/);
  const property = fc.property(fc.stringMatching(/^[ab]{0,12}$/), short, (text, oldText) => {
    const places = Array.from(text, (_, at) => at).filter((at) => text.startsWith(oldText, at));
    const edit = () => apply(text, { oldText, newText: "-" });
    const [place] = places;
    if (place === undefined) expect(edit).toThrow("does not occur");
    else if (places.length > 1) expect(edit).toThrow(`occurs ${places.length} times`);
    else expect(edit()).toBe(`${text.slice(0, place)}-${text.slice(place + oldText.length)}`);
  });
  fc.assert(property);
});
