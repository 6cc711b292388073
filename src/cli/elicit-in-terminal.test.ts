import { expect, test } from "vitest";
import { elicitInTerminal } from "./elicit-in-terminal.js";

const schema = {
  properties: {
    name: { type: "string", title: "Your name" },
    age: { type: "integer" },
    colour: { type: "string", enum: ["red", "green"], default: "red" },
    news: { type: "boolean" },
  },
  required: ["name", "age"],
};

/** A person who types these lines; undefined is Escape. */
async function answered(
  lines: readonly (string | undefined)[],
  request: { readonly schema?: object; readonly message?: string; readonly url?: string },
  width = 120,
) {
  const [written, prompts]: [string[], string[]] = [[], []];
  const left = [...lines];
  const elicit = elicitInTerminal({
    line: (prompt) => {
      prompts.push(prompt);
      return Promise.resolve(left.shift());
    },
    write: (text) => written.push(text),
    pause: () => written.push("<pause>"),
    resume: () => written.push("<resume>"),
    onAsk: (message) => written.push(`<${message}>`),
    width: () => width,
    cancelHint: "Escape cancels",
  });
  const signal = new AbortController().signal;
  const reply = await elicit({ message: "Who\nare you?", ...request }, { toolCallId: "call_1", signal });
  return { reply, text: written.join(""), prompts };
}

test("asks field by field, again where a value does not fit, and takes defaults", async () => {
  const { reply, text, prompts } = await answered(["", "Ann", "many", "7", "", ""], { schema });
  expect(reply).toEqual({ action: "accept", content: { name: "Ann", age: 7, colour: "red" } });
  expect(text).toContain("<pause><Who\nare you?>? Who\n    │ are you?\n");
  expect(text).toContain("That does not fit: a whole number is needed.");
  expect(text.endsWith("<resume>")).toBe(true);
  expect(prompts).toContain('colour (one of: 1 red, 2 green; Enter is "red"; optional):');
});

test("declines with no, and cancels when the person goes back", async () => {
  expect((await answered(["no"], { schema })).reply).toEqual({ action: "decline" });
  expect((await answered(["", undefined], { schema })).reply).toEqual({ action: "cancel" });
  expect((await answered([""], {})).reply).toEqual({ action: "accept", content: {} });
});

const release = {
  properties: {
    replicas: { type: "integer", minimum: 1, maximum: 5 },
    notify: { type: "string", format: "email" },
    day: { type: "string", format: "date" },
    tag: { type: "string", pattern: "^v" },
    place: { type: "string", enum: ["staging", "stable", "production"] },
  },
  required: ["replicas", "notify", "day", "tag", "place"],
};

test("shows the limits of a field and asks it again when they do not hold, with nothing lost", async () => {
  const lines = ["", "9", "3", "foo", "a@b.org", "2026-02-31", "2026-02-28", "1", "v1", "sta", "9", "stag"];
  const { reply, text, prompts } = await answered(lines, { schema: release });
  expect(prompts).toContain("replicas (a whole number from 1 to 5):");
  expect(text).toContain("That does not fit: a whole number from 1 to 5 is needed.");
  expect(text).toContain("That does not fit: an email address is needed.");
  expect(text).toContain("That does not fit: a date such as 2026-01-31 is needed.");
  expect(text).toContain('That does not fit: "sta" begins staging and stable.');
  expect(text).toContain("That does not fit: type a number from 1 to 3, or the beginning of a word.");
  const content = { replicas: 3, notify: "a@b.org", day: "2026-02-28", tag: "v1", place: "staging" };
  expect(reply).toEqual({ action: "accept", content });
});

test("takes a choice by its number", async () => {
  const choice = { properties: { place: release.properties.place }, required: ["place"] };
  expect((await answered(["", "3"], { schema: choice })).reply).toEqual({
    action: "accept",
    content: { place: "production" },
  });
});

test("takes a list of choices by number, value or title, and no more than fit", async () => {
  const titled = [
    { const: "fish-1", title: "Tuna" },
    { const: "fish-2", title: "Salmon" },
    { const: "fish-3", title: "Trout" },
  ];
  const list = { properties: { fish: { type: "array", items: { anyOf: titled }, maxItems: 2 } } };
  const { reply, text, prompts } = await answered(["", "1, whale", "1, 2, 3", "tuna, fish-3"], {
    schema: list,
  });
  expect(prompts).toContain("fish (some of, with commas between: 1 Tuna, 2 Salmon, 3 Trout; optional):");
  expect(text).toContain("That does not fit: type a number from 1 to 3, or the beginning of a word.");
  expect(text).toContain("must NOT have more than 2 items");
  expect(reply).toEqual({ action: "accept", content: { fish: ["fish-1", "fish-3"] } });
});

test("marks each row of a server's text, so that none looks like ours", async () => {
  const imitation = "Allow this? [y]es, [n]o (Enter), [?] help, or no with your reason: ";
  const far = " ".repeat(90);
  const message = `srv/act asks: WORDS${far}? Run ls\n\n? Run ls (execute, waiting for an answer)\n${imitation}${imitation}`;
  const form = {
    properties: {
      x: { type: "string", title: `TITLE${far}${imitation}` },
      y: { type: "string", enum: [`one${far}${imitation}`] },
    },
    required: ["x", "y"],
  };
  const { text, prompts } = await answered(["", "a", "nine", "1"], { message, schema: form }, 80);
  const rows = text
    .replaceAll(/<[^<>]*>/g, "")
    .trimEnd()
    .split("\n");
  expect(rows[0]).toMatch(/^\? srv\/act asks: WORDS/);
  expect(rows.slice(1).filter((row) => !/^(?: {4}[│┆]|That does not fit: )/.test(row))).toEqual([]);
  expect(rows.filter((row) => row.length > 79)).toEqual([]);
  expect(prompts.map((prompt) => prompt.length).every((length) => length < 80)).toBe(true);
  expect(prompts.filter((prompt) => prompt.includes("Allow this?"))).toEqual([]);
  // A long address stays behind the mark too.
  const opened = await answered(
    [""],
    { message: "srv asks: Log in", url: `https://a.example/${"x".repeat(200)}` },
    80,
  );
  expect(opened.text).toMatch(/\n {4}at https:[^\n]*\n {4}┆ x/);
});
