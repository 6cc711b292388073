import { expect, test } from "vitest";
import { diffContent } from "../call/index.js";
import type { ShownQuestion } from "../call/index.js";
import { askInTerminal, promptRows } from "./ask-in-terminal.js";
import type { AnswerDesk } from "./ask-in-terminal.js";

const question = (toolCallId: string): ShownQuestion => ({
  questionId: `question_${toolCallId}`,
  sessionId: "session",
  toolCallId,
  intentHash: "",
  title: toolCallId,
  options: [
    { optionId: "yes", name: "Yes", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ],
  askedAt: 0,
  call: { name: "t", title: "T", kind: "other", rawInput: {}, content: [], locations: [] },
});

/** A terminal whose person reads each prompt, also again when another question joins, and then says yes. */
function atTerminal() {
  const places: string[] = [];
  const shown: string[] = [];
  let answer: () => void = () => undefined;
  const desk: AnswerDesk = {
    write: () => undefined,
    line: () => Promise.resolve(""),
    help: () => "",
    close: () => undefined,
    refresh: () => places.push("joined"),
    reply: (_question, { place }) =>
      new Promise((resolve) => {
        answer = () => {
          places.push(place());
          resolve("y");
        };
      }),
  };
  const screen = {
    showCall: (id: string) => void shown.push(`? ${id}`),
    pause: () => undefined,
    resume: () => undefined,
    // The end comes some turns of the loop after the answer.
    untilEnded: async (id: string) => {
      await Promise.resolve();
      shown.push(`end of ${id}`);
    },
  };
  const ask = askInTerminal(screen, () => desk);
  const next = async (): Promise<void> => {
    await new Promise(setImmediate);
    answer();
    await new Promise(setImmediate);
  };
  return { places, shown, next, ask: (id: string) => ask(question(id), new AbortController().signal) };
}

test("says which of how many questions it is, also of those that join later", async () => {
  const { places, shown, next, ask } = atTerminal();
  const asked = [ask("a"), ask("b")];
  await new Promise(setImmediate);
  asked.push(ask("c"));
  for (const _ of asked) await next();
  await Promise.all(asked);
  expect(places).toEqual(["joined", " (1 of 3)", " (2 of 3)", " (3 of 3)"]);
  // The end of a call stands below its own question.
  expect(shown).toEqual(["? a", "end of a", "? b", "end of b", "? c"]);
});

test("counts from one again once nobody is asked", async () => {
  const { places, next, ask } = atTerminal();
  for (const id of ["a", "b"]) {
    const asked = ask(id);
    await next();
    await asked;
  }
  expect(places).toEqual(["", ""]);
});

test("shows on request all that an answer for several calls would allow, and says how much it leaves out", async () => {
  const edit = (id: string, lines: number): ShownQuestion => {
    const content = [diffContent(`/${id}.txt`, "", `${`line of ${id}\n`.repeat(lines)}end of ${id}`)];
    const one = question(id);
    return { ...one, likeness: "edit", call: { ...one.call, content } };
  };
  const replies = ["v", "all"];
  const [written, prompts]: [string[], string[]] = [[], []];
  const desk: AnswerDesk = {
    write: (text) => written.push(text),
    // Enter shows the next page.
    line: (prompt) => Promise.resolve((prompts.push(prompt), "")),
    help: () => "",
    close: () => undefined,
    reply: () => Promise.resolve(replies.shift() ?? "n"),
  };
  const screen = { showCall: () => undefined, pause: () => undefined, resume: () => undefined };
  const ask = askInTerminal(screen, () => desk);
  const { signal } = new AbortController();
  const asked = await Promise.all(
    [edit("a", 2), edit("b", 300), edit("c", 300)].map((one) => ask(one, signal)),
  );
  expect(asked.map(({ outcome }) => outcome.type)).toEqual(["selected", "selected", "selected"]);
  const [first = "", ...viewed] = written;
  expect(first).toMatch(
    /2 more calls like this:[^]*Not all of it is shown: [\d,]+ characters in 604 lines more\. v shows/,
  );
  const all = viewed.join("");
  for (const id of ["a", "b", "c"]) expect(all).toContain(`end of ${id}`);
  expect(all.match(/line of [bc]/g)?.length).toBe(600);
  expect(prompts.length).toBeGreaterThan(10);
});

test("breaks a prompt between its choices, and within one only where it is wider than the terminal", () => {
  const prompt = "Allow this (1 of 2)? [y]es, this [s]ession, [n]o (Enter), or no with your reason: ";
  expect(promptRows(prompt, 99)).toBe(prompt);
  expect(promptRows(prompt, 60)).toBe(
    "Allow this (1 of 2)? [y]es, this [s]ession, [n]o (Enter),\n  or no with your reason: ",
  );
  expect(promptRows(prompt, 20).split("\n")).toEqual([
    "Allow this (1 of 2)?",
    "  [y]es, this",
    "  [s]ession, [n]o",
    "  (Enter), or no",
    "  with your reason: ",
  ]);
});

test("breaks what it says about a reply that is no answer at its words", async () => {
  const replies = ["a reason that begins as the word for always does, and is long", "y"];
  const written: string[] = [];
  const desk: AnswerDesk = {
    write: (text) => written.push(text),
    line: () => Promise.resolve(""),
    help: () => "",
    close: () => undefined,
    reply: () => Promise.resolve(replies.shift() ?? ""),
  };
  const screen = { showCall: () => undefined, pause: () => undefined, resume: () => undefined };
  const asked = askInTerminal(screen, () => desk)(question("a"), new AbortController().signal);
  expect(await asked).toMatchObject({ outcome: { type: "selected", optionId: "yes" } });
  const hint = written.find((text) => text.includes("is not an answer")) ?? "";
  expect(hint.split("\n").every((line) => line.length < 80)).toBe(true);
  expect(hint.replaceAll(/\s+/g, " ")).toContain("Nothing was answered; ? shows the answers.");
});
